"""Search a BM25 index: Lucene's scores and order.

Own code, because no library gives this ranking (quantised lengths, single-precision terms, ties by identifier) and
every published WebShop score stands on it.

All documents that have a word of the query are scored, in one pass over their postings: up to some hundred thousand
documents that is quicker than finding out which of them need no score.
"""

from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from personalized_shopping.errors import SearchError
from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Hit
from personalized_shopping.shared_libraries.search_engine.bm25.strings import StoredStrings, map_array

_TERMS_KEPT = 50_000
_COLUMNS_PER_HIT = 20
_SPARSE = 16
"""From this many documents per posting on, sorting the postings is quicker than clearing a score for every document."""
_SLACK = 1 - 1e-6
"""A sum in double precision may lie below another and be equal to it once rounded to single precision."""

Doubles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.intp]


class Bm25Index:
    """An opened index; any number of threads and, since files are only mapped, of forked processes may search it.

    Args:
        directory: where ``build`` wrote it.
    """

    name = "bm25"

    def __init__(self, directory: Path) -> None:
        self._docids = StoredStrings(directory, "docids")
        self._terms = StoredStrings(directory, "terms")
        self._docs = map_array(directory, "docs")
        self._scores = map_array(directory, "scores")
        self._denominators: npt.NDArray[np.float32] = map_array(directory, "denominators")
        self._starts: npt.NDArray[np.int64] = map_array(directory, "starts")
        self._idf: npt.NDArray[np.float32] = map_array(directory, "idf")
        if not len(self._docs) == len(self._scores) == int(self._starts[-1]):
            raise ValueError("the arrays of postings do not belong together")
        if not len(self._terms) == len(self._idf) == len(self._starts) - 1:
            raise ValueError("the arrays of terms do not belong together")
        self._analyzer = EnglishAnalyzer()
        self._number_of = lru_cache(maxsize=_TERMS_KEPT)(self._terms.find)
        self._closed = False

    def __len__(self) -> int:
        return len(self._docids)

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return the best ``k`` documents, as Lucene ranks them.

        Raises:
            SearchError: if the index was closed.
        """
        if self._closed:
            raise SearchError("This index was closed. Open it again with open_index.")
        words = self._query_words(query)
        if not words or k < 1:
            return []
        docs, exact = _best(*self._sums(words), k)
        scores = exact.astype(np.float32)
        # Numbers ascend with identifiers, so a stable sort breaks ties as Lucene is told to.
        order = np.argsort(-scores, kind="stable")[:k]
        return list(map(Hit, self._docids.many(docs[order]), scores[order].tolist()))

    def close(self) -> None:
        """Refuse further searches; the files are unmapped when the last one has ended."""
        self._closed = True

    def _query_words(self, query: str) -> list[tuple[int, int, np.float32]]:
        """Return where the postings of each known word start and end, and what it weighs; repetition weighs more."""
        words = []
        for text, times in Counter(self._analyzer.analyze(query)).items():
            number = self._number_of(text)
            if number is not None:
                start, end = self._starts[number : number + 2].tolist()
                words.append((start, end, np.float32(times) * self._idf[number]))
        return words

    def _sums(self, words: list[tuple[int, int, np.float32]]) -> tuple[Numbers | None, Doubles]:
        """Return documents in ascending order and their scores; no documents means all of them, by number."""
        size = sum(end - start for start, end, _ in words)
        docs, scores = np.empty(size, dtype=np.intp), np.empty(size)
        filled = 0
        for start, end, weight in words:
            part = slice(filled, filled + end - start)
            docs[part] = self._docs[start:end]
            numbers = self._scores[start:end]
            if len(numbers) > len(self._denominators):
                scores[part] = (weight - weight / self._denominators)[numbers]
            else:
                scores[part] = weight - weight / self._denominators[numbers]
            filled = part.stop
        if size * _SPARSE > len(self):
            return None, _totals(docs, scores, len(self))
        found, places = np.unique(docs, return_inverse=True)
        return found, _totals(places, scores, len(found))


def _totals(places: Numbers, scores: Doubles, size: int) -> Doubles:
    return cast(Doubles, np.bincount(places, scores, size))


def _best(docs: Numbers | None, sums: Doubles, k: int) -> tuple[Numbers, Doubles]:
    """Return, in ascending order, the documents that reach the ``k``-th best score, and few others."""
    least = _score_of_many(sums, k) * _SLACK
    chosen: Numbers = np.flatnonzero(sums >= least) if least > 0 else np.flatnonzero(sums)
    if len(chosen) > 4 * k:
        kept = sums[chosen]
        chosen = chosen[kept >= np.partition(kept, len(kept) - k)[len(kept) - k] * _SLACK]
    return (chosen if docs is None else docs[chosen]), sums[chosen]


def _score_of_many(sums: Doubles, k: int) -> Any:
    """Return a score that at least ``k`` documents reach, the ``k``-th best of the maxima of columns; 0 if unknown."""
    columns = _COLUMNS_PER_HIT * k
    rows = len(sums) // columns
    if rows < 2:
        return 0.0
    maxima = sums[: rows * columns].reshape(rows, columns).max(axis=0)
    return np.partition(maxima, columns - k)[columns - k]
