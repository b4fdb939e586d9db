"""What a request needs of a product, phrase by phrase, so that a product's texts can be held against it."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from personalized_shopping.shared_libraries.requests.prices import Budget, split_price
from personalized_shopping.shared_libraries.requests.text import clean, words
from personalized_shopping.shared_libraries.requests.vocabulary import FILLERS, STOP_WORDS
from personalized_shopping.shared_libraries.search_engine.analysis.english import EnglishAnalyzer

MAX_QUERY_CHARS = 400
_TEXTS_KEPT = 8_192
_MAX_KEY_WORDS = 3

_ANALYZER = EnglishAnalyzer(cache_size=50_000)
_KEY = re.compile(rf"(?<![\w'-])(?P<key>[a-z]+(?: [a-z]+){{0,{_MAX_KEY_WORDS - 1}}}) ?[:=](?=\s*\S)")
_JOINING = re.compile(
    r"^(?:[a-z]+ ){0,2}(?:with|and|in|of|the|a|an|its?|my|is|are|as|for|that|has|have|having|should|be|please)\s+"
)
_TAIL = re.compile(r"[\s,;.]+(?:and|with|in|or)?[\s,;.]*$")
_PARTS = re.compile(
    r"[,.;:!?()]+(?=\s|$)|\b(?:with|for|and|or|that|which|who|in|of|to be|it|is|are|has|have|having|made|comes?|but|"
    r"also|should|must|from|on|at|by|as|so)\b"
)
_TELLING = frozenset(
    ["required", "requirement", "color", "set", "made", "about", "scented", "flavored", "quick", "cold", "sized", "top"]
)
"""Words of asking that describe things just as well: `assembly required`, `quick release`, `hair color`."""
_JOINED = re.compile(r"(?:[\w'-]+(?: [\w'-]+)*, )*[\w'-]+ & [\w'-]+(?: (?!(?:with|for|in|that)\b)[\w'-]+){0,2}")
_SILENT = (STOP_WORDS | FILLERS | {"pick", "order", "select"}) - _TELLING


@dataclass(frozen=True)
class Named:
    """An option that a request names with its value, as in `color: black` or `size = 7`."""

    name: str
    value: str


@dataclass(frozen=True)
class Needs:
    """What a request says, read for judging products.

    ``phrases`` are the compared forms of its words, a tuple for every phrase; ``things`` the words that name one of
    several things of which any will do, as in `loafers & slip-ons`; ``query`` is what to search for, all of
    it but the words of asking and the price; ``short_query`` leaves the named options out as well. ``said`` is the
    whole text without its prices, in lower case.
    """

    phrases: tuple[tuple[str, ...], ...]
    things: tuple[str, ...]
    named: tuple[Named, ...]
    budget: Budget
    query: str
    short_query: str
    said: str

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """Every compared form, once."""
        return tuple(dict.fromkeys(term for phrase in self.phrases for term in phrase))

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Neighbouring words of a phrase: `machine wash` is more than a machine and a wash."""
        found = ((phrase[at], phrase[at + 1]) for phrase in self.phrases for at in range(len(phrase) - 1))
        return tuple(dict.fromkeys(pair for pair in found if pair[0] != pair[1]))


@lru_cache(maxsize=_TEXTS_KEPT)
def terms_of(text: str) -> tuple[str, ...]:
    """Return the compared forms of a text's words, in order: stems, as the shop's search compares them."""
    return tuple(_ANALYZER.analyze(text))


@lru_cache(maxsize=256)
def read_needs(message: str) -> Needs:
    """Read a request for judging products by it."""
    text = clean(message).lower()
    said, budget = split_price(text)
    said = " ".join(said.split())
    named, rest = _named(said)
    return Needs(
        phrases=tuple(phrase for part in _PARTS.split(rest) if part and (phrase := _phrase(part))),
        things=_alternatives(rest),
        named=named,
        budget=budget,
        query=_query(said),
        short_query=_query(rest),
        said=said,
    )


def _alternatives(text: str) -> tuple[str, ...]:
    """Return the words that an `&` joins, with those of a list that ends in one."""
    found = []
    for match in _JOINED.finditer(text):
        found += [word for part in re.split(r"[,&]", match.group()) if (own := words(part)) for word in own[-1:]]
    return tuple(dict.fromkeys(found))


def _phrase(part: str) -> tuple[str, ...]:
    kept = [word for word in words(part) if word not in _SILENT]
    return terms_of(" ".join(kept))


def _query(text: str) -> str:
    """Return a text's words worth searching for, each once."""
    kept = [word for word in words(text) if word not in _SILENT]
    query = " ".join(dict.fromkeys(kept))
    return query[:MAX_QUERY_CHARS].rstrip()


def _named(text: str) -> tuple[tuple[Named, ...], str]:
    """Take `key: value` phrases out of a text."""
    keys = []
    for match in _KEY.finditer(text):
        key, start = match["key"], match.start("key")
        while joining := _JOINING.match(key):
            key, start = key[joining.end() :], start + joining.end()
        keys.append((key, start, match.end()))
    if not keys:
        return (), text
    found = []
    for place, (key, _, end) in enumerate(keys):
        stop = keys[place + 1][1] if place + 1 < len(keys) else len(text)
        value = _TAIL.sub("", text[end:stop].strip()).strip()
        if key and value:
            found.append(Named(key, value))
    return tuple(found), _TAIL.sub("", text[: keys[0][1]])
