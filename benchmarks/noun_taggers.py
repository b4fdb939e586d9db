"""How far noun taggers differ where it counts: the type reward. ``python -m benchmarks.noun_taggers FILE [PAIRS]``.

Draws pairs of products of a raw WebShop file, half of them listed under the same query, and compares the type reward
that the bundled tagger gives with that of a tagger which takes every word for a noun, and with spaCy's where it is
installed.
"""

import random
import re
import sys
from pathlib import Path

from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import (
    builtin_nouns,
    make_tagger,
    spacy_is_usable,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger, type_reward
from personalized_shopping.shared_libraries.web_agent_site.shop_files import open_shop_for


def main(path: Path, pairs: int = 5_000) -> None:
    """Print how often the type reward of two taggers is the same, and how far the title scores lie apart."""
    files = open_shop_for(path)
    goals = files.goals("synthetic")
    catalog = files.catalog
    others: dict[str, NounTagger] = {"every word": lambda text: re.findall(r"[^\W\d_]+", text)}
    if spacy_is_usable():
        others["spaCy"] = make_tagger("spacy")[1]
    rng = random.Random(233)
    drawn = []
    for number in range(pairs):
        goal = goals[rng.randrange(len(goals))]
        alike = catalog.asins_by_query(goal.query) if number % 2 else []
        asin = rng.choice(alike) if alike else catalog.asin_at(rng.randrange(len(catalog)))
        drawn.append((catalog.product(asin), goal))
    own = [type_reward(product, goal, builtin_nouns) for product, goal in drawn]
    for name, tagger in others.items():
        theirs = [type_reward(product, goal, tagger) for product, goal in drawn]
        same = sum(a.r_type == b.r_type for a, b in zip(own, theirs, strict=True))
        apart = sum(abs(a.title_score - b.title_score) for a, b in zip(own, theirs, strict=True))
        print(f"builtin and {name}: same type reward {same / pairs:.1%}, title scores {apart / pairs:.3f} apart")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
