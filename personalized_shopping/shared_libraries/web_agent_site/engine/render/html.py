"""The HTML rendering of a page, from the templates; everything that comes from a product is escaped."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.outline import safe_json

TEMPLATE_DIR = Path(__file__).parents[2] / "templates"
TEMPLATES = {
    "search": "search_page.html",
    "results": "results_page.html",
    "item": "item_page.html",
    "description": "description_page.html",
    "features": "features_page.html",
    "reviews": "review_page.html",
    "attributes": "attributes_page.html",
    "done": "done_page.html",
}
_SAFE_IMAGES = ("https://", "http://", "data:image/")


class Links(Protocol):
    """The addresses that a page links to; each way of serving pages brings its own."""

    def index(self) -> str:
        """Return the address of the search page."""
        ...

    def results(self, page: Page, page_number: int) -> str:
        """Return the address of one page of results."""
        ...

    def item(self, page: Page, asin: str, options: Mapping[str, str]) -> str:
        """Return the address of a product with these options chosen."""
        ...

    def sub_page(self, page: Page, name: str) -> str:
        """Return the address of a sub-page of the product."""
        ...

    def done(self, page: Page) -> str:
        """Return the address that buys the product."""
        ...


class Form(NamedTuple):
    """How a button is sent: the form's method, its address and its hidden fields."""

    method: str
    action: str
    fields: tuple[tuple[str, str], ...] = ()


class Forms(Protocol):
    """The forms behind a page's buttons; each way of serving pages brings its own."""

    def reading(self, address: str) -> Form:
        """Return the form that opens a page."""
        ...

    def buying(self, address: str) -> Form:
        """Return the form that buys."""
        ...


class PostForms:
    """The forms of WebShop's pages: every button posts."""

    def reading(self, address: str) -> Form:
        """Return the form that opens a page."""
        return Form("post", address)

    def buying(self, address: str) -> Form:
        """Return the form that buys."""
        return Form("post", address)


class QueryStringLinks:
    """The links inside the simulated server's pages: all of its routes are ``/``, so everything is a query string."""

    def __init__(self, session_id: str) -> None:
        self._session = {"session_id": session_id}

    def index(self) -> str:
        """Return the address of the search page."""
        return self._to()

    def results(self, page: Page, page_number: int) -> str:
        """Return the address of one page of results."""
        return self._to(keywords=page.query, page=page_number)

    def item(self, page: Page, asin: str, options: Mapping[str, str]) -> str:
        """Return the address of a product with these options chosen."""
        return self._to(asin=asin, keywords=page.query, page=page.page_number, options=dict(options))

    def sub_page(self, page: Page, name: str) -> str:
        """Return the address of a sub-page of the product."""
        asin = page.product.asin if page.product else ""
        where = {"keywords": page.query, "page": page.page_number, "sub_page": name}
        return self._to(asin=asin, **where, options=page.options)

    def done(self, page: Page) -> str:
        """Return the address that buys the product."""
        return self._to(asin=page.product.asin if page.product else "", options=page.options)

    def _to(self, **values: object) -> str:
        return "/?" + urlencode({**self._session, **values}, errors="replace")


def safe_image(url: str | None) -> str:
    """Return an image's address if a page may show it (http, https or an image data URI), else an empty string."""
    return url if url is not None and url.lower().startswith(_SAFE_IMAGES) else ""


def render_html(page: Page, links: Links, *, image: Callable[[str | None], str] = safe_image) -> str:
    """Return a page as an HTML document.

    Args:
        page: the page to draw.
        links: the addresses behind its buttons.
        image: turns a product's image address into the one that the page shows; an empty string shows none.
    """
    return render_template(TEMPLATES[page.kind], page, links=links, image=image, forms=PostForms(), layout="base.html")


def render_template(name: str, page: Page, **more: Any) -> str:
    """Return a page through a template that is named.

    Args:
        name: the template.
        page: the page to draw.
        **more: what else the template uses: at least ``links``, ``image``, ``forms`` and ``layout``, the template
            around the page. ``picture`` is the product's image; ``details`` what only a website knows of a purchase.
    """
    values = {"picture": page.product.main_image if page.product else None, "details": None, **more}
    template = template_environment().get_template(name)
    return template.render(page=page, product=page.product, actions=actions, **values)


@cache
def template_environment() -> Environment:
    """Return the compiled templates, read once in the process."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE_DIR),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["safe_json"] = safe_json
    return environment
