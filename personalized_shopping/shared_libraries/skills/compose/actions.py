"""What an agent did itself in a recorded session, step by step, as the shop understands it."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

import msgspec

from personalized_shopping.config import MAX_QUERY_CHARS
from personalized_shopping.errors import ShoppingError
from personalized_shopping.shared_libraries.trajectory.replay_source import skill_steps
from personalized_shopping.shared_libraries.trajectory.session import Action as Recorded
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop, Step

Verb = Literal["search", "open", "press", "choose", "buy"]
ROLES: dict[Verb, tuple[str, ...]] = {
    "search": ("query",),
    "open": ("asin",),
    "press": (),
    "choose": ("option", "value"),
    "buy": (),
}
"""What each kind of step is told: the words, the product, an option's name and its value."""


class Symbol(NamedTuple):
    """What two steps have in common that are the same but for what they are told.

    ``page_kind`` is the page on which the step was taken, empty for a search: it is possible everywhere. ``leads_to``
    is the kind of the page that followed, ``label`` that of a pressed button.
    """

    verb: Verb
    page_kind: str
    label: str
    leads_to: str


class Move(NamedTuple):
    """One step: what it was, what it was told (as in ``ROLES``), and the shopper's place before and after it."""

    symbol: Symbol
    values: tuple[str, ...]
    before: ShopSession
    after: ShopSession


def typed(query: str) -> str:
    """Return what the shop's search field makes of words: one line, lower case, and not longer than may be."""
    return " ".join(query.splitlines())[:MAX_QUERY_CHARS].lower()


def same_place(one: ShopSession, other: ShopSession, *, with_history: bool = True) -> bool:
    """Return whether two shoppers stand at the same place.

    What does not count: the words above the pages, since the agent's search tool writes its own there; the counts and
    the score, which the pages of a running session do not show.

    Args:
        one: a place.
        other: another one.
        with_history: whether the products that were opened count, too.
    """
    return _bare(one, with_history) == _bare(other, with_history)


def moves_of(session: SessionTrajectory, shop: Shop) -> list[list[Move]]:
    """Return the steps that the agent took itself, as unbroken sequences.

    A sequence ends where a skill ran, where a page was not recorded, and where this shop does not do what the record
    says. What changed nothing is left out.

    Args:
        session: the session.
        shop: the shop in which it is to be understood.
    """
    sequences: list[list[Move]] = [[]]
    for move in _moves(session, shop):
        last = sequences[-1][-1] if sequences[-1] else None
        if move is None or (last is not None and not same_place(last.after, move.before)):
            sequences.append([])
        if move is not None:
            sequences[-1].append(move)
    return [sequence for sequence in sequences if sequence]


def _moves(session: SessionTrajectory, shop: Shop) -> Iterator[Move | None]:
    """Yield the steps; ``None`` where a sequence ends."""
    for action in session.actions:
        if not action.executed:
            if action.irreversible:  # a purchase that was refused is the end of an errand all the same
                yield None
            continue
        before, after = _place(session, action.page_before), _place(session, action.page_after)
        if skill_steps(action.info) or before is None or after is None:
            yield None
        elif not same_place(before, after):
            yield _move(shop, action, before, after)


def _place(session: SessionTrajectory, page: tuple[int, int] | None) -> ShopSession | None:
    shown = session.pages.get(page) if page is not None else None
    if shown is None:
        return None
    try:
        return ShopSession.from_json(shown.place)
    except (msgspec.ValidationError, TypeError, ValueError):
        return None


def _move(shop: Shop, action: Recorded, before: ShopSession, after: ShopSession) -> Move | None:
    try:
        if action.tool == "search":
            return _search(shop, before, after)
        return _click(shop, action, before, after) if action.tool == "click" else None
    except ShoppingError:  # a product that this shop does not have
        return None


def _search(shop: Shop, before: ShopSession, after: ShopSession) -> Move | None:
    query = typed(" ".join(after.keywords or ()))
    step = shop.step(before, Search(query))
    found = [card.asin for card in shop.page(after).products]
    if not query.strip() or after.kind != "results" or [card.asin for card in step.page.products] != found:
        return None
    return Move(Symbol("search", "", "", "results"), (query,), before, after)


def _click(shop: Shop, action: Recorded, before: ShopSession, after: ShopSession) -> Move | None:
    page = shop.page(before)
    pressed = action.text.removeprefix("click[").removesuffix("]").lower()
    # The agent reads labels without control characters, and may have written one so.
    labels = [pressed, *(label for label in page.clickables if label != pressed)]
    for label in labels:
        step = shop.step(before, Click(label), page)
        if step.is_valid and same_place(step.session, after):
            return _classified(page, label, step, before, after)
    return None


def _classified(page: Page, label: str, step: Step, before: ShopSession, after: ShopSession) -> Move:
    """Return a press as what the shop took it for: an option's value may have the label of a button."""
    button = page.clickables[label]
    verb: Verb = "press"
    values: tuple[str, ...] = ()
    if step.purchase is not None:
        verb = "buy"
    elif button.kind == "product" and after.kind == "item":
        verb, values = "open", (button.label,)
    elif button.kind == "option" and after.kind == "item":
        verb, values = "choose", (button.option or "", button.label)
    known = next((own.label for own in page.buttons if own.kind == "button" and own.label.lower() == label), label)
    shown = known if verb in ("press", "buy") else ""
    return Move(Symbol(verb, before.kind, shown, after.kind), values, before, after)


def _bare(place: ShopSession, with_history: bool) -> ShopSession:
    visited = place.visited if with_history else ()
    return msgspec.structs.replace(place, instruction=None, counts={}, reward=None, visited=visited)
