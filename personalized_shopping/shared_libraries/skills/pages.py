"""Pages to capture: one at an address, or one of each kind of the shop."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.capture.model import Capture
from personalized_shopping.shared_libraries.skills.capture.static import capture_html
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, SUB_PAGES, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

MAX_HTML_BYTES = 20_000_000
TIMEOUT_S = 20.0
_LOOKED_AT = 50


def capture_url(url: str, *, browser: bool = False, now: datetime | None = None) -> Capture:
    """Capture the page at an address, or of an HTML file.

    Args:
        url: ``http``, ``https``, or the path of a file.
        browser: whether a real browser looks at it.
        now: the moment of the capture; the present where it is not given.

    Raises:
        SkillError: when the page cannot be had, is too large, or there is no browser.
    """
    path = Path(url)
    address = path.absolute().as_uri() if path.is_file() else url
    if urlsplit(address).scheme not in ("http", "https", "file"):
        raise SkillError(f"{shorten(url)} is neither an http or https address nor a file.")
    if browser:
        return _in_browser(address, now)
    try:
        request = Request(address, headers={"User-Agent": "personalized-shopping", "Accept": "text/html"})
        with urlopen(request, timeout=TIMEOUT_S) as response:
            data = response.read(MAX_HTML_BYTES + 1)
            encoding = response.headers.get_content_charset() or "utf-8"
            address = response.url or address
    except (OSError, ValueError) as error:
        raise SkillError(f"{shorten(url)} cannot be read: {error}.") from None
    if len(data) > MAX_HTML_BYTES:
        raise SkillError(f"The page at {shorten(url)} has more than {MAX_HTML_BYTES:,} bytes.")
    try:
        html = data.decode(encoding, "replace")
    except LookupError:
        html = data.decode("utf-8", "replace")
    return capture_html(html, url=address, now=now)


def capture_shop(shop: Shop, *, now: datetime | None = None) -> Iterator[Capture]:
    """Capture one page of each kind that the shop has, from its HTML."""
    for session in tour(shop):
        world = ShopWorld(shop, session)
        yield capture_html(world.html(), url=world.current_url(), page_kind=world.page.kind, now=now)


def tour(shop: Shop) -> Iterator[ShopSession]:
    """Return a shopper's places on a walk over every kind of page; the product is one with options where there is one.

    Raises:
        SkillError: for a shop without products.
    """
    place = shop.start()
    yield place
    if not len(shop.catalog):
        raise SkillError("The shop has no products, so it has only one page.")
    looked_at = [shop.catalog.product(shop.catalog.asin_at(row)) for row in range(min(len(shop.catalog), _LOOKED_AT))]
    product = max(looked_at, key=lambda product: len(product.options))
    place = shop.step(place, Search(product.title or product.asin)).session
    page = shop.page(place)
    yield place
    listed = [card.asin for card in page.products]
    asin = product.asin if product.asin in listed else listed[0] if listed else None
    if asin is None:
        return
    place = shop.step(place, Click(asin)).session
    yield place
    for label in SUB_PAGES:
        step = shop.step(place, Click(label))
        if step.is_valid:
            yield step.session
    yield shop.step(place, Click(BUY_NOW)).session


def _in_browser(address: str, now: datetime | None) -> Capture:
    program = find_browser()
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise SkillError("A browser needs the extra `browser`: pip install 'personalized-shopping[browser]'.") from None
    if program is None:
        raise SkillError("There is no Chromium or Chrome on this machine. Install one, or leave --browser out.")
    from personalized_shopping.shared_libraries.skills.capture.browser import capture_page

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        try:
            page = browser.new_page()
            page.goto(address, timeout=TIMEOUT_S * 1000)
            return capture_page(page, now=now)
        except Error as error:
            first_line = str(error).strip().splitlines()[0]
            raise SkillError(f"{shorten(address)} cannot be opened: {first_line}.") from None
        finally:
            browser.close()
