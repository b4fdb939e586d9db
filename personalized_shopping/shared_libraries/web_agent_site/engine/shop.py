"""The shop is a function: a session and an action give a new session and a page."""

from collections.abc import Mapping

import msgspec

from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.search_engine.base import SearchEngine
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Button, Page
from personalized_shopping.shared_libraries.web_agent_site.engine.query import QueryRunner
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

_SUB_PAGES = {label.lower(): label for label in actions.SUB_PAGES}
_SHOWN_BUTTONS = 60
"""Buttons that an error message lists; a results page of a shop with rich options has fewer."""


class Purchase(msgspec.Struct, frozen=True):
    """What was bought: a product and the option values that were chosen."""

    asin: str
    options: dict[str, str]


class Step(msgspec.Struct, frozen=True):
    """What one action led to.

    ``is_valid`` tells whether the page offered the action, ``is_effective`` whether the session changed.
    """

    session: ShopSession
    page: Page
    is_valid: bool = True
    is_effective: bool = True
    error: str | None = None
    purchase: Purchase | None = None


class Shop:
    """A catalogue and a search engine behind the pages of WebShop. It holds nothing about any shopper.

    Args:
        catalog: the opened catalogue.
        engine: the search engine over that catalogue.
        show_attributes: whether product pages offer the ``Attributes`` page.
    """

    def __init__(self, catalog: Catalog, engine: SearchEngine, *, show_attributes: bool = False) -> None:
        self.catalog = catalog
        self.engine = engine
        self.show_attributes = show_attributes
        self._queries = QueryRunner(catalog, engine)

    def start(self, *, instruction: str | None = None, goal_index: int | None = None, seed: int = 0) -> ShopSession:
        """Return the session of a shopper who has just come in."""
        return ShopSession(instruction=instruction, goal_index=goal_index, seed=seed)

    def page(self, session: ShopSession) -> Page:
        """Return the page on which a session stands.

        Raises:
            ProductNotFound: if the session names a product that this catalogue does not have.
        """
        keywords = session.keywords or ()
        if session.kind == "results":
            total, asins = self._queries.window(keywords, session.page_number, session.seed)
            return Page(
                kind="results",
                instruction=session.instruction,
                keywords=keywords,
                page_number=session.page_number,
                total_results=total,
                products=tuple(self.catalog.cards(asins)),
                visited=session.visited,
            )
        product = self.catalog.product(session.asin) if session.asin is not None else None
        return Page(
            kind=session.kind,
            instruction=session.instruction,
            keywords=keywords,
            page_number=session.page_number,
            product=product if session.kind != "search" else None,
            options=session.options,
            visited=session.visited,
            show_attributes=self.show_attributes,
            reward=session.reward,
        )

    def step(self, session: ShopSession, action: Action, page: Page | None = None) -> Step:
        """Take one action.

        Args:
            session: where the shopper stands.
            action: what the shopper does.
            page: the session's page, where the caller has it at hand.
        """
        page = self.page(session) if page is None else page
        if isinstance(action, Search):
            return self._moved(session, _searched(session, action.keywords))
        if not isinstance(action, Click):
            raise TypeError(f"an action is a Search or a Click, not {shorten(action)}")
        name = action.button.lower()
        button = page.clickables.get(name)
        if button is None or name == actions.SEARCH_BUTTON.lower():
            return Step(session, page, is_valid=False, is_effective=False, error=_no_such_button(page, action.button))
        if name == actions.BUY_NOW.lower():
            bought = _counted(session, "purchase", kind="done", done=True)
            purchase = Purchase(asin=session.asin or "", options=dict(session.options))
            return self._moved(session, bought, purchase=purchase)
        return self._moved(session, _clicked(session, name, button))

    def _moved(self, before: ShopSession, after: ShopSession, purchase: Purchase | None = None) -> Step:
        page = self.page(after)
        return Step(after, page, is_effective=_place(after) != _place(before), purchase=purchase)


def _searched(session: ShopSession, keywords: str) -> ShopSession:
    words = tuple(keywords.split(" "))
    return _counted(session, "search", kind="results", keywords=words, page_number=1, asin=None, options={})


def _clicked(session: ShopSession, name: str, button: Button) -> ShopSession:
    """Return where a click leads; the order of the cases is the published one and decides between equal labels."""
    kind = session.kind
    if name == actions.BACK_TO_SEARCH.lower():
        return msgspec.structs.replace(
            session, kind="search", keywords=None, page_number=1, asin=None, options={}, visited=(), counts={}
        )
    if name == actions.NEXT_PAGE.lower() and kind == "results":
        return _counted(session, "search", page_number=session.page_number + 1)
    if name == actions.PREV_PAGE.lower() and kind == "results":
        return _counted(session, "search", page_number=session.page_number - 1)
    if name == actions.PREV_PAGE.lower() and kind == "item":
        return _counted(session, "search", kind="results", asin=None, options={})
    if name == actions.PREV_PAGE.lower():
        return msgspec.structs.replace(session, kind="item")
    if name in _SUB_PAGES:
        return _counted(session, _SUB_PAGES[name], kind=name)
    if button.kind == "product":
        visited = session.visited if button.label in session.visited else (*session.visited, button.label)
        return _counted(session, "asin", kind="item", asin=button.label, visited=visited)
    chosen = {**session.options, (button.option or "").lower(): name}
    return _counted(session, "options", options=chosen)


def _counted(session: ShopSession, counter: str, **changes: object) -> ShopSession:
    counts = {**session.counts, counter: session.counts.get(counter, 0) + 1}
    return msgspec.structs.replace(session, counts=counts, **changes)


def _place(session: ShopSession) -> Mapping[str, object]:
    return {**msgspec.structs.asdict(session), "counts": None}


def _no_such_button(page: Page, wanted: str) -> str:
    if page.kind == "done":
        return "The purchase is made and this page has no buttons; a new search starts the next one."
    if page.kind == "search":
        return f"There is no button {shorten(wanted)} on the search page; search for something first."
    labels = [button.label for button in page.buttons[:_SHOWN_BUTTONS]]
    more = len(page.buttons) - len(labels)
    listed = ", ".join(labels) + (f" and {more} more" if more else "")
    return f"There is no button {shorten(wanted)} on this page. Buttons: {listed}."
