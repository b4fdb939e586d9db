"""The demo catalogue's vocabulary, read from the package's data files and prepared for drawing."""

import hashlib
from functools import cache
from importlib import resources
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.catalog.demo.grammar import words_for

DEPARTMENTS = ("fashion", "beauty", "electronics", "garden", "grocery")


class Feature(msgspec.Struct, frozen=True):
    """One fact about a product, with everything that a listing and its reviews may say about it."""

    title: str
    """The phrase for the product's title; empty where it does not belong there."""
    attribute: str
    """WebShop's short phrase for it; empty where the fact is none that people ask for."""
    role: str
    """How a request says it: "" before the noun, "with" or "for" after it."""
    bullets: tuple[str, ...]
    praise: tuple[str, ...]
    gripes: tuple[str, ...]


class Option(msgspec.Struct, frozen=True):
    """A choice that a product may offer."""

    name: str
    values: tuple[tuple[str, float], ...]
    """Each value with the factor it puts on the price."""
    least: int
    most: int
    chance: float
    ordered: bool
    """Whether values keep their order (sizes) or are drawn at random (colours)."""
    slot: str
    """What sentences call it: the first word of the name."""


class Ask(msgspec.Struct, frozen=True):
    """A request as a person types it, with what a product needs to satisfy it."""

    text: str
    attributes: tuple[str, ...]
    forced: tuple[str, ...]
    """Titles of features that the words imply without being asked for as attributes."""


class Kind(msgspec.Struct, frozen=True):
    """A kind of product: its words, facts, options, prices and requests."""

    name: str
    category: str
    query: str
    path: str
    icon: str
    tints: tuple[str, ...]
    price: tuple[float, float]
    nouns: tuple[str, ...]
    words: dict[str, str]
    titles: tuple[str, ...]
    axes: dict[str, tuple[Feature, ...]]
    always: tuple[Feature, ...]
    pool: tuple[Feature, ...]
    bullets: tuple[str, ...]
    descriptions: tuple[str, ...]
    about: tuple[str, ...]
    uses: tuple[str, ...]
    praise: tuple[str, ...]
    gripes: tuple[str, ...]
    fails: tuple[str, ...]
    picked: tuple[str, ...]
    options: tuple[Option, ...]
    asks: tuple[Ask, ...]
    brands: tuple[str, ...]
    lines: tuple[str, ...]
    talk: dict[str, tuple[str, ...]]
    """Openers, closers and titles of reviews, by number of stars, in this kind's grammar."""


class Content(msgspec.Struct, frozen=True):
    """All there is to draw from."""

    kinds: tuple[Kind, ...]
    colours: dict[str, str]
    icons: dict[str, str]


