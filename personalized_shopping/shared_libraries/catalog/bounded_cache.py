"""A small cache that never holds more than it may."""

from threading import Lock
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """A mapping from text that forgets its oldest entry when full; reads take no lock."""

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` entries."""
        self._entries: dict[str, V] = {}
        self._size = size
        self._lock = Lock()
        self.get = self._entries.get

    def put(self, key: str, value: V) -> None:
        """Remember a value."""
        with self._lock:
            if len(self._entries) >= self._size and key not in self._entries:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = value

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._entries.clear()

    def __len__(self) -> int:
        """Return the number of entries held."""
        return len(self._entries)
