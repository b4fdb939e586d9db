"""The page views in a log of WebShop's website, one JSON object a line, as this program's site writes it too."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec

from personalized_shopping.config import MAX_FIELD_BYTES
from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import (
    AddressError,
    read_address,
    read_keywords,
)

_KINDS: dict[str, PageKind] = {"index": "search", "search_results": "results", "item_page": "item", "done": "done"}
_SUB_PAGE = "item_sub_page"


class View(NamedTuple):
    """One page that a shopper saw: where in the shop it lies, and what the log says of it."""

    place: ShopSession
    goal: dict[str, Any] | None
    content: dict[str, Any]
    reward: float | None = None
    reward_info: Any = None
    price: float | None = None


class BadLine(NamedTuple):
    """A line, counted from 1, that is no page view, and why."""

    number: int
    reason: str


class _Content(msgspec.Struct):
    keywords: list[str] | str = []
    page: int | str = 1
    asin: str = ""
    options: dict[str, str] = {}
    price: float | None = None
    search_result_asins: list[str] = []


class _Line(msgspec.Struct):
    page: str
    url: str = ""
    goal: dict[str, Any] | None = None
    content: _Content = msgspec.field(default_factory=_Content)
    reward: float | None = None
    reward_info: Any = None


def read_views(lines: Iterable[bytes]) -> Iterator[View | BadLine]:
    """Yield what the lines of a log say, the bad ones too; empty lines say nothing."""
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        try:
            yield _view(raw)
        except (ValueError, RecursionError) as error:  # msgspec's and json's errors are ValueErrors
            yield BadLine(number, str(error) or type(error).__name__)


def _view(raw: bytes) -> View:
    if len(raw) > MAX_FIELD_BYTES:
        raise ValueError(f"it has {len(raw)} bytes; at most {MAX_FIELD_BYTES} are read")
    fields = json.loads(raw)
    line = msgspec.convert(fields, _Line)
    content = line.content
    keywords = content.keywords if isinstance(content.keywords, list) else read_keywords(content.keywords)
    place = ShopSession(
        kind=_kind(line),
        instruction=_instruction(line.goal),
        keywords=tuple(keywords) or None,
        page_number=int(content.page),
        asin=content.asin or None,
        options={name.lower(): value for name, value in content.options.items()},
        done=line.page == "done",
        reward=line.reward,
    )
    if place.kind not in ("search", "results") and place.asin is None:
        raise ValueError(f"a view of {line.page} names no product")
    known = fields.get("content")
    return View(
        place=place,
        goal=line.goal,
        content=known if isinstance(known, dict) else {},
        reward=line.reward,
        reward_info=line.reward_info,
        price=content.price,
    )


def _kind(line: _Line) -> PageKind:
    if line.page in _KINDS:
        return _KINDS[line.page]
    if line.page != _SUB_PAGE:
        raise ValueError(f"there is no page {shorten(line.page)}")
    # Which one of a product's pages it was only the address tells.
    path = urlsplit(line.url).path
    _, found, rest = path.partition(f"/{_SUB_PAGE}/")
    try:
        return read_address(_SUB_PAGE, unquote(rest.partition("/")[2])).kind
    except AddressError as error:
        raise ValueError(
            f"its address tells no page of a product ({error})" if found else "it has no address"
        ) from None


def _instruction(goal: dict[str, Any] | None) -> str | None:
    text = goal.get("instruction_text") if goal else None
    return text if isinstance(text, str) else None
