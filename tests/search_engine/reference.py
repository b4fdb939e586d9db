"""What the engines are held to: Lucene's BM25 written out for one document at a time, and made-up catalogues."""

import math
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from personalized_shopping.shared_libraries.search_engine import Document, Hit
from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer

WORDS = (
    "red", "blue", "cotton", "shirt", "shoes", "running", "women's", "men's", "lamp", "table", "chair", "bottle",
    "cream", "cable", "speaker", "dress", "12v", "6.5", "7,5", "5/8", "t-shirt", "u.s.a", "nail", "hair", "natural",
    "easy",
    "easily", "wooden", "café", "naïve", "★", "中文", "かな", "ไทย", "✓", "™", "the", "with", "and", "for",
)  # fmt: skip


def kept_length(length: int) -> int:
    """Return a document's length after Lucene's one byte: 24 exactly, then four significant bits of what is above."""
    if length < 24:
        return length
    above = length - 24
    lost = max(above.bit_length() - 4, 0)
    return 24 + (above >> lost << lost)


def rank(documents: Sequence[Document], query: str, k: int = 50) -> list[Hit]:
    """Score every document by the formula, in single precision where Lucene has it."""
    f = np.float32
    analyze = EnglishAnalyzer().analyze
    bags = [Counter(analyze(document.contents)) for document in documents]
    lengths = [bag.total() for bag in bags]
    filled = sum(length > 0 for length in lengths)
    average = f(sum(lengths) / filled) if filled else f(1)
    hits = []
    for document, bag, length in zip(documents, bags, lengths, strict=True):
        inverse = f(1) / (f(0.9) * ((f(1) - f(0.4)) + f(0.4) * f(kept_length(length)) / average))
        total = 0.0
        for term, times in Counter(analyze(query)).items():
            if bag[term]:
                holders = sum(term in other for other in bags)
                weight = f(times) * f(math.log(1 + (filled - holders + 0.5) / (holders + 0.5)))
                total += float(weight - weight / (f(1) + f(bag[term]) * inverse))
        if total:
            hits.append(Hit(document.docid, float(f(total))))
    return sorted(hits, key=lambda hit: (-hit.score, hit.docid))[:k]


def made_up(count: int, seed: int = 5) -> list[Document]:
    """Return documents with many ties and very different lengths, their identifiers in no order."""
    draw = random.Random(seed)
    docids = draw.sample([f"B{number:07d}" for number in range(count)], count)
    return [Document(docid, " ".join(draw.choices(WORDS, k=draw.choice([0, 1, 2, 2, 5, 30, 90])))) for docid in docids]


def queries(count: int, seed: int = 6) -> list[str]:
    """Return queries over the same words, some of them with repetitions or unknown words."""
    draw = random.Random(seed)
    return [" ".join(draw.choices([*WORDS, "unknownword"], k=draw.randint(1, 7))) for _ in range(count)]
