"""Which controls of a page are one skill: each by itself, the entries of a list, or the values of one option."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from personalized_shopping.shared_libraries.skills.capture.model import MAX_ATTRIBUTE_CHARS, Capture, Element, Node
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.capture.templates import mask_address

Kind = Literal["single", "list", "options"]
_LEVELS = 5
_DIGITS = re.compile(r"\d")


class Group(NamedTuple):
    """The controls that one skill stands for.

    ``list``: they do the same to different things, which their names tell apart, or else an ``attribute``.
    ``options``: the radio buttons of one name. ``single``: one control; ``twins`` counts further ones of the page that
    nothing tells from it.
    """

    kind: Kind
    nodes: tuple[Node, ...]
    elements: tuple[Element, ...]
    attribute: str | None = None
    twins: int = 0

    @property
    def node(self) -> Node:
        """The first control."""
        return self.nodes[0]

    @property
    def element(self) -> Element:
        """The first control's element."""
        return self.elements[0]

    @property
    def names(self) -> list[str]:
        """The accessible names of the controls."""
        return [matching_text(node.name) for node in self.nodes]


class PageFacts:
    """What building asks of a capture again and again, counted once.

    Args:
        capture: the capture.
    """

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    @property
    def page_kind(self) -> str | None:
        """The kind of the shop's page; ``None`` on other sites."""
        kind = self.capture.meta.get("page_kind")
        return kind if isinstance(kind, str) and kind else None

    @cached_property
    def session(self) -> str | None:
        """The shopper's session in the addresses of the shop's website."""
        parts = [part for part in str(self.capture.meta.get("path", "")).split("/") if part]
        place = 0 if self.page_kind == "search" else 1
        return parts[place] if self.page_kind is not None and len(parts) > place else None

    @cached_property
    def nodes(self) -> dict[int, Node]:
        """The nodes by element."""
        return {node.index: node for node in self.capture.nodes}

    @cached_property
    def roles(self) -> Counter[str]:
        """How many elements have a role."""
        return Counter(each.role_computed for each in self.capture.elements if each.role_computed)

    @cached_property
    def by_tag(self) -> dict[str, list[Element]]:
        """The elements of a tag."""
        found: dict[str, list[Element]] = {}
        for each in self.capture.elements:
            found.setdefault(each.tag, []).append(each)
        return found

    @cached_property
    def by_text(self) -> dict[str, list[int]]:
        """The elements that say a text."""
        found: dict[str, list[int]] = {}
        for each in self.capture.elements:
            if each.text:
                found.setdefault(matching_text(each.text), []).append(each.index)
        return found

    @cached_property
    def names_by_role(self) -> dict[str, list[str]]:
        """The names of all elements of a role."""
        found: dict[str, list[str]] = {}
        for each in self.capture.elements:
            if each.role_computed:
                found.setdefault(each.role_computed, []).append(matching_text(each.name_computed))
        return found

    def above(self, index: int) -> Iterator[Element]:
        """Yield the elements around one, from the inside."""
        place = self.capture.element(index).parent_index
        while place is not None:
            around = self.capture.element(place)
            yield around
            place = around.parent_index

    def is_inside(self, index: int, outer: int) -> bool:
        """Return whether an element is another one, or lies in it."""
        while index > outer:
            above = self.capture.element(index).parent_index
            if above is None:
                return False
            index = above
        return index == outer

    def inside(self, outer: int) -> Iterator[Element]:
        """Yield the elements in another one; they follow it in the document."""
        for each in self.capture.elements[outer + 1 :]:
            if not self.is_inside(each.index, outer):
                return
            yield each

    def holds_all(self, outer: int, group: Iterable[Element]) -> bool:
        """Return whether all these elements lie in another one."""
        return all(self.is_inside(each.index, outer) for each in group)

    def alike(self, elements: Sequence[Element]) -> list[Element]:
        """Return the elements of the page that have the tag and the classes that these have in common."""
        wanted = set(shared_classes(elements))
        return [each for each in self.by_tag.get(elements[0].tag, []) if wanted <= set(each.classes)]

    def surroundings(self, index: int) -> tuple[str, ...]:
        """Return the elements around one as tags and classes, from the outside; no places among siblings."""
        steps: list[str] = []
        for around in self.above(index):
            if around.tag in {"html", "body"} or len(steps) == _LEVELS:
                break
            steps.append(".".join([around.tag, *plain_classes(around)]))
        return tuple(reversed(steps))


