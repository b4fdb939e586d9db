"""Read a request: what is wanted, in which colour, size and number, at what price, and what is not wanted."""

import re
from dataclasses import dataclass, replace

from personalized_shopping.models.offline.prices import Budget, amount, split_price
from personalized_shopping.models.offline.text import clean, stem, words
from personalized_shopping.models.offline.vocabulary import (
    AMBIGUOUS_COLOURS,
    CLAUSE_STARTS,
    COLOURS,
    CONTAINERS,
    FILLERS,
    NUMBER_WORDS,
    PLAIN_SIZES,
    PUNCTUATION,
    QUALIFIERS,
    SHADES,
    SIZES,
    STOP_WORDS,
    TRAILING_QUALIFIERS,
)

MAX_QUERY_WORDS = 24
"""Longest query that is put to the shop, in words."""

COLOUR, SIZE, COUNT, FLAVOUR = "colour", "size", "count", "flavour"


@dataclass(frozen=True)
class Wish:
    """One thing that a product's options may have to offer: a colour, a size, a number of pieces, a flavour."""

    kind: str
    value: str


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
    budget: Budget = Budget()
    text: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was named that one could search for."""
        return not self.words

    def wished(self, kind: str) -> list[str]:
        """Return the values of one kind of wish."""
        return [wish.value for wish in self.wishes if wish.kind == kind]

    @property
    def name(self) -> str:
        """The request in a few words, as one says it back."""
        return " ".join(word for word in self.words if word not in self.detail) or " ".join(self.words)


_LEAD_IN = re.compile(
    r"(?:(?:^|(?<=[.!?,;]\s))\s*)(?:(?:hello|hi|hey|please|also|and|good (?:morning|afternoon|evening|day)|then|ok|okay|actually|instead|"
    r"no|yes|well|so|now|just|but)\b[\s,.!]*)*"
    r"(?:(?:can|could|will|would|do|did|may) (?:you|i|we)\b\s*|i\s?(?:am|'m|'d|'ve|would|will|really|wanna|do)?\s*|we\s+|let'?s\s+|let me\s+|help me\s*|please\s+)*"
    r"(?:(?:to|really|also|have|help|me|us|go|be|been|currently|in|try|trying|hoping|like|love|need|want|wish|please|"
    r"interested|interesting|looking|look|searching|search|shopping|shop|seeking|prefer|choose|pick|select|show|give|find|"
    r"get|buy|purchase|order|recommend|suggest|direct|add|having|buying|purchasing|finding|getting|cart|my|for|up|out|see|something)\b\s*)*"
    r"(?=\b)",
)
_NO_COMPOUNDS = "show|iron|slip|tie|sew|drill|rinse|bake|wire|touch|pull|added|cook|knead|heat|stick|spill|longer|more|less|problem|thanks|matter|idea|need|limit"
_NEGATION = re.compile(
    rf"\b(?:(?:but |and )?not (?:in |the |a |an |made of |made from |any )?|but no |no (?!(?:{_NO_COMPOUNDS})\b)|without (?:any |a |an |the )?|"
    r"except (?:for |the )?|anything but |other than |(?:don'?t|do not) (?:want|like|need) (?:any |a |an |the |it in |it to be )?)"
    r"(?P<what>[a-z][a-z'-]+)(?:\s+(?:or|nor|and no|and not)\s+(?P<more>[a-z][a-z'-]+))?"
)
_NOT_EXCLUDED = frozenset("be is are have sure only just too over under more less sugar-free have been to that it want need "
                          "like sure exceed cost contain tested artificial preservatives sugar alcohol gluten dairy msg "
                          "sulfate sulfates paraben parabens bpa lead caffeine fragrance nuts soy additives gmo".split())  # fmt: skip

_NUMBER = r"(?:\d+(?:\.\d+)?|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True)) + r")(?:-(?:" + "|".join(NUMBER_WORDS) + r"))?"
_SIZE_WORD = "|".join(sorted((re.escape(size) for size in SIZES if size not in PLAIN_SIZES), key=len, reverse=True))
_ANY_SIZE = "|".join(sorted((re.escape(size) for size in SIZES), key=len, reverse=True))
_SPELT_SIZES = (
    (re.compile(r"\b(?:extra[\s-]extra|xx|2x)[\s-]+(large|small)\b"), r"xx-\1"),
    (re.compile(r"\b(?:xxx|3x)[\s-]+(large)\b"), r"3x-\1"),
    (re.compile(r"\b([4-7])x[\s-]+(large)\b"), r"\1x-\2"),
    (re.compile(r"\b(?:extra|x)[\s-]+(large|small)\b"), r"x-\1"),
    (re.compile(r"\btwin\s+xl\b"), "twin-xl"),
)
_SIZES = (
    re.compile(r"\b\d{2}\s?w\s?(?:x|by)?\s?\d{2}\s?l\b"),
    re.compile(r"\b\d+(?:\.\d+)?\s?(?:\"|inch(?:es)?|in|ft|feet|cm|mm|')?(?:\s?[wlhd])?\s?(?:x|by|\*)\s?\d+(?:\.\d+)?\s?(?:\"|inch(?:es)?|in|ft|feet|cm|mm|')?(?:\s?[wlhd]\b)?"
               r"(?:\s?(?:x|by|\*)\s?\d+(?:\.\d+)?\s?(?:\"|inch(?:es)?|in|ft|feet|cm|mm|')?)?"),
    re.compile(rf"\bsized?\s*(?:is|of|in|should be|must be|:|-)?\s*(?:an?\s+)?(?P<value>(?:{_ANY_SIZE})\b|(?:{_NUMBER})(?:\s+and\s+a\s+half)?(?:\s?(?:wide|narrow|x-wide|months|years|toddler|big kid|little kid|us|eu|uk|dd|d|c|b|a|w|m|t)\b)?)"),
    re.compile(rf"\b(?P<value>(?:{_ANY_SIZE})|{_NUMBER})[\s-]sized?\b"),
    re.compile(rf"\bin\s+(?:an?\s+)?(?P<value>{_SIZE_WORD})\b"),
    re.compile(rf"\b(?P<value>{_SIZE_WORD})\b"),
)  # fmt: skip
_COUNTS = (
    re.compile(rf"\b(?:pack|set|box|case|lot|bag|bundle)\s+of\s+(?P<value>{_NUMBER})\b"),
    re.compile(rf"\b(?P<value>{_NUMBER})[\s-]?(?:pack|packs|count|ct|pcs|pc|pieces|piece|bars|bottles|cans|pairs)\b"),
)
_FLAVOURS = (
    re.compile(r"\b(?P<value>[a-z]+(?: (?:and|&) [a-z]+| [a-z]+)?)[\s-](?:flavou?r(?:ed)?|scent(?:ed)?)\b"),
    re.compile(r"\b(?:flavou?r|scent)\s*(?:is|of|:|should be)?\s+(?P<value>[a-z]+(?: [a-z]+)?)"),
)
_COLOUR_NAMED = (
    re.compile(r"\bcolou?r(?:ed)?\s*(?:is|of|in|should be|must be|:)?\s+(?P<value>[a-z0-9-]+(?: [a-z]+)?)"),
    re.compile(r"(?P<value>(?:\b[a-z]+ )?\b[a-z0-9]+)[\s-]+colou?r(?:ed)?\b"),
)


def understand(message: str) -> Request:
    """Read one message as a request; a message without one gives an empty request."""
    original = clean(message)
    text, budget = split_price(original.lower())
    text = _LEAD_IN.sub(" ", text)
    text, excluded = _exclusions(text)
    wishes, text = _wishes(text)
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
        if found[0] in _NOT_EXCLUDED or found[0] in FILLERS or found[0] in STOP_WORDS:
            return match.group()
        excluded.extend(stem(word) for word in found)
        return " "

    return _NEGATION.sub(note, text), tuple(dict.fromkeys(excluded))


def _wishes(text: str) -> tuple[tuple[Wish, ...], str]:
    """Return the wishes, and the text without the sizes that help no search."""
    wishes: list[Wish] = []
    for pattern, plain in _SPELT_SIZES:
        text = pattern.sub(plain, text)
    for pattern in _COUNTS:
        for match in pattern.finditer(text):
            number = amount(match.group("value"))
            if number is not None:
                wishes.append(Wish(COUNT, f"{number:g}"))
    searched = text
    for pattern in _SIZES:
        match = pattern.search(searched)
        if match is None or wishes and any(wish.kind == SIZE for wish in wishes):
            continue
        named = match.groupdict().get("value")
        wishes.append(Wish(SIZE, _size(named) if named else " ".join(match.group().split())))
        if named:
            text = text[: match.start()] + " " + text[match.end() :]
        break
    for pattern in _FLAVOURS:
        if match := pattern.search(text):
            value = " ".join(word for word in match.group("value").split() if word not in STOP_WORDS | FILLERS)
            if value:
                wishes.append(Wish(FLAVOUR, value))
                break
    wishes.extend(Wish(COLOUR, colour) for colour in _colours(text))
    return tuple(dict.fromkeys(wishes)), text


def _size(named: str) -> str:
    named = re.sub(r"\s+and\s+a\s+half\b", " 1/2", named)
    number, _, rest = named.partition(" ")
    value = amount(number)
    if value is None:
        return SIZES.get(named, named)
    if rest.startswith("1/2"):
        value, rest = value + 0.5, rest[3:].strip()
    return f"{value:g} {rest}".strip()


def _colours(text: str) -> list[str]:
    """Return the colours that a text names; a doubtful word counts only where `color` or `in` stands beside it."""
    found: list[str] = []
    tokens = words(text)
    for place, token in enumerate(tokens):
        if token not in COLOURS:
            continue
        before = tokens[place - 1] if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        sure = before == "in" or "colo" in before or "colo" in after or (place == len(tokens) - 1 and len(tokens) < 3)
        if token in AMBIGUOUS_COLOURS and not sure and not (before in SHADES and before != token):
            continue
        if after in COLOURS and token in SHADES:
            continue
        found.append(f"{before} {token}" if before in SHADES and before != token else token)
    if not found:
        for pattern in _COLOUR_NAMED:
            if match := pattern.search(text):
                value = " ".join(word for word in match.group("value").split() if word not in STOP_WORDS | FILLERS)
                if value:
                    return [value]
    return list(dict.fromkeys(found))


def _naming_phrase(text: str) -> tuple[str, str]:
    """Cut a request where it stops naming the thing: at a comma, a full stop or a word such as `with`."""
    named = False
    last = ""
    for match in re.finditer(r"[^\W_]+(?:[.'&/-][^\W_]+)*|[,.;!?()]", text):
        token = match.group()
        if token == "of":
            # `a pair of shoes` goes on; `candles of soy wax` starts to describe.
            if named and stem(last) not in {stem(word) for word in CONTAINERS} and last not in NUMBER_WORDS:
                return text[: match.start()], text[match.start() :]
        elif named and (token in CLAUSE_STARTS or token in PUNCTUATION) and not _is_qualifier(last):
            return text[: match.start()], text[match.start() :]
        elif _is_content(token) and stem(token) not in {stem(word) for word in CONTAINERS} and not token[0].isdigit():
            named = named or token not in COLOURS or token in AMBIGUOUS_COLOURS
        if token not in PUNCTUATION and token not in {"and", "to"}:
            last = token
    return text, ""


def _is_qualifier(word: str) -> bool:
    """Whether a phrase cannot end with this word: `gluten free, ...`, `easy to ...` go on to the thing itself."""
    return word in QUALIFIERS or word.endswith(("-free", "proof", "ble", "resistant"))


def _is_content(token: str) -> bool:
    return token not in STOP_WORDS and token not in FILLERS and any(mark.isalnum() for mark in token)


def _content(text: str) -> list[str]:
    text = re.sub(rf"\b(?:{'|'.join(sorted(CONTAINERS))}) of\b", lambda m: "" if not re.match(r"pack|set|box|case", m[0]) else m[0], text)
    return [word for word in words(text) if _is_content(word)]


def _thing(named: list[str]) -> str:
    for word in reversed(named):
        plain = word not in TRAILING_QUALIFIERS and not _is_qualifier(word) and word not in SIZES and not word[0].isdigit() and word not in NUMBER_WORDS
        if plain and (word not in COLOURS or word in AMBIGUOUS_COLOURS or len(named) == 1):
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
    budget = change.budget if change.budget.bounded else replace(request.budget, cheap=request.budget.cheap or change.budget.cheap)
    return replace(
        request,
        words=tuple([*kept, *added][:MAX_QUERY_WORDS]),
        detail=request.detail | frozenset(added),
        wishes=tuple(wish for wish in request.wishes if wish.kind not in kinds) + change.wishes,
        excluded=tuple(dict.fromkeys([*(word for word in request.excluded if word not in {stem(w) for w in change.words}), *change.excluded])),
        budget=budget,
        text=f"{request.text} {change.text}".strip(),
    )
