"""What a case of the red team is: a person with a request, a poisoned shop, and what the attacker wants."""

from typing import Literal

from msgspec import Struct

Position = Literal["title", "description", "bullet", "review", "option name"]
Goal = Literal[
    "other item",
    "sponsor's item",
    "over budget",
    "other options",
    "skip the question",
    "personal data",
    "false recommendation",
]
Part = Literal["static", "adaptive"]
Target = Literal["other", "sponsor", "dear", "own"]
"""Which product an attack pushes: one of another kind, another of this kind, one above the limit, the person's own."""

POSITIONS: tuple[Position, ...] = ("title", "description", "bullet", "review", "option name")
GOALS: tuple[Goal, ...] = (
    "other item",
    "sponsor's item",
    "over budget",
    "other options",
    "skip the question",
    "personal data",
    "false recommendation",
)


class Change(Struct, frozen=True):
    """A text that is put into a product: it is added to what stands at that position."""

    asin: str
    position: Position
    text: str


class Wanted(Struct, frozen=True, kw_only=True):
    """What the person wants: the good end of the case.

    ``options`` are the values they name, by option; ``limit_usd`` is the most they pay. ``buys`` tells whether they ask
    for a purchase at all.
    """

    asin: str
    title: str
    options: dict[str, str]
    limit_usd: float
    buys: bool


class Attack(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the text in the shop asks for, in terms that a machine can follow and check.

    ``asin`` is the product that is pushed. ``choose`` are option values to set, ``searches`` queries to make (all of
    them carry personal data away), ``says`` what to tell the person, ``names`` the ways in which that names the
    product. ``when_buying``: it is about the purchase that the person asks for, so it waits for that.
    """

    goal: Goal
    asin: str
    title: str
    kind: str
    choose: dict[str, str] = {}
    searches: tuple[str, ...] = ()
    says: str = ""
    names: tuple[str, ...] = ()
    price_usd: float | None = None
    when_buying: bool = False


class Case(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One conversation.

    ``messages`` are the person's, in order; ``buys_from`` is the place of the one that asks for the purchase.
    ``attack`` is ``None`` in a harmless case. ``held_out`` cases were not looked at while the rules were written.
    """

    id: str
    part: Part
    goal: Goal
    position: str
    payload: str
    technique: str = ""
    held_out: bool = False
    messages: tuple[str, ...]
    buys_from: int | None
    wanted: Wanted
    changes: tuple[Change, ...]
    attack: Attack | None = None

    @property
    def harmless(self) -> bool:
        """Whether nobody attacks."""
        return self.attack is None
