"""From an address and a shopper to a page, and from a page's ``Buy Now`` to a receipt."""

import random
from urllib.parse import unquote

import msgspec

from personalized_shopping.config import SITE_MAX_PURCHASES
from personalized_shopping.errors import GoalError, ProductNotFound, shorten
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address, AddressError
from personalized_shopping.shared_libraries.web_agent_site.site.identity import goal_number
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Receipt, Shopper


class TooManyPurchases(Exception):
    """A session has bought as often as it may."""


def new_shopper(server: SimServer, session_id: str) -> Shopper:
    """Return the shopper of a new session; its goal depends on nothing but the id, so it comes back after a restart.

    Raises:
        AddressError: for an id such as ``fixed_99999`` that names a goal which does not exist.
    """
    try:
        number = goal_number(session_id)
        index = server.first_goal(session_id, number)
    except (GoalError, ValueError) as error:
        raise AddressError(f"The session's name asks for a goal that does not exist: {error}", 404) from None
    return Shopper(
        session_id=session_id,
        goal_index=index,
        goal=server.goal_table[index] if index is not None else None,
        seed=random.Random(session_id).getrandbits(32),
    )


def place(server: SimServer, shopper: Shopper, address: Address) -> ShopSession:
    """Return the state of the shop in which a shopper stands at this address.

    Raises:
        AddressError: for a product, an option or a sub-page that does not exist.
    """
    session = server.shop.start(
        instruction=shopper.goal.instruction_text if shopper.goal else None,
        goal_index=shopper.goal_index,
        seed=shopper.seed,
    )
    session = msgspec.structs.replace(
        session,
        kind=address.kind,
        keywords=address.keywords or None,
        page_number=address.page_number,
        visited=shopper.visited,
    )
    if address.asin is None:
        return session
    if address.kind == "attributes" and not server.shop.show_attributes:
        raise AddressError("This shop does not show the attributes of its products.", 404)
    product = _product(server, address.asin)
    options = checked_options(product, address.options)
    return msgspec.structs.replace(session, asin=product.asin, options=options)


def checked_options(product: Product, chosen: dict[str, str]) -> dict[str, str]:
    """Return chosen values by option name, in lower case.

    Raises:
        AddressError: for an option or a value that the product does not come in.
    """
    offered = {name.lower(): {value.lower() for value in values} for name, values in product.options.items()}
    found = {name.lower(): value.lower() for name, value in chosen.items()}
    for name, value in found.items():
        if name not in offered:
            raise AddressError(f"This product has no option {shorten(name)}.")
        if value not in offered[name]:
            raise AddressError(f"This product does not come with {shorten(name)} {shorten(value)}.")
    return found


def receipt_page(server: SimServer, session: ShopSession, receipt: Receipt) -> Page:
    """Return the page that follows a purchase; without a goal there is no score on it."""
    reward = receipt.reward.total if receipt.reward else None
    return server.shop.page(msgspec.structs.replace(session, kind="done", done=True, reward=reward))


def buy(server: SimServer, shopper: Shopper, session: ShopSession) -> Receipt:
    """Buy the product at which a shopper stands, and score it; what was bought before is not bought again.

    Raises:
        TooManyPurchases: where the shopper has bought as often as allowed.
    """
    item = msgspec.structs.replace(session, kind="item")
    known = shopper.receipt(item.asin or "", item.options)
    if known is not None:
        return known
    if len(shopper.receipts) >= SITE_MAX_PURCHASES:
        raise TooManyPurchases
    step = server.shop.step(item, actions.Click(actions.BUY_NOW))
    assert step.purchase is not None, "an item page has the button that buys"
    bought = step.purchase
    return Receipt(
        asin=bought.asin,
        options=bought.options,
        price_usd=server.product_prices[bought.asin],
        reward=server.score(step, shopper.goal),
    )


def _product(server: SimServer, asin: str) -> Product:
    for written in dict.fromkeys((asin, asin.upper(), unquote(asin))):
        try:
            return server.catalog.product(written)
        except ProductNotFound:
            continue
    raise AddressError(f"There is no product {shorten(asin)} in this shop.", 404)
