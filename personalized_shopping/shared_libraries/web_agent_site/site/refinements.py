"""Filters and orders of a results page, as the query of its address. They are ours; WebShop and the agent have none."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from personalized_shopping.shared_libraries.catalog.schema import ProductCard

ORDERS = {
    "relevance": "Best match",
    "price_low": "Price: low to high",
    "price_high": "Price: high to low",
    "rating": "Highest rated",
}
PRICES: dict[str, tuple[float, float]] = {
    "0-25": (0, 25),
    "25-50": (25, 50),
    "50-100": (50, 100),
    "100-": (100, float("inf")),
}
RATINGS = {"4": 4.0, "3": 3.0}


class Refinement(NamedTuple):
    """What a shopper narrowed a results page to, each by its key in ``ORDERS``, ``PRICES`` or ``RATINGS``."""

    order: str = "relevance"
    price: str = ""
    rating: str = ""

    def query(self) -> str:
        """Return the query of an address, empty where nothing is narrowed."""
        return urlencode([(name, value) for name, value in self._asdict().items() if value and value != "relevance"])


UNREFINED = Refinement()


def read_refinement(query: Mapping[str, str]) -> Refinement:
    """Return what the query of an address asks for; what is unknown is ignored."""
    order, price, rating = (query.get(name, "") for name in Refinement._fields)
    return Refinement(
        order if order in ORDERS else "relevance", price if price in PRICES else "", rating if rating in RATINGS else ""
    )


def refine(cards: Sequence[ProductCard], wanted: Refinement) -> list[ProductCard]:
    """Return the products that match, in the order asked for; equal ones stay in the order of the search.

    The price of a product with a range is the lowest one.
    """
    kept = [card for card in cards if _fits(card, wanted)]
    if wanted.order == "price_low":
        kept.sort(key=_price)
    elif wanted.order == "price_high":
        kept.sort(key=_price, reverse=True)
    elif wanted.order == "rating":
        kept.sort(key=_rating, reverse=True)
    return kept


def _fits(card: ProductCard, wanted: Refinement) -> bool:
    low, high = PRICES.get(wanted.price, (0.0, float("inf")))
    return low <= _price(card) < high and _rating(card) >= RATINGS.get(wanted.rating, -1.0)


def _price(card: ProductCard) -> float:
    return min(card.pricing, default=100.0)


def _rating(card: ProductCard) -> float:
    return float(card.rating) if isinstance(card.rating, (int, float)) else 0.0