def plain_classes(element: Element) -> list[str]:
    """Return an element's first two classes without digits."""
    return [name for name in element.classes if not _DIGITS.search(name)][:2]


def group_controls(facts: PageFacts, *, per_control: bool) -> list[Group]:
    """Return the groups of a page's controls, in document order.

    Fields for passwords and files are left out: no skill types the one or picks the other.

    Args:
        facts: the page.
        per_control: whether every control is a group of its own.
    """
    found: dict[tuple[object, ...], list[Node]] = {}
    for node in facts.capture.controls:
        element = facts.capture.element(node.index)
        if node.action == "none" or element.input_type in ("password", "file"):
            continue
        if node.role == "option" and not per_control and _is_listed(facts, node):
            continue
        found.setdefault((node.index,) if per_control else _key(facts, node, element), []).append(node)
    return [group for key, nodes in found.items() for group in _groups(facts, key, nodes)]


def _is_listed(facts: PageFacts, node: Node) -> bool:
    """Return whether a control is an entry of a list of values, whose own skill chooses it."""
    around = (facts.nodes.get(each.index) for each in facts.above(node.index))
    return any(each is not None and each.action == "select" for each in around)


def _key(facts: PageFacts, node: Node, element: Element) -> tuple[object, ...]:
    """Return what the controls of one skill have in common."""
    group = element.attrs.get("name", "")
    if element.input_type == "radio" and group:
        return ("options", group, element.form_index)
    if node.action == "navigate" and element.href:
        return ("link", node.role, node.effect, mask_address(element.href), facts.surroundings(node.index))
    return ("template", node.template_id or node.id)


def _groups(facts: PageFacts, key: tuple[object, ...], nodes: list[Node]) -> list[Group]:
    def made(kind: Kind, chosen: list[Node], attribute: str | None = None, twins: int = 0) -> Group:
        elements = tuple(facts.capture.element(node.index) for node in chosen)
        return Group(kind, tuple(chosen), elements, attribute, twins)

    if len(nodes) == 1:
        return [made("single", nodes)]
    if key[0] == "options":
        return [made("options", nodes)]
    named = [node for node in nodes if node.role and node.name and node.unique.role_name == 1]
    if len(named) > 1 and 2 * len(named) >= len(nodes):
        return [made("list", named)]
    attribute = _telling_attribute(facts, nodes)
    if attribute is not None:
        return [made("list", nodes, attribute)]
    alike: dict[str, list[Node]] = {}
    for node in nodes:
        alike.setdefault(matching_text(node.name), []).append(node)
    return [made("single", twins[:1], twins=len(twins) - 1) for twins in alike.values()]


def _telling_attribute(facts: PageFacts, nodes: list[Node]) -> str | None:
    """Return an attribute whose value is another one for each of these controls, and for nothing else like them."""
    elements = [facts.capture.element(node.index) for node in nodes]
    if len(facts.alike(elements)) != len(nodes):
        return None
    data = sorted(name for name in elements[0].attrs if name.startswith("data-"))
    for name in ("aria-label", "title", "value", *data, "href"):
        values = {each.attrs.get(name, "") for each in elements}
        if len(values) == len(nodes) and all(0 < len(value) < MAX_ATTRIBUTE_CHARS for value in values):
            return name
    return None


def shared_classes(elements: Sequence[Element]) -> list[str]:
    """Return the classes without digits that all these elements have, at most two."""
    common = set.intersection(*(set(each.classes) for each in elements))
    return [name for name in plain_classes(elements[0]) if name in common]
