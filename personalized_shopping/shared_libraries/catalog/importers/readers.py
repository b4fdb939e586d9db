"""Readers of the containers that records come in; each yields records in order, or says why one is unreadable."""

import csv
import io
import json
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, BinaryIO

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog.importers.json_stream import JsonStream
from personalized_shopping.shared_libraries.catalog.importers.outcomes import Unreadable
from personalized_shopping.shared_libraries.catalog.importers.reading import open_bytes
from personalized_shopping.shared_libraries.catalog.importers.yaml_stream import read_yaml

MAX_LINE_BYTES = 64 << 20
"""Longest line of a JSON Lines file."""
_FIRST_LINE_BYTES = 1 << 20


def read_json(file: BinaryIO, name: str) -> Generator[Any, None, None]:
    """Yield the elements of one JSON list."""
    return JsonStream(file, name).items()


def read_jsonl(file: BinaryIO, name: str) -> Generator[Any, None, None]:
    """Yield one record for every line that is not blank; a broken line is unreadable, the next one is not."""
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) == MAX_LINE_BYTES:
            raise CatalogError(f"{name} has a line of more than {MAX_LINE_BYTES:,} bytes. Is it JSON Lines?")
        text = line.decode("utf-8-sig", "surrogateescape").strip()
        if not text:
            continue
        try:
            yield json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Unreadable(f"is no JSON: {error}")


def read_csv(file: BinaryIO, name: str) -> Generator[Any, None, None]:
    """Yield one record for every row below the header; commas, semicolons or tabs set the cells apart."""
    text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
    try:
        header_line = text.readline()
        if not header_line.strip():
            raise CatalogError(f"{name} is empty. Its first line should name the columns.")
        delimiter = max(",;\t", key=header_line.count)
        header = next(csv.reader([header_line], delimiter=delimiter))
        rows = csv.reader(text, delimiter=delimiter, strict=True)
        while True:
            try:
                cells = next(rows)
            except StopIteration:
                return
            except csv.Error as error:
                open_quote = "; a quote is never closed" if "end of data" in str(error) else ""
                yield Unreadable(f"is no row of a CSV: {error}{open_quote}")
                continue
            if not cells:
                continue
            if len(cells) > len(header):
                yield Unreadable(f"has {len(cells)} cells; the header has {len(header)}")
                continue
            yield {column.strip(): cell for column, cell in zip(header, cells, strict=False)}
    finally:
        text.detach()  # the file belongs to the caller


def holds_lines(path: Path) -> bool:
    """Return whether a file that calls itself JSON has an object on its first line: then it is JSON Lines."""
    with open_bytes(path) as file:
        line = file.readline(_FIRST_LINE_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not line.startswith(b"{"):  # WebShop's files may be one line of gigabytes
        return False
    try:
        return isinstance(json.loads(line.decode()), dict)
    except (ValueError, RecursionError):
        return False


READERS: dict[str, Callable[[BinaryIO, str], Generator[Any, None, None]]] = {
    "json": read_json,
    "jsonl": read_jsonl,
    "csv": read_csv,
    "yaml": read_yaml,
}

_ENDINGS = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".yaml": "yaml",
    ".yml": "yaml",
}


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
