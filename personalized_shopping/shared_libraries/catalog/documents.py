"""The text of a product that search engines index."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.search_engine.base import Document

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.catalog.store import Catalog


def search_text(product: Product) -> str:
    """Return a product's indexed text, as WebShop writes it: title, description, first bullet, options, lower-case.

    Parts that a product lacks count as empty; the space before absent options stays.
    """
    options = ", and ".join(f"{name}: {', '.join(values)}" for name, values in product.options.items())
    bullet = product.bullets[0] if product.bullets else None
    return " ".join((product.title or "", product.description or "", bullet or "", options)).lower()


def documents(catalog: "Catalog | Iterable[Product]") -> Iterator[Document]:
    """Yield one search document for every product, in catalogue order."""
    products = catalog.iter_products() if hasattr(catalog, "iter_products") else catalog
    for product in products:
        yield Document(product.asin, search_text(product))
