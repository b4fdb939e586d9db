"""CSS selectors in linear time: the parser's library matches single compounds, the combinators are walked here.

The library's own matching of ``a b c`` tries every chain of ancestors, so that a selector of two hundred characters can
hold the process for minutes. Here each step of a selector is one pass over the document, whatever the selector.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.capture.selectors import bad_selector
from personalized_shopping.shared_libraries.skills.capture.words import words

MAX_STEPS = 40
"""Compounds in one selector, all of its alternatives together."""
MAX_PSEUDO = 10
PLAIN_PSEUDO = words(
    "first-child last-child only-child first-of-type last-of-type only-of-type empty root checked disabled enabled"
)
NUMBERED_PSEUDO = frozenset({"nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"})
NESTING_PSEUDO = frozenset({"not", "is", "where", "has"})
_PSEUDO = re.compile(r":(:?)([-\w]*)(\(?)")
_NUMBER = re.compile(r"\s*(?:even|odd|[-+]?\d{0,6}n(?:\s*[-+]\s*\d{1,6})?|[-+]?\d{1,6})\s*\)", re.ASCII)
_ESCAPE = re.compile(r"\\(?:[0-9a-fA-F]{1,6}[ \t\n\r\f]?|.)", re.DOTALL)
_NO_NAME = re.compile(r"[#.]-?[0-9]|#(?![-\w\\])")
_NOT_SIMPLE = re.compile(r"[ \t\n\r\f>+~(]|^$")
_CLOSING = {"(": ")", "[": "]"}

Matcher = Callable[[str], frozenset[int]]


class Step(NamedTuple):
    """One compound and how it hangs on the one before: by a space, ``>``, ``+`` or ``~``; the first by nothing."""

    combinator: str
    compound: str


def match_css(css: str, parents: Sequence[int | None], match_compound: Matcher) -> list[int]:
    """Return the elements that match, in document order.

    Args:
        css: the selector.
        parents: each element's parent, by index; a parent stands before its children.
        match_compound: gives the elements that match one compound, such as ``a.b[href]``.

    Raises:
        WorldError: ``failed`` for a selector that cannot be read or is not supported.
    """
    chains = split_selector(css)
    if sum(map(len, chains)) > MAX_STEPS:
        raise bad_selector(css, f"it has more than {MAX_STEPS} parts")
    found: set[int] = set()
    for chain in chains:
        current = set(match_compound(chain[0].compound))
        for step in chain[1:]:
            current = _follow(step.combinator, current, parents) & match_compound(step.compound)
        found |= current
    return sorted(found)


def split_selector(css: str) -> list[list[Step]]:
    """Return a selector's alternatives, each as its steps.

    Raises:
        WorldError: ``failed`` for brackets and quotes that do not close, an empty part and unsupported pseudo-classes.
    """
    chains: list[list[Step]] = [[]]
    combinator, start, place = "", 0, 0

    def close(end: int) -> None:
        nonlocal combinator
        compound = css[start:end]
        if compound:
            _check_pseudo(compound, css)
            chains[-1].append(Step(combinator, compound))
            combinator = " "

    while place < len(css):
        char = css[place]
        if char in " \t\n\r\f>+~,":
            close(place)
            if char == ",":
                if combinator != " ":
                    raise bad_selector(css, "a part of it is empty")
                chains.append([])
                combinator = ""
            elif char in ">+~":
                if combinator != " ":
                    raise bad_selector(css, f"{char} stands between two parts")
                combinator = char
            place += 1
            start = place
        else:
            place = _skip(css, place)
    close(len(css))
    if combinator != " ":
        raise bad_selector(css, "a part of it is empty")
    return chains


def _skip(css: str, place: int) -> int:
    """Return the place after the character, string or bracket that begins here."""
    char = css[place]
    if char == "\\":
        escape = _ESCAPE.match(css, place)
        if escape is None:
            raise bad_selector(css, "it ends in a backslash")
        return escape.end()
    if char in "\"'":
        return _after_string(css, place)
    if char in ")]":
        raise bad_selector(css, "a bracket closes that never opened")
    if char not in _CLOSING:
        return place + 1
    open_brackets = [_CLOSING[char]]
    place += 1
    while place < len(css):
        char = css[place]
        if char == "\\":
            place += 1
        elif char in "\"'":
            place = _after_string(css, place) - 1
        elif char in _CLOSING:
            open_brackets.append(_CLOSING[char])
        elif char in ")]":
            if char != open_brackets.pop():
                break
            if not open_brackets:
                return place + 1
        place += 1
    raise bad_selector(css, "a bracket does not close")


def _after_string(css: str, place: int) -> int:
    quote, place = css[place], place + 1
    while place < len(css):
        if css[place] == "\\":
            place += 1
        elif css[place] == quote:
            return place + 1
        place += 1
    raise bad_selector(css, "a quote does not close")


def _check_pseudo(compound: str, css: str) -> None:
    """Let through the pseudo-classes that mean the same in the library and in browsers, none of them costly."""
    bare = _without_strings(compound)
    if _NO_NAME.search(bare):
        raise bad_selector(css, 'a name does not begin with a digit; escape it, or write [id="…"]')
    if "|" in bare:
        raise bad_selector(css, "namespaces are not supported")
    matches = list(_PSEUDO.finditer(bare))
    if len(matches) > MAX_PSEUDO:
        raise bad_selector(css, f"one part has more than {MAX_PSEUDO} pseudo-classes")
    for match in matches:
        element, name, opened = match.groups()
        name = name.lower()
        if element:
            raise bad_selector(css, "pseudo-elements are no elements")
        if opened and name in NUMBERED_PSEUDO and _NUMBER.match(bare, match.end()):
            continue
        if opened and name in NESTING_PSEUDO:
            inside = bare[match.end() : bare.find(")", match.end())]
            parts = [part.strip() for part in inside.split(",")]
            if name == "has":
                parts = [part.lstrip(">+~").strip() for part in parts]
            if any(_NOT_SIMPLE.search(part) for part in parts):
                raise bad_selector(css, f":{name}() holds simple parts only, such as :{name}(.a)")
        elif opened or name not in PLAIN_PSEUDO:
            raise bad_selector(css, f"the pseudo-class :{name} is not supported")


def _without_strings(compound: str) -> str:
    """Return a compound with its strings, attribute selectors and escaped characters blanked out, lengths kept."""
    out: list[str] = []
    place = 0
    while place < len(compound):
        end = _skip(compound, place) if compound[place] in "\\\"'[" else place + 1
        out.append("_" * (end - place) if end > place + 1 else compound[place])
        place = end
    return "".join(out)


def _follow(combinator: str, found: set[int], parents: Sequence[int | None]) -> set[int]:
    """Return the elements that stand to one of those found as the combinator says."""
    if combinator == ">":
        return {index for index, parent in enumerate(parents) if parent in found}
    if combinator == " ":
        below: set[int] = set()
        for index, parent in enumerate(parents):
            if parent is not None and (parent in found or parent in below):
                below.add(index)
        return below
    beside: set[int] = set()
    previous: dict[int | None, bool] = {}
    for index, parent in enumerate(parents):
        if previous.get(parent):
            beside.add(index)
        previous[parent] = index in found or (combinator == "~" and previous.get(parent, False))
    return beside
