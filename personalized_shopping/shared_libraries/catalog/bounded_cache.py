"""A small cache that never holds more than it may."""

from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """A mapping from text that forgets its oldest entry when full.

    No lock: every step on a dict is atomic, and a lock that is held while the process forks stays held in the child.
    """

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` entries, and for an instant one more for each thread that adds one."""
        self._entries: dict[str, V] = {}
        self._size = size
        self.get = self._entries.get

    def put(self, key: str, value: V) -> None:
        """Remember a value."""
        entries = self._entries
        while len(entries) >= self._size and key not in entries:
            try:
                entries.pop(next(iter(entries)), None)
            except (StopIteration, RuntimeError):  # another thread was at it between the two steps
                continue
        entries[key] = value

    def clear(self) -> None:
        """Forget everything."""
        self._entries.clear()

    def __len__(self) -> int:
        """Return the number of entries held."""
        return len(self._entries)
