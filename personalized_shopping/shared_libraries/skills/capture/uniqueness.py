"""CSS selectors of elements, and how many elements each matches, counted without matching: one index for the page."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.capture.css import MAX_STEPS
from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.model import MAX_ATTRIBUTE_CHARS, SelectorKind
from personalized_shopping.shared_libraries.skills.capture.selectors import css_identifier, css_string
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.model import MAX_SELECTOR_CHARS

_ANY_CASE = words(
    "accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer "
    "dir direction disabled enctype face frame hreflang http-equiv lang language link media method multiple "
    "nohref noresize noshade nowrap readonly rel rev rules scope scrolling selected shape target text type "
    "valign valuetype vlink"
)
"""Attributes whose values HTML compares without regard to case."""

TEST_IDS = ("data-testid", "data-test-id", "data-test", "data-qa", "data-cy")
"""Attributes that pages carry so that programs find their elements."""
_IDENTITIES = frozenset({"id", *TEST_IDS})
_STABLE_FIRST: tuple[SelectorKind, ...] = ("id", "attribute", "class")
Test = tuple[str, str, str]
"""What one part of a compound asks for: its kind (``tag``, ``id``, ``class``, ``attribute``), a name and a value."""


class Compound(NamedTuple):
    """A selector of one element by itself: its text, and what it asks for."""

    css: str
    tests: tuple[Test, ...]

    @property
    def kind(self) -> SelectorKind:
        """What the compound relies on."""
        kinds = {"id" if name in _IDENTITIES else kind for kind, name, _ in self.tests if name != "type"}
        return next((kind for kind in _STABLE_FIRST if kind in kinds), "tag")


class Scoped(NamedTuple):
    """A compound, if need be below an element that another compound finds."""

    compound: Compound
    below: Compound | None = None

    @property
    def css(self) -> str:
        """The selector's text."""
        return f"{self.below.css} {self.compound.css}" if self.below else self.compound.css


class PageIndex:
    """Counts the elements that selectors match.

    Args:
        facts: all elements of the page, in document order.
        is_quirky: whether the page has no doctype, so that ids and classes match in any case.
    """

    def __init__(self, facts: Sequence[Facts], *, is_quirky: bool) -> None:
        self._facts = facts
        self._is_quirky = is_quirky
        self._matches: dict[tuple[Test, ...], list[int]] = {}

    def by_tag(self, tag: str) -> Compound:
        """Return the selector of a tag."""
        return Compound(css_identifier(tag), (("tag", tag.lower(), ""),))

    def by_id(self, value: str) -> Compound:
        """Return the selector of an id: as an attribute where it is no plain name."""
        if is_plain_name(value):
            return Compound(f"#{value}", (("id", "id", self._folded(value)),))
        return Compound(f"[id={css_string(value)}]", (("attribute", "id", value),))

    def with_classes(self, base: Compound, classes: Sequence[str]) -> Compound:
        """Return a compound that also asks for classes."""
        css = base.css + "".join(f".{css_identifier(name)}" for name in classes)
        return Compound(css, (*base.tests, *(("class", "", self._folded(name)) for name in classes)))

    def with_attribute(self, base: Compound, name: str, value: str) -> Compound:
        """Return a compound that also asks for an attribute of exactly this value."""
        css = f"{base.css}[{css_identifier(name)}={css_string(value)}]"
        return Compound(css, (*base.tests, ("attribute", name, _attribute_key(name, value))))

    def count(self, scoped: Scoped) -> int:
        """Return how many elements match."""
        found = self._found(scoped.compound)
        if scoped.below is None:
            return len(found)
        total, after = 0, 0
        for scope in self._found(scoped.below):
            if scope >= after:  # a scope within a scope adds nothing
                after = self._ends[scope]
                total += bisect_left(found, after) - bisect_left(found, scope + 1)
        return total

    def path(self, index: int, anchors: dict[int, Compound]) -> str | None:
        """Return the selector that walks down to an element by its places among siblings.

        Args:
            index: the element.
            anchors: elements that a compound of their own finds alone; the walk begins at the nearest one above.

        Returns:
            ``None`` where it would be too long.
        """
        steps: list[str] = []
        place: int | None = index
        while place is not None and (place not in anchors or place == index):
            steps.append(self._step(place))
            place = self._facts[place].parent
        if place is not None:
            steps.append(anchors[place].css)
        css = " > ".join(reversed(steps))
        return css if len(css) <= MAX_SELECTOR_CHARS and len(steps) <= MAX_STEPS else None

    def _step(self, index: int) -> str:
        place, total = self._siblings[index]
        tag = css_identifier(self._facts[index].tag)
        return tag if total == 1 else f"{tag}:nth-of-type({place})"

    def _found(self, compound: Compound) -> list[int]:
        known = self._matches.get(compound.tests)
        if known is None:
            buckets = sorted((self._buckets.get(test, []) for test in compound.tests), key=len)
            known = [index for index in buckets[0] if all(_holds(bucket, index) for bucket in buckets[1:])]
            self._matches[compound.tests] = known
        return known

    @cached_property
    def _buckets(self) -> dict[Test, list[int]]:
        buckets: dict[Test, list[int]] = {}
        for facts in self._facts:
            tests: list[Test] = [("tag", facts.tag.lower(), "")]
            tests += [("class", "", name) for name in {self._folded(name) for name in facts.classes}]
            for name, value in facts.attributes.items():
                tests.append(("attribute", name, _attribute_key(name, value)))
                if name == "id" and value:
                    tests.append(("id", "id", self._folded(value)))
            for test in tests:
                buckets.setdefault(test, []).append(facts.index)
        return buckets

    @cached_property
    def _ends(self) -> list[int]:
        """The index after the last element inside each element."""
        ends = [facts.index + 1 for facts in self._facts]
        for facts in reversed(self._facts):
            if facts.parent is not None:
                ends[facts.parent] = max(ends[facts.parent], ends[facts.index])
        return ends

    @cached_property
    def _siblings(self) -> list[tuple[int, int]]:
        """Each element's place among its siblings of the same tag, from 1, and how many those are."""
        counts: dict[tuple[int | None, str], int] = {}
        places: list[int] = []
        for facts in self._facts:
            key = (facts.parent, facts.tag)
            counts[key] = counts.get(key, 0) + 1
            places.append(counts[key])
        return [(place, counts[facts.parent, facts.tag]) for place, facts in zip(places, self._facts, strict=True)]

    def _folded(self, name: str) -> str:
        return name.lower() if self._is_quirky else name


def is_plain_name(value: str) -> bool:
    """Return whether a text stands in a selector as it is."""
    return css_identifier(value) == value and value.isascii() and value[:1] not in {"", "-"}


def is_usable(value: str) -> bool:
    """Return whether a selector can ask for an attribute's value: not empty, not too long, no control characters."""
    return 0 < len(value) <= MAX_ATTRIBUTE_CHARS and value.isprintable()


def _holds(bucket: list[int], index: int) -> bool:
    place = bisect_left(bucket, index)
    return place < len(bucket) and bucket[place] == index


def _attribute_key(name: str, value: str) -> str:
    return value.lower() if name in _ANY_CASE else value
