"""How well a product fits an errand, as far as its pages were read."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.shared_libraries.requests.needs import Needs, terms_of
from personalized_shopping.shared_libraries.requests.option_choice import Choice, choose_values
from personalized_shopping.shared_libraries.requests.understanding import Request

PAIR_WEIGHT = 1.0
TERM_WEIGHT = 0.5
TITLE_SHARE = 0.35
"""What a word counts on top that stands in the title, which names the product, and not only in its texts."""
OPTION_WEIGHT = 1.6
PLACE_WEIGHT = 1.2
PLACE_STEP = 5
"""The shop's own order counts ``PLACE_WEIGHT / (1 + place / PLACE_STEP)``."""
PRICE_PENALTY = 2.0
MADE_FOR_OTHERS = 1.5
NEAR = 3
"""How far apart the words of a pair may stand: `easy to install` is `easy install`."""

_TEXTS_KEPT = 4_096


@dataclass(frozen=True)
class Fit:
    """How well a product fits: ``score`` orders candidates; ``sure`` says that nothing is left to wish for."""

    asin: str
    score: float
    texts: float
    choices: tuple[Choice, ...]
    options: float
    within_budget: bool

    @property
    def sure(self) -> bool:
        """Whether every phrase and option of the request was found, within the budget."""
        return self.within_budget and self.texts >= 0.999 and self.options >= 0.85


@dataclass(frozen=True)
class Wanted:
    """The request of an errand in both readings."""

    request: Request
    needs: Needs


def fit(wanted: Wanted, known: Knowledge, place: int) -> Fit:
    """Judge a product by what is known of it and by its place in the shop's order."""
    card = known.card
    needs = wanted.needs
    title = _positions((card.title,))
    whole = _positions((card.title, *known.features, *known.description)) if known.pages else title
    got, total = _held(needs, title, whole)
    choices: tuple[Choice, ...] = ()
    options = 0.0
    if known.opened:
        choices = choose_values(wanted.request, needs, card.options)
        options = _options_met(needs, choices, known)
    within = card.low_usd is None or needs.budget.allows(card.high_usd or card.low_usd)
    reachable = card.low_usd is None or needs.budget.allows(card.low_usd)
    score = got + OPTION_WEIGHT * options * max(1, len(needs.named)) + PLACE_WEIGHT / (1 + place / PLACE_STEP)
    score -= 0.0 if within else PRICE_PENALTY / 2 if reachable else PRICE_PENALTY
    return Fit(card.asin, score, got / total if total else 1.0, choices, options, within)


def _held(
    needs: Needs, title: Mapping[str, tuple[int, ...]], whole: Mapping[str, tuple[int, ...]]
) -> tuple[float, float]:
    got = total = 0.0
    for term in needs.terms:
        total += TERM_WEIGHT
        if term in whole:
            got += TERM_WEIGHT
            if term in title:
                got += TERM_WEIGHT * TITLE_SHARE
    for pair in needs.pairs:
        total += PAIR_WEIGHT
        if _together(pair, whole):
            got += PAIR_WEIGHT
            if _together(pair, title):
                got += PAIR_WEIGHT * TITLE_SHARE
    return got, total


def _together(pair: tuple[str, str], positions: Mapping[str, tuple[int, ...]]) -> bool:
    first, second = positions.get(pair[0], ()), positions.get(pair[1], ())
    return any(abs(one - other) <= NEAR for one in first for other in second)


@lru_cache(maxsize=_TEXTS_KEPT)
def _positions(texts: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    place = 0
    for text in texts:
        for term in terms_of(text):
            found.setdefault(term, []).append(place)
            place += 1
        place += 2 * NEAR
    return {term: tuple(places) for term, places in found.items()}


def _options_met(needs: Needs, choices: tuple[Choice, ...], known: Knowledge) -> float:
    """Return the share of the wished options that the product offers, 0 to 1; 0.5 where none was wished for."""
    if not needs.named and not choices:
        return 0.5
    count = max(len(needs.named), len(choices))
    return sum(choice.sure for choice in choices) / count
