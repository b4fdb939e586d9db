"""Selectors as text: the engines that a world knows, how one is read, and how one is written so that it can be read.

CSS is the rule. ``role=button[name="Buy Now"]`` matches the accessible name as a whole, ``[name~="buy"]`` a part of it,
ignoring case; ``text="Back to Search"`` the whole visible text; ``index=12`` the place in the document.
"""

import re
from typing import NamedTuple

from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.skills.model import MAX_SELECTOR_CHARS
from personalized_shopping.shared_libraries.skills.world import WorldError

_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_ROLE = re.compile(rf"role=([a-z]{{1,30}})(?:\[name(~?)={_QUOTED}\])?", re.DOTALL)
_TEXT = re.compile(rf"text={_QUOTED}", re.DOTALL)
_INDEX = re.compile(r"index=([0-9]{1,7})")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_PLAIN = re.compile(r"[-_a-zA-Z0-9\u0080-\U0010ffff]")
_UNSEEN = re.compile(r"[\u200b\u00ad]")


class RoleSelector(NamedTuple):
    """Elements by role and, where ``name`` is set, by accessible name: the whole of it, or a part."""

    role: str
    name: str | None = None
    exact: bool = True


class TextSelector(NamedTuple):
    """Elements by their whole visible text."""

    text: str


class IndexSelector(NamedTuple):
    """An element by its place in the document."""

    place: int


class CssSelector(NamedTuple):
    """Elements by CSS."""

    css: str


Selector = RoleSelector | TextSelector | IndexSelector | CssSelector


def parse_selector(selector: str) -> Selector:
    """Read a selector; whether its CSS means anything is seen when it is used.

    Raises:
        WorldError: ``failed`` for one that is empty, too long or no selector.
    """
    if len(selector) > MAX_SELECTOR_CHARS:
        raise bad_selector(selector, f"it has more than {MAX_SELECTOR_CHARS} characters")
    text = selector.strip()
    if not text:
        raise bad_selector(selector, "it is empty")
    if text.startswith("role="):
        match = _ROLE.fullmatch(text)
        if match is None:
            raise bad_selector(selector, 'write role=button, role=button[name="…"] or role=button[name~="…"]')
        role, part, name = match.groups()
        return RoleSelector(role, None if name is None else _ESCAPED.sub(r"\1", name), part != "~")
    if text.startswith("text="):
        match = _TEXT.fullmatch(text)
        if match is None or not matching_text(match[1]):
            raise bad_selector(selector, 'write text="…"')
        return TextSelector(_ESCAPED.sub(r"\1", match[1]))
    if text.startswith("index="):
        match = _INDEX.fullmatch(text)
        if match is None:
            raise bad_selector(selector, "write index= and a whole number")
        return IndexSelector(int(match[1]))
    return CssSelector(text.removeprefix("css="))


def bad_selector(selector: str, why: str) -> WorldError:
    """Return the error about a selector that cannot be read."""
    return WorldError("failed", f"{shorten(selector)} is no selector: {why}.")


def matching_text(text: str) -> str:
    """Return a text as names and texts are compared: white space collapsed, characters without width left out."""
    return " ".join(_UNSEEN.sub("", text).split())


def role_selector(role: str, name: str | None = None, *, exact: bool = True) -> str:
    """Return the selector of a role and a name."""
    return f"role={role}" if name is None else f"role={role}[name{'' if exact else '~'}={_quoted(name)}]"


def text_selector(text: str) -> str:
    """Return the selector of a visible text."""
    return f"text={_quoted(text)}"


def css_string(text: str) -> str:
    r"""Return a text as a CSS string, quotes included; quotes, ``\`` and control characters escaped."""
    return '"' + "".join(_in_string(char) for char in text) + '"'


def css_identifier(text: str) -> str:
    """Return a text as a CSS identifier, escaped as ``CSS.escape`` of browsers does."""
    if text == "-":
        return "\\-"
    return "".join(_in_identifier(text, place) for place in range(len(text)))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _in_string(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    return _as_code(char) if ord(char) < 0x20 or ord(char) == 0x7F else char


def _in_identifier(text: str, place: int) -> str:
    char = text[place]
    leads = place == 0 or (place == 1 and text[0] == "-")
    if ord(char) < 0x20 or ord(char) == 0x7F or (leads and char.isascii() and char.isdigit()):
        return _as_code(char)
    return char if _PLAIN.fullmatch(char) else f"\\{char}"


def _as_code(char: str) -> str:
    return "\ufffd" if char == "\0" else f"\\{ord(char):x} "
