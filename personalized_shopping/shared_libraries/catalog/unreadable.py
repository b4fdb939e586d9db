"""How a reader says that its container could not give one record."""

from typing import NamedTuple


class Unreadable(NamedTuple):
    """A record that could not be read; the ones after it can."""

    reason: str
