"""The store on disk: one SQLite file, and how products, cards and raw records lie in it."""

import json
import zlib
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.catalog.importers.text_repair import repaired
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard

STORE_NAME = "products.sqlite"
PAGE_BYTES = 8192
RAW_COMPRESSION = 1
"""zlib level of raw records: they are seldom read, and the higher levels cost more time than they save space."""

# Cards and products lie in tables of their own: a results page reads neighbouring small rows, not past large ones.
TABLES = """
CREATE TABLE products (
    row INTEGER PRIMARY KEY, asin TEXT NOT NULL, position INTEGER NOT NULL,
    category TEXT, query TEXT NOT NULL, card BLOB NOT NULL
);
CREATE TABLE details (row INTEGER PRIMARY KEY, product BLOB NOT NULL);
CREATE TABLE raws (row INTEGER PRIMARY KEY, raw BLOB NOT NULL);
CREATE TEMP TABLE attribute_rows (attribute TEXT NOT NULL, row INTEGER NOT NULL);
"""

# Made after the rows: sorting once is several times faster than keeping a tree in order row by row.
INDEXES = """
CREATE UNIQUE INDEX products_by_asin ON products (asin);
CREATE INDEX products_by_category ON products (category);
CREATE INDEX products_by_query ON products (query);
CREATE TABLE attributes (attribute TEXT, row INTEGER, PRIMARY KEY (attribute, row)) WITHOUT ROWID;
INSERT INTO attributes SELECT DISTINCT attribute, row FROM attribute_rows ORDER BY attribute, row;
DROP TABLE attribute_rows;
"""

encode_product = msgspec.msgpack.Encoder().encode
decode_product = msgspec.msgpack.Decoder(Product).decode
encode_card = msgspec.msgpack.Encoder().encode
decode_card = msgspec.msgpack.Decoder(ProductCard).decode


def card_of(product: Product) -> ProductCard:
    """Return what a results page shows of a product."""
    image = product.images[0] if product.images else None
    return ProductCard(product.asin, product.title, product.price, image, product.pricing, product.rating)


def encode_raw(raw: dict[str, Any]) -> bytes:
    """Return a raw record as JSON; what JSON does not know, such as a date, becomes text."""
    # Not msgpack: raw records hold whatever Python's json reads, NaN, huge integers and cut emoji included.
    encoded = json.dumps(raw, separators=(",", ":"), default=str)
    if "\\ud" in encoded:  # a surrogate: half of an emoji, or one that lost its other half
        encoded = json.dumps(repaired(raw), separators=(",", ":"), default=str)
    return encoded.encode()


def pack_raw(encoded: bytes) -> bytes:
    """Return an encoded raw record compressed, as the store keeps it."""
    return zlib.compress(encoded, RAW_COMPRESSION)


def unpack_raw(blob: bytes) -> dict[str, Any]:
    """Return the raw record of a packed one."""
    raw: dict[str, Any] = json.loads(zlib.decompress(blob))
    return raw
