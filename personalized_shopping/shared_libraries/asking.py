"""Asking a model for something typed: one question as JSON, one reply as JSON, and one chance to mend a bad reply."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from personalized_shopping.errors import ShoppingError

Ask = Callable[[str, str], str]
"""Asks a model: a system prompt and a question give a reply. What it cannot ask, it raises as ``ShoppingError``."""
Value = TypeVar("Value")
Part = TypeVar("Part", bound=Struct)

ATTEMPTS = 2
MAX_REPLY_CHARS = 100_000
MAX_SHOWN_CHARS = 4_000
"""Of a bad reply, so much is shown again."""


class BadReply(ShoppingError):
    """A reply cannot be used; the message says why, for the model."""


@dataclass(frozen=True)
class Answer(Generic[Value]):
    """What came of a question: the value, or ``None`` where every reply was bad.

    ``problems`` are what was wrong with the bad ones; ``asked`` counts the questions.
    """

    value: Value | None
    problems: tuple[str, ...] = ()
    asked: int = 1


def ask_for(ask: Ask, system: str, question: Struct, read: Callable[[str], Value]) -> Answer[Value]:
    """Ask a model, and ask once more where its reply cannot be used.

    Args:
        ask: asks the model.
        system: the task's prompt.
        question: the task's input.
        read: reads a reply; raises ``BadReply``.

    Returns:
        The value. Where there is none, what was there before stands.
    """
    text = msgspec.json.format(msgspec.json.encode(question), indent=1).decode()
    problems: list[str] = []
    asked = text
    for attempt in range(1, ATTEMPTS + 1):
        try:
            reply = ask(system, asked)
        except (ShoppingError, OSError) as error:
            return Answer(None, (*problems, f"The model could not be asked: {error}"), attempt)
        try:
            return Answer(read(reply), tuple(problems), attempt)
        except BadReply as error:
            problems.append(str(error))
            asked = f"{text}\n\nYour reply was:\n{reply[:MAX_SHOWN_CHARS]}\n\nIt cannot be used: {error}\nReply again."
    return Answer(None, tuple(problems), ATTEMPTS)


def read_json(reply: str, kind: type[Part]) -> Part:
    """Return the JSON object of a reply, which may stand between other words or in a code block.

    Raises:
        BadReply: where there is none, or none of this form.
    """
    if len(reply) > MAX_REPLY_CHARS:
        raise BadReply(f"It has {len(reply)} characters; at most {MAX_REPLY_CHARS} are read.")
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 or end < start:
        raise BadReply("It has no JSON object.")
    try:
        return msgspec.json.decode(reply[start : end + 1].encode("utf-8", "replace"), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadReply(f"It is no JSON object of the form that was asked for: {error}") from None
