r"""Texts, lists of texts and mappings of texts as addresses carry them, in Python's or in JSON's notation.

WebShop evaluates these parts of an address as Python. This reader knows texts in quotes, ``[…]`` and ``{…: …}`` and
nothing else, so no input can run anything, and a size that is checked first bounds its work. What it writes can be read
by ``ast.literal_eval`` as well, and holds no ``/``: a slash is written ``\u002f``, so that it cannot part a path.
"""

import json
import re
from collections.abc import Iterable, Mapping

from personalized_shopping.config import SITE_MAX_LITERAL_VALUES
from personalized_shopping.errors import shorten

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<mark>[\[\]{}:,])|(?P<other>\S.{0,20}))""", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "a": "\a", "v": "\v"}
_KEPT = frozenset("'\"\\/")
_SLASH = "\\u002f"


class LiteralError(ValueError):
    """A part of an address is no list or mapping of texts."""


def read_list(source: str) -> list[str]:
    """Read ``['red', "shoes"]``.

    Raises:
        LiteralError: for anything else.
    """
    tokens = _tokens(source)
    if tokens[:1] != ["["] or tokens[-1] != "]":
        raise LiteralError(f"{shorten(source)} is no list of texts")
    return [_text(part[0]) for part in _parts(source, tokens[1:-1], 1)]


def read_mapping(source: str) -> dict[str, str]:
    """Read ``{"color": "red"}`` or ``{'color': 'red'}``.

    Raises:
        LiteralError: for anything else.
    """
    tokens = _tokens(source)
    if tokens[:1] != ["{"] or tokens[-1] != "}":
        raise LiteralError(f"{shorten(source)} is no mapping of texts")
    return {_text(part[0]): _text(part[2]) for part in _parts(source, tokens[1:-1], 3)}


def write_list(texts: Iterable[str]) -> str:
    """Write a list as WebShop's addresses do: in Python's notation, without a slash."""
    return _without_slashes(repr(list(texts)))


def write_mapping(texts: Mapping[str, str], *, as_json: bool) -> str:
    """Write a mapping as JSON (item pages) or in Python's notation (sub-pages and the purchase), without a slash."""
    return _without_slashes(json.dumps(dict(texts)) if as_json else repr(dict(texts)))


def _without_slashes(literal: str) -> str:
    # A slash occurs only inside texts, and there its escape means the same in both notations.
    return literal.replace("/", _SLASH)


def _tokens(source: str) -> list[str]:
    found = []
    for match in _TOKEN.finditer(source):
        if match["other"] is not None:
            raise LiteralError(f"{shorten(match['other'])} is neither a text in quotes nor one of [ ] {{ }} : ,")
        found.append(match["text"] or match["mark"])
        if len(found) > 4 * SITE_MAX_LITERAL_VALUES:
            raise LiteralError(f"there are more than {SITE_MAX_LITERAL_VALUES} texts in it")
    return found


def _parts(source: str, tokens: list[str], length: int) -> list[list[str]]:
    """Split what is between the brackets at its commas; each part is a text, or a text, a colon and a text."""
    parts = []
    for start in range(0, len(tokens), length + 1):
        part, comma = tokens[start : start + length], tokens[start + length : start + length + 1]
        is_right = len(part) == length and comma in ([], [","]) and (length == 1 or part[1] == ":")
        if not is_right or not all(token[0] in "'\"" for token in part[::2]):
            raise LiteralError(f"{shorten(source)} is not written as texts in quotes with commas between them")
        parts.append(part)
    return parts


def _text(token: str) -> str:
    text = _ESCAPE.sub(_unescaped, token[1:-1])
    # JSON writes what lies beyond 16 bits as two halves; halves that found no partner become question marks.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is not None:
        number = int(code, 16)
        if number > 0x10FFFF:
            raise LiteralError(f"{match[0]} is no character")
        return chr(number)
    mark = match[4]
    if mark in _KEPT:
        return mark
    if mark not in _NAMED:
        raise LiteralError(f"{shorten(match[0])} is no escape")
    return _NAMED[mark]
