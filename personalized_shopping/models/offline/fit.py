"""How well a product fits an errand, as far as its pages were read.

The weights were fitted by hand to how often a product turned out to be the one that a request was written for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.ranking import is_compound, made_for_others
from personalized_shopping.shared_libraries.requests.needs import Needs, read_needs, terms_of
from personalized_shopping.shared_libraries.requests.option_choice import Choice, choose_values
from personalized_shopping.shared_libraries.requests.options import KINDS, keys
from personalized_shopping.shared_libraries.requests.text import stem, stems
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.vocabulary import KINDS_OF

# What the list of results tells.
PLACE, PLACE_STEP, FIRST_PLACES = 2.6, 5, 2.0
"""The shop's own order: ``PLACE / (1 + place / PLACE_STEP) + FIRST_PLACES / (1 + place)``."""
TITLE_TERMS, TITLE_PAIRS, TITLE_THING = 2.0, 1.2, 1.0
FOR_OTHERS = -0.8
IN_BUDGET, IN_REACH = 1.1, 1.1

# What its own pages tell.
LISTED_SHARE = 0.55
"""What the list told counts that much once the product's own pages were read."""
TERMS, PAIRS, PHRASES, EVERYTHING = 1.3, 2.2, 1.7, 0.5
OPTIONS, OPTIONS_EXACT, OPTION_MISSING, OPTION_UNASKED = 1.2, 1.6, -1.35, -0.5
"""An option of which the request says nothing must be guessed, which speaks against a product."""

OTHER_THING, OTHER_WEARER, OVER_BUDGET = -1.0, -1.5, -2.0

TITLE_OPTION = 0.6
"""What a wished colour or size counts that the title names where there is nothing to choose."""
SURE_OPTION = 0.85
SURE_PAIRS = 0.6
NEAR = 3
"""How far apart the words of a pair may stand: `easy to install` is `easy install`."""

_TEXTS_KEPT = 4_096
_JUDGED_KEPT = 4_096

_Positions = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class Wanted:
    """The request of an errand: as a search reads it, and as products are judged by it."""

    request: Request
    needs: Needs

    @cached_property
    def things(self) -> frozenset[str]:
        """The words that name the thing, in the form in which words are compared: `printers & scanners` are two."""
        return frozenset(stem(word) for word in (self.request.thing, *self.needs.things) if word)

    @cached_property
    def demands(self) -> int:
        """How many options the request speaks of."""
        return len(self.needs.named) or len({wish.kind for wish in self.request.wishes})


@dataclass(frozen=True)
class Fit:
    """How well a product fits.

    ``promise`` is what its line in a list makes one expect, without its place there; ``evidence`` what its own pages
    tell. ``choices`` are the option values to choose. ``complete`` says that its texts leave nothing to wish for,
    ``sure`` that looking at others is not worth while, ``hopeless`` that its texts need not be read.
    """

    asin: str
    promise: float
    evidence: float = 0.0
    choices: tuple[Choice, ...] = ()
    complete: bool = False
    sure: bool = False
    hopeless: bool = False

    def listed(self, place: int) -> float:
        """Return the score by which the next product to open is chosen; places count from 0."""
        return self.promise + PLACE / (1 + place / PLACE_STEP) + FIRST_PLACES / (1 + place)

    def score(self, place: int) -> float:
        """Return the score by which a product that was opened is chosen."""
        return LISTED_SHARE * self.listed(place) + self.evidence


@lru_cache(maxsize=64)
def wanted(request: Request) -> Wanted:
    """Read a request for judging products by it."""
    return Wanted(request, read_needs(request.text))


