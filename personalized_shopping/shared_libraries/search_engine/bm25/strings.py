"""A list of strings on disk that is opened without being read."""

import mmap
from pathlib import Path

import numpy as np


class StoredStrings:
    """The strings that the builder wrote, by number; sorted ones can be looked up."""

    def __init__(self, directory: Path, name: str) -> None:
        # As a plain array: numpy's memmap class makes reading one number several times slower.
        self._offsets = np.asarray(np.load(directory / f"{name}-offsets.npy", mmap_mode="r"))
        path = directory / f"{name}.bin"
        with path.open("rb") as file:
            # An empty file cannot be mapped.
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
        if int(self._offsets[-1]) != len(self._bytes):
            raise ValueError(f"{path.name} has {len(self._bytes)} bytes instead of {int(self._offsets[-1])}")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> str:
        return self._raw(number).decode("utf-8", "surrogatepass")

    def find(self, value: str) -> int | None:
        """Return the number of a string of a sorted list, or ``None``."""
        wanted = value.encode("utf-8", "surrogatepass")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._raw(low) == wanted else None

    def _raw(self, number: int) -> bytes:
        return self._bytes[int(self._offsets[number]) : int(self._offsets[number + 1])]
