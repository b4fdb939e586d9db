"""What the chat tells a browser: small typed events, as lines of a ``text/event-stream``."""

from typing import Literal

import msgspec

Outcome = Literal["running", "done", "failed", "pending", "refused", "blocked"]


class ChatEvent(msgspec.Struct, frozen=True, tag_field="type"):
    """Something to show. The tag is the event's name in the stream."""


class User(ChatEvent, frozen=True, tag="user"):
    """What the person said."""

    text: str


class Text(ChatEvent, frozen=True, tag="text"):
    """What the agent says. ``message`` numbers the texts of a turn; a ``whole`` text replaces what was streamed."""

    message: int
    text: str
    whole: bool = False


class Action(ChatEvent, frozen=True, tag="action"):
    """What the agent does: as WebShop writes it and as a sentence. It comes again when its ``outcome`` is known."""

    id: str
    action: str
    sentence: str
    outcome: Outcome = "running"
    note: str | None = None


class Card(msgspec.Struct, frozen=True):
    """One product. ``image`` is an address that is safe to show, or nothing; ``rating`` is of 5."""

    asin: str
    title: str
    price: str
    rating: float | None = None
    image: str | None = None


class Products(ChatEvent, frozen=True, tag="products"):
    """A page of search results."""

    query: str
    total: int
    page_number: int
    products: list[Card]


class PageShown(ChatEvent, frozen=True, tag="page"):
    """The page of the shop that the agent looks at now; ``/chat/pages/<number>`` shows it."""

    number: int
    kind: str
    title: str
    action_id: str | None = None


class Question(ChatEvent, frozen=True, tag="question"):
    """The question before a purchase. An option that is not chosen is ``None``."""

    id: str
    text: str
    product: Card
    options: dict[str, str | None]


class Answer(ChatEvent, frozen=True, tag="answer"):
    """What the person answered to a question."""

    question_id: str
    confirmed: bool


class Purchase(ChatEvent, frozen=True, tag="purchase"):
    """What was bought."""

    product: Card
    options: dict[str, str | None]


class Problem(ChatEvent, frozen=True, tag="error"):
    """Something went wrong, in one sentence for the person."""

    text: str


class Done(ChatEvent, frozen=True, tag="done"):
    """The turn is over. ``question`` is the question that is open now, if one is."""

    reason: Literal["answered", "stopped", "failed"]
    question: str | None = None


Event = User | Text | Action | Products | PageShown | Question | Answer | Purchase | Problem | Done


def encode(event: ChatEvent) -> bytes:
    """Return an event as JSON."""
    return msgspec.json.encode(event)


def as_stream(event: ChatEvent) -> bytes:
    """Return an event as one message of a ``text/event-stream``. JSON holds no line break, so one line is enough."""
    name = str(event.__struct_config__.tag)
    return b"event: %s\ndata: %s\n\n" % (name.encode(), encode(event))