@lru_cache(maxsize=_JUDGED_KEPT)
def judge(aim: Wanted, known: Knowledge) -> Fit:
    """Judge a product by what is known of it."""
    line = _line(aim, known)
    promise = TITLE_TERMS * line.terms + TITLE_PAIRS * line.pairs + TITLE_THING * line.thing
    promise += FOR_OTHERS * line.for_others + IN_BUDGET * line.within + IN_REACH * line.reachable
    if not known.opened:
        return Fit(known.card.asin, promise)
    needs = aim.needs
    texts = _positions((known.card.title, *known.features, *known.description))
    terms, pairs = _terms_in(needs, texts), _pairs_in(needs, texts)
    phrases = _share([all(term in texts for term in phrase) for phrase in needs.phrases])
    complete = terms + pairs > 1.999
    choices = choose_values(aim.request, needs, known.card.options)
    met, missing, exact = _options(aim, choices, known)
    unasked = len(known.card.options) - len(choices)
    evidence = TERMS * terms + PAIRS * pairs + PHRASES * phrases + EVERYTHING * complete
    evidence += OPTIONS * met + OPTIONS_EXACT * exact + OPTION_MISSING * missing + OPTION_UNASKED * unasked
    evidence += OTHER_THING * (not line.thing) + OTHER_WEARER * line.for_others + OVER_BUDGET * (not line.reachable)
    return Fit(
        asin=known.card.asin,
        promise=promise,
        evidence=evidence,
        choices=choices,
        complete=complete,
        sure=_sure(line, exact, pairs, complete and not missing),
        hopeless=missing > 0 and bool(needs.named),
    )


def _sure(line: "_Line", exact: bool, pairs: float, complete: bool) -> bool:
    """Whether a product is so good that no other needs to be looked at."""
    if not line.within or line.for_others:
        return False
    return (exact and pairs >= SURE_PAIRS) or (complete and line.thing)


@dataclass(frozen=True)
class _Line:
    """What a product's line in a list of results tells."""

    terms: float
    pairs: float
    thing: bool
    for_others: bool
    within: bool
    reachable: bool


def _line(aim: Wanted, known: Knowledge) -> _Line:
    card, needs = known.card, aim.needs
    title, words = _positions((card.title,)), stems(card.title)
    return _Line(
        terms=_terms_in(needs, title),
        pairs=_pairs_in(needs, title),
        thing=any(_names(thing, words) for thing in aim.things),
        for_others=bool(made_for_others(aim.request, words)),
        within=card.low_usd is None or needs.budget.allows(card.high_usd or card.low_usd),
        reachable=card.low_usd is None or needs.budget.allows(card.low_usd),
    )


def _names(thing: str, title: list[str]) -> bool:
    kinds = KINDS_OF.get(thing, frozenset())
    return thing in title or is_compound(thing, title) or not kinds.isdisjoint(title)


def _terms_in(needs: Needs, texts: _Positions) -> float:
    return _share([term in texts for term in needs.terms])


def _pairs_in(needs: Needs, texts: _Positions) -> float:
    return _share([_together(pair, texts) for pair in needs.pairs])


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else 1.0


def _together(pair: tuple[str, str], texts: _Positions) -> bool:
    first, second = texts.get(pair[0]), texts.get(pair[1])
    if first is None or second is None:
        return False
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


def _options(aim: Wanted, choices: Sequence[Choice], known: Knowledge) -> tuple[float, int, bool]:
    """Return the share of the wished options that a product offers, how many it lacks, and whether all are equal."""
    if not aim.demands:
        return 0.0, 0, False
    found = [choice.sure for choice in choices]
    if not aim.needs.named:
        # What comes in one version only may be as wished without a choice: its title says so.
        title = set(keys(known.card.title))
        free = [wish for wish in aim.request.wishes if not any(KINDS[wish.kind].search(one.option) for one in choices)]
        found += [TITLE_OPTION for wish in free if set(keys(wish.value)) <= title]
    count = max(aim.demands, len(choices))
    missing = count - sum(sure > 0 for sure in found)
    exact = len(choices) >= aim.demands and all(choice.sure >= SURE_OPTION for choice in choices)
    return min(sum(found) / count, 1.0), max(missing, 0), exact
