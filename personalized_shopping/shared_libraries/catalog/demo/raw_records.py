"""Streams the demo catalogue, record by record, in WebShop's raw format."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.catalog.demo.content import Content, Kind, content
from personalized_shopping.shared_libraries.catalog.demo.draw import Draw
from personalized_shopping.shared_libraries.catalog.demo.listing import make_listing
from personalized_shopping.shared_libraries.catalog.demo.opinions import make_reviews
from personalized_shopping.shared_libraries.catalog.demo.wishes import ask_for, human_request, synthetic_instruction

DEFAULT_PRODUCTS = 1_200
DEFAULT_SEED = 7
FULL_DETAIL_UP_TO = 20_000
"""Larger catalogues are for measuring: their pictures are plain tiles and they have at most two reviews each."""

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")),
    *((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
_ASIN_SPACE = 36**8
# Odd and no multiple of 3, so that stepping by it visits every number below 36**8 once.
_ASIN_STEP = 1_743_392_200_189


class DemoRecord(msgspec.Struct, frozen=True):
    """One product in WebShop's raw format, with what its other files say about it."""

    raw: dict[str, Any]
    """The product as in ``items_shuffle.json``."""
    ins: dict[str, Any]
    """Its attributes and synthetic instruction, as in ``items_ins_v2.json``."""
    human: list[dict[str, Any]]
    """People's requests for it, as in ``items_human_ins.json``."""
    reviews: dict[str, Any]
    """Its ``reviews`` and ``average_rating``, as in ``reviews.json``."""


def demo_raw(n: int = DEFAULT_PRODUCTS, seed: int = DEFAULT_SEED) -> Iterator[DemoRecord]:
    """Stream a demo catalogue.

    The same arguments give the same records on every machine. Memory does not grow with ``n``.

    Args:
        n: how many products.
        seed: which catalogue.

    Returns:
        An iterator over the records; every asin and every title occurs once.
    """
    words = content()
    first_asin = int(Random(seed).random() * _ASIN_SPACE)
    brands = [tuple(Draw(seed * 1_009 + at).some(kind.brands, len(kind.brands))) for at, kind in enumerate(words.kinds)]
    for position, ordinal, number in _places(n, seed, len(words.kinds)):
        asin = _asin((first_asin + position * _ASIN_STEP) % _ASIN_SPACE)
        kind = words.kinds[ordinal]
        brand = _brand(kind, brands[ordinal], number)
        yield _record(kind, ordinal, number, asin, brand, Draw((seed << 40) + position), words, n > FULL_DETAIL_UP_TO)


def _record(
    kind: Kind, ordinal: int, number: int, asin: str, brand: str, draw: Draw, words: Content, plain: bool
) -> DemoRecord:
    ask = ask_for(kind, ordinal, number)
    listing = make_listing(kind, asin, brand, draw, words, ask=ask, plain=plain)
    ins = synthetic_instruction(kind, listing, draw)
    human = [human_request(ask, listing, draw)] if ask else []
    reviews = make_reviews(kind, listing, draw, least=1, most=2) if plain else make_reviews(kind, listing, draw)
    return DemoRecord(raw=listing.raw, ins=ins, human=human, reviews=reviews)


def _places(n: int, seed: int, kinds: int) -> Iterator[tuple[int, int, int]]:
    """Give each position its kind and its number within the kind: every kind once per round, in shuffled order."""
    position = 0
    number = 0
    while position < n:
        for ordinal in Draw((seed << 24) + number).some(range(kinds), kinds):
            if position >= n:
                return
            yield position, ordinal, number
            position += 1
        number += 1


def _brand(kind: Kind, brands: tuple[str, ...], number: int) -> str:
    # Each brand makes one product of a kind, then one of each collection, then of pairs of collections' names:
    # no two products of a kind share brand and collection, and so none shares its title with another.
    brand = brands[number % len(brands)]
    line = number // len(brands)
    if not line:
        return brand
    size = len(kind.lines)
    if line <= size:
        return f"{brand} {kind.lines[line - 1]}"
    first, second = divmod(line - size - 1, size)
    return f"{brand} {kind.lines[second]} {_roman(first + 2)}"


def _roman(number: int) -> str:
    text = ""
    for value, sign in _ROMAN:
        text += sign * (number // value)
        number %= value
    return text


def _asin(number: int) -> str:
    letters = []
    for _ in range(8):
        number, digit = divmod(number, 36)
        letters.append(_DIGITS[digit])
    return "B0" + "".join(reversed(letters))
