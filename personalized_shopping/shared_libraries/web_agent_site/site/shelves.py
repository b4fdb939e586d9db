"""What the search page shows besides the search field: departments, and some products of each."""

import threading
from collections import Counter
from typing import NamedTuple

from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.catalog.schema import ProductCard
from personalized_shopping.shared_libraries.web_agent_site.engine.query import CATEGORY_QUERY

_PRODUCTS_READ = 240
"""Products that are looked at, spread over the whole catalogue; a shop's departments show in few."""
_DEPARTMENTS = 8
_SHOWN = 12


class Department(NamedTuple):
    """A category that one word names, and the search that finds its products."""

    name: str
    query: tuple[str, str]


class Shelved(NamedTuple):
    """A product and the search by which it is reached."""

    card: ProductCard
    query: tuple[str, str]


class Shelves:
    """A catalogue's departments and some of its products, read on first use and the same for everybody."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._found: tuple[tuple[Department, ...], tuple[Shelved, ...]] | None = None

    @property
    def departments(self) -> tuple[Department, ...]:
        """The departments, those with most products first."""
        return self._read()[0]

    @property
    def products(self) -> tuple[Shelved, ...]:
        """Some products, from each department in turn."""
        return self._read()[1]

    def _read(self) -> tuple[tuple[Department, ...], tuple[Shelved, ...]]:
        with self._lock:
            if self._found is None:
                self._found = self._look()
            return self._found

    def _look(self) -> tuple[tuple[Department, ...], tuple[Shelved, ...]]:
        size = len(self._catalog)
        rows = sorted({number * size // _PRODUCTS_READ for number in range(_PRODUCTS_READ)}) if size else []
        by_category: dict[str, list[str]] = {}
        for row in rows:
            product = self._catalog.product_at(row)
            name = (product.category or "").strip()
            # The query for a category takes one word.
            if name and len(name.split(" ")) == 1 and name == product.category:
                by_category.setdefault(name, []).append(product.asin)
        counts = Counter({name: len(asins) for name, asins in by_category.items()})
        departments = tuple(Department(name, (CATEGORY_QUERY, name)) for name, _ in counts.most_common(_DEPARTMENTS))
        chosen: list[Shelved] = []
        for turn in range(_SHOWN if departments else 0):
            for department in departments:
                asins = by_category[department.name][turn : turn + 1]
                chosen.extend(Shelved(card, department.query) for card in self._catalog.cards(asins))
        return departments, tuple(chosen[:_SHOWN])
