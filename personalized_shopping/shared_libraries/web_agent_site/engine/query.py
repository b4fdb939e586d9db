"""What the words of a search find: keyword search, or one of the four special queries."""

import random
import threading
from collections import OrderedDict
from collections.abc import Sequence

from personalized_shopping.config import PAGE_SIZE, SEARCH_CACHE_SIZE
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, SearchEngine

RANDOM_QUERY, ATTRIBUTE_QUERY, CATEGORY_QUERY, QUERY_QUERY = "<r>", "<a>", "<c>", "<q>"
_LISTS_KEPT = 4
"""Results longer than ``TOP_K`` (a whole category) that are remembered."""


class QueryRunner:
    """Run queries against one catalogue and remember the latest results, for any number of shoppers.

    ``<r>`` finds 50 random products, ``<a> attribute``, ``<c> category`` and ``<q> query`` all products whose field
    equals the words, in catalogue order; anything else goes to the search engine.
    """

    def __init__(self, catalog: Catalog, engine: SearchEngine) -> None:
        self._catalog = catalog
        self._engine = engine
        self._lock = threading.Lock()
        self._hits: OrderedDict[tuple[str, ...], Sequence[str]] = OrderedDict()
        self._lists: OrderedDict[tuple[str, ...], Sequence[str]] = OrderedDict()

    def window(self, keywords: tuple[str, ...], page_number: int, seed: int) -> tuple[int, Sequence[str]]:
        """Return the number of results and the identifiers on one page of them (pages count from 1)."""
        asins = self.run(keywords, seed)
        return len(asins), asins[(page_number - 1) * PAGE_SIZE : page_number * PAGE_SIZE]

    def run(self, keywords: tuple[str, ...], seed: int) -> Sequence[str]:
        """Return the identifiers of all products that a query finds, best first."""
        key = keywords if keywords[:1] != (RANDOM_QUERY,) else (RANDOM_QUERY, str(seed))
        with self._lock:
            for cache in (self._hits, self._lists):
                if key in cache:
                    cache.move_to_end(key)
                    return cache[key]
        found = self._find(keywords, seed)
        with self._lock:
            cache, size = (self._hits, SEARCH_CACHE_SIZE) if len(found) <= TOP_K else (self._lists, _LISTS_KEPT)
            cache[key] = found
            if len(cache) > size:
                cache.popitem(last=False)
        return found

    def _find(self, keywords: tuple[str, ...], seed: int) -> Sequence[str]:
        catalog, (first, *rest) = self._catalog, keywords or ("",)
        words = " ".join(rest).strip()
        if first == RANDOM_QUERY:
            rows = random.Random(f"{RANDOM_QUERY}{seed}").sample(range(len(catalog)), min(TOP_K, len(catalog)))
            return [catalog.asin_at(row) for row in rows]
        if first == ATTRIBUTE_QUERY:
            return catalog.asins_by_attribute(words)
        if first == CATEGORY_QUERY:
            return catalog.asins_by_category(rest[0].strip()) if rest else []
        if first == QUERY_QUERY:
            return catalog.asins_by_query(words)
        return [hit.docid for hit in self._engine.search(" ".join(keywords), TOP_K) if hit.docid in catalog]
