"""An opened catalogue: products by identifier, by row and by what they are listed under."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from personalized_shopping.errors import CatalogError, ProductNotFound, shorten
from personalized_shopping.shared_libraries.catalog.bounded_cache import BoundedCache
from personalized_shopping.shared_libraries.catalog.connections import Connections
from personalized_shopping.shared_libraries.catalog.manifest import Manifest, build_command, read_manifest
from personalized_shopping.shared_libraries.catalog.reference_record import reference_record
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard, SourceRecord
from personalized_shopping.shared_libraries.catalog.staging import recover
from personalized_shopping.shared_libraries.catalog.store_format import (
    STORE_NAME,
    decode_card,
    decode_product,
    unpack_raw,
)

PRODUCT_CACHE_SIZE = 2_000
"""Products that an opened catalogue keeps decoded."""
CARD_CACHE_SIZE = 20_000
"""Cards that an opened catalogue keeps decoded."""
ROWS_PER_FETCH = 200
"""Products that a pass over the whole catalogue holds at a time."""

_SQLITE_HEAD = b"SQLite format 3\x00"


class Catalog:
    """A built catalogue, opened for reading; threads, forks and sessions share it.

    Opening reads the manifest and nothing else, so it takes the same time for any number of products.
    """

    def __init__(self, directory: Path, manifest: Manifest) -> None:
        """Serve an existing store; ``Catalog.open`` checks it first."""
        self.directory = directory
        self.manifest = manifest
        self._connections = Connections(directory / STORE_NAME)
        self._products: BoundedCache[Product] = BoundedCache(PRODUCT_CACHE_SIZE)
        self._cards: BoundedCache[ProductCard] = BoundedCache(CARD_CACHE_SIZE)

    @classmethod
    def open(cls, directory: Path | str) -> Self:
        """Open the catalogue of a directory.

        Raises:
            CatalogNotFound: where there is no such directory.
            CatalogVersionError: where another version of this program built it.
            CatalogError: where it is empty, damaged or something else; each message names the command that mends it.
        """
        directory = Path(directory)
        recover(directory)
        manifest = read_manifest(directory)
        store = directory / STORE_NAME
        mend = f"Build it again with: {build_command(directory)}"
        try:
            size = store.stat().st_size
            with store.open("rb") as file:
                head = file.read(len(_SQLITE_HEAD))
        except FileNotFoundError:
            raise CatalogError(f"The catalogue at {directory} has lost its {STORE_NAME}. {mend}") from None
        except OSError as error:
            raise CatalogError(f"{store} cannot be read: {error.strerror}.") from None
        if size != manifest.store_bytes:
            raise CatalogError(
                f"The catalogue at {directory} is damaged: {STORE_NAME} has {size:,} bytes, "
                f"not {manifest.store_bytes:,}. {mend}"
            )
        if head != _SQLITE_HEAD:
            raise CatalogError(f"The catalogue at {directory} is damaged: {STORE_NAME} is no database. {mend}")
        return cls(directory, manifest)

    def close(self) -> None:
        """Release the files; closing twice is harmless."""
        self._connections.close()
        self._products.clear()
        self._cards.clear()

    def __enter__(self) -> Self:
        """Return the catalogue itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def __len__(self) -> int:
        """Return the number of products."""
        return self.manifest.products

    def __contains__(self, asin: object) -> bool:
        """Return whether there is such a product."""
        return isinstance(asin, str) and (self._cards.get(asin) is not None or self.row_of(asin) is not None)

    def product(self, asin: str) -> Product:
        """Return one product.

        Raises:
            ProductNotFound: where there is none with this identifier.
        """
        found = self._products.get(asin)
        if found is None:
            row = self._one(
                "SELECT details.product FROM products JOIN details USING (row) WHERE asin = ?", _storable(asin)
            )
            if row is None:
                raise ProductNotFound(f"There is no product {shorten(asin)} in this catalogue.")
            found = self._decoded(row[0])
            self._products.put(asin, found)
        return found

    def product_at(self, row: int) -> Product:
        """Return the product at a place of the catalogue's order, counted from 0."""
        return self._decoded(self._at("SELECT product FROM details WHERE row = ?", row))

    def asin_at(self, row: int) -> str:
        """Return the identifier at a place of the catalogue's order, counted from 0."""
        return str(self._at("SELECT asin FROM products WHERE row = ?", row))

    def row_of(self, asin: str) -> int | None:
        """Return a product's place in the catalogue's order, or ``None`` where it is unknown."""
        found = self._one("SELECT row FROM products WHERE asin = ?", _storable(asin))
        return None if found is None else int(found[0])

    def cards(self, asins: Sequence[str]) -> list[ProductCard]:
        """Return the cards of several products in the order asked for; unknown ones are left out."""
        get = self._cards.get
        found = {asin: card for asin in asins if (card := get(asin)) is not None}
        wanted = list({asin: None for asin in asins if asin not in found})
        for start in range(0, len(wanted), 500):  # SQLite takes a limited number of parameters
            some = wanted[start : start + 500]
            marks = ",".join("?" * len(some))
            rows = self._rows(f"SELECT asin, card FROM products WHERE asin IN ({marks})", *map(_storable, some))
            for asin, blob in rows:
                found[asin] = card = decode_card(blob)
                self._cards.put(asin, card)
        return [found[asin] for asin in asins if asin in found]

    def record(self, asin: str, *, human: bool = False) -> dict[str, Any]:
        """Return a product as the mapping that WebShop's loader makes of it.

        Args:
            asin: the product's identifier.
            human: whether the mapping carries the human ``instructions`` or the synthetic ``instruction_text``.

        Raises:
            ProductNotFound: where there is none with this identifier.
        """
        product = self.product(asin)
        row = self._one("SELECT raw FROM raws JOIN products USING (row) WHERE asin = ?", _storable(asin))
        return reference_record(product, {} if row is None else unpack_raw(row[0]), human=human)

    def asins_by_category(self, category: str) -> list[str]:
        """Return the identifiers of a category's products, in catalogue order."""
        return self._asins("SELECT asin FROM products WHERE category = ? ORDER BY row", category)

    def asins_by_query(self, query: str) -> list[str]:
        """Return the identifiers of the products filed under a query, in catalogue order."""
        return self._asins("SELECT asin FROM products WHERE query = ? ORDER BY row", query)

    def asins_by_attribute(self, attribute: str) -> list[str]:
        """Return the identifiers of the products with an attribute, in catalogue order."""
        return self._asins(
            "SELECT asin FROM attributes JOIN products USING (row) WHERE attribute = ? ORDER BY attributes.row",
            attribute,
        )

    def iter_products(self, start: int = 0) -> Iterator[Product]:
        """Yield every product from a row on, in catalogue order, a few at a time."""
        cursor = self._execute("SELECT product FROM details WHERE row >= ? ORDER BY row", (start,))
        while rows := cursor.fetchmany(ROWS_PER_FETCH):
            for (blob,) in rows:
                yield self._decoded(blob)

    def iter_records(self) -> Iterator[SourceRecord]:
        """Yield every product with its raw record and its position in the source: the stuff of a smaller catalogue."""
        cursor = self._execute(
            "SELECT position, product, raw FROM products JOIN details USING (row) JOIN raws USING (row)"
            " ORDER BY products.row",
            (),
        )
        while rows := cursor.fetchmany(ROWS_PER_FETCH):
            for position, blob, raw in rows:
                yield SourceRecord(position, self._decoded(blob), unpack_raw(raw))

    def _execute(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connections.get().execute(sql, values)
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from None

    def _rows(self, sql: str, *values: Any) -> list[Any]:
        try:
            return self._connections.get().execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from None

    def _one(self, sql: str, value: Any) -> Any:
        try:
            return self._connections.get().execute(sql, (value,)).fetchone()
        except sqlite3.DatabaseError as error:
            raise self._damaged(error) from None

    def _at(self, sql: str, row: int) -> Any:
        found = self._one(sql, int(row)) if 0 <= row < len(self) else None
        if found is None:
            raise ProductNotFound(f"There is no row {shorten(row)}: this catalogue has {len(self):,} products.")
        return found[0]

    def _asins(self, sql: str, value: str) -> list[str]:
        return [row[0] for row in self._rows(sql, _storable(value))]

    def _decoded(self, blob: bytes) -> Product:
        try:
            return decode_product(blob)
        except msgspec.DecodeError as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> CatalogError:
        return CatalogError(
            f"The catalogue at {self.directory} is damaged: {error}. "
            f"Build it again with: {build_command(self.directory)}"
        )


def _storable(text: str) -> str | None:
    """Return text that SQLite can look for; ``None``, which equals nothing, for text that it can never hold."""
    # Shoppers' words come in here: lone surrogates must find nothing, not fail.
    return text if text.isascii() or _is_unicode(text) else None


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
