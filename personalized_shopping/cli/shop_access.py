"""How verbs come to a shop: the one named, the one configured, or the demo shop, made when it is missing."""

from pathlib import Path
from typing import TYPE_CHECKING

from personalized_shopping.cli.output import stage_bars
from personalized_shopping.config import check_settings, setting
from personalized_shopping.errors import CatalogNotFound, IndexMismatch, IndexNotFound

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles


def open_shop(named: Path | None = None) -> "ShopFiles":
    """Open the shop that a verb works on.

    Args:
        named: the directory named on the command line; otherwise ``CATALOG_PATH`` holds, otherwise the demo shop,
            which is made here if it is missing, with progress on standard error.

    Raises:
        CatalogNotFound: for a named or configured catalogue that does not exist.
    """
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

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
    return ShopFiles(directory)


def ensure_demo() -> "ShopFiles":
    """Open the demo shop with an index of the chosen engine; make what is missing or stale of it."""
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

    with stage_bars("demo shop") as progress:
        return demo_shop(progress=progress)


def with_index(shop: "ShopFiles", engine: str) -> "ShopFiles":
    """Return the shop after making sure that it has an index of the engine; for shops that are ours to write to."""
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import add_index

    try:
        shop.engine(engine).close()
    except (IndexNotFound, IndexMismatch):
        with stage_bars(engine) as progress:
            add_index(shop.directory, engine, progress)
    return shop


def use_for_agent() -> None:
    """Make sure, before ADK starts, that settings and shop can be used: progress is seen, and an error stands alone."""
    check_settings()
    shop = open_shop()
    shop.engine().close()
    shop.catalog.close()
