"""Read a request: what is wanted, in which colour, size and number, at what price, and what is not wanted."""

import re
from dataclasses import dataclass, field, replace

from personalized_shopping.shared_libraries.requests.prices import Budget, split_price
from personalized_shopping.shared_libraries.requests.text import clean, stem, words
from personalized_shopping.shared_libraries.requests.vocabulary import (
    AMBIGUOUS_COLOURS,
    CLAUSE_STARTS,
    COLOURS,
    CONTAINERS,
    FILLERS,
    INGREDIENTS,
    NOT_EXCLUDED,
    NUMBER_WORDS,
    PUNCTUATION,
    QUALIFIERS,
    SIZES,
    STOP_WORDS,
    TRAILING_QUALIFIERS,
)
from personalized_shopping.shared_libraries.requests.wishes import Kind, Wish, read_wishes

MAX_QUERY_WORDS = 24
"""Longest query that is put to the shop, in words."""


@dataclass(frozen=True)
class Request:
    """What a person asked for.

    ``thing`` is the word that names it; ``words`` are the words worth searching for, in their order, the thing and
    its colour among them; ``detail`` are those that stand after the naming phrase (`with pockets`).
    """

    thing: str = ""
    words: tuple[str, ...] = ()
    detail: frozenset[str] = frozenset()
    wishes: tuple[Wish, ...] = ()
    excluded: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)
    text: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was named that one could search for."""
        return not self.words

    def wished(self, kind: Kind) -> list[str]:
        """Return the values of one kind of wish."""
        return [wish.value for wish in self.wishes if wish.kind == kind]


NO_REQUEST = Request()

_OPENERS = (
    r"(?:(?:hello|hi|hey|never ?mind|forget it|hmm+|please|also|and|"
    r"good (?:morning|afternoon|evening|day)|then|ok|okay|actually|instead|"
    r"no(?=,)|yes|well|so|now|just|but)\b[\s,.!]*)*"
)
_ASKERS = (
    r"(?:(?:can|could|will|would|do|did|may) (?:you|i|we)\b\s*|i\s?(?:am|'m|'d|'ve|would|will|really|wanna|do)?\s*|"
    r"we\s+|let'?s\s+|let me\s+|help me\s*|please\s+)*"
)
_ASKING = (
    r"(?:(?:to|really|also|have|help|me|us|go|be|been|currently|in|try|trying|hoping|like|love|need|want|wish|please|"
    r"interested|interesting|looking|look|searching|search|shopping|shop|seeking|prefer|choose|pick|select|show|give|find|"
    r"get|buy|purchase|order|recommend|suggest|direct|add|having|buying|purchasing|finding|getting|cart|my|for|up|out|see|"
    r"something)\b\s*)*"
)
_LEAD_IN = re.compile(rf"(?:(?:^|(?<=[.!?,;]\s))\s*){_OPENERS}{_ASKERS}{_ASKING}(?=\b)")
"""The words of asking at the start of a sentence: `can you help me find`, `also, i would like`."""

_NO_COMPOUNDS = (
    "show|iron|slip|tie|sew|drill|rinse|bake|wire|touch|pull|added|cook|knead|heat|stick|spill|longer|more|less|problem|"
    "thanks|matter|idea|need|limit"
)
_NEGATION = re.compile(
    r"\b(?:(?:but |and )?not (?:in |the |a |an |made of |made from |any )?|but no |"
    rf"no (?!(?:{_NO_COMPOUNDS})\b)|without (?:any |a |an |the )?|except (?:for |the )?|anything but |other than |"
    r"(?:don'?t|do not) (?:want|like|need) (?:any |a |an |the |it in |it to be )?)"
    r"(?P<what>[a-z][a-z'-]+)(?:\s+(?:or|nor|and no|and not)\s+(?P<more>[a-z][a-z'-]+))?"
)
_CONTAINER_STEMS = frozenset(stem(word) for word in CONTAINERS)
_COUNTED = frozenset({"pack", "set", "box", "case"})
_TOKEN = re.compile(r"[^\W_]+(?:[.'&/-][^\W_]+)*|[,.;!?()]")
_CONTAINER_OF = re.compile(rf"\b(?:{'|'.join(sorted(CONTAINERS - _COUNTED))}) of\b")


def understand(message: str) -> Request:
    """Read one message as a request; a message without one gives an empty request."""
    original = clean(message)
    text, budget = split_price(original.lower())
    text = _LEAD_IN.sub(" ", text)
    text, excluded = _exclusions(text)
    wishes, text = read_wishes(text)
    phrase, rest = _naming_phrase(text)
    named, described = _content(phrase), _content(rest)
    if not named:
        named, described = described, []
    kept = list(dict.fromkeys(named + described))[:MAX_QUERY_WORDS]
    kept = [word for word in kept if stem(word) not in excluded]
    thing = _thing(named)
    return Request(
        thing=thing if thing in kept else "",
        words=tuple(kept),
        detail=frozenset(described) - set(named),
        wishes=wishes,
        excluded=excluded,
        budget=budget,
        text=original,
    )


def _exclusions(text: str) -> tuple[str, tuple[str, ...]]:
    excluded: list[str] = []

    def note(match: re.Match[str]) -> str:
        found = [word for word in match.group("what", "more") if word]
        if any(found[0] in kept for kept in (NOT_EXCLUDED, INGREDIENTS, FILLERS, STOP_WORDS)):
            return match.group()
        excluded.extend(stem(word) for word in found)
        return " "

    return _NEGATION.sub(note, text), tuple(dict.fromkeys(excluded))


def _naming_phrase(text: str) -> tuple[str, str]:
    """Cut a request where it stops naming the thing: at a comma, a full stop or a word such as `with`."""
    named = False
    last = ""
    for match in _TOKEN.finditer(text):
        token = match.group()
        contains = stem(last) in _CONTAINER_STEMS or last in NUMBER_WORDS
        # `a pair of shoes` goes on; `candles of soy wax` starts to describe.
        ends = not contains if token == "of" else token in CLAUSE_STARTS or token in PUNCTUATION
        if named and ends and (token == "of" or not _is_qualifier(last)):
            return text[: match.start()], text[match.start() :]
        if _is_content(token) and stem(token) not in _CONTAINER_STEMS and not token[0].isdigit():
            named = named or token not in COLOURS or token in AMBIGUOUS_COLOURS
        if token not in PUNCTUATION and token not in {"and", "to"}:
            last = token
    return text, ""


def _is_qualifier(word: str) -> bool:
    """Whether a phrase cannot end with this word: `gluten free, ...`, `easy to ...` go on to the thing itself."""
    able = len(word) > 6 and word.endswith(("able", "ible"))
    return able or word in QUALIFIERS or word.endswith(("-free", "proof", "resistant"))


def _is_content(token: str) -> bool:
    return token not in STOP_WORDS and token not in FILLERS and any(mark.isalnum() for mark in token)


def _content(text: str) -> list[str]:
    return [word for word in words(_CONTAINER_OF.sub("", text)) if _is_content(word)]


def _thing(named: list[str]) -> str:
    """Return the last word of a phrase that can be a thing."""
    for word in reversed(named):
        if (
            word in TRAILING_QUALIFIERS
            or word in SIZES
            or word in NUMBER_WORDS
            or word[0].isdigit()
            or _is_qualifier(word)
        ):
            continue
        if word not in COLOURS or word in AMBIGUOUS_COLOURS or len(named) == 1:
            return word
    return named[-1] if named else ""


def refine(request: Request, change: Request) -> Request:
    """Return a request changed by what a later message adds: a new colour replaces the old one, a new word joins.

    Args:
        request: What was wanted so far.
        change: What the later message says by itself (`in blue`, `under $20`, `with pockets`).
    """
    kinds = {wish.kind for wish in change.wishes}
    dropped = {word for wish in request.wishes if wish.kind in kinds for word in words(wish.value)}
    dropped |= {word for word in request.words if stem(word) in change.excluded}
    kept = [word for word in request.words if word not in dropped or word == request.thing]
    added = [word for word in change.words if word not in kept]
    # A colour stands before the thing, as one says it: `blue shirts`.
    coloured = {word for value in change.wished("colour") for word in words(value)}
    colours = [word for word in added if word in coloured]
    details = [word for word in added if word not in coloured]
    named_again = {stem(word) for word in change.words}
    excluded = [word for word in request.excluded if word not in named_again]
    budget = change.budget
    if not budget.bounded:
        budget = replace(request.budget, cheap=request.budget.cheap or change.budget.cheap)
    return replace(
        request,
        words=tuple([*colours, *kept, *details][:MAX_QUERY_WORDS]),
        detail=request.detail | frozenset(details),
        wishes=tuple(wish for wish in request.wishes if wish.kind not in kinds) + change.wishes,
        excluded=tuple(dict.fromkeys([*excluded, *change.excluded])),
        budget=budget,
        text=f"{_without(request.text, dropped)} {change.text}".strip(),
    )


def _without(text: str, dropped: set[str]) -> str:
    """Take words out of a text, so that what was wished for before is not read as wished for still."""
    for word in dropped:
        text = re.sub(rf"\b{re.escape(word)}\b", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())
