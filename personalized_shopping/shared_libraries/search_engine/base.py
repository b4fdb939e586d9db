"""The one interface of keyword search: every engine, embedded or remote, is this small."""

from typing import NamedTuple, Protocol

TOP_K = 50
"""Hits per query: WebShop never looks further."""


class Document(NamedTuple):
    """One searchable document: ``docid`` is a product's ASIN, ``contents`` its indexed text."""

    docid: str
    contents: str


class Hit(NamedTuple):
    """One result: higher scores first, equal scores by ascending ``docid``."""

    docid: str
    score: float


class SearchEngine(Protocol):
    """A read-only index that ranks documents for keyword queries; safe to call from several threads."""

    name: str

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return at most ``k`` hits; an empty list for a query without a known term, never an error."""
        ...

    def close(self) -> None:
        """Release files and processes; closing twice is harmless."""
        ...


class EngineStatus(NamedTuple):
    """Whether an engine can run here: what was found, and the command that mends what is missing."""

    name: str
    usable: bool
    detail: str
    fix: str = ""
