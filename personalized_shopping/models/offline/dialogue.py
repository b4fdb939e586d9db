"""Read a conversation: who said what, what was called, and what is known of each product by now."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from personalized_shopping.models.offline.pages import SUB_PAGES, Card, Review, View, read_view
from personalized_shopping.models.offline.skill_pages import skill_views
from personalized_shopping.shared_libraries.requests.text import clean

USE_SKILL = "use_skill"
ARGUMENT_OF = {"search": "keywords", "click": "button_name", USE_SKILL: "skill_id"}
"""The tools whose answers describe the shop, and the argument that tells their calls apart; others are looked past."""

MAX_MESSAGE_CHARS = 4_000


@dataclass(frozen=True)
class Said:
    """A text: the person's, or this model's earlier one."""

    text: str
    by_person: bool
    image: bool = False


@dataclass(frozen=True)
class Called:
    """A function call that the model made."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    call_id: str | None = None


@dataclass(frozen=True)
class Answered:
    """What a function call gave."""

    name: str
    answer: Mapping[str, Any] = field(default_factory=dict)
    call_id: str | None = None


Message = Said | Called | Answered


@dataclass(frozen=True)
class Step:
    """A call of a shop tool together with the page that stood after it."""

    call: Called
    view: View

    @property
    def argument(self) -> str:
        """The call's argument: the keywords, the button or the skill."""
        value = self.call.args.get(ARGUMENT_OF.get(self.call.name, ""))
        return value if isinstance(value, str) else ""


@dataclass(frozen=True)
class Turn:
    """One message of the person, the steps taken on it, and what was said in the end."""

    text: str
    image: bool
    steps: tuple[Step, ...]
    reply: str


@dataclass(frozen=True)
class Place:
    """Where a product was seen: the query and the number of its results page."""

    query: str
    page_number: int


@dataclass(frozen=True)
class Knowledge:
    """All that was read of one product."""

    card: Card
    place: Place | None = None
    pages: frozenset[str] = frozenset()
    description: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    reviews: tuple[Review, ...] = ()
    opened: bool = False


def turns_of(messages: Sequence[Message]) -> list[Turn]:
    """Group messages into turns; what stands before the first message of the person is left out."""
    groups: list[tuple[Said, list[Message]]] = []
    for message in messages:
        if isinstance(message, Said) and message.by_person:
            groups.append((message, []))
        elif groups:
            groups[-1][1].append(message)
    return [_turn(said, rest) for said, rest in groups]


def _turn(said: Said, rest: list[Message]) -> Turn:
    steps: list[Step] = []
    waiting: list[Called] = []
    reply: list[str] = []
    for message in rest:
        if isinstance(message, Called):
            waiting.append(message)
        elif isinstance(message, Answered):
            call = _call_of(message, waiting)
            if call is not None and call.name in ARGUMENT_OF:
                steps += [Step(call, view) for view in skill_views(message.answer) if call.name == USE_SKILL]
                steps.append(Step(call, read_view(message.answer)))
        else:
            reply.append(message.text)
    return Turn(
        text=clean(said.text, MAX_MESSAGE_CHARS),
        image=said.image,
        steps=tuple(steps),
        reply="\n".join(reply),
    )


def _call_of(answer: Answered, waiting: list[Called]) -> Called | None:
    """Find the call that an answer belongs to: by id where there is one, else the first of that name."""
    for call in waiting:
        same = call.call_id == answer.call_id if answer.call_id and call.call_id else call.name == answer.name
        if same:
            waiting.remove(call)
            return call
    return None


def current_view(turns: Sequence[Turn]) -> View | None:
    """Return the page that the shop shows now: that of the last step which told of one.

    An answer that leaves the buttons out (a purchase that waits, say) does not take them off the page.
    """
    views = [step.view for turn in turns for step in turn.steps if step.view.kind]
    if not views:
        return None
    view = views[-1]
    if view.buttons or view.purchased:
        return view
    same = (one for one in reversed(views) if one.buttons and one.kind == view.kind)
    return replace(view, buttons=next(same, view).buttons)


def learn(known: Mapping[str, Knowledge], steps: Sequence[Step]) -> dict[str, Knowledge]:
    """Return what is known of each product after some more steps; products stay in the order of their first sight."""
    result = dict(known)
    for step in steps:
        view = step.view
        for card in view.products:
            place = Place(view.query, view.page_number)
            old = result.get(card.asin)
            result[card.asin] = replace(old, place=place) if old else Knowledge(card, place)
        if view.product is not None:
            result[view.product.asin] = _looked_at(result.get(view.product.asin), view.product, view)
    return result


def _looked_at(old: Knowledge | None, card: Card, view: View) -> Knowledge:
    """Add what a product's own page tells to what was known; what the page leaves out stays known."""
    old = old or Knowledge(card)
    known = replace(
        old,
        opened=True,
        card=Card(
            asin=old.card.asin,
            title=card.title or old.card.title,
            low_usd=card.low_usd if card.low_usd is not None else old.card.low_usd,
            high_usd=card.high_usd if card.high_usd is not None else old.card.high_usd,
            rating=card.rating if card.rating is not None else old.card.rating,
            options=card.options or old.card.options,
        ),
    )
    if view.error or view.kind not in SUB_PAGES.values():
        return known
    known = replace(known, pages=known.pages | {view.kind})
    if view.kind == "reviews":
        return replace(known, reviews=view.reviews)
    return (
        replace(known, description=view.blocks) if view.kind == "description" else replace(known, features=view.blocks)
    )


_LISTED = re.compile(r"^\s*(?P<number>\d{1,2})\. .*`(?P<asin>[^`\s]{1,40})`", re.MULTILINE)


def listed(reply: str) -> tuple[str, ...]:
    """Return the products that a reply listed, in the order of their numbers.

    The person's "second one" is the second that was shown to them, so it is read from the words that were shown.
    """
    return tuple(match["asin"] for match in _LISTED.finditer(reply))
