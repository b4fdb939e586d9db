"""Find products for a request: query, back off, turn pages, look at what is in doubt, and present what fits."""

from collections.abc import Sequence
from dataclasses import dataclass

from personalized_shopping.models.offline import wording
from personalized_shopping.models.offline.dialogue import Knowledge, Place
from personalized_shopping.models.offline.memory import Situation, reference_price
from personalized_shopping.models.offline.pages import Card
from personalized_shopping.models.offline.ranking import Candidate, rank
from personalized_shopping.models.offline.steps import (
    NEXT,
    PREVIOUS,
    Call,
    Decision,
    Say,
    failed,
    press,
    search,
    toward_item,
    toward_results,
)
from personalized_shopping.shared_libraries.requests.text import stem, words
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.wishes import Kind

SHOWN_AT_MOST = 4
ENOUGH_FOUND = 3
"""With fewer answers than this the shopper looks further: on other pages, then with fewer words."""
NAMED_AT_LEAST = 2
"""With fewer answers than this, near misses are shown beside them."""
MAX_PAGES = 3
MAX_QUERIES = 4
MAX_CHECKED = 4
"""Products that are opened to see whether they come in the colour or size that was asked for."""
PAGE_SIZE = 10
STRESSED: tuple[Kind, ...] = ("colour", "flavour")


@dataclass(frozen=True)
class Found:
    """What a search has come to so far, best first."""

    answers: tuple[Candidate, ...]
    near: tuple[Candidate, ...]


def queries(request: Request) -> list[str]:
    """Return the queries to try in turn: all words, the wishes said twice, then fewer and fewer words.

    A shop that ranks by words counts a repeated one twice; that brings up what comes in a colour without having it in
    its title.
    """
    colours = {stem(word) for value in request.wished("colour") for word in words(value)}
    named = [word for word in request.words if word not in request.detail]
    core = [word for word in named if stem(word) in colours or word == request.thing]
    last = [request.thing] if request.thing else named[-1:]
    wished = {stem(word) for kind in STRESSED for value in request.wished(kind) for word in words(value)}
    stressed = [word for word in request.words if stem(word) in wished]
    plans = [list(request.words), [*stressed, *request.words], named, core if request.thing else named[-2:], last]
    return list(dict.fromkeys(" ".join(plan) for plan in plans if plan))[:MAX_QUERIES]


def look(now: Situation) -> Decision | None:
    """Return the next step of a search; ``None`` once it is over and ``gather`` has its outcome."""
    if now.request.empty:
        return Say(wording.NOTHING_SAID)
    tried = [step.argument for step in now.steps if step.call.name == "search" and not step.view.error]
    plans = queries(now.request)
    if not tried:
        return search(plans[0])
    answers = gather(now).answers
    latest = _latest(now)
    doubted = any(now.request.wished(kind) for kind in STRESSED) and _certain(answers) < ENOUGH_FOUND
    if not any(step.view.kind == "item" for step in now.steps):
        if len(answers) < ENOUGH_FOUND and (further := _look_further(now, plans, tried)):
            return further
        if doubted and len(tried) == 1 and len(plans) > 1:
            return search(plans[1])
        few = sum(one.asin in latest for one in answers) < ENOUGH_FOUND
        if doubted and few and (further := _next_page(now)):
            return further
    return _check(now, answers, latest)


def gather(now: Situation) -> Found:
    """Rank what this turn's results pages showed, those of the last query first."""
    pages: list[list[Card]] = []
    for step in now.steps:
        if step.call.name == "search":
            pages.append([])
        if pages:
            pages[-1].extend(step.view.products)
    cards = {card.asin: card for found in pages for card in found}
    order = dict.fromkeys(card.asin for found in reversed(pages) for card in found)
    return sort_out(now.request, [now.known.get(asin) or Knowledge(cards[asin]) for asin in order])


def sort_out(request: Request, products: list[Knowledge]) -> Found:
    """Part candidates into answers and near misses."""
    ranked = rank(request, products)
    answers = [one for one in ranked if one.answers]
    others = [one for one in ranked if not one.answers and not one.clash]
    near = [one for one in others if one.names_thing] or [one for one in others if one.met]
    if request.budget.max_usd is not None:
        # Close means close in price too.
        near.sort(key=lambda one: 0.0 if one.fits_budget else one.known.card.low_usd or 0.0)
    return Found(tuple(answers), tuple(near))


