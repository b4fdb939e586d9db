"""What an address says: which page, the words searched for, the product and its chosen options.

WebShop keeps a page's whole state in its path. Both of its forms of keywords are read, the list that its site writes
(``['red', 'shoes']``) and the plain one of its text environment (``red+shoes``), with slashes in them or without.
"""

import re
from typing import NamedTuple
from urllib.parse import quote

from personalized_shopping.config import MAX_QUERY_CHARS, SITE_MAX_PAGE_NUMBER, SITE_MAX_PATH_CHARS
from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind
from personalized_shopping.shared_libraries.web_agent_site.site.literals import (
    LiteralError,
    read_list,
    read_mapping,
    write_list,
    write_mapping,
)

_WHERE = r"(?P<keywords>.*?)/(?P<page>[0-9]{1,12})"
_RESULTS = re.compile(r"(?P<keywords>.*)/(?P<page>[0-9]{1,12})", re.DOTALL)
_ITEM = re.compile(rf"(?P<asin>[^/]*)/{_WHERE}/(?P<options>\{{.*)", re.DOTALL)
_SUB_PAGE = re.compile(rf"(?P<asin>[^/]*)/{_WHERE}/(?P<sub>[A-Za-z]{{1,20}})/(?P<options>\{{.*)", re.DOTALL)
_DONE = re.compile(r"(?P<asin>[^/]*)/(?P<options>\{.*)", re.DOTALL)
_FORMS = {"search_results": _RESULTS, "item_page": _ITEM, "item_sub_page": _SUB_PAGE, "done": _DONE}
_SUB_PAGES: dict[str, PageKind] = {
    actions.DESCRIPTION: "description",
    actions.FEATURES: "features",
    actions.REVIEWS: "reviews",
    actions.ATTRIBUTES: "attributes",
}
_KINDS: dict[str, PageKind] = {"search_results": "results", "item_page": "item", "done": "done"}


class AddressError(ValueError):
    """An address does not say which page it means. ``status`` is the HTTP status that fits: 400, 404 or 414."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


class Address(NamedTuple):
    """A page's place in the shop, without the shopper. ``written_keywords`` are the keywords as the path has them."""

    kind: PageKind
    keywords: tuple[str, ...] = ()
    page_number: int = 1
    asin: str | None = None
    options: dict[str, str] = {}  # noqa: RUF012 (never changed)
    written_keywords: str = ""


def read_address(route: str, rest: str) -> Address:
    """Read the part of a path that follows the session.

    Args:
        route: ``search_results``, ``item_page``, ``item_sub_page`` or ``done``.
        rest: what follows, decoded.

    Raises:
        AddressError: where it names no page.
    """
    if len(rest) > SITE_MAX_PATH_CHARS:
        raise AddressError(f"The address is longer than {SITE_MAX_PATH_CHARS} characters.", 414)
    match = _FORMS[route].fullmatch(rest)
    if match is None:
        raise AddressError("The address is incomplete.", 404)
    parts = match.groupdict()
    kind = _SUB_PAGES.get(parts["sub"].capitalize()) if "sub" in parts else _KINDS[route]
    if kind is None:
        raise AddressError(f"There is no page {shorten(parts['sub'])} about a product.", 404)
    written = parts.get("keywords", "")
    try:
        options = read_mapping(parts["options"]) if "options" in parts else {}
    except LiteralError as error:
        raise AddressError(f"The chosen options in the address cannot be read: {error}.") from None
    return Address(
        kind=kind,
        keywords=read_keywords(written) if "page" in parts else (),
        page_number=_page_number(parts.get("page", "1")),
        asin=parts.get("asin"),
        options=options,
        written_keywords=written,
    )


def read_keywords(written: str) -> tuple[str, ...]:
    """Return the words of either form.

    Raises:
        AddressError: for more than ``MAX_QUERY_CHARS`` characters.
    """
    words: list[str] | None = None
    if written.startswith("["):
        try:
            words = read_list(written)
        except LiteralError:
            words = None  # a search may begin with a bracket
    if words is None:
        words = written.replace("+", " ").split(" ")
    if sum(map(len, words)) + len(words) > MAX_QUERY_CHARS + 1:
        raise AddressError(f"A search has at most {MAX_QUERY_CHARS} characters.", 414)
    return tuple(words)


def split_query(query: str) -> tuple[str, ...]:
    """Return the words of what was typed into the search field, as WebShop's site does; the rest is cut off."""
    return tuple(query[:MAX_QUERY_CHARS].lower()[:MAX_QUERY_CHARS].split(" "))


def address_path(session_id: str, address: Address) -> str:
    """Return the path of a page, percent-encoded, in the form of WebShop's site."""
    where = f"{_segment(write_list(address.keywords))}/{address.page_number}"
    if address.kind == "search":
        return f"/{session_id}"
    if address.kind == "results":
        return f"/search_results/{session_id}/{where}"
    # Servers undo one encoding before they look for slashes, so an identifier's own slash is encoded twice.
    asin = _segment((address.asin or "").replace("/", "%2F"))
    options = _segment(write_mapping(address.options, as_json=address.kind == "item"))
    if address.kind == "item":
        return f"/item_page/{session_id}/{asin}/{where}/{options}"
    if address.kind == "done":
        return f"/done/{session_id}/{asin}/{options}"
    return f"/item_sub_page/{session_id}/{asin}/{where}/{address.kind.capitalize()}/{options}"


def _segment(text: str) -> str:
    return quote(text, safe="'(),:!", errors="replace")


def _page_number(digits: str) -> int:
    number = int(digits)
    if not 1 <= number <= SITE_MAX_PAGE_NUMBER:
        raise AddressError(f"Pages of results are counted from 1 to {SITE_MAX_PAGE_NUMBER}.", 404)
    return number
