"""Which actions lead from one page to the next that a shopper saw.

A log tells pages, not clicks. Most pages lie one action apart. Browsers have more ways (their Back button, links beside
the page, the address bar), so some lie further apart: then it is the shortest way over the page's own buttons.
"""

from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

MAX_ACTIONS = 50
"""Longest way that is worth telling; a page further away was opened by its address."""
_SUB_PAGES: dict[PageKind, str] = {
    "description": actions.DESCRIPTION,
    "features": actions.FEATURES,
    "reviews": actions.REVIEWS,
    "attributes": actions.ATTRIBUTES,
}


def way(before: ShopSession, after: ShopSession) -> list[Action] | None:
    """Return the actions that lead from one page to another; ``None`` where no actions of the shop do.

    A page that was only loaded again is no action away.

    Args:
        before: a page that offers actions, so none after a purchase.
        after: the page to come to.
    """
    if after.kind == "done" and before.asin != after.asin:
        return None  # the address of a purchase does not tell which search found the product
    found = list(islice(_way(before, after), MAX_ACTIONS + 1))
    return found if len(found) <= MAX_ACTIONS and Search("") not in found else None


def _way(before: ShopSession, after: ShopSession) -> Iterator[Action]:
    if after.kind == "search":
        if before.kind != "search":
            yield Click(actions.BACK_TO_SEARCH)
    elif after.kind == "results":
        yield from _to_results(before, after)
    elif after.kind == "item":
        yield from _to_item(before, after)
    elif after.kind == "done":
        where = {"keywords": before.keywords, "page_number": before.page_number}
        yield from _to_item(before, msgspec.structs.replace(after, **where))
        yield Click(actions.BUY_NOW)
    elif before.kind != after.kind or _product(before) != _product(after) or before.options != after.options:
        yield from _to_item(before, after)
        yield Click(_SUB_PAGES[after.kind])


def _to_results(before: ShopSession, after: ShopSession) -> Iterator[Action]:
    page = before.page_number
    if before.keywords != after.keywords or after.page_number < abs(after.page_number - page):
        yield Search(" ".join(after.keywords or ()))
        page = 1
    else:
        if before.kind in _SUB_PAGES:
            yield Click(actions.PREV_PAGE)
        if before.kind != "results":
            yield Click(actions.PREV_PAGE)
    label = actions.NEXT_PAGE if page < after.page_number else actions.PREV_PAGE
    for _ in range(abs(after.page_number - page)):
        yield Click(label)


def _to_item(before: ShopSession, after: ShopSession) -> Iterator[Action]:
    """Yield the way to a product with its chosen options; what was chosen can be replaced, but not taken back."""
    chosen: Mapping[str, str] = before.options
    if _product(before) == _product(after) and set(chosen) <= set(after.options):
        if before.kind in _SUB_PAGES:
            yield Click(actions.PREV_PAGE)
    else:
        yield from _to_results(before, after)
        yield Click(after.asin or "")
        chosen = {}
    for name, value in after.options.items():
        if chosen.get(name) != value:
            yield Click(value)


def _product(place: ShopSession) -> tuple[object, ...] | None:
    return (place.keywords, place.page_number, place.asin) if place.asin is not None else None
