"""What the person has asked for, from the person's own messages and from nothing else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import Struct

from personalized_shopping.shared_libraries.requests.options import Option, keys, matching_values
from personalized_shopping.shared_libraries.requests.text import stem, stems, words
from personalized_shopping.shared_libraries.requests.turning import names_nothing, split_taken_back, without_answers
from personalized_shopping.shared_libraries.requests.understanding import NO_REQUEST, Request, refine, understand

MAX_MESSAGE_CHARS = 4_000
MAX_MESSAGES = 200
_NO_LIMIT = re.compile(
    r"\b(?:price (?:doesn'?t|does not) matter|(?:any|whatever) price|no (?:price )?limit|"
    r"(?:forget|ignore|never mind) (?:about )?(?:the|my) (?:price|budget))\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"\b(?:find|need|want|looking|search|buy|get|show|order|like)\b"
    r"(?!\s+(?:to\s+\w+\s+)?(?:(?:me|us)\s+)?(?:\w+\s+of\s+)?(?:it|this|that|them|the|these|those)\b)",
    re.IGNORECASE,
)
"""Words of asking for another thing; `buy it` and `get me two of those` ask for what was spoken of before."""
_TURNS = re.compile(
    r"\b(?:make (?:it|that|them)|chang\w+|switch\w*|swap\w*|instead|rather|actually|prefer|no|not|wait|hold on)\b",
    re.IGNORECASE,
)
"""Words that come with a new value: what was said of the same option before holds no longer."""

_COUNTED = re.compile(r"pack|count|number|quantity|pieces", re.IGNORECASE)


class Said(Struct, frozen=True):
    """A message of the current request: what it asks for, and the texts that it takes back."""

    request: Request
    taken_back: tuple[str, ...] = ()

    @property
    def turns(self) -> bool:
        """Whether the message puts a value in another's place."""
        return bool(self.taken_back or _TURNS.search(self.request.text))

    def without(self, name: str) -> "Said":
        """Return the message read without a product's name, whose words are no wishes."""
        text = re.sub(re.escape(name), " ", self.request.text, flags=re.IGNORECASE)
        return self if text == self.request.text else Said(understand(text), self.taken_back)

    def values(self, option: Option) -> tuple[list[str], bool, bool]:
        """Return the option's values that the message names, whether as a wish, and whether older ones still count."""
        counted = _COUNTED.search(option.name) or self.request.wished("size")
        wished = matching_values(replace(self.request, text=""), option)
        wished = [value for value in wished if counted or not value.isdigit()]  # `2 pairs` is no shoe size
        if wished:
            return wished, True, False
        named = matching_values(replace(self.request, wishes=()), option)
        explained = {key for value in named for key in keys(value)}
        asked = {key for word in self.request.words for key in keys(word)}
        nothing_else = bool(asked) and asked <= explained
        return named, False, not (self.turns or nothing_else)


class PersonWishes(Struct, frozen=True):
    """The current request, all of its messages together; the latest word on each point counts.

    ``limit_usd`` is the highest price that may be paid, ``None`` without one. ``said`` holds the messages as they are.
    """

    request: Request = NO_REQUEST
    limit_usd: float | None = None
    said: tuple[str, ...] = ()
    current: tuple[Said, ...] = ()
    """The messages of the current request."""

    @property
    def stems(self) -> frozenset[str]:
        """The compared forms of everything that was named."""
        return frozenset(stem(word) for word in self.request.words)

    def values_wanted(self, name: str, values: Iterable[str], title: str | None = None) -> list[str]:
        """Return the values of an option that fit what the person said; empty where nothing was said of it.

        The latest message that wishes for one, or turns to one, decides; older ones narrow it down (`size 12 ounce`,
        then `pack of 6`). Where the product's ``title`` is known, a message that calls it by its name wishes for no
        value by that.
        """
        option = Option(name, tuple(values))
        called = (title or "").split(",")[0].strip()
        if called and (found := _latest([said.without(called) for said in self.current], option)):
            return found
        return _latest(self.current, option)

    def said_anywhere(self, text: str) -> bool:
        """Return whether the person's own messages hold a text, ignoring case."""
        return any(text.lower() in message.lower() for message in self.said)


def read_wishes(messages: Iterable[str]) -> PersonWishes:
    """Read the person's messages in order.

    A message that asks for another thing begins a new request, and the old one's price limit ends with it; any other
    message refines the current request.
    """
    request, limit = NO_REQUEST, None
    current: list[Said] = []
    said = tuple(message[:MAX_MESSAGE_CHARS] for message in messages)[-MAX_MESSAGES:]
    for message in said:
        settled, taken_back = split_taken_back(message)
        asked = without_answers(settled)
        change = understand(asked)
        if names_nothing(change.words):  # `I don't want to spend more than $25`
            change = replace(change, thing="", words=(), detail=frozenset())
        if _begins_anew(request, change, asked):
            request, limit, current = change, None, []
        else:
            request = refine(_without(request, taken_back), change)
        current.append(Said(replace(change, text=settled), (*taken_back, *change.excluded)))
        if _NO_LIMIT.search(message):
            limit = None
        elif change.budget.max_usd is not None:
            limit = change.budget.max_usd
    return PersonWishes(request, limit, said, tuple(current))


def _without(request: Request, taken_back: Sequence[str]) -> Request:
    """Return a request without what a later message takes back; `size 20` goes with `20 count`."""
    gone = {key for text in taken_back for key in keys(text)}
    if not gone:
        return request
    return replace(
        request,
        words=tuple(word for word in request.words if word == request.thing or not set(keys(word)) <= gone),
        wishes=tuple(wish for wish in request.wishes if not set(keys(wish.value)) <= gone),
    )


def _latest(messages: Sequence[Said], option: Option) -> list[str]:
    found: list[str] = []
    open_still = True
    gone: set[str] = set()
    for said in reversed(messages):
        gone.update(key for text in said.taken_back for key in keys(text))
        named, wished, older_count = said.values(option)
        named = [value for value in named if not set(keys(value)) <= gone]
        if not named:
            continue
        if not open_still:
            found = [value for value in found if value in named] or found
        elif wished:
            found, open_still = named, False  # a wish outweighs what was only mentioned since
        else:
            found, open_still = [*found, *(value for value in named if value not in found)], older_count
    return found


def _begins_anew(request: Request, change: Request, message: str) -> bool:
    """Whether a message asks for another thing: "now a lamp for my desk", and not "in dark blue" or "buy the first"."""
    if request.empty:
        return True
    known = set(stems(" ".join(request.words)))
    wished = {word for wish in change.wishes for word in words(wish.value)}
    return (
        bool(change.thing) and not {change.thing, stem(change.thing)} & (known | wished) and bool(_ASKS.search(message))
    )
