"""Choose options and buy: click what was asked for, ask for the rest, and let the person confirm."""

from collections.abc import Mapping, Sequence

from personalized_shopping.models.offline import phrases, wording, wording_product
from personalized_shopping.models.offline.memory import Situation
from personalized_shopping.models.offline.pages import Card
from personalized_shopping.models.offline.steps import BUY_NOW, Decision, Say, click, failed, press, toward_item
from personalized_shopping.shared_libraries.requests.options import Option, matching_values, named_values


def choose(now: Situation, asin: str) -> Decision:
    """Click the options that the message names; then buy if that was under way, else ask how to go on."""
    if not now.intent.picks and not now.intent.anything:
        known = now.known.get(asin)
        if known is None:
            return Say(wording.NOTHING_TO_BUY)
        return Say(wording_product.not_offered(known.card, now.intent.unmatched))
    if now.memory.buying and not now.intent.held:
        return buy(now, asin)
    if step := toward_item(now, asin):
        return step
    card = _card(now, asin)
    wanted = _wanted(now, card, stated_only=True)
    if now.intent.anything:
        wanted = _filled(now, card, wanted)
    if press_value := _next_click(now, card, wanted):
        return press_value
    open_values = {name: values for name, values in wanted.items() if len(values) > 1}
    if open_values and any(option.name in open_values and option.chosen is None for option in card.options):
        unset = [option for option in card.options if option.chosen is None]
        return Say(wording_product.ask_options(card, unset, open_values))
    return Say(wording_product.chosen_so_far(card, now.intent.unmatched))


def buy(now: Situation, asin: str, picks: Mapping[str, str] | None = None) -> Decision:
    """Bring a product to the till.

    Args:
        now: The situation.
        asin: The product.
        picks: The values to choose, by option, where nothing is to be asked; an option without one gets its first.
    """
    last = now.steps[-1].view if now.steps else None
    if last is not None and _at_till(now):
        if last.purchased:
            return Say(wording_product.bought(last.product or _card(now, asin)))
        if last.pending:
            return Say(wording_product.confirm(last.product or _card(now, asin), last.question))
        if last.refused:
            return Say(wording.NOT_BOUGHT)
    if step := toward_item(now, asin):
        return step
    card = _card(now, asin)
    wanted = _wanted(now, card, stated_only=False)
    if picks is not None:
        wanted = {option.name: (picks.get(option.name, option.values[0]),) for option in card.options}
    elif now.intent.anything:
        wanted = _filled(now, card, wanted)
    if press_value := _next_click(now, card, wanted):
        return press_value
    unset = [option for option in card.options if option.chosen is None and not _gave_up_on(now, option)]
    if unset and picks is None:
        open_values = {name: values for name, values in wanted.items() if len(values) > 1}
        return Say(wording_product.ask_options(card, unset, open_values, now.intent.unmatched))
    till = press(now.view, BUY_NOW)
    if till is None or failed(now, till) > 1:
        return Say(wording.trouble(now.view.error or "this product cannot be bought from here", now.view.buttons))
    return till


def _at_till(now: Situation) -> bool:
    return now.steps[-1].argument.casefold() == BUY_NOW.casefold()


def _card(now: Situation, asin: str) -> Card:
    view = now.view
    if view.product is not None and view.product.asin.casefold() == asin.casefold():
        return view.product
    return now.known[asin].card


def _wanted(now: Situation, card: Card, *, stated_only: bool) -> dict[str, tuple[str, ...]]:
    """Return the values wanted of each option: what this message says, else earlier ones, else the request."""
    stated: dict[str, Sequence[str]] = {**now.memory.picks.get(card.asin, {}), **dict(now.intent.picks)}
    if now.intent.kind == "buy":
        # The product may have been opened only now, so that its options can be told apart only now.
        stated |= named_values(phrases.POINTING_WORDS.sub(" ", now.turn.text), card.options)[0]
    wanted: dict[str, tuple[str, ...]] = {}
    for option in card.options:
        if values := stated.get(option.name):
            wanted[option.name] = tuple(value for value in values if value in option.values)
        elif stated_only:
            continue
        elif found := matching_values(now.request, option):
            wanted[option.name] = tuple(found)
        elif len(option.values) == 1:
            wanted[option.name] = option.values
    return wanted


def _filled(now: Situation, card: Card, wanted: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Give the options that were left open a value: the one that is chosen already, or the first."""
    filled = dict(wanted)
    for option in card.options:
        if not now.intent.free or option.name in now.intent.free:
            first = (option.chosen,) if option.chosen else option.values[:1]
            filled[option.name] = wanted.get(option.name, ())[:1] or first
    return filled


def _next_click(now: Situation, card: Card, wanted: Mapping[str, tuple[str, ...]]) -> Decision | None:
    for option in card.options:
        values = wanted.get(option.name, ())
        if len(values) != 1 or option.chosen == values[0] or _gave_up_on(now, option):
            continue
        button = now.view.button(values[0]) or values[0]
        step = click(button)
        # A page that does not report what is chosen would be clicked for ever: once per value is enough.
        clicked = any(one.argument.casefold() == button.casefold() for one in now.steps)
        if not clicked and not failed(now, step):
            return step
    return None


def _gave_up_on(now: Situation, option: Option) -> bool:
    """Whether a value of this option was clicked in this turn and the page still does not show it as chosen."""
    clicked = {step.argument.casefold() for step in now.steps if step.call.name == "click" and not step.view.error}
    return option.chosen is None and any(value.casefold() in clicked for value in option.values)
