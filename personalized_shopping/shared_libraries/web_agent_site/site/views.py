"""The routes of WebShop's site. Reading is by GET; a purchase is a form with the session's token."""

from dataclasses import dataclass

import flask
import msgspec
from werkzeug.exceptions import NotFound
from werkzeug.routing import BaseConverter
from werkzeug.wrappers import Response

from personalized_shopping.config import PAGE_SIZE, SITE_MAX_REFINED
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.query import QueryRunner
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site import identity, pages, rendering
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import (
    Address,
    address_path,
    read_address,
    split_query,
)
from personalized_shopping.shared_libraries.web_agent_site.site.links import SiteLinks
from personalized_shopping.shared_libraries.web_agent_site.site.refinements import (
    UNREFINED,
    Refinement,
    read_refinement,
    refine,
)
from personalized_shopping.shared_libraries.web_agent_site.site.security import require_own_form
from personalized_shopping.shared_libraries.web_agent_site.site.shelves import Shelves
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Shopper, Shoppers
from personalized_shopping.shared_libraries.web_agent_site.site.user_log import UserLog

CHOICE_FIELD = "choose"
"""Marks the form of a product's options, which is sent where no script opens the address of a value."""


class Rest(BaseConverter):
    """The rest of a path, slashes and all."""

    regex = ".*"
    part_isolating = False


