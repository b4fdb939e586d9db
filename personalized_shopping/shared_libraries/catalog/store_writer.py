"""Write a store: one pass over a source, then the indexes, then the manifest."""

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

from personalized_shopping.errors import CatalogError, shorten
from personalized_shopping.shared_libraries.catalog.importers.text_repair import repaired
from personalized_shopping.shared_libraries.catalog.manifest import Manifest, package_version, write_manifest
from personalized_shopping.shared_libraries.catalog.records import Progress, Rejected, Report
from personalized_shopping.shared_libraries.catalog.schema import SourceRecord
from personalized_shopping.shared_libraries.catalog.store_format import (
    INDEXES,
    PAGE_BYTES,
    STORE_NAME,
    TABLES,
    card_of,
    encode_card,
    encode_product,
    encode_raw,
    pack_raw,
)

CACHE_KIB = 16 << 10
"""Memory that SQLite may take for its pages while it writes."""
BATCH_ROWS = 500
"""Records that are held in memory at a time."""


def write_catalog(
    source: Iterable[SourceRecord | Rejected],
    directory: Path,
    *,
    description: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Write the store of a source into an empty directory and return its manifest, which is written last.

    Args:
        source: from ``open_source``, or any iterable of records.
        directory: made if missing; use ``staged_directory`` to replace an existing catalogue safely.
        description: what the manifest says about the source; by default ``source.description``.
        progress: called with the number of records of every batch.

    Raises:
        CatalogError: for a broken source, a directory that is not empty, and a source without any product.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise CatalogError(f"{directory} is not empty. Name a directory that does not exist yet.")
    report = Report()
    try:
        content_hash = _write_store(directory / STORE_NAME, source, report, progress)
    except sqlite3.IntegrityError as error:
        raise CatalogError(f"The source gives one identifier to several products: {error}.") from None
    except sqlite3.OperationalError as error:
        raise CatalogError(f"The store in {directory} cannot be written: {error}.") from None
    report.repaired = getattr(source, "repaired", 0)
    manifest = Manifest(
        catalog_id=content_hash,
        products=report.kept,
        counts=report.counts(),
        source=repaired(dict(getattr(source, "description", {}) if description is None else description)),
        store_bytes=(directory / STORE_NAME).stat().st_size,
        set_aside=tuple(report.listed),
        package_version=package_version(),
    )
    write_manifest(directory, manifest)
    return manifest


def _write_store(
    path: Path, source: Iterable[SourceRecord | Rejected], report: Report, progress: Progress | None
) -> str:
    """Write rows and indexes, and return the hash over all products."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        # No journal: until the manifest is there, the directory is nobody's catalogue.
        db.executescript(f"PRAGMA page_size={PAGE_BYTES}; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        db.executescript(f"PRAGMA cache_size=-{CACHE_KIB}; PRAGMA temp_store=FILE; {TABLES}")
        db.execute("BEGIN")
        content_hash = _write_rows(db, source, report, progress)
        if report.kept == 0:
            raise CatalogError(f"The source gave no product. {report.text(5)}")
        db.execute("COMMIT")
        db.executescript(f"BEGIN; {INDEXES} COMMIT; PRAGMA analysis_limit=1000; PRAGMA optimize;")
    return content_hash


def _write_rows(
    db: sqlite3.Connection, source: Iterable[SourceRecord | Rejected], report: Report, progress: Progress | None
) -> str:
    """Insert every product and return the hash over all of them."""
    content = hashlib.sha256()
    products: list[tuple[Any, ...]] = []
    details: list[tuple[int, bytes]] = []
    raws: list[tuple[int, bytes]] = []
    attributes: list[tuple[str, int]] = []
    told = 0

    def flush() -> None:
        nonlocal told
        db.executemany("INSERT INTO products VALUES (?, ?, ?, ?, ?, ?)", products)
        db.executemany("INSERT INTO details VALUES (?, ?)", details)
        db.executemany("INSERT INTO raws VALUES (?, ?)", raws)
        db.executemany("INSERT INTO attribute_rows VALUES (?, ?)", attributes)
        for batch in (products, details, raws, attributes):
            batch.clear()
        if progress is not None:
            progress(report.read - told)
        told = report.read

    for item in source:
        if isinstance(item, Rejected):
            report.add_rejected(item)
            continue
        row, product = report.kept, item.product
        try:
            blob = encode_product(product)
        except UnicodeEncodeError:
            raise CatalogError(f"Product {shorten(product.asin)} holds text that is not Unicode.") from None
        raw = encode_raw(item.raw)
        content.update(blob)
        content.update(raw)
        content.update(b"%d" % item.position)
        card = encode_card(card_of(product))
        products.append((row, product.asin, item.position, product.category, product.query, card))
        details.append((row, blob))
        raws.append((row, pack_raw(raw)))
        attributes.extend((attribute, row) for attribute in product.attributes)
        report.add_product(product)
        if len(products) == BATCH_ROWS:
            flush()
    flush()
    return content.hexdigest()
