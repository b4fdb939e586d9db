"""Read the wishes that a product's options may fulfil: colours, sizes, numbers of pieces, flavours."""

import re
from dataclasses import dataclass
from typing import Literal

from personalized_shopping.shared_libraries.requests.prices import amount
from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.requests.vocabulary import (
    AMBIGUOUS_COLOURS,
    COLOURS,
    EDIBLE,
    FILLERS,
    NUMBER_WORDS,
    PLAIN_SIZES,
    SHADES,
    SIZES,
    STOP_WORDS,
)

Kind = Literal["colour", "size", "count", "flavour"]


@dataclass(frozen=True)
class Wish:
    """One thing that a product's options may have to offer."""

    kind: Kind
    value: str


def _longest_first(alternatives: object) -> str:
    return "|".join(sorted((re.escape(str(one)) for one in alternatives), key=len, reverse=True))  # type: ignore[attr-defined]


_NUMBER_NAMES = _longest_first(NUMBER_WORDS)
_NUMBER = rf"(?:\d+(?:\.\d+)?|(?:{_NUMBER_NAMES}))(?:-(?:{_NUMBER_NAMES}))?"
_ANY_SIZE = _longest_first(SIZES)
_SIZE_WORD = _longest_first(size for size in SIZES if size not in PLAIN_SIZES)
_LENGTH = r"\d+(?:\.\d+)?\s?(?:\"|inch(?:es)?|in|ft|feet|cm|mm|m|')?(?:\s?[wlhd]\b)?"
_UNIT = r"fl oz|oz|ounces?|inch(?:es)?|ft|feet|cm|mm|gb|tb"
_WIDTH = _UNIT + r"|wide|narrow|x-wide|months|years|toddler|big kid|little kid|us|eu|uk|dd|d|c|b|a|w|m|t"

_SPELT_SIZES = (
    (re.compile(r"\b(?:extra[\s-]extra|xx|2x)[\s-]+(large|small)\b"), r"xx-\1"),
    (re.compile(r"\b(?:xxx|3x)[\s-]+(large)\b"), r"3x-\1"),
    (re.compile(r"\b([4-7])x[\s-]+(large)\b"), r"\1x-\2"),
    (re.compile(r"\b(?:extra|x)[\s-]+(large|small)\b"), r"x-\1"),
    (re.compile(r"\btwin\s+xl\b"), "twin-xl"),
)
_MEASURED = (
    re.compile(r"\b\d{2}\s?w\s?(?:x|by)?\s?\d{2}\s?l\b"),
    re.compile(rf"\b{_LENGTH}\s?(?:x|by|\*)\s?{_LENGTH}(?:\s?(?:x|by|\*)\s?{_LENGTH})?"),
)
_NAMED = (
    re.compile(
        rf"\bsized?\s*(?:is|of|in|should be|must be|:|-)?\s*(?:an?\s+)?"
        rf"(?P<value>(?:{_ANY_SIZE})\b|{_NUMBER}(?:\s+and\s+a\s+half)?(?:\s?(?:{_WIDTH})\b)?)"
    ),
    re.compile(rf"\b(?P<value>(?:{_ANY_SIZE})|{_NUMBER})[\s-]sized?\b"),
    re.compile(rf"\bin\s+(?:an?\s+)?(?P<value>{_SIZE_WORD})\b"),
    re.compile(rf"\b(?P<value>{_SIZE_WORD})\b"),
)
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


def read_wishes(text: str) -> tuple[tuple[Wish, ...], str]:
    """Return the wishes of a request, and its text without the size names, which help no search."""
    for pattern, plain in _SPELT_SIZES:
        text = pattern.sub(plain, text)
    wishes = [
        Wish("count", f"{number:g}")
        for pattern in _COUNTS
        for match in pattern.finditer(text)
        if (number := amount(match["value"])) is not None
    ]
    size, text = _size(text)
    if size:
        wishes.append(Wish("size", size))
    for pattern in _FLAVOURS:
        if (match := pattern.search(text)) and (value := _telling(match["value"])):
            wishes.append(Wish("flavour", value))
            break
    wishes.extend(Wish("colour", colour) for colour in _colours(text))
    return tuple(dict.fromkeys(wishes)), text


def _size(text: str) -> tuple[str, str]:
    """Return the first size that a text names, and the text without it if it is a name or a bare number."""
    for pattern in _MEASURED:
        if match := pattern.search(text):
            return " ".join(match.group().split()), text
    for pattern in _NAMED:
        if match := pattern.search(text):
            return _plain_size(match["value"]), f"{text[: match.start()]} {text[match.end() :]}"
    return "", text


def _plain_size(named: str) -> str:
    half = re.search(r"\s+and\s+a\s+half\b", named)
    number, _, rest = (named.replace(half.group(), "") if half else named).partition(" ")
    value = amount(number)
    if value is None:
        return SIZES.get(named, named)
    return f"{value + (0.5 if half else 0.0):g} {rest}".strip()


def _colours(text: str) -> list[str]:
    """Return the colours that a text names; a doubtful word counts only where `color` or `in` stands beside it."""
    found: list[str] = []
    tokens = words(text)
    for place, token in enumerate(tokens):
        if token not in COLOURS:
            continue
        before = tokens[place - 1] if place else ""
        after = tokens[place + 1] if place + 1 < len(tokens) else ""
        shaded = before in SHADES and before != token and token not in EDIBLE
        alone = place == len(tokens) - 1 and len(tokens) < 3
        sure = before == "in" or "colo" in before or "colo" in after or alone
        if token in AMBIGUOUS_COLOURS and not sure and not shaded:
            continue
        if after in COLOURS and token in SHADES:
            continue
        found.append(f"{before} {token}" if shaded else token)
    if found:
        return list(dict.fromkeys(found))
    for pattern in _COLOUR_NAMED:
        if (match := pattern.search(text)) and (value := _telling(match["value"])):
            return [value]
    return []


def _telling(value: str) -> str:
    return " ".join(word for word in value.split() if word not in STOP_WORDS and word not in FILLERS)
