"""What the person has asked for, from the person's own messages and from nothing else."""

import re
from collections.abc import Iterable

from msgspec import Struct

from personalized_shopping.shared_libraries.requests.options import Option, matching_values
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request, refine, understand

MAX_MESSAGE_CHARS = 4_000
MAX_MESSAGES = 200
_NO_LIMIT = re.compile(
    r"\b(?:price (?:doesn'?t|does not) matter|(?:any|whatever) price|no (?:price )?limit|"
    r"(?:forget|ignore|never mind) (?:about )?(?:the|my) (?:price|budget))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:find|need|want|looking|search|buy|get|show|order|like)\b(?!\s+(?:it|this|that|them|the|these|those)\b)",
    re.IGNORECASE,
)


class PersonWishes(Struct, frozen=True):
    """The current request, all of its messages together; the latest word on each point counts.

    ``limit_usd`` is the highest price that may be paid, ``None`` without one. ``said`` holds the messages as they are.
    """

    request: Request = NO_REQUEST
    limit_usd: float | None = None
    said: tuple[str, ...] = ()

    @property
    def stems(self) -> frozenset[str]:
        """The compared forms of everything that was named."""
        return frozenset(stem(word) for word in self.request.words)

    def values_wanted(self, name: str, values: Iterable[str]) -> list[str]:
        """Return the values of an option that fit what the person said; empty where nothing was said of it."""
        return matching_values(self.request, Option(name, tuple(values)))

    def said_anywhere(self, text: str) -> bool:
        """Return whether the person's own messages hold a text, ignoring case."""
        return any(text.lower() in message.lower() for message in self.said)


def read_wishes(messages: Iterable[str]) -> PersonWishes:
    """Read the person's messages in order.

    A message that asks for another thing begins a new request, and the old one's price limit ends with it; any other
    message refines the current request.
    """
    request, limit = NO_REQUEST, None
    said = tuple(message[:MAX_MESSAGE_CHARS] for message in messages)[-MAX_MESSAGES:]
    for message in said:
        change = understand(message)
        if _begins_anew(request, change, message):
            request, limit = change, None
        else:
            request = refine(request, change)
        if _NO_LIMIT.search(message):
            limit = None
        elif change.budget.max_usd is not None:
            limit = change.budget.max_usd
    return PersonWishes(request, limit, said)


def _begins_anew(request: Request, change: Request, message: str) -> bool:
    """Whether a message asks for another thing: "now a lamp for my desk", and not "in dark blue" or "buy the first"."""
    if request.empty:
        return True
    known = set(stems(" ".join(request.words)))
    wished = {word for wish in change.wishes for word in words(wish.value)}
    return (
        bool(change.thing) and not {change.thing, stem(change.thing)} & (known | wished) and bool(_ASKS.search(message))
    )
