"""Writes customer reviews that speak of what the product really is."""

from typing import Any

from personalized_shopping.shared_libraries.catalog.demo.content import Kind
from personalized_shopping.shared_libraries.catalog.demo.draw import Draw
from personalized_shopping.shared_libraries.catalog.demo.listing import Listing

# How the stars fall for a product that people love, like, or are of two minds about.
_TEMPERS = ((5, 5, 5, 5, 4, 5, 4, 3), (5, 4, 5, 4, 5, 3, 4, 2), (5, 3, 4, 2, 4, 1, 5, 3))


def make_reviews(kind: Kind, listing: Listing, draw: Draw, *, least: int = 2, most: int = 8) -> dict[str, Any]:
    """Draw a product's reviews.

    Args:
        kind: the product's kind, which knows how people talk about such things.
        listing: the product; praise and complaints speak of its own features.
        draw: where every choice comes from.
        least: the fewest reviews.
        most: the most reviews.

    Returns:
        ``reviews`` (each with ``title``, ``stars`` and ``review``) and ``average_rating``, as in WebShop's
        reviews file.
    """
    mood = draw.number()
    temper = _TEMPERS[0 if mood < 0.45 else 1 if mood < 0.86 else 2]
    count = draw.between(least, most)
    praise = _Deck([line for feature in listing.features for line in feature.praise], kind.praise, draw)
    gripes = _Deck([line for feature in listing.features for line in feature.gripes], kind.gripes, draw)
    talk = {key: _Deck([], lines, draw) for key, lines in kind.talk.items()}
    stars = [draw.one(temper) for _ in range(count)]
    reviews = [
        {"title": talk[f"title {n}"].next(), "stars": n, "review": _body(n, kind, listing, praise, gripes, talk, draw)}
        for n in stars
    ]
    return {"reviews": reviews, "average_rating": round(sum(stars) / count, 1)}


class _Deck:
    """Lines in random order, the product's own first among equals; starts over when all have been said."""

    def __init__(self, own: list[str], general: tuple[str, ...], draw: Draw) -> None:
        self._lines = (*own, *general)
        self._left: list[str] = []
        self._draw = draw

    def next(self) -> str:
        """Take a line that has not been said yet."""
        left = self._left = self._left or list(self._lines)
        at = int(self._draw.number() * len(left))
        left[at], left[-1] = left[-1], left[at]
        return left.pop()


def _body(
    stars: int, kind: Kind, listing: Listing, praise: _Deck, gripes: _Deck, talk: dict[str, _Deck], draw: Draw
) -> str:
    said: list[str] = []
    level = max(stars, 2)
    if draw.number() < 0.6:
        said.append(talk[f"open {level}"].next())
    if stars >= 4:
        said.append(praise.next())
        if draw.number() < 0.6:
            said.append(praise.next())
        if stars == 4 and draw.number() < 0.6:
            said.append(gripes.next())
        elif draw.number() < 0.35:
            said.append(_picked(kind, listing, draw))
        if draw.number() < 0.4:
            said.append(talk["use"].next().replace("<use>", draw.one(kind.uses)))
    elif stars == 3:
        said.append(praise.next())
        said.append(gripes.next())
    else:
        said.append(gripes.next())
        said.append(draw.one(kind.fails) if stars == 1 or draw.number() < 0.4 else gripes.next())
    if draw.number() < 0.4:
        said.append(talk[f"close {level}"].next())
    return " ".join(line for line in said if line)


def _picked(kind: Kind, listing: Listing, draw: Draw) -> str:
    chosen = listing.chosen(draw)
    fitting = [line for line in kind.picked if any("{" + slot + "}" in line for slot in chosen)]
    if not fitting:
        return ""
    return draw.one(fitting).format_map({**kind.words, **chosen})
