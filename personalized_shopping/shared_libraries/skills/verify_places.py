"""Where skills are verified: fresh worlds on every kind of the shop's pages, in this process or in a real browser."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.pages import tour
from personalized_shopping.shared_libraries.skills.world import World
from personalized_shopping.shared_libraries.skills.worlds.page_world import PageWorld
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, NEXT_PAGE, Click
from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address, address_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WINDOW = (1280, 800)
"""Width and height of a verification's window, in CSS pixels."""
TIMEOUT_MS = 5_000
_SESSION = "fixed_0"


class Places(Protocol):
    """Where a skill is run to see whether it works."""

    def open(self, page_kind: str | None) -> Generator[World, None, None]:
        """Yield fresh worlds on pages of a kind, the most usual one first; each is gone when the next one comes."""

    def hints(self) -> dict[str, Any]:
        """Return arguments that make sense here, by name, for what no page tells: a ``query`` that finds something."""


def sessions_by_kind(shop: Shop) -> dict[PageKind, list[ShopSession]]:
    """Return a shopper's places on every kind of the shop's pages; of the results the first page and the second.

    Raises:
        SkillError: for a shop without products.
    """
    found: dict[PageKind, list[ShopSession]] = {}
    for session in tour(shop):
        found.setdefault(session.kind, []).append(session)
        if session.kind == "results":
            step = shop.step(session, Click(NEXT_PAGE))
            if step.page.products:
                found[session.kind].append(step.session)
    return found


def with_attributes(shop: Shop) -> Shop:
    """Return a shop with the same products whose product pages offer the ``Attributes`` page."""
    return shop if shop.show_attributes else Shop(shop.catalog, shop.engine, show_attributes=True)


class ShopPlaces:
    """Worlds in this process, with every kind of page; nothing is ever bought.

    Args:
        shop: the shop.
    """

    def __init__(self, shop: Shop) -> None:
        self._shop = with_attributes(shop)
        self._sessions = sessions_by_kind(self._shop)

    def open(self, page_kind: str | None) -> Generator[World, None, None]:
        """Yield fresh worlds on pages of a kind."""
        for kind, sessions in self._sessions.items():
            for session in sessions:
                if page_kind in (None, kind):
                    yield ShopWorld(self._shop, session)

    def hints(self) -> dict[str, Any]:
        """Return arguments that make sense in the shop."""
        return shop_hints(self._sessions)


class SitePlaces:
    """Pages of the shop's website in a real browser; each world has a window of its own.

    Args:
        shop: the shop, for its addresses.
        address: of the website, which takes the sessions that its clients name.
        browser: Playwright's, of its synchronous interface.
    """

    def __init__(self, shop: Shop, address: str, browser: "Browser") -> None:
        self._sessions = sessions_by_kind(with_attributes(shop))
        self._address = address
        self._browser = browser

    def open(self, page_kind: str | None) -> Generator[World, None, None]:
        """Yield fresh pages of a kind; the page after a purchase is reached by buying, in a session of its own."""
        for kind, sessions in self._sessions.items():
            for session in sessions:
                if page_kind in (None, kind):
                    with self._page(session) as world:
                        yield world

    def hints(self) -> dict[str, Any]:
        """Return arguments that make sense in the shop."""
        return shop_hints(self._sessions)

    @contextmanager
    def _page(self, session: ShopSession) -> Iterator[PageWorld]:
        width, height = WINDOW
        context = self._browser.new_context(viewport={"width": width, "height": height})
        try:
            page = context.new_page()
            kind: PageKind = "item" if session.kind == "done" else session.kind
            where = Address(kind, session.keywords or (), session.page_number, session.asin, session.options)
            page.goto(self._address + address_path(_SESSION, where))
            if session.kind == "done":
                buyer = PageWorld(page, timeout_ms=TIMEOUT_MS, allow_purchase=True)
                buyer.click_role("button", BUY_NOW)
                buyer.close()
            yield PageWorld(page, timeout_ms=TIMEOUT_MS)
        finally:
            context.close()


def shop_hints(sessions: dict[PageKind, list[ShopSession]]) -> dict[str, Any]:
    """Return arguments that no single page tells."""
    query = " ".join((sessions["results"][0].keywords or ())[:3]) if "results" in sessions else "red"
    return {"query": query, "text": query, "max_price": 1_000_000, "pages": 2}


@contextmanager
def site_places(shop: Shop) -> Iterator[SitePlaces]:
    """Serve the shop's website on a thread, open a browser, and yield the places in it.

    Raises:
        SkillError: where there is no browser, or no Playwright.
    """
    from personalized_shopping.shared_libraries.web_agent_site.app import open_server
    from personalized_shopping.shared_libraries.web_agent_site.envs.own_site import OwnSite
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

    program = find_browser()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        raise SkillError("A browser needs the extra `browser`: pip install 'personalized-shopping[browser]'.") from None
    if program is None:
        raise SkillError("There is no Chromium or Chrome on this machine. Install one, or leave --browser out.")
    site = OwnSite(open_server(ShopFiles(shop.catalog.directory), show_attrs=True))
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program)
            try:
                yield SitePlaces(shop, site.address, browser)
            finally:
                browser.close()
    finally:
        site.close()
