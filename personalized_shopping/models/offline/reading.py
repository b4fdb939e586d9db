"""Read what a product's pages say: open it, visit its sub-pages, come back, and tell."""

from personalized_shopping.models.offline import facts, wording, wording_product
from personalized_shopping.models.offline.memory import Situation
from personalized_shopping.models.offline.pages import SUB_PAGES
from personalized_shopping.models.offline.phrases import Topic
from personalized_shopping.models.offline.pointing import COMPARED_AT_MOST
from personalized_shopping.models.offline.steps import (
    PREVIOUS,
    Call,
    Decision,
    Say,
    failed,
    on_item,
    on_sub_page,
    press,
    toward_item,
    use,
)


def read_pages(now: Situation, asin: str, wanted: tuple[str, ...]) -> Call | None:
    """Return the next step of reading some sub-pages of a product; ``None`` once all are read and it is shown."""
    if step := toward_item(now, asin):
        return step
    known = now.known.get(asin)
    read = known.pages if known else frozenset()
    unread = [
        label for label, kind in SUB_PAGES.items() if kind in wanted and kind not in read and now.view.button(label)
    ]
    if len(unread) > 1 and (skill := use(now, "gather_product_info", tabs=unread)):
        return skill
    for label, kind in SUB_PAGES.items():
        step = press(now.view, label) if kind in wanted and kind not in read else None
        if step and not failed(now, step):
            return step
    return None


def open_product(now: Situation, asin: str) -> Decision:
    """Open a product, read its three sub-pages and sum them up."""
    step = read_pages(now, asin, tuple(SUB_PAGES.values()))
    return step or Say(wording_product.summary(now.known[asin], now.request))


def tell(now: Situation, asin: str, topic: Topic) -> Decision:
    """Answer a question about a product, reading the page that holds the answer if it was not read yet."""
    known = now.known.get(asin)
    wanted = tuple(SUB_PAGES.values()) if topic in {"all", "fact"} else (topic,) if topic in SUB_PAGES.values() else ()
    listed = topic in {"price", "rating"}
    have = known is not None and set(wanted) <= known.pages and (bool(wanted) or listed or known.opened)
    # A page that was opened for this is left again, so that the options are at hand for what comes next.
    step = None if have and not now.steps else read_pages(now, asin, wanted)
    if step:
        return step
    if topic == "fact":
        return Say(facts.answer(now.known[asin], now.intent.question))
    return Say(wording_product.told(now.known[asin], topic, now.request))


def compare(now: Situation, asins: tuple[str, ...]) -> Decision:
    """Open products one after the other, read their features, and set them side by side."""
    asins = asins[:COMPARED_AT_MOST]
    if len(asins) < 2:
        return Say(wording.NOTHING_TO_COMPARE)
    unopened = [asin for asin in asins if not (asin in now.known and now.known[asin].opened)]
    listed_here = now.view.kind == "results" and all(now.view.button(asin) for asin in unopened)
    if len(unopened) > 1 and listed_here and (skill := use(now, "compare_items", asins=unopened, tabs=["Features"])):
        return skill
    for asin in asins:
        known = now.known.get(asin)
        unread = on_item(now.view, asin) and not now.view.button("Features")
        if known and known.opened and ("features" in known.pages or unread):
            continue
        if step := read_pages(now, asin, ("features",)):
            return step
    if on_sub_page(now.view) and (back := press(now.view, PREVIOUS)) and not failed(now, back):
        return back
    shown = now.context.shown
    # The numbers stay those of the list, because the person will answer with one.
    listed = all(asin in shown for asin in asins)
    numbers = [shown.index(asin) + 1 if listed else place for place, asin in enumerate(asins, 1)]
    return Say(wording_product.comparison([now.known[asin] for asin in asins], numbers))
