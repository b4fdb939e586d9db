"""A small cache that never holds more than it may."""

from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """A mapping from text that forgets what was not asked for lately.

    Two generations: when the young one is full it becomes the old one, and what the old one held is forgotten unless
    it was asked for since. No lock: every step on a dict is atomic, and a lock that is held while the process forks
    stays held in the child; threads that meet here lose an entry at worst.
    """

    def __init__(self, size: int) -> None:
        """Hold at most ``size`` entries."""
        self._half = max(1, size // 2)
        self._young: dict[str, V] = {}
        self._old: dict[str, V] = {}

    def get(self, key: str) -> V | None:
        """Return what is remembered under a key, if anything."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.put(key, found)
        return found

    def put(self, key: str, value: V) -> None:
        """Remember a value."""
        if len(self._young) >= self._half and key not in self._young:
            self._old, self._young = self._young, {}
        self._young[key] = value

    def clear(self) -> None:
        """Forget everything."""
        self._old, self._young = {}, {}

    def __len__(self) -> int:
        """Return the number of values held."""
        return len(self._young.keys() | self._old.keys())
