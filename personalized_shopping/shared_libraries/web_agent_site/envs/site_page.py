"""Reading the website's pages: where the shopper stands, what can be pressed, and how a purchase was scored."""

import json
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import parse_html
from personalized_shopping.shared_libraries.web_agent_site.envs.site_browser import RADIO, Shown
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address, read_address
from personalized_shopping.shared_libraries.web_agent_site.site.identity import TOKEN_FIELD
from personalized_shopping.shared_libraries.web_agent_site.site.observation import as_observed

SEARCH_FIELD = "#search_input"
SEARCH_BUTTON = "#form-buscar .btn"
BUTTON = ".btn:not([data-chrome], [data-chrome] *)"
PRODUCT = ".product-link:not([data-chrome], [data-chrome] *)"
_ROUTES = frozenset({"search_results", "item_page", "item_sub_page", "done"})
_FIXED = frozenset(
    label.lower()
    for label in (
        *actions.SUB_PAGES,
        actions.BUY_NOW,
        actions.BACK_TO_SEARCH,
        actions.NEXT_PAGE,
        actions.PREV_PAGE,
        actions.SEARCH_BUTTON,
    )
)


class Target(NamedTuple):
    """What can be pressed: the ``number``-th element that ``selector`` finds, its label, and the option it sets."""

    selector: str
    number: int
    label: str
    option: str | None = None


class SitePage:
    """One page of the website, as it was shown.

    Args:
        shown: what the browser got.
        base_url: the website's address; the pages lie below it.

    Raises:
        AddressError: where the page's address is none of a shop.
    """

    def __init__(self, shown: Shown, base_url: str) -> None:
        self.shown = shown
        self.address = _address(shown.url, base_url)

    @cached_property
    def observed(self) -> str:
        """The page's HTML without what the website adds for people, and without the token of its forms."""
        page = parse_html(as_observed(self.shown.html))
        for field in page.find_all("input", {"name": TOKEN_FIELD}):
            field.decompose()
        return str(page)

    @cached_property
    def soup(self) -> BeautifulSoup:
        """The observed page, parsed."""
        return parse_html(self.observed)

    @cached_property
    def targets(self) -> dict[str, Target]:
        """What can be pressed, by lower-case label: buttons, products, option values; of equal labels the last."""
        found: dict[str, Target] = {}
        for selector in (BUTTON, PRODUCT):
            for number, element in enumerate(self.soup.select(selector)):
                label = element.get_text()
                found[label.lower()] = Target(selector, number, label)
        for number, element in enumerate(self.soup.select(RADIO)):
            value = str(element["value"])
            found[value] = Target(RADIO, number, value, str(element["name"]).lower())
        return found

    def target(self, name: str) -> Target | None:
        """Return what a label stands for. The page's own buttons go before option values of the same name."""
        if name == actions.SEARCH_BUTTON.lower():
            return None
        if name in _FIXED:
            buttons = enumerate(self.soup.select(BUTTON))
            found = [Target(BUTTON, number, label) for number, e in buttons if (label := e.get_text()).lower() == name]
            return found[-1] if found else None
        return self.targets.get(name)

    def is_chosen(self, target: Target) -> bool:
        """Return whether a target is an option value that is chosen already."""
        return target.option is not None and self.options.get(target.option) == target.label.lower()

    @property
    def options(self) -> dict[str, str]:
        """The chosen values by option name, in lower case."""
        return {name.lower(): value.lower() for name, value in self.address.options.items()}

    @property
    def has_search_bar(self) -> bool:
        """Whether the page has WebShop's search field."""
        return self.soup.select_one(SEARCH_FIELD) is not None

    @property
    def instruction_text(self) -> str:
        """The instruction as the page's heading says it."""
        heading = self.soup.select_one("#instruction-text h4")
        return heading.get_text() if isinstance(heading, Tag) else ""

    @cached_property
    def _whole(self) -> BeautifulSoup:
        return parse_html(self.shown.html)

    @property
    def reward(self) -> float:
        """The score on the page after a purchase; 0 where there is none."""
        text = self._text("#reward pre")
        return float(text) if text else 0.0

    @property
    def reward_info(self) -> dict[str, Any]:
        """The parts of the score, where the website tells them."""
        try:
            found = json.loads(self._text("#reward_info pre"))
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def complaint(self) -> str:
        """What an error page says."""
        said = [self._text(selector) for selector in ("main h1", "main h1 + p")]
        return " - ".join(text for text in said if text) or (self._text("title") or "no reason given")

    def _text(self, selector: str) -> str:
        element = self._whole.select_one(selector)
        return element.get_text().strip() if element is not None else ""


def _address(url: str, base_url: str) -> Address:
    path = urlsplit(url).path.removeprefix(urlsplit(base_url).path.rstrip("/"))
    route, _, rest = path.removeprefix("/").partition("/")
    if route not in _ROUTES:
        return Address("search")
    address = read_address(route, unquote(rest.partition("/")[2]))
    if address.asin is None:
        return address
    # An identifier's own slash is encoded twice, so that servers do not take it for a part of the path.
    return address._replace(asin=unquote(address.asin).upper())
