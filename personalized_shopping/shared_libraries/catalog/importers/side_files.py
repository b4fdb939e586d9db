"""What WebShop's side files say about products: attributes, instructions, reviews.

The full attribute file holds 1.2 million entries, so the files are streamed into a private temporary database that
SQLite keeps in memory while it is small and on disk when it is not.
"""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from personalized_shopping.errors import CatalogError, RecordError, shorten
from personalized_shopping.shared_libraries.catalog.importers.json_stream import JsonStream
from personalized_shopping.shared_libraries.catalog.importers.reading import open_bytes
from personalized_shopping.shared_libraries.catalog.importers.text_repair import repaired
from personalized_shopping.shared_libraries.catalog.records import Rejected
from personalized_shopping.shared_libraries.catalog.schema import HumanInstruction, Review

CACHE_KIB = 8 << 10
"""Memory that the temporary database may take before it spills to disk."""

Kind = Literal["attributes", "human", "reviews"]


class SideEntry(msgspec.Struct, frozen=True):
    """Everything that the side files say about one product; ``None`` and empty where they say nothing."""

    attributes: tuple[str, ...] | None = None
    instruction: str | None = None
    instruction_attributes: tuple[str, ...] | None = None
    human: tuple[HumanInstruction, ...] = ()
    reviews: tuple[Review, ...] = ()
    rating: float | str | None = None


NO_ENTRY = SideEntry()


class _Attributes(msgspec.Struct, frozen=True):
    attributes: tuple[str, ...] | None = None
    instruction: str | None = None
    instruction_attributes: tuple[str, ...] | None = None


class _Human(msgspec.Struct, frozen=True):
    instruction: str
    instruction_attributes: tuple[str, ...]
    instruction_options: tuple[str, ...] | dict[str, str] = ()


class _Review(msgspec.Struct, frozen=True):
    title: str | None = None
    stars: float | str | None = None
    score: float | str | None = None
    review: str | None = None
    body: str | None = None


class _Reviews(msgspec.Struct, frozen=True):
    reviews: tuple[Any, ...]
    average_rating: float | str | None = None


class _Rated(msgspec.Struct, frozen=True):
    reviews: tuple[Review, ...]
    rating: float | str | None


def review_from(value: Any) -> Review:
    """Return a review written in any of the shapes that WebShop's ``reviews.json`` knows.

    Raises:
        RecordError: for anything else.
    """
    try:
        raw = msgspec.convert(value, _Review)
    except msgspec.ValidationError as error:
        raise RecordError(f"a review is unusable: {error}") from None
    score = raw.score if raw.score is not None else raw.stars
    if score is None or score != score:
        raise RecordError(f"a review has neither score nor stars: {shorten(value)}")
    return Review(title=raw.title or "", score=score, body=raw.body or raw.review or "")


class SideTables:
    """The temporary database of side entries, and of the identifiers that a load has seen."""

    def __init__(self) -> None:
        """Make an empty one."""
        self._db = sqlite3.connect("", isolation_level=None)  # the empty name: a private file, deleted when closed
        self._db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self._db.execute("PRAGMA journal_mode = OFF")
        for table in ("attributes", "human", "reviews"):
            self._db.execute(f"CREATE TABLE {table} (asin TEXT PRIMARY KEY, entry BLOB) WITHOUT ROWID")
        self._db.execute("CREATE TABLE seen (asin TEXT PRIMARY KEY, original TEXT) WITHOUT ROWID")
        self._db.execute("BEGIN")
        self._filled: set[str] = set()

    def close(self) -> None:
        """Delete the database."""
        self._db.close()

    def load(self, kind: Kind, path: Path) -> Iterator[Rejected]:
        """Stream one file in, and yield the entries that had to be set aside. A later entry replaces an earlier one."""
        self._filled.add(kind)
        convert = _CONVERTERS[kind]
        with open_bytes(path) as file:
            stream = JsonStream(file, str(path))
            pairs = _reviewed(stream) if kind == "reviews" else stream.pairs()
            for position, (asin, value) in enumerate(pairs):
                name = repaired(asin) if isinstance(asin, str) else None
                try:
                    if name is None:
                        raise RecordError(f"asin is {shorten(asin)}, not text")
                    entry, complaints = _encoded(convert, value)
                    self._db.execute(f"INSERT OR REPLACE INTO {kind} VALUES (?, ?)", (name, entry))
                except (msgspec.ValidationError, RecordError) as error:
                    complaints = [str(error)]
                for complaint in complaints:
                    yield Rejected(position, complaint, asin=name, side_file=path.name)

    def entry(self, asin: str) -> SideEntry:
        """Return everything known about a product."""
        if not self._filled:
            return NO_ENTRY
        attributes = self._get("attributes", asin, _Attributes) or _Attributes()
        rated = self._get("reviews", asin, _Rated) or _Rated((), None)
        return SideEntry(
            attributes=attributes.attributes,
            instruction=attributes.instruction,
            instruction_attributes=attributes.instruction_attributes,
            human=self._get("human", asin, tuple[HumanInstruction, ...]) or (),
            reviews=rated.reviews,
            rating=rated.rating,
        )

    def original(self, asin: str) -> str | None:
        """Return the identifier, as its source writes it, of the record that took this ASIN; ``None`` if it is free."""
        row = self._db.execute("SELECT original FROM seen WHERE asin = ?", (asin,)).fetchone()
        return None if row is None else row[0]

    def take(self, asin: str, original: str) -> None:
        """Note that a record took this ASIN."""
        self._db.execute("INSERT INTO seen VALUES (?, ?)", (asin, original))

    def _get(self, kind: Kind, asin: str, as_type: Any) -> Any:
        if kind not in self._filled:
            return None
        row = self._db.execute(f"SELECT entry FROM {kind} WHERE asin = ?", (asin,)).fetchone()
        return None if row is None else msgspec.msgpack.decode(row[0], type=as_type)


