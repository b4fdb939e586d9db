"""Which of the shop's pages an address names, as far as an address can tell."""

from urllib.parse import unquote, urlsplit

SITE_NAME = "WebShop"
"""What the titles of the shop's pages contain."""
PURCHASE_ROUTE = "done"
"""The first part of the path to which a purchase is posted."""

_ROUTES = {"search_results": "results", "item_page": "item", "done": "done"}
_SUB_PAGES = frozenset({"description", "features", "reviews", "attributes"})
_MAX_MOUNT = 1
"""Parts of a path below which the shop may be mounted."""


def shop_page_kind(url: str, title: str, *, has_search_field: bool) -> str | None:
    """Return the kind of the shop's page that stands at an address, or ``None`` for a page of another site.

    Args:
        url: the address.
        title: the page's title.
        has_search_field: whether the page has the search page's field.
    """
    if SITE_NAME not in title:
        return None
    parts = _parts(url)
    route = _route(parts)
    if route == "item_sub_page":
        # …/item_sub_page/<session>/<asin>/<words>/<page>/<sub-page>/<options>; words may hold slashes.
        return next((part.lower() for part in reversed(parts[:-1]) if part.lower() in _SUB_PAGES), None)
    if route is not None:
        return _ROUTES[route]
    return "search" if has_search_field else None


def is_purchase(method: str, url: str) -> bool:
    """Return whether a request buys at the shop."""
    return method.upper() == "POST" and _route(_parts(url)) == PURCHASE_ROUTE


def _parts(url: str) -> list[str]:
    return [unquote(part) for part in urlsplit(url).path.split("/") if part]


def _route(parts: list[str]) -> str | None:
    known = {*_ROUTES, "item_sub_page"}
    return next((part for part in parts[: _MAX_MOUNT + 1] if part in known), None)
