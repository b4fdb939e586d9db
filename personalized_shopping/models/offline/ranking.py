"""Order the products that a search found by how well they answer the request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.shared_libraries.requests.options import KINDS, Option, best_values, keys
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.vocabulary import (
    AMBIGUOUS_COLOURS,
    COLOURS,
    KINDS_OF,
    SIZES,
    WEARERS,
)
from personalized_shopping.shared_libraries.requests.wishes import Wish

THING_WEIGHT = 3.0
WISH_WEIGHT = 1.5
WORD_WEIGHT = 1.0
DETAIL_WEIGHT = 0.7
UNREAD_SHARE = 0.5
"""What a wish counts on a product whose options were not looked at yet."""
EXCLUDED_PENALTY = 4.0
EARLY_BONUS = 0.3
EARLY_WORDS = 12
"""A title names its product early; a late word may only qualify it."""
RANK_WEIGHT = 0.6
RANK_STEP = 4
"""The shop's own order counts ``RANK_WEIGHT / (1 + place / RANK_STEP)``: it has read what a list does not show."""
KIND_SHARE = 0.8
"""What a thing counts that goes by the name of its kind: a polo, where a shirt is wanted."""
RATING_WEIGHT = 0.15
USUAL_RATING = 3.5
ENOUGH = 0.34
"""Share of the wished weight from which a product counts as an answer to the request."""


@dataclass(frozen=True)
class Candidate:
    """A product with its score and with what speaks for and against it.

    Wishes are met, refused (it comes in others, but not in this one), or open: nothing that was read decides it.
    """

    known: Knowledge
    score: float
    share: float
    met: tuple[str, ...]
    missing: tuple[str, ...]
    wishes_met: tuple[Wish, ...]
    wishes_refused: tuple[Wish, ...]
    wishes_open: tuple[Wish, ...]
    fits_budget: bool
    names_thing: bool
    clash: tuple[str, ...]
    made_for: str = ""

    @property
    def asin(self) -> str:
        """The product's identifier."""
        return self.known.card.asin

    @property
    def answers(self) -> bool:
        """Whether it may be shown as an answer: the thing itself, within the budget, and nothing that was ruled out."""
        return (
            self.names_thing
            and self.fits_budget
            and not self.clash
            and not self.wishes_refused
            and not self.made_for
            and self.share >= ENOUGH
        )

    @property
    def doubtful(self) -> bool:
        """Whether opening it would show if it comes as wished."""
        return bool(self.wishes_open) and not self.known.opened


def rank(request: Request, products: Iterable[Knowledge]) -> list[Candidate]:
    """Return candidates, best first; equal ones stay in the order in which the shop gave them."""
    candidates = [judge(request, known, place) for place, known in enumerate(products)]
    if request.budget.cheap:
        # Someone who asks for cheap wants the cheapest of what fits, not the best of what is cheap.
        return sorted(candidates, key=lambda one: (not one.answers, _price(one), -one.score))
    return sorted(candidates, key=lambda one: (not one.answers, -one.score))


def judge(request: Request, known: Knowledge, place: int = 0) -> Candidate:
    """Score one product against the request, on what is known of it so far and on its place in the shop's order."""
    card = known.card
    title = stems(card.title)
    evidence = set(title)
    for block in (*known.features, *known.description):
        evidence.update(stems(block))
    thing = stem(request.thing)
    status = {wish: _fulfilment(wish, known, title) for wish in request.wishes}
    wished = {stem(word) for wish in request.wishes for word in words(wish.value)}
    total = got = 0.0
    named = not thing or thing in title or is_compound(thing, title) or bool(KINDS_OF.get(thing, set()) & set(title))
    met: list[str] = []
    missing: list[str] = []
    for word in request.words:
        key = stem(word)
        if key in wished and key != thing:
            continue
        weight = THING_WEIGHT if key == thing else DETAIL_WEIGHT if word in request.detail else WORD_WEIGHT
        found = key in evidence or is_compound(key, title)
        total += weight
        got += weight if found else 0.0
        if key == thing and not found and named:
            got += weight * KIND_SHARE
            continue
        (met if found else missing).append(word)
    for fulfilled in status.values():
        total += WISH_WEIGHT
        got += WISH_WEIGHT * (UNREAD_SHARE if fulfilled is None else fulfilled)
    clash = tuple(word for word in request.excluded if _has(word, card.title))
    rating = (card.rating - USUAL_RATING) * RATING_WEIGHT if card.rating is not None else 0.0
    early = EARLY_BONUS if thing and thing in title[:EARLY_WORDS] else 0.0
    return Candidate(
        known=known,
        score=got + early + rating + RANK_WEIGHT / (1 + place / RANK_STEP) - EXCLUDED_PENALTY * len(clash),
        share=got / total if total else 1.0,
        met=tuple(met),
        missing=tuple(missing),
        wishes_met=tuple(wish for wish, fulfilled in status.items() if fulfilled),
        wishes_refused=tuple(wish for wish, fulfilled in status.items() if fulfilled is False),
        wishes_open=tuple(wish for wish, fulfilled in status.items() if fulfilled is None),
        fits_budget=card.low_usd is None or request.budget.allows(card.low_usd),
        names_thing=named,
        clash=clash,
        made_for=made_for_others(request, title),
    )


def made_for_others(request: Request, title: list[str]) -> str:
    """Return for whom a product is made, if that is somebody else than the request names."""
    asked = _wearers([stem(word) for word in request.words])
    told = _wearers(title)
    return ", ".join(sorted(told)) if asked and told and not asked & told else ""


def _wearers(found: list[str]) -> set[str]:
    return {wearer for wearer, names in WEARERS.items() if names & set(found)}


def _fulfilment(wish: Wish, known: Knowledge, title: list[str]) -> bool | None:
    """Tell whether a product comes as wished; ``None`` where neither its title nor its options decide."""
    aim = [stem(word) for word in words(wish.value)]
    options = [option for option in known.card.options if KINDS[wish.kind].search(option.name)]
    if any(best_values(wish.value, option.values) for option in options):
        return True
    if any(_comparable(wish, option) for option in options):
        return False
    bare = wish.kind in {"size", "count"} and len(aim) == 1
    if not bare and set(aim) <= set(title):
        return True
    # A product of one version is as its title says: a `Red Linen Shirt` without a choice of colours is red.
    other = wish.kind == "colour" and known.opened and set(title) & (COLOURS - AMBIGUOUS_COLOURS)
    return False if other else None


def _comparable(wish: Wish, option: Option) -> bool:
    """Whether an option's values are of the sort that was wished for: `8 ounce` says nothing about size `large`."""
    if wish.kind == "colour":
        return True
    if wish.kind != "size":
        return False
    named = set(SIZES.values())
    values = [keys(value) for value in option.values]
    if wish.value in named:
        return any(set(value) & named for value in values)
    return wish.value.replace(".", "").isdecimal() and any(
        len(value) == 1 and value[0][0].isdecimal() for value in values
    )


def is_compound(word: str, title: list[str]) -> bool:
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
