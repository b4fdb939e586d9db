"""Decide the next step from the conversation alone."""

from collections.abc import Sequence

from personalized_shopping.models.offline import buying, errand, reading, searching, wording, wording_product
from personalized_shopping.models.offline.dialogue import Message
from personalized_shopping.models.offline.memory import Situation, situation
from personalized_shopping.models.offline.steps import (
    BACK_TO_SEARCH,
    BUY_NOW,
    PREVIOUS,
    Call,
    Decision,
    Say,
    failed,
    on_sub_page,
    press,
)

MAX_CALLS_PER_TURN = 90
"""Tool calls on one message before the shopper stops and explains.

A conversation's longest honest turns take about 20, an errand's about 60.
"""
MAX_ERRORS_PER_TURN = 3
"""Errors on one message before the shopper stops and explains."""

_SMALL_TALK = {
    "greet": wording.GREETING,
    "who": wording.WHO,
    "help": wording.HELP,
    "thanks": wording.THANKS,
    "bye": wording.BYE,
    "outside": wording.OUTSIDE,
    "picture": wording.PICTURE,
}


def decide(messages: Sequence[Message], *, skills: bool = False) -> Decision:
    """Return the next step: a call of `search` or `click`, or what to say.

    The same messages always give the same step, and nothing but the messages is looked at.
    """
    now = situation(messages, skills=skills)
    if now is None:
        return Say(wording.GREETING)
    return decide_in(now)


def decide_in(now: Situation) -> Decision:
    """Return the next step in a situation."""
    if len(now.steps) >= MAX_CALLS_PER_TURN:
        return Say(wording.gave_up(len(now.steps)))
    wanted = _plan(now)
    if isinstance(wanted, Say):
        return wanted
    return _sound(now, wanted)


def _sound(now: Situation, call: Call) -> Decision:
    """Let a call pass unless it failed before: then go by the start page once, and after that explain."""
    if now.steps and now.steps[-1].view.held_back:
        return Say(wording.held_back(now.steps[-1].view.error))
    errors = sum(bool(step.view.error) for step in now.steps)
    tries = failed(now, call)
    # What was agreed to may have changed while the person decided: the till asks again, and nothing is bought unasked.
    again = call.argument == BUY_NOW and tries == 1
    if errors < MAX_ERRORS_PER_TURN and (again or not tries):
        return call
    home = press(now.view, BACK_TO_SEARCH)
    been_home = any(step.argument == BACK_TO_SEARCH for step in now.steps)
    if errors < MAX_ERRORS_PER_TURN and tries == 1 and call.name == "search":
        if home and not been_home:
            return home
        if been_home:
            return call
    error = next((step.view.error for step in reversed(now.steps) if step.view.error), "")
    return Say(wording.trouble(error, now.view.buttons))


def _plan(now: Situation) -> Decision:
    intent = now.intent
    if intent.kind in _SMALL_TALK:
        return Say(_SMALL_TALK[intent.kind])
    match intent.kind:
        case "nothing":
            return Say(wording.NOTHING_SAID if now.had_turns else wording.GREETING)
        case "find" | "refine" | "cheaper":
            return _search(now)
        case "more":
            return searching.more(now)
        case "open":
            return reading.open_product(now, intent.asins[0])
        case "tell":
            return reading.tell(now, intent.asins[0], intent.topic)
        case "compare":
            return reading.compare(now, intent.asins)
        case "options":
            return buying.choose(now, intent.asins[0])
        case "buy":
            return _buy(now)
        case "yes":
            return _yes(now)
        case "no":
            return Say(wording.NOT_BOUGHT if now.context.asked_to_buy or now.context.pending else wording.NO_CHOICE)
        case "praise":
            return Say(wording.PRAISED)
        case "back":
            return _back(now)
        case "restart":
            home = press(now.view, BACK_TO_SEARCH)
            return home if home and not now.steps else Say(wording.RESTARTED)
    return Say(wording.UNCLEAR_WITH_LIST if now.context.shown else wording.UNCLEAR)


def _search(now: Situation) -> Decision:
    return errand.run(now) if now.intent.autonomous else searching.present(now)


def _buy(now: Situation) -> Decision:
    asin = now.intent.asins[0] if now.intent.asins else now.context.chosen
    if asin is None and len(now.context.shown) == 1:
        asin = now.context.shown[0]
    if asin is None:
        return Say(wording.WHICH_TO_BUY if now.context.shown else wording.NOTHING_TO_BUY)
    return buying.buy(now, asin)


def _yes(now: Situation) -> Decision:
    chosen = now.context.chosen
    if now.context.pending:
        return Say(wording.CONFIRM_IN_DIALOG)
    if chosen is None:
        return Say(wording.YES_TO_WHAT if now.context.shown else wording.UNCLEAR)
    if now.context.asked_to_buy or now.steps or now.context.asked_options:
        return buying.buy(now, chosen)
    return Say(wording_product.reminder(now.known[chosen].card))


def _back(now: Situation) -> Decision:
    view = now.view
    if not now.steps:
        step = press(view, PREVIOUS) or press(view, BACK_TO_SEARCH)
        if step:
            return step
    elif on_sub_page(now.steps[0].view) and (step := press(view, PREVIOUS)) and not failed(now, step):
        return step
    cards = [now.known[asin].card for asin in now.context.shown if asin in now.known]
    if view.kind in {"results", "done", "search", ""} and cards:
        return Say(wording.listing_again(cards))
    if view.product is not None:
        return Say(wording_product.reminder(view.product))
    return Say(wording.RESTARTED)
