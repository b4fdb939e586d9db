"""How rules say that they pass over a record on purpose."""


class Skip(Exception):
    """The rules pass over a record; the message says why."""
