"""Stream a source file as products and records set aside, in memory that does not grow with the file."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import msgspec

from personalized_shopping.errors import CatalogError, CatalogNotFound, RecordError
from personalized_shopping.shared_libraries.catalog.importers.field_mapping import complete_mapping
from personalized_shopping.shared_libraries.catalog.importers.mapped_rules import MappedRules
from personalized_shopping.shared_libraries.catalog.importers.outcomes import Skip, Unreadable
from personalized_shopping.shared_libraries.catalog.importers.readers import READERS, container_of, holds_lines
from personalized_shopping.shared_libraries.catalog.importers.reading import open_counted
from personalized_shopping.shared_libraries.catalog.importers.side_files import Kind, SideTables, find_beside
from personalized_shopping.shared_libraries.catalog.importers.text_repair import repaired
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import kept_fields, prepare, skip_reason
from personalized_shopping.shared_libraries.catalog.records import Progress, Rejected, Report
from personalized_shopping.shared_libraries.catalog.schema import Product, SourceRecord

FORMATS = ("webshop", *READERS)
"""What ``fmt`` may be: WebShop's own JSON, or another container whose fields are mapped."""

SNIFFED_RECORDS = 20
"""Records that are looked at to tell WebShop's schema and to guess a mapping."""

_WEBSHOP_FIELDS = {"full_description", "small_description", "customization_options"}


class Rules(Protocol):
    """How the records of one source become products."""

    def describe(self) -> dict[str, Any]:
        """Return what the manifest says about these rules."""
        ...

    def identifier(self, record: Mapping[str, Any]) -> str | None:
        """Return what the source calls a record, if it says so."""
        ...

    def product(self, record: Mapping[str, Any], tables: SideTables) -> tuple[Product, dict[str, Any]]:
        """Return a record's product and the raw fields to keep; raise ``RecordError`` or ``Skip``."""
        ...


class WebShopRules:
    """The rules of WebShop's loader, for records in WebShop's schema."""

    def describe(self) -> dict[str, Any]:
        """Return what the manifest says about these rules."""
        return {"schema": "webshop"}

    def identifier(self, record: Mapping[str, Any]) -> str | None:
        """Return what the source calls a record, if it says so."""
        asin = record.get("asin")
        return asin if isinstance(asin, str) else None

    def product(self, record: Mapping[str, Any], tables: SideTables) -> tuple[Product, dict[str, Any]]:
        """Return a record's product and the raw fields to keep; raise ``RecordError`` or ``Skip``."""
        if "asin" not in record:
            raise RecordError("has no asin")
        asin = record["asin"]
        if reason := skip_reason(asin):
            raise Skip(reason)
        if not asin:
            raise RecordError("asin is empty")
        if tables.original(asin) is not None:
            raise Skip("asin was seen before")
        raw = kept_fields(record)
        product = prepare(raw, tables.entry(asin))
        return product, raw


