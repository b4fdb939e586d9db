"""Choose the values of a product's options that a request means, and say how sure that is."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from personalized_shopping.shared_libraries.requests.needs import Named, Needs
from personalized_shopping.shared_libraries.requests.options import Option, keys, matching_values
from personalized_shopping.shared_libraries.requests.text import stem, words
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.vocabulary import MEASURES, SIZES, STOP_WORDS

EXACT, SPELT, GATHERED, LIKELY, PARTLY = 1.0, 0.9, 0.85, 0.7, 0.4
"""How sure a choice is: named and equal, spelt out in the text, said in other order, meant by a wish, or partly so."""
ALIKE = 0.5
"""Share of common words from which a named value and an offered one may be the same."""

_WORN = frozenset({"in", "a", "an", "wear"})
_PIECE = re.compile(r"[^\W_]+(?:\.\d+)?")


@dataclass(frozen=True)
class Choice:
    """A value chosen of an option. ``sure`` is 0 where the request names the option and it offers nothing like it."""

    option: str
    value: str
    sure: float


def choose_values(request: Request, needs: Needs, options: Sequence[Option]) -> tuple[Choice, ...]:
    """Return a choice for every option that the request speaks of; the others are left out."""
    choices: dict[str, Choice] = {}
    open_options = []
    for option in options:
        named = _named_for(option.name, needs.named)
        if named is None:
            open_options.append(option)
        else:
            choices[option.name] = _closest(option, named.value)
    said = needs.said
    for choice in choices.values():
        said = said.replace(choice.value, " ; ", 1) if choice.sure == EXACT else said
    for option in sorted(open_options, key=lambda one: -max(map(len, one.values))):
        if value := _spelt(said, option):
            choices[option.name] = Choice(option.name, value, SPELT)
            said = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", " ; ", said, count=1)
        elif value := _gathered(said, option):
            choices[option.name] = Choice(option.name, value, GATHERED)
        elif found := matching_values(request, option):
            sure = LIKELY if len(found) == 1 else (LIKELY + PARTLY) / 2
            choices[option.name] = Choice(option.name, _shortest(found), sure)
    return tuple(choices[option.name] for option in options if option.name in choices)


def _named_for(name: str, named: Iterable[Named]) -> Named | None:
    """Find the pair whose key means this option: `color` means `colour name`."""
    wanted = _name_words(name)
    for one in named:
        said = _name_words(one.name)
        if said == wanted:
            return one
    return next((one for one in named if _name_words(one.name) & wanted), None)


@lru_cache(maxsize=1_024)
def _name_words(name: str) -> frozenset[str]:
    found = {stem(word.replace("colour", "color").replace("flavour", "flavor")) for word in words(name)}
    return frozenset(found - STOP_WORDS - {"name"})


@lru_cache(maxsize=16_384)
def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(text.lower()))


def _closest(option: Option, said: str) -> Choice:
    """Return the value that a named one means: the equal one, the longest that it begins with, or the most alike."""
    lowered = said.lower()
    for value in option.values:
        if value.lower() == lowered:
            return Choice(option.name, value, EXACT)
    aim = _pieces(said)
    begun = [value for value in option.values if (own := _pieces(value)) and aim[: len(own)] == own]
    if begun:
        best = max(begun, key=lambda value: (len(_pieces(value)), lowered.startswith(value.lower())))
        return Choice(option.name, best, EXACT if len(_pieces(best)) == len(aim) else SPELT)
    told = keys(said)
    for value in option.values:
        if keys(value) == told:
            return Choice(option.name, value, SPELT)
    rated = [(_alike(set(told), set(keys(value))), value) for value in option.values]
    share, best = max(rated, key=lambda one: one[0])
    return Choice(option.name, best, PARTLY * share if share >= ALIKE else 0.0)


def _alike(one: set[str], other: set[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _spelt(said: str, option: Option) -> str | None:
    """Return the longest value that stands in a text as it is; a bare number needs the option's name or an `in a`."""
    tokens = _pieces(said)
    names = _name_words(option.name)
    best: tuple[int, str] | None = None
    for value in option.values:
        own = _pieces(value)
        if not own or (best and len(own) <= best[0]):
            continue
        for start in range(len(tokens) - len(own) + 1):
            if tokens[start : start + len(own)] != own:
                continue
            before = tokens[start - 1] if start else ""
            bare = len(own) == 1 and (len(own[0]) == 1 or own[0][0].isdigit())
            near = {stem(token) for token in tokens[max(start - 3, 0) : start + 3]}
            after = tokens[start + 1] if bare and start + 1 < len(tokens) else ""
            # `in a 9` is a size where sizes are numbers; `in a 9 piece set` is none.
            worn = before in _WORN and after not in MEASURES
            if bare and not names & near and not worn:
                continue
            if own[0] in SIZES and before in {"x", "xx", "xxx", "extra", "2x", "3x"}:
                continue
            best = (len(own), value)
            break
    return best[1] if best else None


def _gathered(said: str, option: Option) -> str | None:
    """Return the value of which a text says every word, in whatever order: `12 ounce (pack of 6)`."""
    told = set(keys(said))
    whole = [
        (len(own), value) for value in option.values if len(own := set(keys(value)) - STOP_WORDS) > 1 and own <= told
    ]
    return max(whole, key=lambda one: one[0])[1] if whole else None


def _shortest(values: Sequence[str]) -> str:
    return min(values, key=lambda value: len(_pieces(value)))