class _KindData(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    noun: list[str]
    short: str
    query: str
    path: str
    icon: str
    price: tuple[float, float]
    title: list[str]
    desc: list[str]
    use: list[str]
    praise: list[str]
    gripes: list[str]
    group: str = "main"
    number: str = "one"
    tints: list[str] = []
    axes: dict[str, list[list[str]]] = {}
    always: list[str] = []
    facts: list[str] = []
    own: list[list[str]] = []
    bullets: list[str] = []
    options: list[tuple[str, str, int, int, float]] = []
    ask: list[tuple[str, list[str]]] = []


class _GroupData(msgspec.Struct, forbid_unknown_fields=True):
    gripes: list[str]
    fails: list[str]
    picked: list[str]


class _DepartmentData(msgspec.Struct, forbid_unknown_fields=True):
    category: str
    brands: list[str]
    lines: list[str]
    sets: dict[str, list[str]]
    facts: dict[str, list[str]]
    about: list[str]
    groups: dict[str, _GroupData]
    """What goes wrong, and how people speak of their choice, for groups of kinds: shirts tear, phones fail."""
    kinds: list[_KindData]


class _CommonData(msgspec.Struct, forbid_unknown_fields=True):
    talk: dict[str, list[str]]
    colours: dict[str, str]


@cache
def fingerprint() -> str:
    """Hash the data files, so that a catalogue made from other words is known to be stale."""
    names = ("common.json", "icons.json", *(f"{department}.json" for department in DEPARTMENTS))
    return hashlib.sha256(b"".join(_data(name) for name in names)).hexdigest()[:16]


@cache
def content() -> Content:
    """Read and prepare the vocabulary once per process."""
    common = msgspec.json.decode(_data("common.json"), type=_CommonData)
    kinds: list[Kind] = []
    for department in DEPARTMENTS:
        data = msgspec.json.decode(_data(f"{department}.json"), type=_DepartmentData)
        kinds.extend(_kind(kind, data, common) for kind in data.kinds)
    icons = msgspec.json.decode(_data("icons.json"), type=dict[str, str])
    return Content(kinds=tuple(kinds), colours=common.colours, icons=icons)


def _data(name: str) -> bytes:
    return resources.files(__package__).joinpath("data", name).read_bytes()


def _kind(kind: _KindData, department: _DepartmentData, common: _CommonData) -> Kind:
    words = words_for(kind.short, kind.number)

    def said(sentences: list[str]) -> tuple[str, ...]:
        return tuple(sentence.format_map(words) for sentence in sentences)

    def feature(fields: list[str]) -> Feature:
        return _feature(fields, words)

    group = department.groups[kind.group]
    facts = {key: feature(fields) for key, fields in department.facts.items()}
    return Kind(
        name=kind.name,
        category=department.category,
        query=kind.query,
        path=kind.path,
        icon=kind.icon,
        tints=tuple(kind.tints),
        price=kind.price,
        nouns=tuple(kind.noun),
        words=words,
        titles=tuple(kind.title),
        axes={name: tuple(feature(fields) for fields in values) for name, values in kind.axes.items()},
        always=tuple(facts[key] for key in kind.always),
        pool=(*(facts[key] for key in kind.facts), *(feature(fields) for fields in kind.own)),
        bullets=said(kind.bullets),
        descriptions=tuple(kind.desc),
        about=tuple(department.about),
        uses=tuple(kind.use),
        praise=said(kind.praise),
        gripes=(*said(kind.gripes), *said(group.gripes)),
        fails=said(group.fails),
        picked=tuple(group.picked),
        options=tuple(_option(*option, department.sets) for option in kind.options),
        asks=tuple(_ask(text, needs) for text, needs in kind.ask),
        brands=tuple(department.brands),
        lines=tuple(department.lines),
        talk={key: said(sentences) for key, sentences in common.talk.items()},
    )


def _feature(fields: list[str], words: dict[str, Any]) -> Feature:
    # A feature is written as a row: title, attribute ("with:..." or "for:..."), bullets, praise, gripes,
    # the last three with alternatives between bars, and empty tails left out.
    title, attribute, bullets, praise, gripes = (*fields, "", "", "", "")[:5]
    role, mark, phrase = attribute.rpartition(":")
    return Feature(
        title=title,
        attribute=phrase if mark else attribute,
        role=role,
        bullets=_alternatives(bullets, words),
        praise=_alternatives(praise, words),
        gripes=_alternatives(gripes, words),
    )


def _alternatives(text: str, words: dict[str, Any]) -> tuple[str, ...]:
    return tuple(part.strip().format_map(words) for part in text.split("|") if part.strip())


def _option(name: str, values: str, least: int, most: int, chance: float, sets: dict[str, list[str]]) -> Option:
    ordered = not values.startswith("~")
    pairs = (value.partition("@") for value in sets[values.lstrip("~")])
    return Option(
        name=name,
        values=tuple((value, float(factor or 1)) for value, _, factor in pairs),
        least=least,
        most=most,
        chance=chance,
        ordered=ordered,
        slot=name.split()[0].lower(),
    )


def _ask(text: str, needs: list[str]) -> Ask:
    return Ask(
        text=text,
        attributes=tuple(need for need in needs if not need.startswith("@")),
        forced=tuple(need[1:] for need in needs if need.startswith("@")),
    )