class Source:
    """A source of products; iterate it as often as you like, each time from the start."""

    def __init__(
        self,
        path: Path,
        container: str,
        rules: Rules,
        side_files: Mapping[Kind, Path],
        *,
        limit: int | None = None,
        strict: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Put together what ``open_source`` found out; ``open_source`` is the way to make one."""
        self._path = path
        self._container = container
        self._rules = rules
        self._side_files = dict(side_files)
        self._limit = limit
        self._strict = strict
        self._progress = progress
        self._hashes: dict[str, str | None] = {}
        self.total_bytes = path.stat().st_size
        """Size of the main file: the end of a progress bar."""
        self.repaired = 0
        """Records of the last iteration in which text that is not Unicode was replaced."""

    @property
    def description(self) -> dict[str, Any]:
        """What the manifest says about the source; hashes appear once a file was read to its end."""
        return {
            "file": self._path.name,
            "format": self._container,
            **self._rules.describe(),
            "limit": self._limit,
            "side_files": {kind: path.name for kind, path in self._side_files.items()},
            "bytes": self.total_bytes,
            "sha256": self._hashes.get("items"),
        }

    def __iter__(self) -> Iterator[SourceRecord | Rejected]:
        """Yield every record of the file, in order, as a product or as set aside.

        Raises:
            CatalogError: where the file itself is broken or cut off.
            RecordError: with ``strict``, at the first rejected record.
        """
        self.repaired = 0
        tables = SideTables()
        try:
            for kind, path in self._side_files.items():
                for rejected in tables.load(kind, path):
                    yield self._checked(rejected)
            with open_counted(self._path, self._progress) as (file, counted):
                with closing(READERS[self._container](file, str(self._path))) as records:
                    for position, record in enumerate(islice(records, self._limit)):
                        yield self._checked(self._one(position, record, tables))
                self._hashes["items"] = counted.sha256()
        finally:
            tables.close()

    def _checked(self, item: SourceRecord | Rejected) -> SourceRecord | Rejected:
        if self._strict and isinstance(item, Rejected) and not item.skipped:
            where = item.side_file or self._path.name
            raise RecordError(f"{where}, record {item.position}: {item.reason}. Without strict it is set aside.")
        return item

    def _one(self, position: int, record: Any, tables: SideTables) -> SourceRecord | Rejected:
        asin = repaired(self._rules.identifier(record)) if isinstance(record, dict) else None
        try:
            if isinstance(record, Unreadable):
                raise RecordError(record.reason)
            if not isinstance(record, dict):
                raise RecordError("is not an object with fields")
            product, raw = self._rules.product(record, tables)
            try:
                msgspec.msgpack.encode(product)
            except UnicodeEncodeError:
                product, raw = self._rules.product(repaired(record), tables)
                self.repaired += 1
        except Skip as skip:
            return Rejected(position, repaired(str(skip)), asin, skipped=True)
        except RecordError as error:
            return Rejected(position, repaired(str(error)), asin)
        tables.take(product.asin, str(raw.get("source_id", product.asin)))
        return SourceRecord(position, product, raw)


def open_source(
    path: Path | str,
    *,
    fmt: str | None = None,
    mapping: Mapping[str, str] | None = None,
    attributes_path: Path | str | None = None,
    human_path: Path | str | None = None,
    reviews_path: Path | str | None = None,
    limit: int | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> Source:
    """Find out what a file is and return it as a source of products.

    Args:
        path: JSON (a list), JSON Lines, CSV or YAML (a sequence); ``.gz`` is unpacked.
        fmt: one of ``FORMATS``; by default the file's ending and its first records tell.
        mapping: our field -> field of the source, for people's own schemas; guessed where not given.
        attributes_path: WebShop's attribute file; by default the one beside the items.
        human_path: WebShop's human instructions; by default the file beside the items.
        reviews_path: WebShop's ``reviews.json``; by default no reviews are read, as in the published environment.
        limit: read only that many records, before any is skipped or rejected.
        strict: stop at the first rejected record instead of setting it aside.
        progress: called with the bytes of every read of the main file.

    Raises:
        CatalogError: where the file is missing, or of no known format.
    """
    path = Path(path)
    if not path.is_file():
        raise CatalogNotFound(f"There is no file {path}. Check the path of the source.")
    if fmt is not None and fmt not in FORMATS:
        raise CatalogError(f"{fmt!r} is no format of a source. Use one of {', '.join(FORMATS)}.")
    container = container_of(path, fmt)
    if fmt is None and container == "json" and holds_lines(path):
        container = "jsonl"
    first = [] if fmt == "webshop" else _first_records(path, container)
    rules: Rules
    if fmt == "webshop" or (not mapping and _is_webshop(first, container)):
        rules = WebShopRules()
    else:
        rules = MappedRules(complete_mapping(mapping or {}, first))
    side_files: dict[Kind, Path] = {}
    named = {"attributes": attributes_path, "human": human_path, "reviews": reviews_path}
    for kind in ("attributes", "human", "reviews"):
        given = named[kind]
        found = Path(given) if given is not None else None
        if found is None and isinstance(rules, WebShopRules):
            found = find_beside(path, kind)
        if found is not None:
            if not found.is_file():
                raise CatalogNotFound(f"There is no file {found} ({kind}). Check its path.")
            side_files[kind] = found
    return Source(path, container, rules, side_files, limit=limit, strict=strict, progress=progress)


def _first_records(path: Path, container: str) -> list[dict[str, Any]]:
    """Return the first few records that can be read, none if the file breaks before."""
    found: list[dict[str, Any]] = []
    try:
        with open_counted(path) as (file, _), closing(READERS[container](file, str(path))) as records:
            for record in islice(records, SNIFFED_RECORDS):
                if isinstance(record, dict):
                    found.append(record)
    except CatalogError:
        pass  # the load itself will say what is wrong, and where
    return found


def _is_webshop(records: list[dict[str, Any]], container: str) -> bool:
    if not records:
        return container == "json"  # empty or broken at once: say so as for WebShop's own files
    return container in ("json", "jsonl") and any(
        "asin" in record and _WEBSHOP_FIELDS & record.keys() for record in records
    )


def validate_source(source: Source) -> Report:
    """Read a source to its end without building anything, and return the account.

    A file that breaks off, and the first rejected record of a strict source, are told in ``Report.failure``.
    """
    report = Report()
    try:
        for item in source:
            if isinstance(item, Rejected):
                report.add_rejected(item)
            else:
                report.add_product(item.product)
    except CatalogError as error:
        report.failure = str(error)
    report.repaired = source.repaired
    return report
