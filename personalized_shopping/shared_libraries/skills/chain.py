"""The chain of locators: which of them are tried, in which order, and which one finds exactly one element."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.skills.capture.css import split_selector
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import (
    CssSelector,
    css_identifier,
    css_string,
    matching_text,
    parse_selector,
    role_selector,
    text_selector,
)
from personalized_shopping.shared_libraries.skills.model import Effect, Locators, Skill
from personalized_shopping.shared_libraries.skills.world import World, WorldError

DOM_INDEX_EFFECTS: tuple[Effect, ...] = ("read", "navigate")
"""Effects for which an element may be found by its place alone; what changes something is never pressed by guess."""

NO_RADIO = ':not([type="radio"])'

_HOLE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]{0,63})\}")


class Link(NamedTuple):
    """One locator: its place in the chain, such as ``selector_alt[0]``, and the selector that a world reads."""

    place: str
    selector: str


class Tried(NamedTuple):
    """What came of a locator: how many elements it matched, or why it could not be used."""

    place: str
    selector: str
    matched: int
    error: str | None = None


class Found(NamedTuple):
    """The first locator that matches exactly one element, ``None`` where none does, and all that were tried."""

    winner: Link | None
    tried: tuple[Tried, ...]

    @property
    def nothing_there(self) -> bool:
        """Whether no locator matched anything."""
        return all(tried.matched == 0 and tried.error is None for tried in self.tried)


def hole_values(args: Mapping[str, Any], item_param: object = UNSET) -> dict[str, str]:
    """Return what stands for ``{name}`` in a skill's selectors, texts and patterns; lists and maps stand for nothing.

    The argument that ``item_param`` names stands for ``{item}``, too.
    """
    values = {name: _as_text(value) for name, value in args.items() if isinstance(value, str | int | float)}
    if isinstance(item_param, str) and item_param in values:
        values["item"] = values[item_param]
    return values


def fill_text(template: str, values: Mapping[str, str]) -> str:
    """Return a text with the values in their places; a name without a value stays as it is."""
    return _HOLE.sub(lambda hole: values.get(hole[1], hole[0]), template)


def fill_pattern(template: str, values: Mapping[str, str]) -> str:
    """Return a regular expression with the values in their places, each meaning itself."""
    return _HOLE.sub(lambda hole: re.escape(values[hole[1]]) if hole[1] in values else hole[0], template)


def fill_selector(template: str, values: Mapping[str, str]) -> str:
    """Return a selector with the values in their places; no value can end its string or add to the selector."""
    is_css = not template.lstrip().startswith(("role=", "text=", "index="))
    parts: list[str] = []
    place, quote = 0, ""
    for hole in _HOLE.finditer(template):
        quote = _open_quote(template[place : hole.start()], quote)
        parts.append(template[place : hole.start()])
        place = hole.end()
        if hole[1] not in values:
            parts.append(hole[0])
        elif not is_css:
            parts.append(text_selector(values[hole[1]])[len('text="') : -1])
        elif quote:
            parts.append(css_string(values[hole[1]])[1:-1].replace("'", "\\'"))
        else:
            parts.append(css_identifier(values[hole[1]]))
    return "".join([*parts, template[place:]])


def chain(locators: Locators, effect: Effect, values: Mapping[str, str]) -> list[Link]:
    """Return the locators of a skill in the order in which they are tried."""
    found = [Link("selector", fill_selector(locators.selector, values))]
    if locators.by_role is not UNSET:
        by_role = locators.by_role
        name = None if by_role.name is UNSET else fill_text(by_role.name, values)
        found.append(Link("by_role", role_selector(by_role.role, name, exact=by_role.exact is not False)))
    for place, selector in enumerate(locators.selector_alt):
        found.append(Link(f"selector_alt[{place}]", fill_selector(selector, values)))
    for place, text in enumerate(locators.by_text):
        found.append(Link(f"by_text[{place}]", text_selector(fill_text(text, values))))
    if locators.by_dom_index is not UNSET and effect in DOM_INDEX_EFFECTS:
        found.append(Link("by_dom_index", f"index={locators.by_dom_index}"))
    return found


def find(world: World, links: list[Link], *, group: bool = False) -> Found:
    """Return the first locator that matches exactly one element of the page.

    Args:
        world: where the page is.
        links: the locators.
        group: whether several radio buttons count as one element, which they are to who chooses among them.
    """
    tried: list[Tried] = []
    for link in links:
        try:
            count = world.count(link.selector)
            fits = count == 1 or (group and count > 1 and world.count(narrowed(link.selector, NO_RADIO)) == 0)
        except WorldError as error:
            tried.append(Tried(link.place, link.selector, 0, str(error)[:300]))
            continue
        tried.append(Tried(link.place, link.selector, count))
        if fits:
            return Found(link, tuple(tried))
    return Found(None, tuple(tried))


def given_locators(skill: Skill, winner: Link, values: Mapping[str, str]) -> dict[str, Any]:
    """Return what a program is given of a skill's locators, as JSON: the one that won, and the chain that it stands in.

    ``selector`` is the winner's, ``winner`` its place, ``chain`` the selectors of all; the other fields are as in the
    skill's file, with the values in their places.
    """
    given: dict[str, Any] = msgspec.to_builtins(skill.locators)
    given["selector_alt"] = [fill_selector(selector, values) for selector in given.get("selector_alt", [])]
    given["by_text"] = [fill_text(text, values) for text in given.get("by_text", [])]
    if "name" in given.get("by_role", {}):
        given["by_role"] = {**given["by_role"], "name": fill_text(given["by_role"]["name"], values)}
    if "proxy" in given:
        given["proxy"] = fill_selector(given["proxy"], values)
    if skill.effect not in DOM_INDEX_EFFECTS:
        given.pop("by_dom_index", None)
    chained = [link.selector for link in chain(skill.locators, skill.effect, values)]
    return {**given, "selector": winner.selector, "winner": winner.place, "chain": chained}


def still_there(skill: Skill, html: str, values: Mapping[str, str]) -> bool:
    """Return whether the element at the control's old place is still the one that the skill knows by role and name."""
    locators, evidence = skill.locators, skill.evidence
    by_role = None if locators.by_role is UNSET else locators.by_role
    role = evidence.role if by_role is None else by_role.role
    name = evidence.name if by_role is None or by_role.name is UNSET else fill_text(by_role.name, values)
    place = locators.by_dom_index
    dom = Dom(html)
    if place is UNSET or place >= len(dom) or (role is UNSET and evidence.tag is UNSET):
        return False
    same_tag = evidence.tag is UNSET or dom.tag(place) == evidence.tag
    same_role = role is UNSET or dom.role(place) == role
    same_name = name is UNSET or matching_text(dom.name(place)) == matching_text(name)
    return same_tag and same_role and same_name


def narrowed(selector: str, condition: str) -> str:
    """Return the selector of the elements among those of a CSS selector that meet a further condition.

    Raises:
        WorldError: ``failed`` for a selector of another engine, or one that cannot be read.
    """
    parsed = parse_selector(selector)
    if not isinstance(parsed, CssSelector):
        raise WorldError("failed", f"Only a CSS selector can be narrowed, and {shorten(selector)} is none.")
    alternatives = ("".join(step.combinator + step.compound for step in steps) for steps in split_selector(parsed.css))
    return ", ".join(alternative + condition for alternative in alternatives)


def _open_quote(text: str, quote: str) -> str:
    """Return the quote that is open after a piece of a selector; an empty text where none is."""
    escaped = False
    for char in text:
        if escaped:
            escaped = False
        elif char == "\\":
            escaped = True
        elif quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
    return quote


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
