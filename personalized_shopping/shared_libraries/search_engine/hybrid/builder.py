"""Build a hybrid index: the vectors of the documents on their way into a BM25 index.

Embedding takes long (some 40 documents a second on two cores), so finished parts are kept in the cache until the index
is complete: a build that was broken off goes on where it stopped.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from personalized_shopping.paths import cache_dir
from personalized_shopping.shared_libraries.search_engine.base import Document
from personalized_shopping.shared_libraries.search_engine.bm25 import build as build_keywords
from personalized_shopping.shared_libraries.search_engine.hybrid.encoder import DIMENSIONS, Encoder

KEYWORDS = "keywords"
VECTORS = "vectors.npy"
_PART = 256
_DIGEST_BYTES = 32

Half = npt.NDArray[np.float16]


def build(
    documents: Iterable[Document],
    directory: Path,
    catalog_id: str,
    *,
    progress: Callable[[int], None] | None = None,
    encoder: Encoder | None = None,
) -> dict[str, int]:
    """Write the two parts of the index and return its counts; see ``build_index`` for the arguments."""
    store = _Parts(cache_dir() / "embeddings" / f"{hashlib.sha256(catalog_id.encode()).hexdigest()[:32]}.parts")
    chosen_encoder = encoder or Encoder()
    docids: list[str] = []

    def embedded() -> Iterator[Document]:
        remaining = iter(documents)
        while part := list(islice(remaining, _PART)):
            store.add([document.contents for document in part], chosen_encoder)
            docids.extend(document.docid for document in part)
            if progress:
                progress(len(docids))
            yield from part

    (directory / KEYWORDS).mkdir()
    counts = build_keywords(embedded(), directory / KEYWORDS)
    # In the order of the identifiers, which is that of the document numbers of the BM25 index.
    rows = sorted(range(len(docids)), key=docids.__getitem__)
    store.write_vectors(directory / VECTORS, rows)
    store.remove()
    return counts


class _Parts:
    """Vectors of consecutive documents in a file of equal parts, each behind the digest of the texts it stands for."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._size = _DIGEST_BYTES + _PART * DIMENSIONS * 2
        self._count = 0
        self._rows = 0

    def add(self, texts: list[str], encoder: Encoder) -> None:
        """Take the next part from the file if it is there, otherwise embed it and write it."""
        digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
        if self._read(self._count)[0] != digest:
            vectors = np.zeros((_PART, DIMENSIONS), dtype=np.float16)
            vectors[: len(texts)] = encoder.encode(texts)
            with self._path.open("r+b" if self._path.exists() else "w+b") as file:
                file.truncate(self._count * self._size)
                file.seek(self._count * self._size)
                file.write(digest + vectors.tobytes())
        self._count += 1
        self._rows += len(texts)

    def _read(self, number: int) -> tuple[bytes, Half]:
        """Return a part's digest and vectors; no digest where the file has no such part, or only a piece of it."""
        data = b""
        if self._path.exists():
            with self._path.open("rb") as file:
                file.seek(number * self._size)
                data = file.read(self._size)
        if len(data) < self._size:
            return b"", np.empty((0, DIMENSIONS), dtype=np.float16)
        return data[:_DIGEST_BYTES], np.frombuffer(data, np.float16, offset=_DIGEST_BYTES).reshape(_PART, DIMENSIONS)

    def write_vectors(self, target: Path, order: list[int]) -> None:
        """Write all vectors as one array, the one at ``order[n]`` as row ``n``."""
        if not order:
            np.save(target, np.empty((0, DIMENSIONS), dtype=np.float16))
            return
        places = np.empty(len(order), dtype=np.int64)
        places[order] = np.arange(len(order))
        vectors = np.lib.format.open_memmap(target, "w+", np.float16, (len(order), DIMENSIONS))
        for number in range(self._count):
            rows = places[number * _PART : (number + 1) * _PART]
            vectors[rows] = self._read(number)[1][: len(rows)]
        vectors.flush()

    def remove(self) -> None:
        """Forget the parts, once the index is complete."""
        self._path.unlink(missing_ok=True)
