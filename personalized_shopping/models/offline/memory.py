"""Carry a conversation forward: what each turn left wished for, shown, chosen and asked.

Nothing is stored. Every call folds the whole conversation again, so that the same messages give the same memory in
any process.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from personalized_shopping.models.offline.dialogue import (
    MAX_MESSAGE_CHARS,
    Knowledge,
    Message,
    Place,
    Step,
    Turn,
    current_view,
    learn,
    listed,
    turns_of,
)
from personalized_shopping.models.offline.intents import Intent, interpret
from personalized_shopping.models.offline.pages import View
from personalized_shopping.models.offline.pointing import Context
from personalized_shopping.models.offline.wording import BUY_QUESTION, OPTIONS_QUESTION
from personalized_shopping.shared_libraries.requests.options import KINDS
from personalized_shopping.shared_libraries.requests.prices import Budget
from personalized_shopping.shared_libraries.requests.text import clean
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request, refine

CENT = 0.01

Picks = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Option values that were asked for, by product and option name; several where the words left it open."""

_SEARCHES = frozenset({"find", "refine", "cheaper", "more"})
_ABOUT_ONE = frozenset({"open", "options", "tell", "buy"})


@dataclass(frozen=True)
class Memory:
    """What earlier turns left behind."""

    context: Context = field(default_factory=Context)
    offered: tuple[str, ...] = ()
    picks: Picks = field(default_factory=dict)
    buying: bool = False


@dataclass(frozen=True)
class Situation:
    """All that the policy decides on: the memory, the message at hand and the steps taken on it so far."""

    memory: Memory
    intent: Intent
    turn: Turn
    request: Request
    known: Mapping[str, Knowledge]
    view: View
    place: Place | None
    had_turns: bool
    skills: bool = False
    """Whether skills may be used."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The shop steps of this turn."""
        return self.turn.steps

    @property
    def context(self) -> Context:
        """What stood when the message arrived."""
        return self.memory.context


def situation(messages: Sequence[Message], *, skills: bool = False) -> Situation | None:
    """Fold a conversation into the situation of its last turn; ``None`` when the person has not said a thing."""
    turns = turns_of(messages)
    if not turns:
        return None
    memory = Memory()
    for turn in turns[:-1]:
        intent = interpret(turn.text, turn.image, memory.context)
        memory = _after(memory, intent, turn)
    turn = turns[-1]
    intent = interpret(turn.text, turn.image, memory.context)
    return Situation(
        memory=memory,
        intent=intent,
        turn=turn,
        request=wish(memory.context, intent),
        known=learn(memory.context.known, turn.steps),
        view=current_view(turns) or View(),
        place=_place([step for one in turns for step in one.steps]),
        had_turns=len(turns) > 1,
        skills=skills,
    )


def begin(message: str) -> Situation:
    """Return the situation of a person who has just come in and says this."""
    text = clean(message, MAX_MESSAGE_CHARS)
    memory = Memory()
    intent = interpret(text, False, memory.context)
    turn = Turn(text=text, image=False, steps=(), reply="")
    return Situation(memory, intent, turn, wish(memory.context, intent), {}, View(), None, had_turns=False)


def extend(now: Situation, step: Step) -> Situation:
    """Return the situation after one more step of the same turn; the steps before it are not read again."""
    view = step.view
    return replace(
        now,
        turn=replace(now.turn, steps=(*now.turn.steps, step)),
        known=learn(now.known, (step,)),
        view=view if view.kind else now.view,
        place=Place(view.query or step.argument, view.page_number) if view.kind == "results" else now.place,
    )


def wish(context: Context, intent: Intent) -> Request:
    """Return what is wanted once a message is taken into account."""
    if intent.kind == "find":
        return intent.request
    if intent.kind == "refine":
        return refine(context.request, intent.request)
    if intent.kind == "cheaper":
        below = reference_price(context)
        changed = refine(context.request, intent.request)
        if below is None:
            return replace(changed, budget=replace(changed.budget, cheap=True))
        return replace(changed, budget=Budget(changed.budget.min_usd, below - CENT, cheap=True))
    if intent.kind == "restart":
        return NO_REQUEST
    return context.request


def reference_price(context: Context) -> float | None:
    """Return the price that `cheaper` is measured by: the chosen product's, else the cheapest one shown."""
    asins = [context.chosen] if context.chosen else list(context.shown)
    cards = [known.card for asin in asins if (known := context.product(asin))]
    return min((card.low_usd for card in cards if card.low_usd is not None), default=None)


def _after(memory: Memory, intent: Intent, turn: Turn) -> Memory:
    context = memory.context
    known = learn(context.known, turn.steps)
    shown = listed(turn.reply)
    last = turn.steps[-1].view if turn.steps else View()
    picks = {asin: dict(values) for asin, values in memory.picks.items()}
    if intent.kind == "refine":
        picks = {asin: _kept(values, intent.request) for asin, values in picks.items()}
    chosen = context.chosen
    if intent.kind in _ABOUT_ONE and intent.asins:
        chosen = intent.asins[0]
        if intent.picks:
            picks.setdefault(chosen, {}).update(intent.picks)
    elif intent.kind in _SEARCHES | {"restart", "compare", "back"}:
        chosen = None
    bought = any(step.view.purchased for step in turn.steps)
    if bought:
        chosen = None
    elif chosen is None and intent.kind not in {"compare", "back", "restart"} and last.product:
        # Somebody else (another model, an autonomous purchase that stopped) left this product open.
        chosen = last.product.asin
    # A search for something cheaper that found nothing leaves the wish as it was.
    changed = intent.kind != "cheaper" or bool(shown)
    fresh = changed and intent.kind in {"find", "refine", "cheaper", "restart"}
    offered = () if fresh else memory.offered
    # Only at its end is a question this shopper's own: what stands before may quote a product's text.
    asked_options = turn.reply.rstrip().endswith(OPTIONS_QUESTION)
    asked_to_buy = turn.reply.rstrip().endswith(BUY_QUESTION)
    return Memory(
        context=Context(
            request=wish(context, intent) if changed else context.request,
            shown=shown or (() if intent.kind in {"find", "restart"} else context.shown),
            chosen=chosen,
            asked_to_buy=asked_to_buy,
            asked_options=asked_options or asked_to_buy,
            pending=last.pending,
            known=known,
        ),
        offered=tuple(dict.fromkeys([*offered, *shown])),
        picks=picks,
        buying=not bought and not intent.held and asked_options and (intent.kind in {"buy", "yes"} or memory.buying),
    )


def _kept(values: Mapping[str, tuple[str, ...]], change: Request) -> dict[str, tuple[str, ...]]:
    """Drop the values that a later wish of their kind replaces: a new colour ends the old one."""
    kinds = [KINDS[wish.kind] for wish in change.wishes]
    return {name: value for name, value in values.items() if not any(kind.search(name) for kind in kinds)}


def _place(steps: Sequence[Step]) -> Place | None:
    """Return the results page that was seen last, also when the shop now shows a product of it."""
    query = ""
    place = None
    for step in steps:
        if step.call.name == "search" and not step.view.error:
            query = step.argument
        if step.view.kind == "results":
            place = Place(step.view.query or query, step.view.page_number)
    return place
