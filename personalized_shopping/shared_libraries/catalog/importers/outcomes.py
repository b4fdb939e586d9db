"""What may come of a record besides a product."""

from typing import NamedTuple


class Unreadable(NamedTuple):
    """A record that its container could not give; the ones after it can be read."""

    reason: str


class Skip(Exception):
    """The rules pass over a record on purpose; the message says why."""
