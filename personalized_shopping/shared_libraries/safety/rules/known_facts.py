"""What an answer may rest on: the products that pages have shown, by code and by name, their prices and ratings."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence

from personalized_shopping.shared_libraries.safety.situation import Seen, SeenProduct
from personalized_shopping.shared_libraries.safety.wishes import PersonWishes

Titles = Callable[[str], Sequence[str]]
"""Finds titles of the shop's products for a few words."""

MAX_LOOKUPS = 40
"""Names of one answer that are looked up in the shop."""
_CENT = 0.02
_ROUNDED = 1.0
"""How far an amount without cents may be from the price that it stands for, in US dollars."""
_TENTH = 0.06


class KnownFacts:
    """The facts of one conversation, laid out for one answer.

    Args:
        seen: what the agent has read.
        wishes: what the person has said.
        titles: finds products of the shop by name; ``None`` for nothing that could.
    """

    def __init__(self, seen: Seen, wishes: PersonWishes, titles: Titles | None = None) -> None:
        self.products = seen.products
        self.limit_usd = wishes.limit_usd
        self._mentioned = seen.mentioned
        self._wishes = wishes
        self._titles = titles
        self._lookups = MAX_LOOKUPS
        self._unread: dict[str, bool] = {}
        self._by_first_word: dict[str, list[tuple[frozenset[str], SeenProduct]]] = defaultdict(list)
        for product in seen.products.values():
            words = _words(product.title)
            if words:
                self._by_first_word[words[0]].append((frozenset(words), product))
        self._prices = frozenset(price for product in seen.products.values() for price in product.prices_usd)
        self._ratings = frozenset(rating for product in seen.products.values() for rating in product.ratings)
        budget = wishes.request.budget
        limits = [limit for limit in (budget.min_usd, budget.max_usd, wishes.limit_usd) if limit is not None]
        said = (float(number) for message in wishes.said for number in re.findall(r"\d{1,9}(?:\.\d{1,4})?", message))
        self._own = frozenset([*said, *limits])

    def is_unread_code(self, code: str) -> bool:
        """Return whether no page has listed a product, and the person has not named it."""
        return code.lower() not in self.products and not self._wishes.said_anywhere(code)

    def is_unread_name(self, name: str) -> bool:
        """Return whether a name is that of a product of the shop that no page has shown."""
        if name not in self._unread:
            self._unread[name] = self._look_up(name)
        return self._unread[name]

    def called(self, name: str) -> list[SeenProduct]:
        """Return the products for which a name could be short: its first word is theirs, and theirs are all others."""
        words = _words(name)
        if len(words) < 2:
            return []
        return [product for title, product in self._by_first_word.get(words[0], []) if title.issuperset(words)]

    def is_pushed(self, product: SeenProduct) -> bool:
        """Return whether another product's page names this one, and the person does not."""
        return product.asin.lower() in self._mentioned and not self._wishes.said_anywhere(product.asin)

    def is_price(self, amount: str, products: Sequence[SeenProduct]) -> bool:
        """Return whether an amount is a price of some products, of any where none is given, or the person's own."""
        prices = [price for product in products for price in product.prices_usd] if products else self._prices
        return is_one_of(amount, prices) or is_one_of(amount, self._own)

    def is_rating(self, value: float, products: Sequence[SeenProduct]) -> bool:
        """Return whether so many stars are some products', or any product's where none is given."""
        ratings = [rating for product in products for rating in product.ratings] if products else self._ratings
        return any(abs(value - rating) < _TENTH for rating in ratings)

    def _look_up(self, name: str) -> bool:
        if self._titles is None or self._lookups <= 0 or len(_words(name)) < 2:
            return False
        if self._wishes.said_anywhere(name) or self.called(name):
            return False
        self._lookups -= 1
        words = _words(name)
        return any(title[:1] == words[:1] and set(words) <= set(title) for title in map(_words, self._titles(name)))


def is_one_of(amount: str, prices_usd: Sequence[float] | frozenset[float]) -> bool:
    """Return whether an amount as it is written stands for one of some prices."""
    value = float(amount.replace(",", ""))
    slack = _CENT if "." in amount else _ROUNDED
    return any(abs(value - price) <= slack for price in prices_usd)


def prices_of(products: Sequence[SeenProduct]) -> str:
    """Return what products cost, in words; empty where no price is known."""
    return "; ".join(
        f"`{product.asin}` costs {' to '.join(f'${price:,.2f}' for price in sorted(set(product.prices_usd)))}"
        for product in products
        if product.prices_usd
    )


def ratings_of(products: Sequence[SeenProduct]) -> str:
    """Return how products are rated, in words; empty where no rating is known."""
    return "; ".join(f"`{product.asin}` is rated {product.ratings[0]:g}" for product in products if product.ratings)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
