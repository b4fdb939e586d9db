"""Run an errand to the till: search widely, open what looks best, read on where in doubt, and buy what fits most."""

from dataclasses import dataclass

from personalized_shopping.models.offline import buying, wording
from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.fit import Wanted, judge, wanted
from personalized_shopping.models.offline.memory import Situation
from personalized_shopping.models.offline.pages import SUB_PAGES
from personalized_shopping.models.offline.steps import (
    NEXT,
    PREVIOUS,
    Call,
    Decision,
    Say,
    failed,
    on_sub_page,
    press,
    search,
    toward_item,
)
from personalized_shopping.shared_libraries.requests.option_choice import choose_values

PAGES_READ = 3
"""Pages of results that are read of the first query."""
MAX_OPENED = 10
PAGE_SIZE = 10


@dataclass(frozen=True)
class Shelf:
    """The products that were seen, in the order of the query that brought them up, and which of them were opened."""

    seen: tuple[str, ...]
    opened: frozenset[str]


def run(now: Situation) -> Decision:
    """Return the next step of an errand."""
    aim = wanted(now.request)
    if settled := _settled(now):
        return _buy(now, aim, settled)
    if step := _gather(now, aim):
        return step
    shelf = _shelf(now)
    if not shelf.seen:
        return Say(wording.nothing_fits(now.request, ()))
    if step := _read_on(now, aim):
        return step
    fits = [(place, judge(aim, now.known[asin])) for place, asin in enumerate(shelf.seen)]
    opened = [(place, one) for place, one in fits if one.asin in shelf.opened]
    if not any(one.sure for _, one in opened) and len(opened) < MAX_OPENED:
        ranked = sorted(fits, key=lambda placed: -placed[1].listed(placed[0]))
        unopened = [one.asin for _, one in ranked if one.asin not in shelf.opened][: MAX_OPENED - len(opened)]
        if step := _open_next(now, unopened, started=bool(opened)):
            return step
    _, best = max(opened or fits, key=lambda placed: placed[1].score(placed[0]))
    return _buy(now, aim, best.asin)


def _open_next(now: Situation, asins: list[str], *, started: bool) -> Call | None:
    """Return the next step towards one of these: the best first, then all on its page before another is turned to."""
    if started and now.place is not None:
        asins = sorted(asins, key=lambda asin: now.known[asin].place != now.place)
    steps = (toward_item(now, asin) for asin in asins)
    return next((step for step in steps if step and not failed(now, step)), None)


def _buy(now: Situation, aim: Wanted, asin: str) -> Decision:
    card = now.known[asin].card
    choices = choose_values(aim.request, aim.needs, card.options)
    return buying.buy(now, asin, {choice.option: choice.value for choice in choices if choice.sure})


def _settled(now: Situation) -> str | None:
    """Return the product that was begun to be bought: an option or the till was clicked on its page."""
    for step in now.steps:
        product = step.view.product
        if product and (step.view.pending or step.view.purchased or any(option.chosen for option in product.options)):
            return product.asin
    return None


def _gather(now: Situation, aim: Wanted) -> Call | None:
    """Return the next step of looking through results; ``None`` once enough was seen."""
    pages = [step.view for step in now.steps if step.view.kind == "results"]
    if any(step.view.kind == "item" for step in now.steps):
        return None
    queries = [query for query in (aim.needs.query, aim.needs.short_query) if query]
    tried = [step.argument for step in now.steps if step.call.name == "search"]
    if not tried:
        return search(queries[0]) if queries else None
    view = now.view
    reached = max((page.page_number for page in pages), default=0)
    more = view.kind == "results" and view.page_number == reached and reached * PAGE_SIZE < view.total_results
    if more and reached < PAGES_READ and (turn := press(view, NEXT)) and not failed(now, turn):
        return turn
    if not any(page.products for page in pages):
        rest = [query for query in queries if query not in tried]
        return search(rest[0]) if rest else None
    return None


def _shelf(now: Situation) -> Shelf:
    seen = dict.fromkeys(card.asin for step in now.steps for card in step.view.products)
    opened = (step.view.product.asin for step in now.steps if step.view.kind == "item" and step.view.product)
    return Shelf(tuple(seen), frozenset(opened))


def _read_on(now: Situation, aim: Wanted) -> Call | None:
    """Read the texts of the product that is open, as long as it may be the one and they may tell."""
    view = now.view
    product = view.product
    if product is None or (view.kind != "item" and not on_sub_page(view)):
        return None
    known = now.known[product.asin]
    if view.kind != "item":
        back = press(view, PREVIOUS)
        return back if back and not failed(now, back) else None
    here = judge(aim, known)
    return None if here.complete or here.hopeless else _unread(now, known)


def _unread(now: Situation, known: Knowledge) -> Call | None:
    """Return the step to a text page: the features, and the description only of a product that lists none."""
    for label in ("Features", "Description"):
        step = press(now.view, label) if SUB_PAGES[label] not in known.pages else None
        if step and not known.features and not failed(now, step):
            return step
    return None