@dataclass(frozen=True)
class Views:
    """The site's views over one shop."""

    server: SimServer
    queries: QueryRunner
    shelves: Shelves
    shoppers: Shoppers
    secret: str
    allow_chosen_ids: bool
    log: UserLog | None

    def add_to(self, site: flask.Flask) -> None:
        """Give a site its routes; opening a page by POST, as some scripts do, leads to it by GET."""
        site.url_map.converters["rest"] = Rest
        site.url_map.merge_slashes = False
        site.url_map.strict_slashes = False
        site.add_url_rule("/", "enter", self.enter, methods=["GET"])
        site.add_url_rule("/favicon.ico", "favicon", _favicon, methods=["GET"])
        site.add_url_rule("/start_again/<session_id>", "start_again", self.start_again, methods=["POST"])
        site.add_url_rule("/<session_id>", "index", self.index, methods=["GET", "POST"])
        for route in ("search_results", "item_page", "item_sub_page"):
            rule = f"/{route}/<session_id>/<rest:rest>"
            site.add_url_rule(rule, route, self.read, defaults={"route": route}, methods=["GET", "POST"])
        site.add_url_rule("/done/<session_id>/<rest:rest>", "done", self.done, methods=["GET", "POST"])

    def enter(self) -> Response:
        """Lead to the browser's session; a new one holds no memory here until the browser comes back with it."""
        known = identity.own_ids()
        return flask.redirect(f"{_root()}/{known[-1] if known else identity.start_session()}")

    def start_again(self, session_id: str) -> Response:
        """Begin a new session, with another goal."""
        self._admit(session_id)
        require_own_form(self.secret, session_id)
        return flask.redirect(f"{_root()}/{identity.start_session()}", 303)

    def index(self, session_id: str) -> Response:
        """Show the search page, or lead from a search to its results."""
        shopper = self._admit(session_id)
        query = flask.request.values.get("search_query", "")
        address = Address("search")
        if query.strip():
            address = Address("results", split_query(query))
            return flask.redirect(_root() + address_path(session_id, address), 303)
        if flask.request.method == "POST":
            return flask.redirect(f"{_root()}/{session_id}", 303)
        page = self.server.shop.page(pages.place(self.server, shopper, address))
        return self._shown(address, page, self._around(shopper))

    def read(self, session_id: str, rest: str, route: str) -> Response:
        """Show results, a product or one of its sub-pages."""
        shopper = self._admit(session_id)
        address = read_address(route, rest)
        session = pages.place(self.server, shopper, address)
        refinement = read_refinement(flask.request.args)
        if flask.request.method == "POST":
            query = refinement.query()
            return flask.redirect(f"{_root()}{address_path(session_id, address)}{'?' if query else ''}{query}", 303)
        page = self.server.shop.page(session)
        left_out = 0
        if address.kind == "results" and refinement.query():
            left_out = max(0, page.total_results - SITE_MAX_REFINED)
            page = self._refined(page, refinement, shopper.seed)
        if address.kind == "item" and page.product is not None:
            if CHOICE_FIELD in flask.request.args:
                return self._chosen(shopper, page)
            shopper = self.shoppers.update(shopper, lambda latest: latest.opened(session.asin or ""))
        around = self._around(shopper, refinement)._replace(left_out=left_out)
        return self._shown(address, page, around)

    def done(self, session_id: str, rest: str) -> Response:
        """Buy, by POST; show the receipt of what was bought, by GET; ask where nothing was."""
        shopper = self._admit(session_id)
        address = read_address("done", rest)
        session = pages.place(self.server, shopper, address)
        if flask.request.method == "POST":
            require_own_form(self.secret, session_id)
            receipt = pages.buy(self.server, shopper, session)
            if shopper.receipt(receipt.asin, receipt.options) is None:
                shopper = self.shoppers.update(shopper, lambda latest: latest.bought(receipt))
                if self.log is not None:
                    self.log.bought(shopper, flask.request.url, receipt)
            bought = Address("done", asin=receipt.asin, options=receipt.options)
            return flask.redirect(_root() + address_path(session_id, bought), 303)
        known = shopper.receipt(session.asin or "", session.options)
        around = self._around(shopper)
        if known is not None:
            page = pages.receipt_page(self.server, session, known)
            return _html(rendering.render_receipt(page, around, known))
        page = self.server.shop.page(msgspec.structs.replace(session, kind="item"))
        return _html(rendering.render_question(page, around))

    def _admit(self, session_id: str) -> Shopper:
        """Return the shopper of a request.

        Raises:
            NotFound: for a session that is not the browser's own, and that nobody may choose.
            SiteFull: where there is no room for a new one.
        """
        chosen = self.allow_chosen_ids and identity.may_be_chosen(session_id)
        if not chosen and session_id not in identity.own_ids():
            raise NotFound
        return self.shoppers.enter(session_id, lambda: pages.new_shopper(self.server, session_id))

    def _refined(self, page: Page, refinement: Refinement, seed: int) -> Page:
        asins = self.queries.run(page.keywords, seed)[:SITE_MAX_REFINED]
        cards = refine(self.server.catalog.cards(asins), refinement)
        start = (page.page_number - 1) * PAGE_SIZE
        shown = tuple(cards[start : start + PAGE_SIZE])
        return msgspec.structs.replace(page, products=shown, total_results=len(cards))

    def _chosen(self, shopper: Shopper, page: Page) -> Response:
        product = page.product
        assert product is not None
        sent = {name: flask.request.args[name] for name in product.options if name in flask.request.args}
        options = pages.checked_options(product, {**page.options, **sent})
        return flask.redirect(SiteLinks(shopper.session_id, _root()).item(page, product.asin, options), 303)

    def _shown(self, address: Address, page: Page, around: rendering.Surroundings) -> Response:
        if self.log is not None and flask.request.method == "GET":
            self.log.viewed(around.shopper, flask.request.url, address, page)
        return _html(rendering.render_page(page, around))

    def _around(self, shopper: Shopper, refinement: Refinement = UNREFINED) -> rendering.Surroundings:
        root = _root()
        return rendering.Surroundings(
            shopper=shopper,
            links=SiteLinks(shopper.session_id, root, refinement),
            token=identity.form_token(self.secret, shopper.session_id),
            static=lambda name: f"{root}/static/{name}",
            shelves=self.shelves,
            root=root,
            refinement=refinement,
        )


def _favicon() -> Response:
    return flask.send_from_directory(flask.current_app.static_folder or "", "favicon.ico", max_age=86_400)


def _html(page: str) -> Response:
    return flask.Response(page, mimetype="text/html")


def _root() -> str:
    return str(flask.request.environ.get("SCRIPT_NAME", ""))
