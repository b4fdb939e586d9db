"""Search a hybrid index: two rankings made one."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Hit
from personalized_shopping.shared_libraries.search_engine.bm25 import Bm25Index
from personalized_shopping.shared_libraries.search_engine.bm25.strings import StoredStrings, map_array
from personalized_shopping.shared_libraries.search_engine.hybrid.builder import KEYWORDS, VECTORS
from personalized_shopping.shared_libraries.search_engine.hybrid.encoder import DIMENSIONS, Encoder, Vectors

RANK_OFFSET = 60
"""The constant of reciprocal rank fusion: Cormack, Clarke and Büttcher, SIGIR 2009."""
DEPTH_FACTOR = 2
"""Both rankings are read this many times as deep as hits are asked for."""
_BLOCK = 4_096
"""Vectors widened to single precision at a time: few enough to stay in the processor's cache."""
_KEPT_WIDE = 200_000
"""Up to so many vectors stay in memory once widened (1.5 kB each): widening takes most of a search's time."""


class HybridIndex:
    """An opened index; any number of threads may search it.

    Args:
        directory: where ``build`` wrote it.
        encoder: turns queries into vectors; one of its own by default.
    """

    name = "hybrid"

    def __init__(self, directory: Path, encoder: Encoder | None = None) -> None:
        self._keywords = Bm25Index(directory / KEYWORDS)
        self._docids = StoredStrings(directory / KEYWORDS, "docids")
        self._vectors: npt.NDArray[np.float16] = map_array(directory, VECTORS.removesuffix(".npy"))
        if self._vectors.shape != (len(self._docids), DIMENSIONS):
            raise ValueError(f"{VECTORS} does not hold one vector for each document")
        self._wide: Vectors | None = None
        self._encoder = encoder or Encoder()

    def __len__(self) -> int:
        return len(self._docids)

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return the best ``k`` documents of both rankings; the score is the fused one.

        Raises:
            SearchError: if the index was closed.
        """
        depth = DEPTH_FACTOR * k
        by_words = [hit.docid for hit in self._keywords.search(query, depth)]
        if k < 1 or not len(self) or not any(map(str.isalnum, query)):
            return []
        return fuse([by_words, self._by_meaning(query, depth)], k)

    def close(self) -> None:
        """Refuse further searches."""
        self._keywords.close()

    def _by_meaning(self, query: str, depth: int) -> list[str]:
        likeness = self._likeness(self._encoder.encode([query])[0])
        chosen = np.arange(len(self))
        if len(chosen) > depth:
            least = np.partition(likeness, len(self) - depth)[len(self) - depth]
            chosen = np.flatnonzero(likeness >= least)
        order = np.argsort(-likeness[chosen], kind="stable")[:depth]
        return self._docids.many(chosen[order])

    def _likeness(self, wanted: Vectors) -> Vectors:
        """Return every document's cosine to a vector."""
        if len(self) <= _KEPT_WIDE:
            if self._wide is None:
                # Two threads may both do this; they get the same.
                self._wide = self._vectors.astype(np.float32)
            return self._wide @ wanted
        likeness = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _BLOCK):
            block = self._vectors[start : start + _BLOCK].astype(np.float32)
            np.dot(block, wanted, out=likeness[start : start + len(block)])
        return likeness


def fuse(rankings: Iterable[list[str]], k: int) -> list[Hit]:
    """Return the best ``k`` of several rankings: each adds 1 / (60 + rank) to what it ranks; ties by identifier."""
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, docid in enumerate(ranking, 1):
            scores[docid] += 1 / (RANK_OFFSET + rank)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    return [Hit(docid, score) for docid, score in best]
