"""Search a BM25 index: Lucene's scores and order, found without scoring every document that has a word of the query.

Own code, because no library gives this ranking (quantised lengths, single-precision terms, ties by identifier) and every
published WebShop score stands on it.
"""

import threading
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Hit
from personalized_shopping.shared_libraries.search_engine.bm25.strings import StoredStrings

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int32]

_TERMS_KEPT = 50_000
_PRUNE_ABOVE = 40_000
"""Postings of a query from which on it pays to look for a threshold before all of them are read."""
_SEED_POSTINGS = 200
"""Postings of the rarest words whose documents are scored to find that threshold."""
_SEED_LIMIT = 20_000

_SLACK = 0.99999
"""Sums in single precision may fall short of the exact ones by less than this."""


class _Term(NamedTuple):
    """One word of the query: its postings and the most that it can add to a score."""

    docs: Numbers
    denominators: Floats
    weight: np.float32
    bound: float

    def all_scores(self) -> Floats:
        return self.weight - self.weight / self.denominators

    def scores_of(self, docs: Numbers) -> Floats:
        """Return what this word adds to some documents (ascending numbers); 0 where it does not occur."""
        at = np.searchsorted(self.docs, docs)
        at[at == self.docs.size] = 0
        found = self.docs[at] == docs
        return np.where(found, self.weight - self.weight / self.denominators[at], np.float32(0))


class Bm25Index:
    """An opened index; any number of threads may search it.

    Args:
        directory: where ``build`` wrote it.
    """

    name = "bm25"

    def __init__(self, directory: Path) -> None:
        self._docids = StoredStrings(directory, "docids")
        self._terms = StoredStrings(directory, "terms")
        self._docs: Numbers = _array(directory, "docs")
        self._denominators: Floats = _array(directory, "denominators")
        self._starts: npt.NDArray[np.int64] = _array(directory, "starts")
        self._idf: Floats = _array(directory, "idf")
        self._largest: Floats = _array(directory, "largest")
        self._rank: Numbers = _array(directory, "rank")
        if len(self._docs) != len(self._denominators) or int(self._starts[-1]) != len(self._docs):
            raise ValueError("the arrays of postings do not belong together")
        self._analyzer = EnglishAnalyzer()
        self._number_of = lru_cache(maxsize=_TERMS_KEPT)(self._terms.find)
        self._own = threading.local()

    def __len__(self) -> int:
        return len(self._docids)

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return the best ``k`` documents, as Lucene ranks them."""
        terms = self._query_terms(query)
        if not terms or k < 1:
            return []
        docs = self._candidates(terms, k)
        exact = np.zeros(docs.size)
        for term in terms:
            exact += term.scores_of(docs)
        scores = exact.astype(np.float32)
        best = np.lexsort((self._rank[docs], -scores))[:k]
        return [Hit(self._docids[number], float(score)) for number, score in zip(docs[best], scores[best], strict=True)]

    def close(self) -> None:
        """Do nothing: the arrays are unmapped when nobody holds them any more."""

    def _query_terms(self, query: str) -> list[_Term]:
        """Return the query's known words, the rarest first; a word that repeats weighs more."""
        found = []
        for text, times in Counter(self._analyzer.analyze(query)).items():
            number = self._number_of(text)
            if number is None:
                continue
            weight = np.float32(np.float32(times) * self._idf[number])
            start, end = int(self._starts[number]), int(self._starts[number + 1])
            bound = float(weight - weight / self._largest[number])
            found.append(_Term(self._docs[start:end], self._denominators[start:end], weight, bound))
        return sorted(found, key=lambda term: term.docs.size)

    def _candidates(self, terms: list[_Term], k: int) -> Numbers:
        """Return, in ascending order, documents among which the best ``k`` are."""
        total = sum(term.docs.size for term in terms)
        threshold = self._threshold(terms, k) if total > _PRUNE_ABOVE and len(terms) > 1 else 0.0
        # Words that together cannot lift a document over the threshold are looked up later, for the few that remain.
        by_bound = sorted(terms, key=lambda term: term.bound)
        spare, rest = 0, 0.0
        while spare < len(by_bound) - 1 and rest + by_bound[spare].bound < threshold:
            rest += by_bound[spare].bound
            spare += 1
        docs, scores = self._accumulated(by_bound[spare:], threshold - rest)
        for term in reversed(by_bound[:spare]):
            keep = scores >= threshold - rest
            docs, scores = docs[keep], scores[keep]
            scores = scores + term.scores_of(docs)
            rest -= term.bound
        if docs.size > k:
            docs = docs[scores >= _kth(scores, k) * _SLACK]
        return docs

    def _threshold(self, terms: list[_Term], k: int) -> float:
        """Return a score that ``k`` documents reach: the k-th best among those with the rarest words; 0 if unknown."""
        seeds: list[Numbers] = []
        size = 0
        for term in terms:
            seeds.append(term.docs)
            size += term.docs.size
            if size >= max(_SEED_POSTINGS, 2 * k):
                break
        docs = seeds[0] if len(seeds) == 1 else _merged(seeds)
        if not k <= docs.size <= _SEED_LIMIT:
            return 0.0
        scores = np.zeros(docs.size, dtype=np.float32)
        for term in terms:
            scores += term.scores_of(docs)
        return float(_kth(scores, k)) * _SLACK

    def _accumulated(self, terms: list[_Term], at_least: float) -> tuple[Numbers, Floats]:
        """Return the documents that have any of the words, in ascending order, and the sums of these words' scores."""
        if len(terms) == 1:
            docs, scores = terms[0].docs, terms[0].all_scores()
            keep = scores >= at_least
            return docs[keep], scores[keep]
        sums = self._sums()
        for term in terms:
            sums[term.docs] += term.all_scores()
        if sum(term.docs.size for term in terms) > len(self) // 8:
            docs = np.flatnonzero(sums >= max(at_least, 1e-30)).astype(np.int32)
        else:
            docs = _merged([term.docs for term in terms])
        scores = sums[docs]
        for term in terms:
            sums[term.docs] = 0
        return docs, scores

    def _sums(self) -> Floats:
        """Return this thread's array of zeros, one for each document."""
        sums: Floats | None = getattr(self._own, "sums", None)
        if sums is None:
            sums = self._own.sums = np.zeros(len(self), dtype=np.float32)
        return sums


def _array(directory: Path, name: str) -> Any:
    # As a plain array: numpy's memmap class makes every slice several times slower.
    return np.asarray(np.load(directory / f"{name}.npy", mmap_mode="r"))


def _merged(lists: list[Numbers]) -> Numbers:
    """Return the numbers that are in any of some ascending lists, in order and once each."""
    # Not np.unique: its hash table takes several times as long here.
    together = np.sort(np.concatenate(lists))
    first = np.empty(together.size, dtype=bool)
    first[:1] = True
    np.not_equal(together[1:], together[:-1], out=first[1:])
    return together[first]


def _kth(values: Floats, k: int) -> np.float32:
    """Return the k-th largest value."""
    value: np.float32 = np.partition(values, values.size - k)[values.size - k]
    return value
