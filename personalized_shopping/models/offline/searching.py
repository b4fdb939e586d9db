"""Find products for a request: query, back off, turn pages, and present what fits."""

from dataclasses import dataclass

from personalized_shopping.models.offline import wording
from personalized_shopping.models.offline.dialogue import Knowledge, Place
from personalized_shopping.models.offline.memory import Situation, reference_price
from personalized_shopping.models.offline.ranking import Candidate, rank
from personalized_shopping.models.offline.steps import NEXT, Call, Decision, Say, failed, press, search, toward_results
from personalized_shopping.models.offline.text import stem
from personalized_shopping.models.offline.understanding import COLOUR, Request

SHOWN_AT_MOST = 4
ENOUGH_FOUND = 3
"""With fewer answers than this the shopper looks further: on other pages, then with fewer words."""
MAX_PAGES = 3
MAX_QUERIES = 3
PAGE_SIZE = 10


@dataclass(frozen=True)
class Found:
    """What a search has come to so far."""

    answers: tuple[Candidate, ...]
    near: tuple[Candidate, ...]


def queries(request: Request) -> list[str]:
    """Return the queries to try in turn, each with fewer words than the one before."""
    colours = {stem(word) for value in request.wished(COLOUR) for word in value.split()}
    named = [word for word in request.words if word not in request.detail]
    core = [word for word in named if stem(word) in colours or word == request.thing]
    plans = [list(request.words), named, core if request.thing else named[-2:], [request.thing] if request.thing else named[-1:]]
    return list(dict.fromkeys(" ".join(plan) for plan in plans if plan))[:MAX_QUERIES]


def find(now: Situation) -> Decision | list[Candidate]:
    """Return the next step of a search, or its answers, best first, once it is over."""
    request = now.request
    if request.empty:
        return Say(wording.NOTHING_SAID)
    plans = queries(request)
    tried = [step.argument for step in now.steps if step.call.name == "search" and not step.view.error]
    if not tried:
        return search(plans[0])
    over = any(step.view.kind not in {"results", "search", ""} for step in now.steps if not step.view.error)
    found = gather(now)
    if not over and len(found.answers) < ENOUGH_FOUND and (step := _look_further(now, plans, tried)):
        return step
    return list(found.answers)


def gather(now: Situation) -> Found:
    """Rank what this turn's results pages showed."""
    seen: dict[str, Knowledge] = {}
    for step in now.steps:
        for card in step.view.products:
            seen.setdefault(card.asin, now.known.get(card.asin) or Knowledge(card))
    return sort_out(now.request, list(seen.values()))


def sort_out(request: Request, products: list[Knowledge]) -> Found:
    """Part candidates into answers and near misses."""
    ranked = rank(request, products)
    answers = [one for one in ranked if one.answers and one.names_thing]
    near = [one for one in ranked if one not in answers and one.names_thing and not one.clash]
    near = near or [one for one in ranked if one not in answers and one.share > 0]
    # Close means close in price too: the nearest to the limit first.
    if request.budget.max_usd is not None:
        near.sort(key=lambda one: (one.known.card.low_usd or 0.0) if not one.fits_budget else 0.0)
    return Found(tuple(answers), tuple(near))


def present(now: Situation) -> Decision:
    """Search as long as it pays, then show the best few."""
    result = find(now)
    if not isinstance(result, list):
        return result
    found = gather(now)
    total = max((step.view.total_results for step in now.steps), default=0)
    if now.intent.kind == "cheaper" and not found.answers:
        lowest = reference_price(now.context)
        if lowest is not None:
            return Say(wording.nothing_cheaper(now.request, lowest, _cheapest(now)))
    if not found.answers:
        return Say(wording.nothing_fits(now.request, found.near[:ENOUGH_FOUND], total))
    best = found.answers[:SHOWN_AT_MOST]
    near = found.near[: ENOUGH_FOUND - len(best)] if len(best) < 2 else ()
    note = wording.PICTURE_NOTE if now.turn.image else ""
    return Say(note + wording.found(now.request, best, near))


def more(now: Situation) -> Decision:
    """Show the next products of the same search."""
    request = now.request
    if request.empty:
        return Say(wording.NOTHING_SAID)
    places = [known.place for known in now.known.values() if known.place]
    here = now.place
    query = here.query if here else (places[-1].query if places else queries(request)[0])
    fresh = [known for known in now.known.values() if known.place and known.card.asin not in now.memory.offered]
    found = sort_out(request, [known for known in fresh if known.place and known.place.query.casefold() == query.casefold()])
    pages = [place.page_number for place in places if place.query.casefold() == query.casefold()]
    turned = sum(step.view.kind == "results" for step in now.steps)
    if len(found.answers) < ENOUGH_FOUND and turned < MAX_PAGES + len(pages) and (step := _further_page(now, query, max(pages, default=0))):
        return step
    if not found.answers:
        return Say(wording.no_more(request))
    return Say(wording.found(request, found.answers[:SHOWN_AT_MOST], (), more=True))


def _further_page(now: Situation, query: str, seen: int) -> Call | None:
    if not seen:
        return search(query)
    view = now.view
    if view.kind == "results" and seen * PAGE_SIZE >= max(view.total_results, 1):
        return None
    if view.kind == "results" and not view.products:
        return None
    step = toward_results(now, Place(query, seen + 1))
    return None if step is None or failed(now, step) else step


def _look_further(now: Situation, plans: list[str], tried: list[str]) -> Call | None:
    view = now.view
    pages = 0
    for step in now.steps:
        pages = 1 if step.call.name == "search" else pages + 1
    further = view.kind == "results" and view.page_number * PAGE_SIZE < view.total_results and pages < MAX_PAGES
    narrowed = now.request.budget.bounded or now.request.excluded
    if further and narrowed and (step := press(view, NEXT)) and not failed(now, step):
        return step
    rest = [plan for plan in plans if plan not in tried]
    return search(rest[0]) if rest else None


def _cheapest(now: Situation):  # type: ignore[no-untyped-def]
    asins = [now.context.chosen] if now.context.chosen else list(now.context.shown)
    cards = [now.known[asin].card for asin in asins if asin in now.known and now.known[asin].card.low_usd is not None]
    return min(cards, key=lambda card: card.low_usd or 0.0) if cards else None
