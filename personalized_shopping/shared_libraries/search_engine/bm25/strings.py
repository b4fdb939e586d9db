"""A list of strings on disk that is opened without being read."""

import mmap
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np


def write_strings(directory: Path, name: str, values: Sequence[str]) -> None:
    """Write strings as one run of UTF-8 and the offsets of their starts."""
    encoded = list(map(_utf8, values))
    np.save(directory / f"{name}-offsets.npy", np.array([0, *accumulate(map(len, encoded))], dtype=np.int64))
    (directory / f"{name}.bin").write_bytes(b"".join(encoded))


def map_array(directory: Path, name: str) -> Any:
    """Return a saved array, memory-mapped: as a plain array, whose slices cost a fraction of numpy's memmap class's."""
    try:
        return np.asarray(np.load(directory / f"{name}.npy", mmap_mode="r"))
    except EOFError:
        raise ValueError(f"{name}.npy is empty") from None


class StoredStrings:
    """The strings that ``write_strings`` wrote, by number; sorted ones can be looked up."""

    def __init__(self, directory: Path, name: str) -> None:
        self._offsets = map_array(directory, f"{name}-offsets")
        path = directory / f"{name}.bin"
        with path.open("rb") as file:
            # An empty file cannot be mapped.
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
        if int(self._offsets[-1]) != len(self._bytes):
            raise ValueError(f"{path.name} has {len(self._bytes)} bytes instead of {int(self._offsets[-1])}")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def many(self, numbers: Any) -> list[str]:
        """Return the strings of an array of numbers."""
        data = self._bytes
        bounds = zip(self._offsets[numbers].tolist(), self._offsets[numbers + 1].tolist(), strict=True)
        return [data[start:end].decode("utf-8", "surrogatepass") for start, end in bounds]

    def find(self, value: str) -> int | None:
        """Return the number of a string of a sorted list, or ``None``."""
        wanted = _utf8(value)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._raw(low) == wanted else None

    def _raw(self, number: int) -> bytes:
        return self._bytes[self._offsets.item(number) : self._offsets.item(number + 1)]


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
