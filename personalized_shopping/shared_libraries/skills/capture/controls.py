"""The tree of a page's controls: how each is found, what is done with it, and which of them are one and the same."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from personalized_shopping.shared_libraries.skills.capture.actions import action_of, guess_effect
from personalized_shopping.shared_libraries.skills.capture.elements import find_forms, find_proxy, is_page_control
from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.locating import Locator
from personalized_shopping.shared_libraries.skills.capture.model import (
    Geometry,
    Node,
    NodeAction,
    Shape,
    Unique,
)
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.capture.templates import template_id
from personalized_shopping.shared_libraries.skills.capture.uniqueness import PageIndex
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.model import Effect

_FILLED = words(
    "checkbox color date datetime-local email file month number password radio range search tel text time url week"
)
_CONTAINERS = words("article dialog form group list main navigation radiogroup region search tablist toolbar")
"""Roles of elements that become content nodes when there are controls in them."""


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """A node before its place in the tree is known."""

    element: Facts
    action: NodeAction
    form: Facts | None
    template: str | None


def controls_tree(facts: Sequence[Facts], *, page_kind: str | None, is_quirky: bool) -> list[Node]:
    """Return the nodes of a page in document order: its controls, and the elements that hold them.

    A control that is surely hidden has no node unless a visible label stands for it.

    Args:
        facts: all elements of the page, in document order.
        page_kind: the kind of the shop's page, or ``None`` elsewhere.
        is_quirky: whether the page has no doctype.
    """
    drafts = _drafts(facts, page_kind)
    locator = Locator(facts, PageIndex(facts, is_quirky=is_quirky))
    places = sorted({*drafts, *_holders(facts, set(drafts), locator)})
    parents = _parents(facts, places)
    children: dict[int, list[str]] = {}
    for place in places:
        above = parents[place]
        if above is not None:
            children.setdefault(above, []).append(f"d{place}")
    named: Counter[tuple[str | None, str]] = Counter(
        (each.role, matching_text(each.name)) for each in facts if each.role is not None
    )
    nodes: list[Node] = []
    for place in places:
        element, draft = facts[place], drafts.get(place)
        found, above = locator.locate(element), parents[place]
        node = Node(
            id=f"d{place}",
            type="control" if draft else "content",
            parent=None if above is None else f"d{above}",
            children=children.get(place, []),
            index=place,
            selector=found.selector,
            selector_kind=found.kind,
            selector_alt=found.alternatives,
            path=found.path,
            unique=Unique(css=found.matches, role_name=named[element.role, matching_text(element.name)]),
            role=element.role,
            name=element.name,
            action=draft.action if draft else "none",
            effect=_effect(draft, page_kind) if draft else "read",
            template_id=draft.template if draft else None,
            proxy_selector=_proxy_selector(element, facts, locator),
            geom=Geometry(bbox=element.bbox, page_bbox=element.page_bbox, shape=_shape(element)),
        )
        nodes.append(node)
    return nodes


def list_templates(nodes: Sequence[Node]) -> dict[int, str]:
    """Return the template of each control whose template the page repeats, by element."""
    counts = Counter(node.template_id for node in nodes if node.template_id is not None)
    return {node.index: node.template_id for node in nodes if node.template_id and counts[node.template_id] > 1}


def _drafts(facts: Sequence[Facts], page_kind: str | None) -> dict[int, _Draft]:
    forms = find_forms(facts)
    filled = {
        forms[element.index]
        for element in facts
        if element.index in forms and (element.input_type in _FILLED or element.tag in {"select", "textarea"})
    }
    filled |= {forms[element.index] for element in facts if element.input_type == "password" and element.index in forms}
    drafts: dict[int, _Draft] = {}
    for element in facts:
        if not is_page_control(element, facts):
            continue
        if element.visible is False and find_proxy(element, facts) is None:
            continue
        form_index = forms.get(element.index)
        form = None if form_index is None else facts[form_index]
        action = action_of(element, form_has_fields=form_index in filled)
        template = template_id(element, facts, action=action, name=element.name, form=form, kind=page_kind)
        drafts[element.index] = _Draft(element=element, action=action, form=form, template=template)
    return drafts


def _holders(facts: Sequence[Facts], controls: set[int], locator: Locator) -> set[int]:
    """Return the elements that hold controls and mean something: those with an id, a name or several controls."""
    holds = [0] * len(facts)
    for index in reversed(range(len(facts))):
        parent = facts[index].parent
        if parent is not None:
            holds[parent] += holds[index] + (index in controls)
    found: set[int] = set()
    for element in facts:
        index, is_container = element.index, element.role in _CONTAINERS
        if index in controls or not holds[index] or element.tag in {"html", "body"}:
            continue
        if locator.is_anchor(index) or (is_container and (element.name or holds[index] > 1)):
            found.add(index)
    return found


def _parents(facts: Sequence[Facts], places: Sequence[int]) -> dict[int, int | None]:
    """Return the nearest node around each node."""
    is_node = set(places)
    nearest: list[int | None] = []
    for element in facts:
        above = element.parent
        nearest.append(None if above is None else above if above in is_node else nearest[above])
    return {place: nearest[place] for place in places}


def _effect(draft: _Draft, page_kind: str | None) -> Effect:
    name = draft.element.name
    return guess_effect(draft.element, draft.action, form=draft.form, name=name, is_shop=page_kind is not None)


def _proxy_selector(element: Facts, facts: Sequence[Facts], locator: Locator) -> str | None:
    proxy = find_proxy(element, facts)
    if proxy is None:
        return None
    found = locator.locate(facts[proxy])
    return found.selector if found.matches == 1 else found.path


def _shape(element: Facts) -> Shape:
    """Return the form of an element's box, from its rounded corners."""
    radius = element.looks.get("border_radius", "").removesuffix("px")
    if element.bbox is None or not radius.replace(".", "", 1).isdigit():
        return "round" if radius == "50%" else "rect"
    width, height = element.bbox[2:]
    if 0 < height <= 2 * float(radius):
        return "round" if abs(width - height) <= 2 else "pill"
    return "rect"
