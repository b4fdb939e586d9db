"""Which selectors a node gets: the stable ones first, each counted, so that one knows whether it finds one element."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.model import SelectorKind
from personalized_shopping.shared_libraries.skills.capture.uniqueness import (
    TEST_IDS,
    Compound,
    PageIndex,
    Scoped,
    is_usable,
)
from personalized_shopping.shared_libraries.skills.capture.webshop_url import is_variable
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.model import MAX_ALTERNATIVES, MAX_SELECTOR_CHARS

_LABELLING = ("aria-label", "placeholder", "title", "alt")
_GROUPED = words("checkbox radio")
_WORDED = words("button reset submit")
_MAX_NAME_CHARS = 30


class Located(NamedTuple):
    """How a node is found: the best selector and how many elements it matches, others that match it alone, a path."""

    selector: str
    kind: SelectorKind
    matches: int
    alternatives: list[str]
    path: str | None


class Locator:
    """Finds selectors for the elements of one page.

    Args:
        facts: all elements of the page, in document order.
        index: counts what selectors match.
    """

    def __init__(self, facts: Sequence[Facts], index: PageIndex) -> None:
        self._facts = facts
        self._index = index
        self._anchors: dict[int, Compound] = {}
        for element in facts:
            compound = next(self._identities(element), None)
            if compound is not None and index.count(Scoped(compound)) == 1:
                self._anchors[element.index] = compound

    def is_anchor(self, index: int) -> bool:
        """Return whether an id of its own finds the element."""
        return index in self._anchors

    def locate(self, element: Facts) -> Located:
        """Return the selectors of an element."""
        compounds = [Scoped(compound) for compound in self._compounds(element)]
        anchor = self._anchor_above(element)
        if anchor is not None:
            compounds += [Scoped(scoped.compound, anchor) for scoped in compounds]
        counted = [(self._index.count(scoped), scoped) for scoped in compounds if len(scoped.css) <= MAX_SELECTOR_CHARS]
        matches, best = min(counted, key=lambda found: found[0])
        alone = dict.fromkeys(scoped.css for count, scoped in counted if count == 1 and scoped is not best)
        path = self._index.path(element.index, self._anchors)
        return Located(best.css, best.compound.kind, matches, list(alone)[:MAX_ALTERNATIVES], path)

    def _compounds(self, element: Facts) -> Iterator[Compound]:
        """Yield the selectors of an element by itself, the most stable ones first."""
        index, attributes = self._index, element.attributes
        yield from self._identities(element)
        tag = index.by_tag(element.tag)
        classes = stable_classes(element)
        with_classes = index.with_classes(tag, classes)
        if is_usable(attributes.get("name", "")):
            named = index.with_attribute(tag, "name", attributes["name"])
            if element.input_type in _GROUPED and is_usable(attributes.get("value", "")):
                yield index.with_attribute(named, "value", attributes["value"])
            yield named
        if is_usable(attributes.get("role", "")):
            yield index.with_attribute(with_classes, "role", attributes["role"])
        for name in _LABELLING:
            if is_usable(attributes.get(name, "")):
                yield index.with_attribute(tag, name, attributes[name])
        href = attributes.get("href", "")
        if element.tag == "a" and is_usable(href) and not any(is_variable(part) for part in href.split("/")):
            yield index.with_attribute(tag, "href", href)
        if element.input_type in _WORDED and is_usable(attributes.get("value", "")):
            yield index.with_attribute(tag, "value", attributes["value"])
        if element.tag == "label" and is_usable(attributes.get("for", "")):
            yield index.with_attribute(tag, "for", attributes["for"])
        if classes:
            yield with_classes
        if is_usable(attributes.get("type", "")):
            yield index.with_attribute(tag, "type", attributes["type"])
        yield tag

    def _identities(self, element: Facts) -> Iterator[Compound]:
        attributes = element.attributes
        anything = Compound("", ())
        for name in TEST_IDS:
            if is_usable(attributes.get(name, "")):
                yield self._index.with_attribute(anything, name, attributes[name])
        if is_usable(attributes.get("id", "")) and not _is_generated(attributes["id"]):
            yield self._index.by_id(attributes["id"])

    def _anchor_above(self, element: Facts) -> Compound | None:
        above = element.parent
        while above is not None:
            if above in self._anchors:
                return self._anchors[above]
            above = self._facts[above].parent
        return None


def stable_classes(element: Facts) -> list[str]:
    """Return the first two classes that look like words a person chose."""
    chosen = [name for name in element.classes if len(name) <= _MAX_NAME_CHARS and not _is_generated(name)]
    return list(dict.fromkeys(chosen))[:2]


def _is_generated(name: str) -> bool:
    """Return whether a name looks as if a program had made it: more digits than letters, and more than three."""
    digits = sum(char.isdigit() for char in name)
    return digits > 3 and digits > sum(char.isalpha() for char in name)
