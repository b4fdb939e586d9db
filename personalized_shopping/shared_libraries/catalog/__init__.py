"""Products: schema, importers and the store that every session shares."""

from personalized_shopping.shared_libraries.catalog.documents import documents, search_text
from personalized_shopping.shared_libraries.catalog.importers.field_mapping import parse_mapping
from personalized_shopping.shared_libraries.catalog.importers.source import (
    FORMATS,
    Source,
    open_source,
    validate_source,
)
from personalized_shopping.shared_libraries.catalog.manifest import Manifest
from personalized_shopping.shared_libraries.catalog.records import Rejected, Report
from personalized_shopping.shared_libraries.catalog.schema import (
    NO_RATING,
    HumanInstruction,
    Product,
    ProductCard,
    Review,
    SourceRecord,
)
from personalized_shopping.shared_libraries.catalog.staging import build_once, staged_directory
from personalized_shopping.shared_libraries.catalog.store import Catalog
from personalized_shopping.shared_libraries.catalog.store_writer import write_catalog

__all__ = [
    "FORMATS",
    "NO_RATING",
    "Catalog",
    "HumanInstruction",
    "Manifest",
    "Product",
    "ProductCard",
    "Rejected",
    "Report",
    "Review",
    "Source",
    "SourceRecord",
    "build_once",
    "documents",
    "open_source",
    "parse_mapping",
    "search_text",
    "staged_directory",
    "validate_source",
    "write_catalog",
]
