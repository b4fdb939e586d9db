"""Words what people want: WebShop's synthetic instructions, and requests in people's own words."""

from typing import Any

from personalized_shopping.shared_libraries.catalog.demo.content import Ask, Kind
from personalized_shopping.shared_libraries.catalog.demo.draw import Draw
from personalized_shopping.shared_libraries.catalog.demo.grammar import fix_articles
from personalized_shopping.shared_libraries.catalog.demo.listing import Listing

SYNTHETIC_SHARE = 0.4
ASK_PERIOD = 9
"""Products of a kind over which its requests are spread: a catalogue of 1,000 products has all of them."""
_PERIODS_BETWEEN = 6
"""In a larger catalogue the requests come back, for other products, once in so many periods."""


def ask_for(kind: Kind, ordinal: int, number: int) -> Ask | None:
    """Give the request that a kind's product number must satisfy, or None for most of them."""
    if not kind.asks or (number // ASK_PERIOD) % _PERIODS_BETWEEN:
        return None
    place = (number * 4 + ordinal * 2) % ASK_PERIOD
    return kind.asks[place] if place < len(kind.asks) else None


def human_request(ask: Ask, listing: Listing, draw: Draw) -> dict[str, Any]:
    """Put the product's own option values into a request.

    Returns:
        ``instruction``, ``instruction_attributes`` and ``instruction_options`` (bare values, as pages show them).
    """
    slots = {slot: value for slot, value in listing.chosen(draw).items() if "{" + slot + "}" in ask.text}
    return {
        "instruction": fix_articles(ask.text.format_map(slots)),
        "instruction_attributes": list(ask.attributes),
        "instruction_options": list(slots.values()),
    }


def synthetic_instruction(kind: Kind, listing: Listing, draw: Draw) -> dict[str, Any]:
    """Give a product's attributes, and for some an instruction in WebShop's fixed form.

    Returns:
        ``attributes``; for about ``SYNTHETIC_SHARE`` of the products also ``instruction`` and
        ``instruction_attributes``.
    """
    roles = {feature.attribute: feature.role for feature in listing.features if feature.attribute}
    answer: dict[str, Any] = {"attributes": list(roles)}
    if draw.number() >= SYNTHETIC_SHARE or not roles:
        return answer
    wanted = draw.some(list(roles), draw.between(2, 3))
    parts = {role: ", ".join(name for name in wanted if roles[name] == role) for role in ("", "with", "for")}
    phrase = f"Find me {parts['']} {kind.query}" if parts[""] else f"Find me {kind.query}"
    for role in ("with", "for"):
        if parts[role]:
            phrase += f" {role} {parts[role]}"
    return {**answer, "instruction": phrase, "instruction_attributes": wanted}