def present(now: Situation) -> Decision:
    """Search as long as it pays, then show the best few."""
    if step := look(now):
        return step
    found = gather(now)
    lowest = reference_price(now.context)
    if now.intent.kind == "cheaper" and not found.answers and lowest is not None:
        return Say(wording.nothing_cheaper(now.request, lowest, _cheapest(now)))
    note = wording.PICTURE_NOTE if now.turn.image else ""
    if unfit := now.known.get(now.intent.instead_of):
        note += wording.comes_not(unfit.card, now.intent.request.words)
    if not found.answers or _all_refused(now, found):
        return Say(note + wording.nothing_fits(now.request, found.near[:ENOUGH_FOUND]))
    best = found.answers[:SHOWN_AT_MOST]
    near = found.near[: ENOUGH_FOUND - len(best)] if len(best) < NAMED_AT_LEAST else ()
    return Say(note + wording.found(now.request, best, near))


def _all_refused(now: Situation, found: Found) -> bool:
    """Whether every product that was looked into lacks the colour or flavour, and of the others nothing is known."""
    refused = [one for one in found.near if any(wish.kind in STRESSED for wish in one.wishes_refused)]
    return len(refused) >= MAX_CHECKED and _certain(found.answers) == 0


def more(now: Situation) -> Decision:
    """Show the next products of the same search."""
    request = now.request
    if request.empty:
        return Say(wording.NOTHING_SAID)
    query = now.place.query if now.place else queries(request)[0]
    found_by = [
        (known, known.place)
        for known in now.known.values()
        if known.place and known.place.query.casefold() == query.casefold()
    ]
    fresh = [known for known, _ in found_by if known.card.asin not in now.memory.offered]
    found = sort_out(request, fresh)
    last_page = max((place.page_number for _, place in found_by), default=0)
    turned = sum(step.view.kind == "results" for step in now.steps)
    wanting = len(found.answers) < ENOUGH_FOUND and turned < MAX_PAGES + last_page
    if wanting and (step := _further_page(now, query, last_page)):
        return step
    if not found.answers:
        return Say(wording.no_more(request))
    return Say(wording.found(request, found.answers[:SHOWN_AT_MOST], (), more=True))


def _certain(answers: Sequence[Candidate]) -> int:
    return sum(not one.wishes_open for one in answers)


def _check(now: Situation, answers: Sequence[Candidate], latest: Sequence[str]) -> Call | None:
    """Open the best products of which a colour or size is still in doubt, one after the other, and come back."""
    opened = {step.view.product.asin for step in now.steps if step.view.kind == "item" and step.view.product}
    doubted = {one.asin for one in answers if one.doubtful}
    # In the shop's order: its search has read the options.
    doubtful = next((asin for asin in latest if asin in doubted), None)
    if _certain(answers) >= ENOUGH_FOUND or len(opened) >= MAX_CHECKED:
        doubtful = None
    if now.view.kind == "item":
        back = press(now.view, PREVIOUS)
        return back if back and not failed(now, back) else None
    step = toward_item(now, doubtful) if doubtful else None
    return None if step is None or failed(now, step) else step


def _look_further(now: Situation, plans: list[str], tried: list[str]) -> Call | None:
    if turn := _next_page(now):
        return turn
    rest = [plan for plan in plans if plan not in tried]
    return search(rest[0]) if rest else None


def _next_page(now: Situation) -> Call | None:
    """Turn the page where a price or an exclusion took away what the first pages had."""
    view = now.view
    pages = 0
    for step in now.steps:
        pages = 1 if step.call.name == "search" else pages + 1
    further = view.kind == "results" and view.page_number * PAGE_SIZE < view.total_results and pages < MAX_PAGES
    narrowed = now.request.budget.bounded or now.request.excluded
    turn = press(view, NEXT) if further and narrowed else None
    return None if turn is None or failed(now, turn) else turn


def _latest(now: Situation) -> list[str]:
    """Return the products that the last query of this turn brought up, in the shop's order."""
    found: list[str] = []
    for step in now.steps:
        if step.call.name == "search":
            found.clear()
        found.extend(card.asin for card in step.view.products)
    return list(dict.fromkeys(found))


def _further_page(now: Situation, query: str, seen: int) -> Call | None:
    if not seen:
        return None if any(step.call.name == "search" for step in now.steps) else search(query)
    view = now.view
    if view.kind == "results" and (seen * PAGE_SIZE >= max(view.total_results, 1) or not view.products):
        return None
    step = toward_results(now, Place(query, seen + 1))
    return None if step is None or failed(now, step) else step


def _cheapest(now: Situation) -> Card | None:
    asins = [now.context.chosen] if now.context.chosen else list(now.context.shown)
    cards = [now.known[asin].card for asin in asins if asin in now.known]
    return min((card for card in cards if card.low_usd is not None), key=lambda card: card.low_usd or 0.0, default=None)
