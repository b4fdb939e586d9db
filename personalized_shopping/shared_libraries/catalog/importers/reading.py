"""Open a source file: count and hash what is read, unpack gzip."""

import gzip
import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from personalized_shopping.errors import CatalogError, CatalogNotFound
from personalized_shopping.shared_libraries.catalog.records import Progress


class CountedFile(io.RawIOBase):
    """A file that hashes what is read from it and reports every step."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        """Open ``path``; ``progress`` is called with the number of bytes of every read."""
        self._file = path.open("rb", buffering=0)
        self._hash = hashlib.sha256()
        self._progress = progress
        self.bytes_read = 0
        self.size = path.stat().st_size

    def readable(self) -> bool:
        """Return true: this is a file to read."""
        return True

    def readinto(self, buffer: object) -> int:
        """Fill ``buffer`` and return the number of bytes."""
        view = memoryview(buffer).cast("B")  # type: ignore[arg-type]
        count = self._file.readinto(view) or 0
        self._hash.update(view[:count])
        self.bytes_read += count
        if self._progress is not None and count:
            self._progress(count)
        return count

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def sha256(self) -> str | None:
        """Return the hash of the whole file, or ``None`` if it was not read to its end."""
        return self._hash.hexdigest() if self.bytes_read == self.size else None


@contextmanager
def open_counted(path: Path, progress: Progress | None = None) -> Iterator[tuple[BinaryIO, CountedFile]]:
    """Open a file, gzip or not; give its unpacked bytes, and the counter of those on disk.

    Raises:
        CatalogNotFound: where there is no such file.
        CatalogError: where it cannot be read, or its packing is broken.
    """
    try:
        counted = CountedFile(path, progress)
    except FileNotFoundError:
        raise CatalogNotFound(f"There is no file {path}. Check the path of the source.") from None
    except OSError as error:
        raise CatalogError(f"{path} cannot be read: {error.strerror}.") from None
    with counted, io.BufferedReader(counted, 1 << 20) as buffered:
        try:
            if path.suffix == ".gz":
                with gzip.GzipFile(fileobj=buffered, mode="rb") as unpacked:
                    yield unpacked, counted  # type: ignore[misc]
            else:
                yield buffered, counted
        except (EOFError, gzip.BadGzipFile) as error:
            raise CatalogError(f"{path} is broken at byte {counted.bytes_read:,}: {error}. Fetch it again.") from None


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file, gzip or not, for reading bytes."""
    with open_counted(path) as (file, _):
        yield file
