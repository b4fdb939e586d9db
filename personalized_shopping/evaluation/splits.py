"""Which split a goal belongs to."""

import hashlib
from typing import Literal

Split = Literal["test", "dev", "train"]
SPLITS: tuple[Split, ...] = ("test", "dev", "train")
SplitBy = Literal["product", "index"]

_SHARES = {"test": 0.2, "dev": 0.1}
_PUBLISHED = ((500, "test"), (1_500, "dev"))
"""Below which index of the shuffled goals a published split ends; what comes after them is for training."""


def split_of_product(asin: str) -> Split:
    """Return the split of a product: 20 % are for tests, 10 % for development, the others for training.

    It is told by the ASIN's SHA-256 alone, so that it is the same in every catalogue and with every seed, and all goals
    of a product are on one side.
    """
    digest = hashlib.sha256(asin.upper().encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < _SHARES["test"]:
        return "test"
    return "dev" if place < _SHARES["test"] + _SHARES["dev"] else "train"


def split_of_index(index: int) -> Split:
    """Return the published split of a goal, by its index: 0-499 test, 500-1499 dev, the others train.

    Goals of one product lie on several sides of it: it is here to compare with published numbers.
    """
    for end, split in _PUBLISHED:
        if index < end:
            return "test" if split == "test" else "dev"
    return "train"
