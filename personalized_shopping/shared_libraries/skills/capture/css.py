"""CSS selectors in linear time: the parser's library matches single compounds, the combinators are walked here.

The library's own matching of ``a b c`` tries every chain of ancestors, so that a selector of two hundred characters can
hold the process for minutes. Here each step of a selector is one pass over the document, whatever the selector. What
is read is the part of CSS that means the same here and in a browser; anything else is an error in both worlds.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.capture.selectors import bad_selector
from personalized_shopping.shared_libraries.skills.capture.words import words

MAX_STEPS = 40
"""Compounds in one selector, all of its alternatives together."""
MAX_PSEUDO = 10
"""Pseudo-classes in one compound."""
STATES = words("checked disabled enabled")
"""Pseudo-classes that the library does not match as browsers do; the caller says which elements they match."""
_PLACES = words("first-child last-child only-child first-of-type last-of-type only-of-type root")
_NUMBERED = words("nth-child nth-last-child nth-of-type nth-last-of-type")
_NESTING = words("not is where has")

_ESCAPE = r"\\(?:[0-9a-fA-F]{1,6}[ \t\n\r\f]?|[^\n\r\f0-9a-fA-F])"
_LETTER = rf"(?:[a-zA-Z_\u0080-\U0010ffff]|{_ESCAPE})"
_NAME = rf"(?:--|-?{_LETTER})(?:[-0-9]|{_LETTER})*+"
_STRING = r"""(?:"(?:[^"\\\n\r\f]|\\.)*+"|'(?:[^'\\\n\r\f]|\\.)*+')"""
_SPACE = r"[ \t\n\r\f]*+"
_VALUE = rf"{_SPACE}[~|^$*]?={_SPACE}(?:{_STRING}|{_NAME}){_SPACE}[iIsS]?{_SPACE}"
_TYPE = re.compile(rf"\*|{_NAME}", re.DOTALL)
_PART = re.compile(rf"[#.]{_NAME}|\[{_SPACE}{_NAME}{_SPACE}(?:{_VALUE})?\]", re.DOTALL)
_PSEUDO = re.compile(r":([-a-zA-Z]+)(\()?")
_NUMBER = re.compile(
    rf"{_SPACE}(?:even|odd|[-+]?\d{{0,6}}n(?:{_SPACE}[-+]{_SPACE}\d{{1,6}})?|[-+]?\d{{1,6}}){_SPACE}\)",
    re.ASCII | re.IGNORECASE,
)
_BETWEEN = re.compile(rf"{_SPACE}([>+~,]?){_SPACE}")
_INNER = re.compile(rf"{_SPACE}([>+~]?){_SPACE}")
_AFTER_INNER = re.compile(rf"{_SPACE}([,)])")

Matcher = Callable[[str], frozenset[int]]


class State(NamedTuple):
    """A pseudo-class of ``STATES``, or that it must not hold."""

    name: str
    holds: bool = True


class Step(NamedTuple):
    """One compound and how it hangs on the one before: by a space, ``>``, ``+`` or ``~``; the first by nothing.

    ``plain`` is the compound without the pseudo-classes that are in ``states``.
    """

    combinator: str
    compound: str
    plain: str
    states: tuple[State, ...] = ()


def match_css(css: str, parents: Sequence[int | None], match_compound: Matcher, match_state: Matcher) -> list[int]:
    """Return the elements that match, in document order.

    Args:
        css: the selector.
        parents: each element's parent, by index; a parent stands before its children.
        match_compound: gives the elements that match one compound, such as ``a.b[href]``.
        match_state: gives the elements of one of ``STATES``.

    Raises:
        WorldError: ``failed`` for a selector that cannot be read or is not supported.
    """
    found: set[int] = set()
    for chain in split_selector(css):
        current: set[int] = set()
        for step in chain:
            matched = match_compound(step.plain)
            current = _follow(step.combinator, current, parents) & matched if step.combinator else set(matched)
            for state in step.states:
                current = current & match_state(state.name) if state.holds else current - match_state(state.name)
        found |= current
    return sorted(found)


