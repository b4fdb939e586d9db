"""How verbs come to a catalogue: the one named, the one configured, or the demo catalogue, made when it is missing."""

from pathlib import Path
from typing import TYPE_CHECKING

from personalized_shopping.cli.output import progress_bar, say
from personalized_shopping.config import setting
from personalized_shopping.errors import CatalogNotFound

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.catalog import Catalog
    from personalized_shopping.shared_libraries.search_engine.base import SearchEngine


def ensure_catalog(named: Path | None = None) -> Path:
    """Return the directory of the catalogue that a verb works on.

    Args:
        named: what the person named on the command line; otherwise ``CATALOG_PATH`` holds, otherwise the demo catalogue,
            which is made here if it is missing, with progress on standard error.

    Raises:
        CatalogNotFound: for a named or configured catalogue that does not exist.
    """
    configured = setting("CATALOG_PATH")
    if named is None and not configured:
        return ensure_demo()
    directory = named if named is not None else Path(configured).expanduser()
    if not directory.exists():
        origin = "" if named is not None else " (CATALOG_PATH names it)"
        raise CatalogNotFound(
            f"There is no catalogue at {directory}{origin}. Build one with: "
            f"personalized-shopping catalog build SOURCE --out {directory}"
        )
    return directory


def ensure_demo() -> Path:
    """Return the demo catalogue's directory; make the catalogue and its index first if they are missing or stale."""
    from personalized_shopping.shared_libraries.shop_files import demo_shop_is_ready, ensure_demo_shop

    if demo_shop_is_ready():
        return ensure_demo_shop()
    say("Making the demo catalogue and its index (once).")
    with progress_bar("demo catalogue") as advance:
        return ensure_demo_shop(progress=advance)


def open_catalog(directory: Path) -> "Catalog":
    """Open a built catalogue for reading."""
    from personalized_shopping.shared_libraries.catalog import Catalog

    return Catalog.open(directory)


def index_directory(catalog: Path, engine: str) -> Path:
    """Return where a catalogue keeps the index of an engine."""
    return catalog / "index" / engine


def open_engine(catalog: "Catalog", engine: str) -> "SearchEngine":
    """Open a catalogue's index of an engine; the error for a missing one names the command that builds it."""
    from personalized_shopping.shared_libraries.search_engine import open_index

    return open_index(engine, index_directory(catalog.directory, engine), catalog_id=catalog.manifest.catalog_id)
