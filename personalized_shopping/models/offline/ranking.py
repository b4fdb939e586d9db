"""Order the products that a search found by how well they answer the request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.options import matching_values
from personalized_shopping.models.offline.text import stem, stems
from personalized_shopping.models.offline.understanding import COLOUR, COUNT, Request

THING_WEIGHT = 3.0
COLOUR_WEIGHT = 1.5
WORD_WEIGHT = 1.0
DETAIL_WEIGHT = 0.7
EXCLUDED_PENALTY = 4.0
RATING_WEIGHT = 0.15
ENOUGH = 0.34
"""Share of the wished weight from which a product counts as an answer to the request."""


@dataclass(frozen=True)
class Candidate:
    """A product with its score and with what spoke for and against it."""

    known: Knowledge
    score: float
    share: float
    met: tuple[str, ...]
    missing: tuple[str, ...]
    fits_budget: bool
    names_thing: bool
    clash: tuple[str, ...] = ()

    @property
    def asin(self) -> str:
        """The product's identifier."""
        return self.known.card.asin

    @property
    def answers(self) -> bool:
        """Whether this may be shown as an answer: it is the thing, within the budget, and nothing that was ruled out."""
        return self.fits_budget and not self.clash and self.share >= ENOUGH


def rank(request: Request, products: Iterable[Knowledge]) -> list[Candidate]:
    """Return candidates, best first; equal ones stay in the order in which the shop gave them."""
    candidates = [judge(request, known) for known in products]
    if request.budget.cheap:
        # Someone who asks for cheap wants the cheapest of what fits, not the best of what is cheap.
        return sorted(candidates, key=lambda one: (not one.answers, -int(one.names_thing), _price(one), -one.score))
    return sorted(candidates, key=lambda one: (not one.answers, -one.score))


def judge(request: Request, known: Knowledge) -> Candidate:
    """Score one product against the request, on what is known of it so far."""
    card = known.card
    title = stems(card.title)
    evidence = set(title)
    for block in (*known.features, *known.description):
        evidence.update(stems(block))
    offered = {word for option in card.options for value in option.values for word in stems(value)}
    thing = stem(request.thing)
    colours = {stem(word) for value in request.wished(COLOUR) for word in value.split()}
    counts = set(request.wished(COUNT))
    total = got = 0.0
    met: list[str] = []
    missing: list[str] = []
    for word in request.words:
        key = stem(word)
        weight = DETAIL_WEIGHT if word in request.detail else WORD_WEIGHT
        if key == thing:
            weight = THING_WEIGHT
        elif key in colours:
            weight = COLOUR_WEIGHT
        total += weight
        found = key in evidence or key in offered or _compound(key, title)
        if found:
            got += weight
        if key not in counts:
            (met if found else missing).append(word)
    share = got / total if total else 1.0
    # The end of a title's first phrase names the product; a word in the middle may only qualify it (`shirt hanger`).
    position = 0.3 if thing and thing in title[:12] else 0.0
    for option in card.options:
        if matching_values(request, option):
            got += 0.5
    clash = tuple(word for word in request.excluded if _has(word, card.title))
    rating = (card.rating - 3.5) * RATING_WEIGHT if card.rating is not None else 0.0
    return Candidate(
        known=known,
        score=got + position + rating - EXCLUDED_PENALTY * len(clash),
        share=share,
        met=tuple(met),
        missing=tuple(missing),
        fits_budget=card.low_usd is None or request.budget.allows(card.low_usd),
        names_thing=not thing or thing in evidence or _compound(thing, title),
        clash=clash,
    )


def _compound(word: str, title: list[str]) -> bool:
    """See `t-shirt` in `shirt` and `swimsuit` in `suit`, but not `art` in `cart`."""
    return len(word) > 4 and any(other != word and other.endswith(word) for other in title)


def _has(word: str, title: str) -> bool:
    """Whether a title names a word without denying it: `sugar free` and `no sugar` do not contain sugar."""
    text = " ".join(stems(title))
    plain = re.escape(word)
    if not re.search(rf"\b{plain}\b", text):
        return False
    return not re.search(rf"\b(?:no|non|not|without|zero|faux|free of) {plain}\b|\b{plain} (?:free|less)\b", text)


def _price(one: Candidate) -> float:
    return one.known.card.low_usd if one.known.card.low_usd is not None else float("inf")
