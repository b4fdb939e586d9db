"""The one shop that the whole process shares, opened on first use."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from personalized_shopping.config import number_of_products
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, configured_shop

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.envs import WebAgentTextEnv

    webshop_env: WebAgentTextEnv

_lock = threading.RLock()
_opened: dict[str, Any] = {}


def get_shop_files() -> ShopFiles:
    """Return the shared catalogue with its goals and indexes."""
    with _lock:
        if "files" not in _opened:
            _opened["files"] = configured_shop(number_of_products())
        files: ShopFiles = _opened["files"]
        return files


def get_shop() -> Shop:
    """Return the shared shop: the configured catalogue and engine, or the demo catalogue, which is made if need be.

    Raises:
        ShoppingError: if what is configured is missing or broken; the message names the command that mends it.
    """
    with _lock:
        if "shop" not in _opened:
            files = get_shop_files()
            _opened["shop"] = Shop(files.catalog, files.engine())
        shop: Shop = _opened["shop"]
        return shop


@contextmanager
def shop_instead(shop: Shop) -> Iterator[None]:
    """Let another shop be the shared one while the block runs: that of an evaluation, whose products are changed."""
    with _lock:
        before = _opened.get("shop")
        _opened["shop"] = shop
    try:
        yield
    finally:
        with _lock:
            _opened.pop("shop", None)
            if before is not None:
                _opened["shop"] = before


def init_env(num_products: int | None = None) -> "WebAgentTextEnv":
    """Return a new text environment over the configured catalogue.

    Args:
        num_products: how many of the catalogue's records it holds; ``None`` for the setting's number.
    """
    from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv

    files = get_shop_files() if num_products is None else configured_shop(num_products)
    return WebAgentTextEnv(observation_mode="text", server=SimServer(files=files))


def close_shared() -> None:
    """Forget the shared shop, so that the next use opens what is configured then."""
    with _lock:
        _opened.clear()


def __getattr__(name: str) -> Any:
    if name != "webshop_env":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _lock:
        if "env" not in _opened:
            _opened["env"] = init_env()
        return _opened["env"]
