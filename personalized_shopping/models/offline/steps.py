"""The two things that a policy can do next, and how to walk from one page of the shop to another."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from personalized_shopping.models.offline.dialogue import ARGUMENT_OF, USE_SKILL, Knowledge, Place
from personalized_shopping.models.offline.memory import Situation
from personalized_shopping.models.offline.pages import SUB_PAGES, View

PREVIOUS, NEXT, BACK_TO_SEARCH, BUY_NOW = "< Prev", "Next >", "Back to Search", "Buy Now"


@dataclass(frozen=True)
class Call:
    """Use a tool: `search` with keywords, `click` with a button, or `use_skill` with a skill and its arguments."""

    name: str
    argument: str
    skill_args: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def args(self) -> dict[str, Any]:
        """The arguments as the tool takes them."""
        if self.name == USE_SKILL:
            return {"skill_id": self.argument, "args": dict(self.skill_args)}
        return {ARGUMENT_OF[self.name]: self.argument}


@dataclass(frozen=True)
class Say:
    """Answer the person, which ends the turn."""

    text: str


Decision = Call | Say


def search(keywords: str) -> Call:
    """Search the shop."""
    return Call("search", keywords)


def click(button: str) -> Call:
    """Press a button of the page."""
    return Call("click", button)


def use(now: Situation, skill: str, **args: Any) -> Call | None:
    """Use a skill, where there are skills and this one has not failed in this turn."""
    call = Call(USE_SKILL, skill, args)
    return call if now.skills and not failed(now, call) else None


def press(view: View, label: str) -> Call | None:
    """Press a button if the page has it."""
    button = view.button(label)
    return click(button) if button else None


def on_item(view: View, asin: str) -> bool:
    """Whether the shop shows this product's main page."""
    return view.kind == "item" and view.product is not None and view.product.asin.casefold() == asin.casefold()


def on_sub_page(view: View) -> bool:
    """Whether the shop shows one of a product's text pages."""
    return view.kind in SUB_PAGES.values() or view.kind == "attributes"


def failed(now: Situation, call: Call) -> int:
    """Count how often this very call went wrong in this turn."""
    return sum(
        bool(step.view.error) and step.call.name == call.name and step.argument.casefold() == call.argument.casefold()
        for step in now.steps
    )


def toward_item(now: Situation, asin: str) -> Call | None:
    """Return the next step towards a product's main page; ``None`` once it is shown."""
    view = now.view
    if on_item(view, asin):
        return None
    about_it = view.product is not None and view.product.asin.casefold() == asin.casefold()
    if on_sub_page(view) and about_it and (back := press(view, PREVIOUS)):
        return back
    if (button := view.button(asin)) and not failed(now, click(button)):
        return click(button)
    known = now.known.get(asin)
    place = known.place if known else None
    if place is None or not place.query:
        return search(_title_query(known, asin))
    return toward_results(now, place) or search(_title_query(known, asin))


def toward_results(now: Situation, place: Place) -> Call | None:
    """Return the next step towards a page of results; ``None`` once it is shown."""
    view, here = now.view, now.place
    same = here is not None and here.query.casefold() == place.query.casefold()
    if view.kind == "results" and here and same:
        if here.page_number == place.page_number:
            return None
        step = press(view, NEXT if here.page_number < place.page_number else PREVIOUS)
        return step or search(place.query)
    if (
        same
        and (view.kind == "item" or on_sub_page(view))
        and (back := press(view, PREVIOUS))
        and not failed(now, back)
    ):
        return back
    return search(place.query)


def _title_query(known: Knowledge | None, asin: str) -> str:
    """Return a query that brings back a product whose place among the results is unknown."""
    return " ".join(known.card.title.split()[:12]) if known and known.card.title else asin