_Converted = tuple[Any, list[str]]
"""What could be kept of an entry, and complaints about the parts that could not."""


def _encoded(convert: Callable[[Any], _Converted], value: Any) -> tuple[bytes, list[str]]:
    kept, complaints = convert(value)
    try:
        return msgspec.msgpack.encode(kept), complaints
    except UnicodeEncodeError:
        return msgspec.msgpack.encode(convert(repaired(value))[0]), complaints


def _attributes(value: Any) -> _Converted:
    return msgspec.convert(value, _Attributes), []


def _human(value: Any) -> _Converted:
    kept, complaints = [], []
    for each in msgspec.convert(value, list[Any]):
        try:
            entry = msgspec.convert(each, _Human)
        except msgspec.ValidationError as error:
            complaints.append(f"an instruction is unusable: {error}")
        else:
            kept.append(HumanInstruction(entry.instruction, entry.instruction_attributes, entry.instruction_options))
    return kept, complaints


def _rated(value: Any) -> _Converted:
    raw = msgspec.convert(value, _Reviews)
    kept, complaints = [], []
    for each in raw.reviews:
        try:
            kept.append(review_from(each))
        except RecordError as error:
            complaints.append(str(error))
    rating = raw.average_rating
    return _Rated(tuple(kept), None if rating != rating else rating), complaints  # NaN is no rating


def _reviewed(stream: JsonStream) -> Iterator[tuple[Any, Any]]:
    for value in stream.items():
        yield (value.get("asin") if isinstance(value, dict) else None), value


_CONVERTERS: dict[str, Callable[[Any], _Converted]] = {"attributes": _attributes, "human": _human, "reviews": _rated}


def find_beside(items: Path, kind: Kind) -> Path | None:
    """Return the attribute or human-instruction file that belongs to a WebShop catalogue, looked for beside it.

    The one with the same ending (``_1000``) comes first, then the one without an ending, then the only one there is.

    Raises:
        CatalogError: where several fit equally.
    """
    stem = {"attributes": "items_ins_v2", "human": "items_human_ins"}.get(kind)
    if stem is None:
        return None
    name = items.name.removesuffix(".gz").removesuffix(".json")
    ending = name.removeprefix("items_shuffle") if name.startswith("items_shuffle") else ""
    for candidate in dict.fromkeys((f"{stem}{ending}.json", f"{stem}.json")):
        for suffix in ("", ".gz"):
            if (path := items.with_name(candidate + suffix)).is_file():
                return path
    others = sorted(path for path in items.parent.glob(f"{stem}*.json*") if path.suffix in (".json", ".gz"))
    if len(others) > 1:
        names = ", ".join(path.name for path in others)
        raise CatalogError(f"Several files beside {items.name} could hold its {kind}: {names}. Name the one to use.")
    return others[0] if others else None
