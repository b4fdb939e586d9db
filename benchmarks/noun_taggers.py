"""How far noun taggers differ where it counts: the type reward. ``python -m benchmarks.noun_taggers FILE [PAIRS]``.

Draws pairs of a goal and a product from a raw WebShop file, every second product one that is listed under the goal's
query, and compares the type reward that the bundled tagger gives with that of the tagger which the reference outputs
were made with, of one that takes every word for a noun, and of spaCy's where it is installed.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import (
    builtin_nouns,
    make_tagger,
    spacy_is_usable,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger, TypeReward, type_reward
from personalized_shopping.shared_libraries.web_agent_site.shop_files import open_shop_for

SEED = 233
# The words that the reference outputs' tagger leaves out (tests/web_agent_site/webshop_tagger.py).
_LEFT_OUT = """
off white red blue black casual breathable listed high non slip for and the of in with
"""
_NO_REFERENCE_NOUNS = frozenset(_LEFT_OUT.split())


def main(path: Path, pairs: int = 5_000) -> None:
    """Print, for each other tagger, how often its type reward differs from the bundled tagger's, and how."""
    drawn = draw_pairs(path, pairs)
    own = [type_reward(product, goal, builtin_nouns) for product, goal in drawn]
    for name, tagger in other_taggers().items():
        theirs = [type_reward(product, goal, tagger) for product, goal in drawn]
        print(f"builtin and {name}, {pairs:,} pairs:")
        for part, chosen in {
            "all": slice(None),
            "any product": slice(0, None, 2),
            "same query": slice(1, None, 2),
        }.items():
            print(f"  {part:11}  {compare(own[chosen], theirs[chosen])}")
        changes = Counter((b.r_type, a.r_type) for a, b in zip(own, theirs, strict=True) if a.r_type != b.r_type)
        print(
            "  changes      " + ", ".join(f"{old:g} -> {new:g}: {count}" for (old, new), count in changes.most_common())
        )


def draw_pairs(path: Path, pairs: int) -> list[tuple[Product, Goal]]:
    """Return seeded pairs of a bought product and a goal."""
    files = open_shop_for(path)
    goals, catalog = files.goals("synthetic"), files.catalog
    rng = random.Random(SEED)
    drawn = []
    for number in range(pairs):
        goal = goals[rng.randrange(len(goals))]
        alike = catalog.asins_by_query(goal.query) if number % 2 else []
        asin = rng.choice(alike) if alike else catalog.asin_at(rng.randrange(len(catalog)))
        drawn.append((catalog.product(asin), goal))
    return drawn


def other_taggers() -> dict[str, NounTagger]:
    """Return what the bundled tagger is compared with."""
    taggers: dict[str, NounTagger] = {"the reference outputs' tagger": reference_nouns, "every word": words}
    if spacy_is_usable():
        name, tagger = make_tagger("spacy")
        taggers[name] = tagger
    return taggers


def words(text: str) -> list[str]:
    """Return every word of a text."""
    return re.findall(r"[^\W\d_]+", text)


def reference_nouns(text: str) -> list[str]:
    """Return every word but those that the reference outputs' tagger leaves out."""
    return [word for word in words(text) if word.lower() not in _NO_REFERENCE_NOUNS]


def compare(own: Sequence[TypeReward], theirs: Sequence[TypeReward]) -> str:
    """Return one line: the share of other type rewards, their mean difference, and that of the title scores."""
    both = list(zip(own, theirs, strict=True))
    other = sum(a.r_type != b.r_type for a, b in both) / len(both)
    reward = sum(a.r_type - b.r_type for a, b in both) / len(both)
    title = sum(abs(a.title_score - b.title_score) for a, b in both) / len(both)
    return f"r_type differs in {other:.1%}, by {reward:+.3f} on average; title scores are {title:.3f} apart"


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:3]))
