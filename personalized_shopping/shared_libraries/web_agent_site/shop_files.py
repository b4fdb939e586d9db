"""A shop on disk: the catalogue with its goals and its search indexes, built together and opened in milliseconds.

The directory of a shop holds ``manifest.json`` and ``products.sqlite`` (the catalogue), ``goals/SEED/`` (prices and
goals as arrays) and ``index/ENGINE/`` (one search index an engine).
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from personalized_shopping import paths
from personalized_shopping.config import setting
from personalized_shopping.errors import CatalogError, CatalogNotFound, GoalError, SearchError
from personalized_shopping.shared_libraries.catalog import (
    Catalog,
    Rejected,
    SourceRecord,
    build_once,
    documents,
    open_source,
    staged_directory,
    write_catalog,
)
from personalized_shopping.shared_libraries.catalog.importers.side_files import find_beside
from personalized_shopping.shared_libraries.catalog.manifest import FORMAT_VERSION, Manifest
from personalized_shopping.shared_libraries.search_engine import build_index, open_index
from personalized_shopping.shared_libraries.search_engine.base import SearchEngine
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import (
    DEFAULT_SEED,
    GOALS_FORMAT,
    GoalKind,
    GoalTable,
    open_prices,
    write_goals,
)

Progress = Callable[[str, int, int | None], None]
"""Called with the stage (``catalogue``, ``goals`` or ``index``), the records done in it, and how many there are."""

GOALS, INDEX = "goals", "index"
EMBEDDED_ENGINE = "bm25"


class ShopFiles:
    """An opened shop.

    Args:
        directory: where ``build_shop`` built it.
    """

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory)
        self.catalog = Catalog.open(self.directory)

    def engine(self, name: str | None = None) -> SearchEngine:
        """Open the shop's index of a search engine; by default of the configured one.

        Raises:
            IndexNotFound: if the shop has no such index.
            IndexMismatch: if the index belongs to another catalogue.
            EngineUnavailable: if the engine cannot run here.
        """
        name = name or setting("SEARCH_ENGINE")
        return open_index(name, self.directory / INDEX / name, catalog_id=self.catalog.manifest.catalog_id)

    def goals(self, kind: GoalKind, seed: int = DEFAULT_SEED) -> GoalTable:
        """Return the goals of one kind, with the prices and limits of a seed."""
        return GoalTable(self.catalog, kind, self._goals_directory(seed))

    def prices(self, seed: int = DEFAULT_SEED) -> npt.NDArray[np.float64]:
        """Return the price that a purchase of each product is charged, in US dollars, by row."""
        return open_prices(self._goals_directory(seed))

    def _goals_directory(self, seed: int) -> Path:
        """Return where a seed's draws lie; other seeds than the built one are drawn once and cached."""
        own = self.directory / GOALS / str(seed)
        if own.is_dir():
            return own
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise GoalError(f"A seed is a whole number, not {type(seed).__name__}.")
        cached = paths.cache_dir() / f"{GOALS}-{GOALS_FORMAT}" / self.catalog.manifest.catalog_id[:32] / str(seed)
        build_once(cached, lambda target: _write_goals(self.catalog, target, seed), Path.is_dir)
        return cached


def build_shop(
    source: Iterable[SourceRecord | Rejected],
    out: Path,
    *,
    engine: str = EMBEDDED_ENGINE,
    progress: Progress | None = None,
) -> ShopFiles:
    """Build a shop beside ``out`` and put it there when it is whole; a crash leaves what was there before.

    Args:
        source: the products, from ``open_source`` or ``demo_source``.
        out: the directory of the shop.
        engine: the search engine to build an index for.
        progress: told how far it is.
    """
    with staged_directory(out) as directory:
        _fill(source, directory, engine, progress)
    return ShopFiles(out)


def add_index(directory: Path, engine: str, progress: Progress | None = None, **options: Any) -> None:
    """Build the index of another search engine for an existing shop; it replaces an older one when it is whole."""
    catalog = Catalog.open(directory)
    with staged_directory(directory / INDEX / engine) as target:
        _write_index(catalog, target, engine, progress, **options)


def open_shop_for(file_path: Path | str | None = None, num_products: int | None = None) -> ShopFiles:
    """Open the shop of a raw WebShop file, of a built catalogue, or the configured one.

    A raw file is built once and kept in the cache; so is a part of a catalogue.

    Args:
        file_path: the raw file or the built catalogue; ``None`` for the configured catalogue.
        num_products: how many of its records to take, before any is skipped; ``None`` for all.
    """
    if file_path is None:
        return configured_shop(num_products)
    path = Path(file_path)
    if path.is_file():
        return _shop_of_file(path, num_products)
    if not path.exists():
        raise CatalogNotFound(f"There is no catalogue and no product file at {path}. Check the path.")
    return _part_of(ShopFiles(path), num_products)


