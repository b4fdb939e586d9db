"""What a conversation's task is: a person with a wish, what they tell and when, and what has to come of it."""

from typing import Literal, get_args

from msgspec import Struct

Kind = Literal[
    "find",
    "compare",
    "budget",
    "options",
    "not_available",
    "change_of_mind",
    "read_before_buy",
    "refuse_purchase",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
Outcome = Literal["buys", "nothing"]
LineKind = Literal["pick", "delegate", "ask", "take", "close"]
Moment = Literal["shown", "opened", "asked"]
"""When a mind changes: products are named, one was looked at, or the shop asks whether to buy."""


class Wish(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wanted. ``product`` is the catalogue's kind of product, ``limit_usd`` the most that is paid."""

    product: str
    features: tuple[str, ...] = ()
    options: dict[str, str] = {}
    limit_usd: float | None = None


class Line(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that the person means to say, in its turn.

    ``pick`` names one of the products that were shown, ``delegate`` lets the agent choose, ``ask`` is a question that
    has to be answered before anything is bought, ``take`` asks for the purchase, ``close`` is a last word. An empty
    ``words`` leaves them to the person.
    """

    kind: LineKind
    words: str = ""
    if_untold: bool = False
    """Said only while the task's facts have not been named."""


class Part(Struct, frozen=True, kw_only=True):
    """A part of the wish that is told when it is asked for, or when the talk would end without it."""

    about: str
    """An option's name, ``limit`` or ``feature``."""
    value: str
    words: str = ""


class Change(Struct, frozen=True, kw_only=True):
    """A change of mind: when it comes, how it is told, and what is wanted then."""

    at: Moment
    words: str
    wish: Wish
    asins: tuple[str, ...]


class ConversationTask(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation.

    ``opening`` is the first message. ``asins`` are all products that fulfil the wish. ``facts`` are what the agent's
    answers have to name: one of the wordings of each. ``reads`` are pages one of which must have been read before the
    purchase. ``about`` are the products that the talk is about, where the task names them, ``compared`` those that are
    set against each other. ``denial``: the right answer is that the shop has no such thing. ``must_ask``: the shop's
    question before a purchase has to come up.
    """

    id: str
    kind: Kind
    opening: str
    wish: Wish
    asins: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    lines: tuple[Line, ...] = ()
    outcome: Outcome = "buys"
    change: Change | None = None
    facts: tuple[tuple[str, ...], ...] = ()
    reads: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    denial: bool = False
    must_ask: bool = False

    @property
    def final_wish(self) -> Wish:
        """What is wanted in the end."""
        return self.change.wish if self.change is not None else self.wish

    @property
    def final_asins(self) -> tuple[str, ...]:
        """The products that fulfil the wish in the end."""
        return self.change.asins if self.change is not None else self.asins
