"""Products as the chat shows them: the facts of a tool's answer, and an image that is safe to show."""

import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any

from personalized_shopping.chat.events import Card
from personalized_shopping.chat.limits import MAX_CARD_IMAGE_CHARS, MAX_LINK_CHARS
from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.init_env import get_shop
from personalized_shopping.tools.drawing import embedded_image
from personalized_shopping.tools.plain_text import plain

logger = logging.getLogger(__name__)

_HTTPS = re.compile(r"https://[A-Za-z0-9.-]+(:\d+)?/[^\s\"'<>\\]*", re.ASCII)


def shown_image(address: str | None) -> str | None:
    """Return an image's address if a page may show it: embedded in it, or behind https, and not too long."""
    if address is None:
        return None
    if len(address) <= MAX_LINK_CHARS and _HTTPS.fullmatch(address):
        return address
    return embedded_image(address) or None if len(address) <= MAX_CARD_IMAGE_CHARS else None


def cards(products: Sequence[Any]) -> list[Card]:
    """Return the products of a tool's answer as cards, with the images of the catalogue."""
    known = [product for product in products if isinstance(product, dict) and product.get("asin")]
    images = _images([str(product["asin"]) for product in known])
    return [_card(product, images) for product in known]


def card(product: Mapping[str, Any]) -> Card:
    """Return one product as a card."""
    asin = str(product.get("asin", ""))
    return _card(product, _images([asin]))


def options(product: Mapping[str, Any]) -> dict[str, str | None]:
    """Return a product's options with what is chosen of each, from a tool's answer."""
    found = product.get("options")
    if not isinstance(found, list):
        return {}
    return {str(option["name"]): option.get("chosen") for option in found if isinstance(option, dict)}


def _card(product: Mapping[str, Any], images: Mapping[str, str | None]) -> Card:
    asin = str(product.get("asin", ""))
    rating = product.get("rating")
    return Card(
        asin=asin,
        title=plain(str(product.get("title") or asin), one_line=True),
        price=str(product.get("price", "")),
        rating=float(rating) if isinstance(rating, (int, float)) else None,
        image=shown_image(images.get(asin)),
    )


def _images(asins: Sequence[str]) -> dict[str, str | None]:
    try:
        catalog = get_shop().catalog
        return {card.asin: card.image for card in catalog.cards([asin for asin in asins if asin in catalog])}
    except CatalogError as error:
        logger.warning("The cards have no images: %s", error)
        return {}
