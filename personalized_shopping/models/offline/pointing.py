"""Find which of the shown products a message points at."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from personalized_shopping.models.offline import phrases
from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request
from personalized_shopping.shared_libraries.requests.vocabulary import (
    COLOURS,
    FILLERS,
    NUMBER_WORDS,
    ORDINALS,
    STOP_WORDS,
)

COMPARED_AT_MOST = 4
MAX_NAME_CHARS = 100
_NAME_END = re.compile(r"[,.;?!]|\s(?:looks?|seems?|sounds?|is|are|would|will|might)\b", re.IGNORECASE)
NAMED_FROM = 2
"""Words of a title, from its beginning, by which a message names a product."""


@dataclass(frozen=True)
class Context:
    """What stands when a message arrives: the wish so far, what was shown, what is chosen, and what was asked."""

    request: Request = NO_REQUEST
    shown: tuple[str, ...] = ()
    chosen: str | None = None
    asked_to_buy: bool = False
    asked_options: bool = False
    pending: bool = False
    known: Mapping[str, Knowledge] = field(default_factory=dict)

    def product(self, asin: str | None) -> Knowledge | None:
        """Return what is known of a product."""
        return self.known.get(asin) if asin else None


def pointed_at(text: str, context: Context) -> tuple[str, ...]:
    """Return the products that a message points at, in its order: by identifier, number or name."""
    found = _by_code(text, context)
    if not found and context.shown:
        found = _by_number(text, context)
        if not found and (phrases.CHEAPEST_ONE.search(text) or phrases.BEST_ONE.search(text)):
            found = [(0, extreme_of(context, cheapest=bool(phrases.CHEAPEST_ONE.search(text))))]
        if not found and (named := _by_name(text, context)):
            found = [(0, named)]
    return tuple(dict.fromkeys(asin for _, asin in sorted(found)))


def points_only(text: str) -> bool:
    """Whether a message is nothing but `the second one` or `number 3`, which means nothing where nothing was shown."""
    rest = [word for word in words(phrases.NUMBERED.sub(" ", text)) if word not in STOP_WORDS and word not in FILLERS]
    return all(word in ORDINALS for word in rest)


def several(text: str, pointed: tuple[str, ...], context: Context) -> tuple[str, ...]:
    """Return the products of `the first two`, `1 and 3`, `all of them` or `it with the second`."""
    if match := phrases.FIRST_FEW.search(text):
        count = NUMBER_WORDS.get(match["count"].lower()) or int(match["count"])
        return (
            context.shown[-count:] if match["end"].lower() == "last" else context.shown[: min(count, COMPARED_AT_MOST)]
        )
    if len(pointed) > 1:
        return pointed
    if numbers := [int(number) for number in phrases.NUMBERS.findall(text)]:
        return tuple(dict.fromkeys(context.shown[n - 1] for n in numbers if 1 <= n <= len(context.shown)))
    if pointed and context.chosen and pointed[0] != context.chosen:
        return (context.chosen, pointed[0])
    return context.shown[: 3 if phrases.ALL_OF.search(text) else 2]


def _by_code(text: str, context: Context) -> list[tuple[int, str]]:
    lowered = text.lower()
    found = []
    for asin in dict.fromkeys([*context.shown, *context.known]):
        # An identifier without a digit might be an English word.
        match = (
            re.search(rf"(?<!\w){re.escape(asin.lower())}(?!\w)", lowered) if any(c.isdigit() for c in asin) else None
        )
        if match and len(asin) > 2:
            found.append((match.start(), asin))
    return found


def _by_number(text: str, context: Context) -> list[tuple[int, str]]:
    shown = context.shown
    found = []
    for match in phrases.ORDINAL.finditer(text):
        number = ORDINALS[match["nth"].lower()]
        if number <= len(shown) and (phrases.POINTING.search(text) or len(words(text)) < 3):
            found.append((match.start(), shown[number - 1 if number > 0 else -1]))
    for match in phrases.NUMBERED.finditer(text):
        said = (match["number"] or match["hash"] or match["bare"]).lower()
        number = NUMBER_WORDS.get(said) or (int(said) if said.isdecimal() else 0)
        # Where options were asked for, a bare number is a size.
        if 1 <= number <= len(shown) and not (match["bare"] and context.asked_options):
            found.append((match.start(), shown[number - 1]))
    return found


def _by_name(text: str, context: Context) -> str | None:
    """Find the one shown product whose title holds what `the blue shirt` says."""
    begun = _by_opening(text, context.shown, context)
    if begun or (begun := _by_opening(text, context.known, context)):
        return begun
    match = phrases.NAMED.search(text)
    if not match or len(match["name"]) > MAX_NAME_CHARS:
        return None
    name = [stem(word) for word in words(_NAME_END.split(match["name"])[0])]
    name = [word for word in name if word not in STOP_WORDS and word not in FILLERS]
    if not name:
        return None
    titles = {asin: set(stems(known.card.title)) for asin in context.shown if (known := context.product(asin))}
    holding = [asin for asin, title in titles.items() if set(name) <= title]
    return holding[0] if len(holding) == 1 or (holding and len(name) > 2) else None


def _by_opening(text: str, asins: Iterable[str], context: Context) -> str | None:
    """Find the one product whose title begins as a part of the text does: `the Acme Desk Lamp looks right`."""
    said = words(text)
    found: list[tuple[int, str]] = []
    for asin in asins:
        known = context.product(asin)
        title = words(known.card.title) if known else []
        starts = [place for place, word in enumerate(said) if title and word == title[0]]
        length = max((_run(said[place:], title) for place in starts), default=0)
        if length >= NAMED_FROM:
            found.append((length, asin))
    longest = max(found, default=(0, ""))[0]
    best = [asin for length, asin in found if length == longest]
    return best[0] if len(best) == 1 else None


def _run(said: list[str], title: list[str]) -> int:
    return next(
        (place for place, (one, other) in enumerate(zip(said, title, strict=False)) if one != other),
        min(len(said), len(title)),
    )


def extreme_of(context: Context, *, cheapest: bool) -> str:
    """Return the cheapest or best rated of the shown products; of those that the wish named, if it named several."""
    asked = set(words(context.request.text))
    brands = {asin: _brand(known) for asin in context.shown if (known := context.product(asin))}
    named = [asin for asin, brand in brands.items() if brand in asked and list(brands.values()).count(brand) == 1]

    def price(asin: str) -> float:
        known = context.product(asin)
        return known.card.low_usd if known and known.card.low_usd is not None else float("inf")

    def rating(asin: str) -> float:
        known = context.product(asin)
        return -(known.card.rating or 0.0) if known else 0.0

    return min(named if len(named) > 1 else context.shown, key=price if cheapest else rating)


def _brand(known: Knowledge) -> str:
    """Return the word that a title begins with, by which shops tell products of one kind apart; no colour."""
    return next((word for word in words(known.card.title)[:1] if word not in COLOURS), "")
