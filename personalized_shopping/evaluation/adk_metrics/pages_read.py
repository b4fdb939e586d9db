"""What the pages of a session have shown: the facts that an answer may rest on."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from personalized_shopping.evaluation.adk_metrics.reading import Call, Turn

NOT_THE_PAGES = frozenset({"query", "error", "message", "question", "status", "skill"})
"""Parts of a tool's answer that repeat what the agent wrote, or are about the call: no page stands behind them."""
AMOUNT = re.compile(r"\$\s?(\d[\d,]*(?:\.\d{1,2})?)(?![\d%])")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")

_CENT = 0.011
_TENTH = 0.051
_MAX_DERIVED = 100
"""Amounts whose sums and differences are looked at."""
_PRICE_KEYS = frozenset({"price", "price_usd", "pricing"})
_RATING_KEYS = frozenset({"rating", "score", "stars"})
_TITLE_WORDS = 3


class Shown:
    """A product as pages have shown it."""

    def __init__(self) -> None:
        self.title = ""
        self.prices: set[float] = set()
        self.ratings: set[float] = set()


class PagesRead:
    """All facts of the pages that were read so far, and what the person has said."""

    def __init__(self) -> None:
        self.products: dict[str, Shown] = {}
        self.option_names: frozenset[str] = frozenset()
        self._prices: set[float] = set()
        self._ratings: set[float] = set()
        self._own: set[float] = set()
        self._words = " "
        self._said = " "

    def take_in(self, turn: Turn) -> None:
        """Take in a turn: the person's message, and the pages that the tools have shown."""
        self._said += f"{_folded(turn.said)} "
        self._own.update(map(_number, NUMBER.findall(turn.said)))
        for call in turn.calls:
            self._read(call)

    def bears_words(self, text: str) -> bool:
        """Return whether a text stands on a page that was read, or in the person's own words."""
        wanted = f" {_folded(text)} "
        return wanted in self._words or wanted in self._said

    def bears_code(self, code: str) -> bool:
        """Return whether a product's code stands on a page, or the person has named it."""
        return code.lower() in self.products or self.bears_words(code)

    def bears_amount(self, amount: str, named: Iterable[Shown], reckoned: bool) -> bool:
        """Return whether an amount in US dollars is a price of the products that are named with it.

        Args:
            amount: as it is written, without the sign.
            named: the products of the sentence; any price that was read counts where there are none.
            reckoned: whether the sentence reckons, so that a sum or a difference will do.
        """
        value = _number(amount)
        slack = _CENT if "." in amount else 0.5
        prices = {price for product in named for price in product.prices} or self._prices
        if _near(value, prices | self._own, slack):
            return True
        return reckoned and _near(value, set(_derived(self._prices | self._own)), slack)

    def bears_rating(self, value: float, named: Iterable[Shown]) -> bool:
        """Return whether so many stars are those of the products named with them, or of a review of theirs."""
        ratings = {rating for product in named for rating in product.ratings}
        return _near(value, ratings or self._ratings, _TENTH)

    def named_in(self, sentence: str, codes: Iterable[str]) -> list[Shown]:
        """Return the products that a sentence names by code or by the beginning of their title."""
        by_code = [self.products[code.lower()] for code in codes if code.lower() in self.products]
        if by_code:
            return by_code
        text = f" {_folded(sentence)} "
        return [
            product
            for product in self.products.values()
            if product.title and f" {' '.join(_folded(product.title).split()[:_TITLE_WORDS])} " in text
        ]

    def _read(self, call: Call) -> None:
        current = call.answer.get("product")
        asin = str(current["asin"]).lower() if isinstance(current, dict) and current.get("asin") else None
        for key, value in call.answer.items():
            if key not in NOT_THE_PAGES:
                self._walk(value, key, asin if key in {"content", "evidence", "product", "observation"} else None)

    def _walk(self, value: Any, key: str, asin: str | None) -> None:
        if isinstance(value, dict):
            asin = str(value["asin"]).lower() if value.get("asin") else asin
            product = self.products.setdefault(asin, Shown()) if value.get("asin") and asin else None
            if product is not None:
                product.title = str(value.get("title") or product.title)
                self.option_names |= _option_names(value.get("options"))
            for name, inner in value.items():
                if name not in NOT_THE_PAGES:
                    self._walk(inner, str(name), asin)
        elif isinstance(value, list):
            scores = [number for item in value if isinstance(item, dict) for number in _numbers(item.get("score"))]
            if scores:
                self._rate(sum(scores) / len(scores), asin)
            for inner in value:
                self._walk(inner, key, asin)
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            self._leaf(value, key, asin)

    def _leaf(self, value: str | int | float, key: str, asin: str | None) -> None:
        if isinstance(value, str):
            self._words += f"{_folded(value)} "
        amounts = _numbers(value) if key in _PRICE_KEYS else []
        if isinstance(value, str):
            amounts += map(_number, AMOUNT.findall(value))
        self._prices.update(amounts)
        if asin in self.products and key in _PRICE_KEYS:
            self.products[asin].prices.update(amounts)
        if key in _RATING_KEYS:
            for number in _numbers(value):
                self._rate(number, asin)

    def _rate(self, rating: float, asin: str | None) -> None:
        self._ratings.add(rating)
        if asin in self.products:
            self.products[asin].ratings.add(rating)


def _option_names(options: Any) -> frozenset[str]:
    """Return the names of a product's options, which the tools write as a list and the skills as an object."""
    if isinstance(options, dict):
        return frozenset(str(name).casefold() for name in options)
    listed = options if isinstance(options, list) else []
    return frozenset(str(option.get("name")).casefold() for option in listed if isinstance(option, dict))


def _derived(amounts: set[float]) -> Iterator[float]:
    known = sorted(amounts)[:_MAX_DERIVED]
    for number, one in enumerate(known):
        yield from (one * times for times in range(2, 11))
        for other in islice(known, number):
            yield one - other
            yield one + other


def _near(value: float, known: set[float], slack: float) -> bool:
    return any(abs(value - number) <= slack for number in known)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, str):
        return [_number(number) for number in NUMBER.findall(value)]
    return [float(value)] if isinstance(value, int | float) and not isinstance(value, bool) else []


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _folded(text: str) -> str:
    """Return a text's words in small letters, one blank between them; `x-large` stays one word."""
    return " ".join(re.findall(r"[^\W_]+(?:[-.'][^\W_]+)*", text.casefold()))
