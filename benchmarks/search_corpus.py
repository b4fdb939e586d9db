"""Documents and queries to measure search with: WebShop's 1,000 where they are at hand, and seeded mixes of them.

A mix keeps what matters to a search engine: word frequencies that fall like Zipf's law, documents of very different
lengths, phrases that occur together. It is no catalogue and nobody should read it.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from personalized_shopping.shared_libraries.search_engine import Document

_ASIN_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ADJECTIVES = (
    "red", "blue", "black", "white", "soft", "warm", "long", "short", "light", "heavy", "natural", "cotton", "leather",
    "steel", "vintage",
)  # fmt: skip
_NOUNS = (
    "shirt", "shoes", "lamp", "table", "chair", "bottle", "cream", "cable", "speaker", "dress", "boots", "jacket",
    "rug", "snack", "tea", "charger",
)  # fmt: skip
_SYLLABLES = ("ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "wa", "xi", "yo", "za", "cha", "del", "fin", "gor")


def real_documents(data: Path | None) -> list[Document]:
    """Return WebShop's own 1,000 documents, or as many made-up ones where ``data`` is no directory of theirs."""
    if data is None or not (data / "items_shuffle_1000.json").exists():
        return list(_made_up(1000))
    products = json.loads((data / "items_shuffle_1000.json").read_text("utf-8"))
    return [Document(product["asin"], _contents(product)) for product in products]


def mixed_documents(real: list[Document], count: int, seed: int = 7) -> list[Document]:
    """Return ``count`` documents mixed from phrases of real ones, the first real ones far more often than the last."""
    draw = random.Random(seed)
    phrases = [_phrases(document.contents) for document in real]
    phrases = [parts for parts in phrases if parts]
    weights = [1 / (rank + 10) for rank in range(len(phrases))]
    docids: set[str] = set()
    while len(docids) < count:
        docids.add("B0" + "".join(draw.choices(_ASIN_LETTERS, k=8)))
    documents = []
    for docid in draw.sample(sorted(docids), count):
        sources = draw.choices(phrases, weights, k=draw.randint(2, 7))
        words = [phrase for source in sources for phrase in draw.sample(source, min(len(source), draw.randint(1, 4)))]
        words += ("".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))) for _ in range(draw.randint(0, 3)))
        documents.append(Document(docid, " ".join(words)))
    return documents


def queries(data: Path | None, count: int, seed: int = 11) -> list[str]:
    """Return queries: half people's requests, half an agent's short ones; made up where there are no data."""
    draw = random.Random(seed)
    if data is not None and (data / "human_goals.json").exists():
        goals = json.loads((data / "human_goals.json").read_text("utf-8"))
        mapped = json.loads((data / "goal_query_map.json").read_text("utf-8"))
        short = sorted({query for found in mapped.values() for query in found})
    else:
        goals = [f"i am looking for a {_words(draw, 6)}, and price lower than {n % 90 + 10}.00" for n in range(count)]
        short = [_words(draw, 3) for _ in range(count)]
    half = min(count // 2, len(short))
    chosen = draw.sample(short, half)
    chosen += draw.sample(goals, min(count - half, len(goals)))
    draw.shuffle(chosen)
    return chosen


def _contents(product: dict[str, object]) -> str:
    bullets = product["small_description"]
    first = (bullets[0] if bullets else "") if isinstance(bullets, list) else bullets
    options = product["customization_options"] or {}
    assert isinstance(options, dict)
    texts = [
        f"{name.lower()}: {', '.join(value['value'].strip().replace('/', ' | ').lower() for value in values)}"
        for name, values in options.items()
        if values is not None
    ]
    parts = [product["name"], product["full_description"], first, ", and ".join(texts)]
    return " ".join(str(part or "") for part in parts).lower()


def _phrases(text: str) -> list[str]:
    words = text.split()
    return [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]


def _words(draw: random.Random, count: int) -> str:
    return " ".join([*draw.choices(_ADJECTIVES, k=count - 1), draw.choice(_NOUNS)])


def _made_up(count: int) -> Iterator[Document]:
    draw = random.Random(3)
    for number in range(count):
        text = " ".join(_words(draw, draw.randint(2, 6)) for _ in range(draw.randint(2, 30)))
        yield Document(f"B{number:09d}", text)
