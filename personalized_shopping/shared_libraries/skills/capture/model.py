"""A capture as data: what a page was, its elements, the tree of its controls, its roles and names.

The JSON forms are the blueprint's files with more fields. An element has every field of the original even where nothing
is known (``null``); the fields that came later are left out where they say nothing.
"""

from typing import Any, Literal

from msgspec import Struct, field

from personalized_shopping.shared_libraries.skills.capture.states import States, Tristate
from personalized_shopping.shared_libraries.skills.model import ActionKind, Effect

SPEC_VERSION = "v1"
DETECT_SPEC_VERSION = "v0.1"
RULE_VERSION = "r2.0.0"
MAX_ATTRIBUTE_CHARS = 200
"""Longest attribute value that a capture keeps; a longer one is cut and ends in ``…``."""
MAX_TEXT_CHARS = 160

Visible = bool | Literal["unknown"]
NodeAction = ActionKind | Literal["none"]
NodeType = Literal["control", "content"]
Shape = Literal["rect", "pill", "round"]
SelectorKind = Literal["id", "attribute", "class", "tag"]
"""What a selector relies on, the most lasting first: an id, another attribute, classes, nothing but the tag."""
Box = list[int]
"""``[x, y, width, height]`` in CSS pixels."""


class Element(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One element of the page.

    ``index`` is its place in ``document.querySelectorAll('*')``. ``role`` and ``name`` are the attributes of these
    names; the computed ones are ``role_computed`` and ``name_computed``. ``visible`` is ``"unknown"`` where a page was
    read without a window and nothing in it hides the element. ``text`` is the visible text of a control, and the own
    text of any other element.
    """

    index: int
    parent_index: int | None
    tag: str
    id: str | None
    class_: str | None = field(name="class")
    role: str | None
    name: str | None
    aria: dict[str, str]
    """The attributes whose names begin with ``aria-``, under their full names."""
    bbox: Box | None
    page_bbox: Box | None
    visible: Visible
    in_viewport: bool | None
    occlusion_ratio: float | None
    """Which part of five points of a control something else lies over (0 to 1); ``None`` where it was not looked at."""
    text: str
    labels: list[str]
    """The texts of its labels, then its ``aria-label`` and its ``title``."""
    interactive_score: float
    is_control: bool
    attrs: dict[str, str] = {}
    """All attributes; values that may be secrets are left out."""
    role_computed: str | None = None
    name_computed: str = ""
    input_type: str | None = None
    placeholder: str | None = None
    title: str | None = None
    href: str | None = None
    enabled: bool | None = None
    checked: Tristate | None = None
    covered_by: int | None = None
    """The element that lies over the control where its middle would be pressed."""
    proxy_index: int | None = None
    """The visible label that is pressed for an input that cannot be."""
    form_index: int | None = None
    list_template: str | None = None
    """The template of a control that the page repeats."""
    z_index: str | None = None
    opacity: str | None = None
    pointer_events: str | None = None
    border_radius: str | None = None

    @property
    def classes(self) -> list[str]:
        """The element's classes."""
        return (self.class_ or "").split()


class Unique(Struct, frozen=True, kw_only=True):
    """How many elements of the page a node's ``selector`` matches, and how many have its role and name."""

    css: int
    role_name: int


class Geometry(Struct, frozen=True, kw_only=True):
    """Where a node is and what form it has; boxes are unknown without a window."""

    bbox: Box | None = None
    page_bbox: Box | None = None
    shape: Shape = "rect"


class Node(Struct, frozen=True, kw_only=True):
    """A control, or an element that holds controls.

    ``selector`` is CSS that does not depend on places among siblings. Where ``unique.css`` is not 1, no CSS of this
    sort finds the element alone: then use role and name where ``unique.role_name`` is 1, or ``path``, which matches
    this element alone today but another one as soon as the page gains a sibling. A selector that relies on classes or
    tags says nothing about what a button does; its name does. ``selector_alt`` are further selectors, each matching
    this element alone.
    """

    id: str
    type: NodeType
    parent: str | None
    children: list[str]
    index: int
    selector: str
    selector_kind: SelectorKind
    selector_alt: list[str]
    path: str | None
    unique: Unique
    role: str | None
    name: str
    action: NodeAction
    effect: Effect
    template_id: str | None
    """The same for controls that do the same to different things: the products of a list, the values of an option."""
    proxy_selector: str | None
    geom: Geometry


class AxNode(Struct, frozen=True, kw_only=True):
    """What assistive technology is told about the element of this index."""

    index: int
    role: str
    name: str
    states: States


class Capture(Struct, frozen=True, kw_only=True):
    """Everything that is known about a page; ``scrolled`` are the elements after the page was scrolled to its end."""

    meta: dict[str, Any]
    elements: list[Element]
    scrolled: list[Element]
    nodes: list[Node]
    ax: list[AxNode]

    @property
    def controls(self) -> list[Node]:
        """The nodes that are controls, in document order."""
        return [node for node in self.nodes if node.type == "control"]

    @property
    def roots(self) -> list[str]:
        """The ids of the nodes that are in no other."""
        return [node.id for node in self.nodes if node.parent is None]

    def element(self, index: int) -> Element:
        """Return the element of an index.

        Raises:
            KeyError: where the page has none.
        """
        if 0 <= index < len(self.elements) and self.elements[index].index == index:
            return self.elements[index]
        raise KeyError(index)
