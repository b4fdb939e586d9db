"""Turn a tool's answer into a typed view of the page it describes.

Everything in an answer is data: whatever a product's text says, it is only ever shown or counted, never obeyed.
Missing or misshapen keys give empty values, so that a broken answer costs the shopper its knowledge, not its feet.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from personalized_shopping.shared_libraries.requests.options import Option
from personalized_shopping.shared_libraries.requests.text import clean

MAX_TITLE_CHARS = 300
MAX_BLOCK_CHARS = 1_500
MAX_BLOCKS = 40
MAX_BUTTONS = 300

SUB_PAGES = {"Description": "description", "Features": "features", "Reviews": "reviews"}
"""The buttons of a product page that lead to text, and the kind of page each one leads to."""

_REFUSED = re.compile(r"\b(said no|rejected|refused|declined|not confirmed|denied)\b", re.IGNORECASE)
_PENDING = re.compile(r"requires confirmation|awaiting confirmation", re.IGNORECASE)


@dataclass(frozen=True)
class Review:
    """One customer review."""

    title: str
    score: float | None
    body: str


@dataclass(frozen=True)
class Card:
    """A product as a page shows it; prices in US dollars, ``None`` where none is stated."""

    asin: str
    title: str
    low_usd: float | None = None
    high_usd: float | None = None
    rating: float | None = None
    options: tuple[Option, ...] = ()


@dataclass(frozen=True)
class View:
    """The page that stands after a tool's answer."""

    kind: str = ""
    query: str = ""
    page_number: int = 1
    total_results: int = 0
    products: tuple[Card, ...] = ()
    product: Card | None = None
    blocks: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    buttons: tuple[str, ...] = ()
    error: str = ""
    held_back: bool = False
    question: str = ""
    pending: bool = False
    purchased: bool = False

    @property
    def refused(self) -> bool:
        """Whether this answers a purchase that the person did not confirm."""
        return bool(self.error) and bool(_REFUSED.search(self.error))

    def button(self, label: str) -> str | None:
        """Return the button with this label, in the page's own spelling, or ``None``."""
        wanted = label.casefold().strip()
        return next((button for button in self.buttons if button.casefold().strip() == wanted), None)


def read_view(answer: Mapping[str, Any]) -> View:
    """Read one tool answer, however incomplete."""
    error = clean(answer.get("error"))
    pending = answer.get("status") == "pending" or bool(_PENDING.search(error))
    kind = answer.get("page")
    return View(
        kind=kind if isinstance(kind, str) else "",
        query=clean(answer.get("query")),
        page_number=_whole(answer.get("page_number"), 1),
        total_results=_whole(answer.get("total_results"), 0),
        products=tuple(card for item in _list(answer.get("products")) if (card := _card(item))),
        product=_card(answer.get("product")),
        blocks=tuple(_blocks(answer.get("content"))),
        reviews=tuple(_reviews(answer.get("content"))) if kind == "reviews" else (),
        buttons=tuple(button for button in _list(answer.get("buttons"))[:MAX_BUTTONS] if isinstance(button, str)),
        error="" if pending else error,
        held_back=answer.get("status") == "blocked_by_policy",
        question=clean(answer.get("question")),
        pending=pending,
        purchased=answer.get("purchased") is True or kind == "done",
    )


def _card(item: Any) -> Card | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("asin"), str) or not item["asin"].strip():
        return None
    prices = [price for value in _list(item.get("price_usd")) if (price := _number(value)) is not None]
    if not prices:
        prices = [
            float(text.replace(",", "")) for text in re.findall(r"\d[\d,]*(?:\.\d+)?", clean(item.get("price"), 60))
        ]
    rating = _number(item.get("rating"))
    return Card(
        asin=item["asin"].strip(),
        title=clean(item.get("title"), MAX_TITLE_CHARS),
        low_usd=min(prices) if prices else None,
        high_usd=max(prices) if prices else None,
        rating=rating if rating is not None and 0 < rating <= 5 else None,
        options=tuple(option for value in _list(item.get("options")) if (option := _option(value))),
    )


def _option(item: Any) -> Option | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
        return None
    values = tuple(
        dict.fromkeys(value for value in _list(item.get("values")) if isinstance(value, str) and value.strip())
    )
    chosen = item.get("chosen")
    return Option(item["name"], values, chosen if isinstance(chosen, str) and chosen else None) if values else None


def _blocks(content: Any) -> Iterable[str]:
    for block in _list(content)[:MAX_BLOCKS]:
        if isinstance(block, str) and (text := clean(block, MAX_BLOCK_CHARS)):
            yield text


def _reviews(content: Any) -> Iterable[Review]:
    for block in _list(content)[:MAX_BLOCKS]:
        if isinstance(block, Mapping):
            score = _number(block.get("score"))
            yield Review(clean(block.get("title"), 200), score, clean(block.get("body"), MAX_BLOCK_CHARS))


def _list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else []


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def _whole(value: Any, default: int) -> int:
    number = _number(value)
    return default if number is None else int(number)
