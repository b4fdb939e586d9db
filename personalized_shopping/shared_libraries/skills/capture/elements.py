"""From what was found out about a page to its element table: the fields that follow from others."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET

from personalized_shopping.shared_libraries.skills.capture.actions import interactive_score, is_control
from personalized_shopping.shared_libraries.skills.capture.facts import Facts
from personalized_shopping.shared_libraries.skills.capture.model import (
    MAX_ATTRIBUTE_CHARS,
    MAX_TEXT_CHARS,
    AxNode,
    Element,
)

MAX_HREF_CHARS = 2_000
MAX_LABELS = 10
_PROXIED = frozenset({"checkbox", "file", "radio"})


def describe(facts: Sequence[Facts], list_templates: dict[int, str]) -> list[Element]:
    """Return the element table of a page.

    Args:
        facts: all elements of the page, in document order.
        list_templates: the templates of repeated controls, by element.
    """
    forms = find_forms(facts)
    return [_element(element, facts, forms.get(element.index), list_templates) for element in facts]


def accessibility(facts: Sequence[Facts]) -> list[AxNode]:
    """Return what assistive technology is told: the elements that have a role."""
    return [
        AxNode(index=element.index, role=element.role, name=element.name, states=element.states)
        for element in facts
        if element.role is not None
    ]


def is_page_control(element: Facts, facts: Sequence[Facts]) -> bool:
    """Return whether a person can act on an element of the page."""
    parent_tag = None if element.parent is None else facts[element.parent].tag
    return is_control(element.tag, element.attributes, parent_tag)


def find_proxy(element: Facts, facts: Sequence[Facts]) -> int | None:
    """Return the label that is pressed for an input that is hidden, or that may be.

    Pages draw options of their own by hiding the input and styling its label. Without a window one cannot tell; then
    the label stands as well, since pressing it does the same.
    """
    if element.input_type not in _PROXIED or element.visible is True:
        return None
    return next((label for label in element.labels if facts[label].visible is not False), None)


def find_forms(facts: Sequence[Facts]) -> dict[int, int]:
    """Return the form of each element that belongs to one: the one it names, or the nearest around it."""
    forms: dict[int, int] = {}
    by_id: dict[str, int] = {}
    for element in facts:
        if element.attributes.get("id"):
            by_id.setdefault(element.attributes["id"], element.index)
    for element in facts:
        named = by_id.get(element.attributes.get("form", ""))
        if named is not None and facts[named].tag == "form":
            forms[element.index] = named
        elif element.parent is not None:
            around = element.parent if facts[element.parent].tag == "form" else forms.get(element.parent)
            if around is not None:
                forms[element.index] = around
    return forms


def _element(element: Facts, facts: Sequence[Facts], form: int | None, list_templates: dict[int, str]) -> Element:
    attributes, control = element.attributes, is_page_control(element, facts)
    optional: dict[str, Any] = element.looks | {
        "placeholder": _cut(attributes.get("placeholder")),
        "title": _cut(attributes.get("title")),
        "href": attributes["href"][:MAX_HREF_CHARS] if "href" in attributes else None,
        "enabled": not element.states.disabled if control else None,
        "checked": None if element.states.checked is UNSET else element.states.checked,
        "covered_by": element.covered_by,
        "proxy_index": find_proxy(element, facts),
        "form_index": form if control else None,
        "list_template": list_templates.get(element.index),
    }
    labels = [*element.label_texts, attributes.get("aria-label", ""), attributes.get("title", "")]
    return Element(
        index=element.index,
        parent_index=element.parent,
        tag=element.tag,
        id=_cut(attributes.get("id")),
        class_=_cut(attributes.get("class")),
        role=_cut(attributes.get("role")),
        name=_cut(attributes.get("name")),
        aria={name: _cut(value) or "" for name, value in attributes.items() if name.startswith("aria-")},
        bbox=element.bbox,
        page_bbox=element.page_bbox,
        visible=element.visible,
        in_viewport=element.in_viewport,
        occlusion_ratio=element.occlusion_ratio,
        text=element.text[:MAX_TEXT_CHARS].strip(),
        labels=list(dict.fromkeys(label[:MAX_TEXT_CHARS] for label in labels if label.strip()))[:MAX_LABELS],
        interactive_score=interactive_score(element.tag, attributes),
        is_control=control,
        attrs={name: _cut(value) or "" for name, value in attributes.items()},
        role_computed=element.role,
        name_computed=element.name,
        input_type=element.input_type,
        **optional,
    )


def _cut(value: str | None) -> str | None:
    if value is None or len(value) <= MAX_ATTRIBUTE_CHARS:
        return value
    return value[: MAX_ATTRIBUTE_CHARS - 1] + "…"
