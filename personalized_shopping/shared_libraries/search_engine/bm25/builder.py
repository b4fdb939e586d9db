"""Build the arrays of a BM25 index: one pass over the documents, then one sort of their postings by term."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.search_engine.analysis.english import normalize
from personalized_shopping.shared_libraries.search_engine.analysis.tokenizer import tokenize
from personalized_shopping.shared_libraries.search_engine.base import Document
from personalized_shopping.shared_libraries.search_engine.bm25.norms import LENGTHS, length_to_byte
from personalized_shopping.shared_libraries.search_engine.bm25.strings import write_strings

FORMAT = 2
"""Raised whenever an older program could misread the arrays."""
K1, B = np.float32(0.9), np.float32(0.4)
_BLOCK = 20_000
"""Documents whose words are counted at a time."""
_PROGRESS_EVERY = 500
_TOKENS_KEPT = 2_000_000

Integers = npt.NDArray[np.int64]


class _Vocabulary(dict[str, int]):
    """Term numbers by token, each worked out once; -1 for a token that is not indexed."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = normalize(token)
        number = self.terms.setdefault(term, len(self.terms)) if term else -1
        if len(self) >= _TOKENS_KEPT:
            self.clear()
        self[token] = number
        return number


class _Postings:
    """The postings read so far: term, document and frequency, in the order of the documents."""

    def __init__(self) -> None:
        self._words, self._lengths = array("i"), array("i")
        self._blocks: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]] = []
        self._before = 0

    def add(self, words: list[int]) -> None:
        self._words.extend(words)
        self._lengths.append(len(words))
        if len(self._lengths) - self._before >= _BLOCK:
            self._count()

    def _count(self) -> None:
        words = np.array(self._words, dtype=np.int64)
        lengths = np.array(self._lengths[self._before :], dtype=np.int64)
        docs = np.repeat(np.arange(self._before, len(self._lengths)), lengths)
        pairs, frequencies = np.unique(docs << 32 | words, return_counts=True)
        block = ((pairs & 0xFFFFFFFF).astype(np.int32), (pairs >> 32).astype(np.int32), frequencies.astype(np.int32))
        self._blocks.append(block)
        self._words = array("i")
        self._before = len(self._lengths)

    def arrays(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], Integers]:
        """Return terms, documents and frequencies of all postings, and the lengths of the documents."""
        self._count()
        terms, docs, frequencies = (np.concatenate(parts) for parts in zip(*self._blocks, strict=True))
        self._blocks.clear()
        return terms, docs, frequencies, np.array(self._lengths, dtype=np.int64)


def build(
    documents: Iterable[Document], directory: Path, progress: Callable[[int], None] | None = None
) -> dict[str, int]:
    """Write the index of some documents.

    Args:
        documents: read once, in any order.
        directory: an empty directory.
        progress: called with the number of documents read so far.

    Returns:
        The numbers of documents, terms and postings.
    """
    vocabulary, postings = _Vocabulary(), _Postings()
    docids: list[str] = []
    for docid, contents in documents:
        words = list(map(vocabulary.__getitem__, tokenize(contents)))
        postings.add([word for word in words if word >= 0] if -1 in words else words)
        docids.append(docid)
        if progress and not len(docids) % _PROGRESS_EVERY:
            progress(len(docids))
    terms = sorted(vocabulary.terms)
    term_number = _places([vocabulary.terms[term] for term in terms])
    # Documents are numbered in the order of their identifiers, so that equal scores rank by number.
    order = sorted(range(len(docids)), key=docids.__getitem__)
    count = _write_postings(directory, postings, term_number, _places(order))
    write_strings(directory, "terms", terms)
    write_strings(directory, "docids", [docids[position] for position in order])
    if progress:
        progress(len(docids))
    return {"documents": len(docids), "terms": len(terms), "postings": count}


def _places(order: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return where each old number stands in a new order."""
    places = np.empty(len(order), dtype=np.int32)
    places[np.array(order, dtype=np.int64)] = np.arange(len(order), dtype=np.int32)
    return places


def _write_postings(
    directory: Path, postings: _Postings, term_number: npt.NDArray[np.int32], doc_number: npt.NDArray[np.int32]
) -> int:
    """Write the postings sorted by term and document, with everything of Lucene's formula that a query does not change.

    A term that weighs ``w`` adds ``w - w / d`` to a document, in single precision, where ``d = 1 + tf / norm`` and
    ``norm = k1 (1 - b + b length / average)`` has the document's quantised length and the exact average. There are few
    different ``d``, so a posting holds the number of its own in the ascending list ``denominators``.
    """
    terms, docs, frequencies, lengths = postings.arrays()
    docs = doc_number[docs]
    order = np.argsort(term_number[terms].astype(np.int64) << 32 | docs)
    counts = np.bincount(term_number[terms], minlength=len(term_number))
    filled = int(np.count_nonzero(lengths))
    codes = np.array([length_to_byte(length) for length in lengths.tolist()], dtype=np.uint8)
    inverse_norms = _inverse_norms(np.float32(lengths.sum() / max(filled, 1)))
    codes_by_number = np.empty_like(codes)
    codes_by_number[doc_number] = codes
    found = np.float32(1) + frequencies.astype(np.float32) * inverse_norms[codes_by_number[docs]]
    denominators, numbers = np.unique(found[order], return_inverse=True)
    _save(directory, "docs", docs[order].astype(_smallest(len(lengths))))
    _save(directory, "scores", numbers.astype(_smallest(len(denominators))))
    _save(directory, "denominators", denominators.astype(np.float32))
    _save(directory, "starts", np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
    _save(directory, "idf", np.log(1 + (filled - counts + 0.5) / (counts + 0.5)).astype(np.float32))
    return len(docs)


def _inverse_norms(average: np.float32) -> npt.NDArray[np.float32]:
    """Return 1 / norm by length byte, each step rounded as Lucene rounds it."""
    one = np.float32(1)
    if average == 0:
        return np.zeros(256, dtype=np.float32)
    return (one / (K1 * ((one - B) + B * LENGTHS / average))).astype(np.float32)


def _smallest(count: int) -> type[np.unsignedinteger[Any]]:
    return np.uint16 if count <= 1 << 16 else np.uint32


def _save(directory: Path, name: str, values: npt.NDArray[Any]) -> None:
    np.save(directory / f"{name}.npy", values)
