"""The shop's pages as HTML, each with the address under which it stands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from personalized_shopping.shared_libraries.catalog import demo
from personalized_shopping.shared_libraries.skills.capture import Capture
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks, render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.url import page_url
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop

GOLDEN = Path(__file__).with_name("golden")
BASE = "http://shop.test"
SESSION_ID = "fixed_1"
KINDS = ("search", "results", "item", "description", "features", "reviews", "attributes", "done")
SCORED = "scored"
"""The done page of an evaluated episode, most of which a style of its own hides."""
TORTURE = "torture"
TORTURE_URL = f"{BASE}/some/page"
Row = list[Any]
"""What is compared of an element: its tag, its parent, its role, its name, its states."""


class ShopPage(NamedTuple):
    """A page of the shop."""

    page: Page
    html: str
    url: str


def make_shop(directory: Path) -> Shop:
    files = build_shop(demo.demo_source(300, 7), directory)
    return Shop(files.catalog, files.engine(), show_attributes=True)


def shop_pages(shop: Shop, query: str = "shirt") -> dict[str, ShopPage]:
    """Walk through the shop and return one page of each kind, options chosen before the purchase."""
    pages: dict[str, ShopPage] = {page.page.kind: page for page in _walk(shop, query)}
    scored = msgspec.structs.replace(pages["done"].page, reward=0.75)
    pages[SCORED] = ShopPage(scored, render_html(scored, QueryStringLinks(SESSION_ID)), pages["done"].url)
    return pages


def rows(capture: Capture) -> list[Row]:
    states = {node.index: msgspec.to_builtins(node.states) for node in capture.ax}
    return [
        [each.tag, each.parent_index, each.role_computed, each.name_computed, states.get(each.index, {})]
        for each in capture.elements
    ]


def _walk(shop: Shop, query: str) -> Iterator[ShopPage]:
    session = shop.start(instruction='Find a "red" shirt & pay < $40', seed=1)
    yield _drawn(shop.page(session), session)

    def take(action: Action) -> ShopPage:
        nonlocal session
        step = shop.step(session, action)
        assert step.is_valid, step.error
        session = step.session
        return _drawn(step.page, session)

    results = take(Search(query))
    yield results
    wanted = next(card for card in results.page.products if len(shop.catalog.product(card.asin).options) > 1)
    item = take(Click(wanted.asin))
    yield item
    for name in ("description", "features", "reviews", "attributes"):
        yield take(Click(name))
        take(Click("< prev"))
    assert item.page.product is not None
    for values in item.page.product.options.values():
        take(Click(values[0]))
    yield take(Click("buy now"))


def _drawn(page: Page, session: ShopSession) -> ShopPage:
    return ShopPage(page, render_html(page, QueryStringLinks(SESSION_ID)), page_url(BASE, SESSION_ID, session))
