"""Build the arrays of a BM25 index: one pass over the documents, then one sort of their postings by term."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer
from personalized_shopping.shared_libraries.search_engine.base import Document
from personalized_shopping.shared_libraries.search_engine.bm25.norms import LENGTHS, length_to_byte

FORMAT = 1
"""Raised whenever an older program could misread the arrays."""
K1, B = np.float32(0.9), np.float32(0.4)
_MAX_FREQUENCY = 65_535
_PROGRESS_EVERY = 500


def build(
    documents: Iterable[Document], directory: Path, progress: Callable[[int], None] | None = None
) -> dict[str, int]:
    """Write the index of some documents.

    Args:
        documents: read once, in order.
        directory: an empty directory.
        progress: called with the number of documents read so far.

    Returns:
        The numbers of documents, terms and postings.
    """
    analyzer = EnglishAnalyzer()
    vocabulary: dict[str, int] = {}
    docids: list[str] = []
    lengths = array("q")
    term_of, doc_of, frequency_of = array("i"), array("i"), array("H")
    for number, (docid, contents) in enumerate(documents):
        terms = analyzer.analyze(contents)
        docids.append(docid)
        lengths.append(len(terms))
        for term, frequency in Counter(terms).items():
            term_of.append(vocabulary.setdefault(term, len(vocabulary)))
            doc_of.append(number)
            frequency_of.append(min(frequency, _MAX_FREQUENCY))
        if progress and not (number + 1) % _PROGRESS_EVERY:
            progress(number + 1)
    terms_in_order = sorted(vocabulary, key=_utf8)
    position = np.empty(len(vocabulary), dtype=np.int32)
    position[[vocabulary[term] for term in terms_in_order]] = np.arange(len(vocabulary), dtype=np.int32)
    _write_postings(
        directory,
        position[np.frombuffer(term_of, dtype=np.int32)] if term_of else np.empty(0, np.int32),
        np.frombuffer(doc_of, dtype=np.int32) if doc_of else np.empty(0, np.int32),
        np.frombuffer(frequency_of, dtype=np.uint16) if frequency_of else np.empty(0, np.uint16),
        np.frombuffer(lengths, dtype=np.int64) if lengths else np.empty(0, np.int64),
        len(vocabulary),
    )
    _write_strings(directory, "terms", terms_in_order)
    _write_strings(directory, "docids", docids)
    rank = np.empty(len(docids), dtype=np.int32)
    rank[sorted(range(len(docids)), key=docids.__getitem__)] = np.arange(len(docids), dtype=np.int32)
    np.save(directory / "rank.npy", rank)
    if progress:
        progress(len(docids))
    return {"documents": len(docids), "terms": len(vocabulary), "postings": len(doc_of)}


def _write_postings(
    directory: Path,
    terms: npt.NDArray[np.int32],
    docs: npt.NDArray[np.int32],
    frequencies: npt.NDArray[np.uint16],
    lengths: npt.NDArray[np.int64],
    vocabulary: int,
) -> None:
    """Write the postings sorted by term, with everything of Lucene's formula that a query does not change.

    A term that weighs ``w`` adds ``w - w / d`` to a document, in single precision. ``d = 1 + tf / norm`` is the array
    ``denominators``; ``norm = k1 (1 - b + b length / average)`` has the document's quantised length and the exact average.
    """
    order = np.argsort(terms, kind="stable")
    docs, frequencies = docs[order], frequencies[order]
    counts = np.bincount(terms, minlength=vocabulary)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    filled = int(np.count_nonzero(lengths))
    average = np.float32(lengths.sum() / filled) if filled else np.float32(1)
    one = np.float32(1)
    inverse_norms = (one / (K1 * ((one - B) + B * (LENGTHS / average)))).astype(np.float32)
    codes = np.array([length_to_byte(int(length)) for length in lengths], dtype=np.uint8)
    denominators = (one + frequencies.astype(np.float32) * inverse_norms[codes[docs]]).astype(np.float32)
    inverse_frequency = np.log(1 + (filled - counts + 0.5) / (counts + 0.5)).astype(np.float32)
    largest = np.maximum.reduceat(denominators, starts[:-1]) if vocabulary else np.empty(0)
    np.save(directory / "docs.npy", docs)
    np.save(directory / "denominators.npy", denominators)
    np.save(directory / "starts.npy", starts)
    np.save(directory / "idf.npy", inverse_frequency)
    np.save(directory / "largest.npy", largest.astype(np.float32))


def _write_strings(directory: Path, name: str, values: Sequence[str]) -> None:
    encoded = [_utf8(value) for value in values]
    offsets = np.concatenate([[0], np.cumsum([len(value) for value in encoded])]).astype(np.int64)
    np.save(directory / f"{name}-offsets.npy", offsets)
    (directory / f"{name}.bin").write_bytes(b"".join(encoded))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