def split_selector(css: str) -> list[list[Step]]:
    """Return a selector's alternatives, each as its steps.

    Raises:
        WorldError: ``failed`` for what is no selector, is not supported or is too long.
    """
    chains: list[list[Step]] = [[]]
    place = _skip_space(css, 0)
    combinator = ""
    while True:
        step, place = _read_compound(css, place, combinator)
        chains[-1].append(step)
        if sum(map(len, chains)) > MAX_STEPS:
            raise bad_selector(css, f"it has more than {MAX_STEPS} parts")
        if _skip_space(css, place) == len(css):
            return chains
        between = _BETWEEN.match(css, place)
        if between is None or between.end() == place:
            raise bad_selector(css, f"it cannot be read from its character {place + 1} on")
        place = between.end()
        combinator = between[1] or " "
        if combinator == ",":
            chains.append([])
            combinator = ""


def _read_compound(css: str, place: int, combinator: str, *, is_inner: bool = False) -> tuple[Step, int]:
    """Read one compound and return it with the place behind it."""
    start = place
    named = _TYPE.match(css, place)
    place = named.end() if named else place
    plain = [css[start:place]]
    states: list[State] = []
    pseudos = 0
    while True:
        part = _PART.match(css, place)
        if part is None:
            pseudo = _PSEUDO.match(css, place)
            if pseudo is None:
                break
            pseudos += 1
            if pseudos > MAX_PSEUDO:
                raise bad_selector(css, f"one part has more than {MAX_PSEUDO} pseudo-classes")
            end, state = _read_pseudo(css, pseudo, is_inner=is_inner)
            if state is not None:
                states.append(state)
                place = end
                continue
        else:
            end = part.end()
        plain.append(css[place:end])
        place = end
    if place == start:
        raise bad_selector(css, f"it cannot be read from its character {place + 1} on")
    return Step(combinator, css[start:place], "".join(plain) or "*", tuple(states)), place


def _read_pseudo(css: str, pseudo: re.Match[str], *, is_inner: bool) -> tuple[int, State | None]:
    """Return the place behind a pseudo-class, and the state where it is one."""
    name, opened = pseudo[1].lower(), pseudo[2]
    if not opened and name in _PLACES:
        return pseudo.end(), None
    if not opened and name in STATES:
        return pseudo.end(), State(name)
    if opened and name in _NUMBERED and (number := _NUMBER.match(css, pseudo.end())):
        return number.end(), None
    if not opened or name not in _NESTING or is_inner:
        raise bad_selector(css, f"the pseudo-class :{_shortened(pseudo[1])} is not supported, or not in this way")
    place = pseudo.end()
    inner: list[Step] = []
    while True:
        leading = _INNER.match(css, place)
        if leading is None or (leading[1] and name != "has"):
            raise bad_selector(css, f":{name}() holds simple parts only, such as :{name}(.a)")
        step, place = _read_compound(css, leading.end(), "", is_inner=True)
        inner.append(step)
        after = _AFTER_INNER.match(css, place)
        if after is None:
            raise bad_selector(css, f":{name}() holds simple parts only, such as :{name}(.a)")
        place = after.end()
        if after[1] == ")":
            break
    states = [state for step in inner for state in step.states]
    if not states:
        return place, None
    if name == "not" and len(inner) == 1 and len(states) == 1 and inner[0].plain == "*" and states[0].holds:
        return place, State(states[0].name, False)
    raise bad_selector(css, f":{states[0].name} stands by itself or in a :not() of its own only")


def _shortened(name: str) -> str:
    return name if len(name) <= 30 else f"{name[:29]}…"


def _skip_space(css: str, place: int) -> int:
    while place < len(css) and css[place] in " \t\n\r\f":
        place += 1
    return place


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
