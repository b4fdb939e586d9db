"""What an address of the shop says without opening it: the kind of its page, and the form that its like share.

Only the first part of the path decides, so that a search for "item_page" is still a page of results.
"""

import re
from urllib.parse import unquote, urlsplit

from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind

_SUB_PAGES: dict[str, PageKind] = {
    "Description": "description",
    "Features": "features",
    "Reviews": "reviews",
    "Attributes": "attributes",
}
_TEMPLATES: dict[PageKind, str] = {
    "search": "/{session}",
    "results": "/search_results/{session}/{keywords}/{page}",
    "item": "/item_page/{session}/{asin}/{keywords}/{page}/{options}",
    "done": "/done/{session}/{asin}/{options}",
}
_PATTERNS: dict[PageKind, str] = {
    "search": r"[^/?#]+/?(?:[?#].*)?$",
    "results": r"search_results/[^/]+/",
    "item": r"item_page/[^/]+/[^/]+/",
    "done": r"done/[^/]+/[^/]+/",
}
for _name, _kind in _SUB_PAGES.items():
    _TEMPLATES[_kind] = f"/item_sub_page/{{session}}/{{asin}}/{{keywords}}/{{page}}/{_name}/{{options}}"
    _PATTERNS[_kind] = rf"item_sub_page/[^/]+/[^/]+/.+/{_name}/"
_ROUTES: dict[str, PageKind] = {"search_results": "results", "item_page": "item", "done": "done"}
_SUB_PAGE = re.compile(r"[^/]+/[^/]+/.*?/[0-9]{1,12}/([A-Za-z]{1,20})/\{", re.DOTALL)
_ADDRESS = re.compile(r"[a-zA-Z][-+.a-zA-Z0-9]*://[^/?#]*(.*)", re.DOTALL)
_ANYWHERE = "^https?://[^/]+/"


def page_kind(url: str, *, shows_search: bool = False, root: str = "") -> PageKind | None:
    """Return the kind of page that an address names, or ``None`` where it is none of the shop's.

    Args:
        url: the address, percent-encoded or as the environment writes it.
        shows_search: whether the page has the shop's search field. The search page's own address, ``/session``, says
            nothing: every site has such addresses.
        root: the path below which the shop lies; empty at the top.
    """
    rest = _path(url, root)
    if rest is None:
        return None
    route, _, after = rest.partition("/")
    if route == "item_sub_page":
        match = _SUB_PAGE.match(unquote(after))
        return _SUB_PAGES.get(match[1].capitalize()) if match else None
    if route in _ROUTES:
        return _ROUTES[route] if after.strip("/").count("/") >= 1 else None
    is_single = "/" not in re.split(r"[?#]", rest, maxsplit=1)[0].strip("/")
    return "search" if shows_search and is_single else None


def path_template(url: str, *, kind: str | None = None, root: str = "") -> str:
    """Return an address's path with everything that changes from page to page named or masked.

    Args:
        url: the address.
        kind: the kind of the shop's page, where it is known.
        root: the path below which the shop lies.
    """
    known = kind if kind is not None else page_kind(url, root=root)
    for shop_kind, template in _TEMPLATES.items():
        if shop_kind == known:
            return root + template
    try:
        path = urlsplit(url).path
    except ValueError:
        path = ""
    return "/".join("*" if is_variable(part) else part for part in path.split("/")) or "/"


def url_pattern(kind: PageKind, root: str = "") -> str:
    """Return the regular expression that the addresses of one kind of page match, on whatever host the shop runs."""
    return _ANYWHERE + re.escape(root.strip("/") + "/" if root.strip("/") else "") + _PATTERNS[kind]


def is_variable(part: str) -> bool:
    """Return whether a part of a path looks like a value: with digits, signs or blanks, or very long."""
    return len(part) > 30 or bool(re.search(r"[0-9%+=&?\[\]{}()'\" ]", part))


def _path(url: str, root: str) -> str | None:
    """Return what follows the host and the root, without its first slash."""
    match = _ADDRESS.match(url)
    path = match[1] if match else url if url.startswith("/") else ""
    prefix = f"/{root.strip('/')}/" if root.strip("/") else "/"
    return path.removeprefix(prefix) if path.startswith(prefix) else None
