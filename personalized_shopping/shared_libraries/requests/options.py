"""Match what people say with the values that a product's options offer."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from personalized_shopping.shared_libraries.requests.text import clean, stem, words
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.vocabulary import COLOURS, FILLERS, NUMBER_WORDS, SIZES, STOP_WORDS
from personalized_shopping.shared_libraries.requests.wishes import Kind


@dataclass(frozen=True)
class Option:
    """One option of a product: its name, its values in page order and the chosen one."""

    name: str
    values: tuple[str, ...]
    chosen: str | None = None


KINDS: dict[Kind, re.Pattern[str]] = {
    "colour": re.compile(r"colou?r|shade|finish|pattern", re.IGNORECASE),
    "size": re.compile(r"size|length|width|dimension|waist|fit|inseam|volume|capacity", re.IGNORECASE),
    "count": re.compile(r"pack|count|number|quantity|pieces|size|set", re.IGNORECASE),
    "flavour": re.compile(r"flavou?r|scent|taste|aroma", re.IGNORECASE),
}
_SPELLINGS = {
    "grey": "gray", "colour": "color", "multicolour": "multicolor", "multi": "multicolor", "oz": "ounce",
    "lb": "pound", "ft": "foot", "feet": "foot", "pcs": "piece", "pc": "piece", "ct": "count",
}  # fmt: skip


_SILENT = frozenset(stem(word) for word in STOP_WORDS | FILLERS)


@lru_cache(maxsize=16_384)
def keys(text: str) -> tuple[str, ...]:
    """Return a value's words in the form in which values are compared: `X-Large` and `extra large` are one."""
    spelt = clean(text.lower())
    spelt = re.sub(r"\b(?:extra|x)[\s-]+(large|small)\b", r"x-\1", spelt)
    spelt = re.sub(r"(\d)\s*(?:\"|''|inches\b|inch\b)", r"\1 inch", spelt)
    spelt = re.sub(r"(\d)(oz|lb|ft|cm|mm|ml|gb|pcs|pc|pack|count|ct|w|l)\b", r"\1 \2", spelt)
    found = []
    for word in words(spelt):
        plain = SIZES.get(word, word)
        plain = str(NUMBER_WORDS.get(plain, plain))
        found.append(_SPELLINGS.get(plain, stem(plain)))
    return tuple(found)


def matching_values(request: Request, option: Option) -> list[str]:
    """Return the values of an option that fit what was asked for; several when the request leaves it open.

    A wish of the option's own kind decides first (a colour for `color`); else any value that the request's words
    spell out in full.
    """
    for kind, pattern in KINDS.items():
        if not pattern.search(option.name):
            continue
        for wish in request.wished(kind):
            found = best_values(wish, option.values)
            if not found and kind == "flavour":
                found = best_values(wish.split()[-1], option.values)
            if found:
                return found
    return spelt_values(request.text, option.values)


def best_values(wanted: str, values: Iterable[str]) -> list[str]:
    """Return the values that a wish means: the equal one, else those that hold all of its words."""
    aim = keys(wanted)
    values = list(values)
    if not aim:
        return []
    if equal := [value for value in values if keys(value) == aim]:
        return equal
    holding = [value for value in values if set(aim) <= set(keys(value))]
    if holding:
        shortest = min(len(keys(value)) for value in holding)
        colour = set(aim) & COLOURS
        return holding if colour else [value for value in holding if len(keys(value)) == shortest]
    return []


def spelt_values(text: str, values: Iterable[str]) -> list[str]:
    """Return the values whose words all stand in a text, the longest only; a bare letter or number is not enough."""
    said = keys(text)
    best: list[str] = []
    length = 0
    for value in values:
        aim = keys(value)
        telling = [key for key in aim if len(key) > 1 and not key.replace(".", "").isdigit() and key not in STOP_WORDS]
        if not telling or not _contains(said, aim):
            continue
        if len(aim) > length:
            best, length = [value], len(aim)
        elif len(aim) == length:
            best.append(value)
    return best


def named_values(text: str, options: Iterable[Option]) -> tuple[dict[str, list[str]], list[str]]:
    """Read a short answer such as `large, in red` against a product's options.

    Returns:
        For each option the values that were meant, and the words that no option explains.
    """
    # `the red one` counts nothing.
    everything = keys(re.sub(r"\bones?\b", " ", text, flags=re.IGNORECASE))
    said = [key for key in everything if key not in _SILENT]
    explained: set[str] = set()
    meant: dict[str, list[str]] = {}
    for option in options:
        found = _longest(everything, option.values)
        if not found:
            pieces = [[value for value in option.values if key in keys(value)] for key in said if key not in explained]
            found = next((piece for piece in pieces if piece), [])
        if found:
            meant[option.name] = found
            explained.update(key for value in found for key in keys(value))
    names = {key for option in options for key in keys(option.name)}
    return meant, [key for key in said if key not in explained and key not in names]


def _longest(said: tuple[str, ...], values: Iterable[str]) -> list[str]:
    best: list[str] = []
    length = 0
    for value in values:
        aim = keys(value)
        if aim and _contains(said, aim) and len(aim) >= length:
            best = [value] if len(aim) > length else [*best, value]
            length = len(aim)
    return best


def _contains(said: tuple[str, ...], aim: tuple[str, ...]) -> bool:
    """Whether the words stand in a text one after the other."""
    return any(said[start : start + len(aim)] == aim for start in range(len(said) - len(aim) + 1))
