"""Situations made by hand: a page, where the shopper stands, and what the person has said."""

from typing import Any

from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard, Review
from personalized_shopping.shared_libraries.safety.situation import Finding, PastCall, Situation
from personalized_shopping.shared_libraries.safety.wishes import read_wishes
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

LAMP, DEAR = "B0LAMP0001", "B0DEAR0002"


def product(asin: str = LAMP, title: str = "Aurel Desk Lamp, Brass", price_usd: float = 30.0, **more: Any) -> Product:
    fields: dict[str, Any] = {
        "description": "A lamp for a desk.",
        "bullets": ("Dims smoothly.",),
        "category": "garden",
        "query": "desk lamps",
        "product_category": "Home › Lamps",
        "pricing": (price_usd,),
        "price": f"${price_usd}",
        "options": {},
        "option_images": {},
        "attributes": (),
        "images": (None,),
        "rating": 4.2,
        "reviews": (Review("Fine", 5.0, "Bright."), Review("Meh", 3.0, "Short cable.")),
    }
    return Product(asin=asin, title=title, **(fields | more))


def card(asin: str, title: str, price_usd: float, rating: float = 4.0) -> ProductCard:
    return ProductCard(asin, title, f"${price_usd}", None, (price_usd,), rating)


def situation(tool: str, argument: str, *messages: str, page: Page | None = None, **more: Any) -> Situation:
    """Return a call: a search for the argument, or a click on it."""
    page = page or Page(kind="search")
    pressed = argument.lower() if tool == "click" else None
    return Situation(
        tool=tool,
        arguments={"keywords" if tool == "search" else "button_name": argument},
        action=f"{tool}[{argument}]",
        page=page,
        place=more.pop("place", ShopSession()),
        label=pressed if pressed in page.clickables else None,
        messages=messages,
        wishes=read_wishes(messages),
        **more,
    )


def searched(*queries: str) -> tuple[PastCall, ...]:
    return tuple(PastCall(f"search[{query}]", "there") for query in queries)


def ids(findings: Any) -> list[str]:
    found: list[Finding] = list(findings)
    return [finding.policy_id for finding in found]
