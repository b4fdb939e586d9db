"""The addresses and forms of the website's pages: pages are opened by GET, and only the purchase posts."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page, PageKind
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import Form
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address, address_path
from personalized_shopping.shared_libraries.web_agent_site.site.identity import TOKEN_FIELD
from personalized_shopping.shared_libraries.web_agent_site.site.refinements import UNREFINED, Refinement


class SiteLinks:
    """The addresses within one session.

    Args:
        session_id: the session.
        root: the path below which the site is mounted; empty at the top.
        refinement: what the results are narrowed to; it travels along.
    """

    def __init__(self, session_id: str, root: str = "", refinement: Refinement | None = None) -> None:
        self._session_id = session_id
        self._root = root
        self._refinement = refinement or UNREFINED

    def index(self) -> str:
        """Return the address of the search page."""
        return f"{self._root}/{self._session_id}"

    def results(self, page: Page, page_number: int) -> str:
        """Return the address of one page of results."""
        return self.refined(page, self._refinement, page_number)

    def refined(self, page: Page, refinement: Refinement, page_number: int = 1) -> str:
        """Return the address of the results under other filters."""
        return self._to(Address("results", page.keywords, page_number), refinement)

    def item(self, page: Page, asin: str, options: Mapping[str, str]) -> str:
        """Return the address of a product with these options chosen."""
        return self._about(page, "item", asin, options)

    def sub_page(self, page: Page, name: str) -> str:
        """Return the address of a sub-page of the product."""
        kind: PageKind = name.lower()  # type: ignore[assignment]
        return self._about(page, kind, page.product.asin if page.product else "", page.options)

    def done(self, page: Page) -> str:
        """Return the address that buys the product, and that shows the receipt."""
        asin = page.product.asin if page.product else ""
        return self._to(Address("done", asin=asin, options=dict(page.options)), UNREFINED)

    def search(self, words: tuple[str, ...]) -> str:
        """Return the address of the first results for these words."""
        return self._to(Address("results", words), UNREFINED)

    def product(self, words: tuple[str, ...], asin: str) -> str:
        """Return the address of a product that these words find."""
        return self._to(Address("item", words, 1, asin), UNREFINED)

    def _about(self, page: Page, kind: PageKind, asin: str, options: Mapping[str, str]) -> str:
        return self._to(Address(kind, page.keywords, page.page_number, asin, dict(options)), self._refinement)

    def _to(self, address: Address, refinement: Refinement) -> str:
        query = refinement.query()
        return f"{self._root}{address_path(self._session_id, address)}{'?' if query else ''}{query}"


class SiteForms:
    """The forms of one session.

    Args:
        token: what a form that buys has to carry.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    def reading(self, address: str) -> Form:
        """Return the form that opens a page; browsers replace the query of such a form by its fields."""
        path, _, query = address.partition("?")
        return Form("get", path, tuple(parse_qsl(query)))

    def buying(self, address: str) -> Form:
        """Return the form that buys."""
        return Form("post", address, ((TOKEN_FIELD, self._token),))
