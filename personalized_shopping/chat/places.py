"""Where a conversation stands and stood: the pages of the shop, and the question that is open."""

from collections.abc import Iterator

from google.adk.sessions import Session

from personalized_shopping.chat.translation import CONFIRM
from personalized_shopping.session import STATE_KEY, load_session
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession


def places(session: Session) -> Iterator[ShopSession | None]:
    """Yield the places in the shop that a conversation came to, in order; ``None`` for one that cannot be read."""
    for event in session.events:
        if not event.partial and event.actions.state_delta.get(STATE_KEY):
            yield load_session(event.actions.state_delta)


def open_question(session: Session) -> str | None:
    """Return the id of the question that a yes would count for, or ``None``.

    It is the last one, it has no answer, and the shop still shows what was asked about: once the agent has gone
    elsewhere, a yes could buy nothing.
    """
    asked: str | None = None
    place: ShopSession | None = None
    asked_at: ShopSession | None = None
    for event in session.events:
        if event.partial:
            continue
        for answer in event.get_function_responses():
            if answer.name == CONFIRM and answer.id == asked:
                asked = None
        if event.actions.state_delta.get(STATE_KEY):
            place = load_session(event.actions.state_delta)
        for call in event.get_function_calls():
            if call.name == CONFIRM:
                asked, asked_at = call.id, place
    if asked is None or asked_at is None or place is None:
        return None
    return asked if _offer(place) == _offer(asked_at) else None


def _offer(place: ShopSession) -> tuple[object, ...]:
    return place.kind, place.asin, place.options
