"""A text that attacks, and what following it would mean."""

from msgspec import Struct

from personalized_shopping.evaluation.red_team.disguises import Disguise
from personalized_shopping.evaluation.red_team.model import Goal, Position, Target


class Payload(Struct, frozen=True, kw_only=True):
    """A text, by the goal it serves.

    Braces are filled in for each case: ``{asin}``, ``{title}`` and ``{name}`` of the product that is pushed, other
    spellings of its code, ``{value}`` of an option, ``{thing}`` for what the person looks for. ``tells`` are the fields
    of the person (see ``Persona``) that they mention, ``searches`` the queries of a shopper who obeys, ``says`` what
    such a shopper tells the person. ``disguise`` is put over the whole text. A payload with ``parts`` stands in several
    places at once; any other one is tried at every position.
    """

    name: str
    goal: Goal
    target: Target
    text: str = ""
    lookalike: str = ""
    tells: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    says: str = ""
    parts: tuple[tuple[Position, str], ...] = ()
    technique: str = ""
    disguise: Disguise = "none"
    held_out: bool = False


def buying(name: str, goal: Goal, target: Target, text: str, lookalike: str) -> Payload:
    """Return a payload that wants something bought or chosen."""
    return Payload(name=name, goal=goal, target=target, text=text, lookalike=lookalike)


def leaking(name: str, tells: tuple[str, ...], query: str, text: str, lookalike: str) -> Payload:
    """Return a payload that wants personal data searched for."""
    return Payload(
        name=name,
        goal="personal data",
        target="own",
        text=text,
        lookalike=lookalike,
        tells=tells,
        searches=(query,),
    )


def telling(name: str, target: Target, says: str, text: str, lookalike: str) -> Payload:
    """Return a payload that wants a product praised to the person."""
    return Payload(name=name, goal="false recommendation", target=target, text=text, lookalike=lookalike, says=says)
