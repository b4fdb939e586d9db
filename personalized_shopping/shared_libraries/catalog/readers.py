"""Readers of the containers that records come in; each yields records in order, or says why one is unreadable."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog.json_stream import JsonStream


class Unreadable(NamedTuple):
    """A record that its container could not give."""

    reason: str


def read_json(file: BinaryIO, name: str) -> Iterator[Any]:
    """Yield the elements of one JSON list."""
    return JsonStream(file, name).items()


def read_jsonl(file: BinaryIO, name: str) -> Iterator[Any]:
    """Yield one record for every line that is not blank; a broken line is unreadable, the next one is not."""
    for line in file:
        text = line.decode("utf-8-sig", "surrogateescape").strip()
        if not text:
            continue
        try:
            yield json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Unreadable(f"is no JSON: {error}")


READERS: dict[str, Callable[[BinaryIO, str], Iterator[Any]]] = {
    "json": read_json,
    "jsonl": read_jsonl,
}

_ENDINGS = {".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def container_of(path: Path, fmt: str | None) -> str:
    """Return which reader a file needs.

    Raises:
        CatalogError: where neither the format nor the file's ending tells.
    """
    if fmt is not None:
        return "json" if fmt == "webshop" else fmt
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    try:
        return _ENDINGS[ending]
    except KeyError:
        known = ", ".join(_ENDINGS)
        raise CatalogError(f"{path.name} has none of the endings {known}. Name its format with --format.") from None