def configured_shop(num_products: int | None = None, progress: Progress | None = None) -> ShopFiles:
    """Open the shop that ``CATALOG_PATH`` names, or the demo shop, which is made if need be."""
    configured = setting("CATALOG_PATH")
    if configured:
        path = Path(configured).expanduser()
        if not path.exists():
            raise CatalogNotFound(
                f"CATALOG_PATH is {configured}, and there is nothing. Build a catalogue there with: "
                f"personalized-shopping catalog build SOURCE --out {configured} (or unset CATALOG_PATH)"
            )
        return open_shop_for(path, num_products)
    return _part_of(demo_shop(progress=progress), num_products)


def demo_shop(
    products: int | None = None, seed: int | None = None, out: Path | None = None, progress: Progress | None = None
) -> ShopFiles:
    """Open the demo shop; make it where it is missing or was made by another version of its generator."""
    from personalized_shopping.shared_libraries.catalog import demo

    products = demo.DEFAULT_PRODUCTS if products is None else products
    seed = demo.DEFAULT_SEED if seed is None else seed
    source = demo.demo_source(products, seed)

    def is_same(manifest: Manifest) -> bool:
        return manifest.source == source.description

    return _kept(out or paths.demo_catalog_dir(products, seed), lambda: source, is_same, progress)


def _kept(
    directory: Path,
    source: Callable[[], Iterable[SourceRecord | Rejected]],
    is_same: Callable[[Manifest], bool] = lambda _: True,
    progress: Progress | None = None,
) -> ShopFiles:
    """Open a shop that the program keeps for itself; make it where it is missing or another version made it.

    Beside the embedded index it gets one of the configured engine.
    """
    configured = setting("SEARCH_ENGINE")

    def has_index(path: Path, engine: str) -> bool:
        try:
            shop = ShopFiles(path)
            shop.engine(engine).close()
        except (CatalogError, SearchError):
            return False
        return is_same(shop.catalog.manifest)

    def add_configured(target: Path) -> None:
        _write_index(ShopFiles(directory).catalog, target, configured, progress)

    build_once(
        directory,
        lambda target: _fill(source(), target, EMBEDDED_ENGINE, progress),
        lambda path: has_index(path, EMBEDDED_ENGINE),
    )
    if configured != EMBEDDED_ENGINE:
        build_once(directory / INDEX / configured, add_configured, lambda _: has_index(directory, configured))
    return ShopFiles(directory)


def _fill(source: Iterable[SourceRecord | Rejected], directory: Path, engine: str, progress: Progress | None) -> None:
    seen = 0

    def counted(records: int) -> None:
        nonlocal seen
        seen += records
        if progress:
            progress("catalogue", seen, None)

    write_catalog(source, directory, progress=counted)
    with Catalog.open(directory) as catalog:
        _write_goals(catalog, directory / GOALS / str(DEFAULT_SEED), DEFAULT_SEED)
        if progress:
            progress("goals", len(catalog), len(catalog))
        target = directory / INDEX / engine
        target.mkdir(parents=True)
        _write_index(catalog, target, engine, progress)


def _write_goals(catalog: Catalog, directory: Path, seed: int) -> None:
    counts = write_goals(catalog, directory, seed)
    (directory / "counts.json").write_text(json.dumps(counts) + "\n")


def _write_index(catalog: Catalog, target: Path, engine: str, progress: Progress | None, **options: Any) -> None:
    total = len(catalog)

    def counted(done: int) -> None:
        if progress:
            progress("index", done, total)

    build_index(engine, documents(catalog), target, catalog_id=catalog.manifest.catalog_id, progress=counted, **options)


def _shop_of_file(path: Path, num_products: int | None) -> ShopFiles:
    directory = paths.cache_dir() / "shops" / _fingerprint(path, num_products)
    return _kept(directory, lambda: open_source(path, fmt="webshop", limit=num_products))


def _part_of(shop: ShopFiles, num_products: int | None) -> ShopFiles:
    """Return the shop of the first records of another one's source; the whole shop where it has no more."""
    manifest = shop.catalog.manifest
    if num_products is None or num_products >= manifest.counts.get("read", len(shop.catalog)):
        return shop
    directory = paths.cache_dir() / "parts" / f"{manifest.catalog_id[:32]}-{num_products}"
    return _kept(directory, lambda: _Part(shop.catalog, num_products))


class _Part:
    """The first records of a catalogue, as a source."""

    def __init__(self, whole: Catalog, limit: int) -> None:
        self._whole = whole
        self._limit = limit
        self.description = {**whole.manifest.source, "part_of": whole.manifest.catalog_id, "limit": limit}

    def __iter__(self) -> Iterator[SourceRecord]:
        return takewhile(lambda record: record.position < self._limit, self._whole.iter_records())


def _fingerprint(path: Path, num_products: int | None) -> str:
    """Return a name for what a raw file and its side files hold now: their paths, sizes and times of change."""
    found = [path, *(find_beside(path, kind) for kind in ("attributes", "human"))]
    stats = [(str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns) for file in found if file is not None]
    text = json.dumps([FORMAT_VERSION, num_products, stats])
    return hashlib.sha256(text.encode()).hexdigest()[:32]
