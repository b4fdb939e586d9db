"""What a page says about its controls as it comes: checked, disabled, expanded and their like."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from personalized_shopping.shared_libraries.skills.capture.form_controls import chosen_options
from personalized_shopping.shared_libraries.skills.capture.roles import input_type
from personalized_shopping.shared_libraries.skills.capture.tree import Tree

Tristate = bool | Literal["mixed"]
_DISABLES = frozenset({"button", "fieldset", "input", "optgroup", "option", "select", "textarea"})
CHECKED_ROLES = frozenset({"checkbox", "menuitemcheckbox", "menuitemradio", "radio", "switch"})


class States(Struct, frozen=True, omit_defaults=True):
    """The states of one element; one that does not apply, or is off by default, is left out."""

    checked: Tristate | UnsetType = UNSET
    pressed: Tristate | UnsetType = UNSET
    expanded: bool | UnsetType = UNSET
    selected: bool = False
    disabled: bool = False
    required: bool = False


def read_states(tree: Tree) -> list[States]:
    """Return the states of every element."""
    disabled = _disabled(tree)
    selected = {
        option for index, tag in enumerate(tree.tags) if tag == "select" for option in chosen_options(tree, index)
    }
    checked_radios = _checked_radios(tree)
    return [
        States(
            checked=_checked(tree, index, checked_radios),
            pressed=_tristate(tree.attributes[index].get("aria-pressed")),
            expanded=_expanded(tree, index),
            selected=index in selected or tree.attributes[index].get("aria-selected") == "true",
            disabled=disabled[index],
            required="required" in tree.attributes[index] or tree.attributes[index].get("aria-required") == "true",
        )
        for index in range(len(tree.tags))
    ]


def match_state(tree: Tree, name: str) -> frozenset[int]:
    """Return the elements that CSS takes for ``checked``, ``disabled`` or ``enabled`` as the page comes."""
    elements = range(len(tree.tags))
    if name == "checked":
        radios = _checked_radios(tree)
        selects = [index for index in elements if tree.tags[index] == "select"]
        chosen = {option for select in selects for option in chosen_options(tree, select)}
        boxes = [index for index in elements if tree.tags[index] == "input"]
        return frozenset(chosen | {index for index in boxes if _checked(tree, index, radios) is True})
    off = _disabled_by_css(tree)
    return frozenset(
        index for index in elements if tree.tags[index] in _DISABLES and off[index] == (name == "disabled")
    )


def _disabled_by_css(tree: Tree) -> list[bool]:
    off: list[bool] = []
    inside: list[bool] = []
    for index, tag in enumerate(tree.tags):
        parent = tree.parents[index]
        in_fieldset = parent is not None and inside[parent] and not _is_first_legend(tree, index)
        own = tag in _DISABLES and "disabled" in tree.attributes[index]
        inside.append(in_fieldset or (own and tag == "fieldset"))
        select = tree.closest(index, "select") if tag == "option" else None
        in_group = tag == "option" and parent is not None and tree.tags[parent] == "optgroup" and off[parent]
        in_list = select is not None and off[select]
        off.append(own or in_group or in_list or (in_fieldset and tag not in {"option", "optgroup"}))
    return off


def _disabled(tree: Tree) -> list[bool]:
    """Return which elements cannot be used: by themselves, or by the ``fieldset`` or list that they stand in."""
    off: list[bool] = []
    for index, tag in enumerate(tree.tags):
        attributes, parent = tree.attributes[index], tree.parents[index]
        own = (tag in _DISABLES and "disabled" in attributes) or attributes.get("aria-disabled") == "true"
        inherited = parent is not None and off[parent] and not _is_first_legend(tree, index)
        off.append(own or inherited)
    return [off[index] and _can_be_off(tree, index) for index in range(len(off))]


def _can_be_off(tree: Tree, index: int) -> bool:
    return tree.tags[index] in _DISABLES or tree.attributes[index].get("aria-disabled") == "true"


def _is_first_legend(tree: Tree, index: int) -> bool:
    parent = tree.parents[index]
    if tree.tags[index] != "legend" or parent is None or tree.tags[parent] != "fieldset":
        return False
    return next(child for child in tree.children(parent) if tree.tags[child] == "legend") == index


def _checked_radios(tree: Tree) -> set[int]:
    """Return the radio buttons that are chosen: the last one of each group that says so."""
    last: dict[object, int] = {}
    for index, tag in enumerate(tree.tags):
        attributes = tree.attributes[index]
        if tag == "input" and input_type(attributes) == "radio" and "checked" in attributes:
            name = attributes.get("name")
            last[(tree.closest(index, "form"), name) if name else index] = index
    return set(last.values())


def _checked(tree: Tree, index: int, radios: set[int]) -> Tristate | UnsetType:
    attributes = tree.attributes[index]
    if tree.tags[index] == "input":
        kind = input_type(attributes)
        if kind == "radio":
            return index in radios
        if kind == "checkbox":
            return "checked" in attributes
    roles = attributes.get("role", "").lower().split()
    if not roles or roles[0] not in CHECKED_ROLES:
        return UNSET
    written = _tristate(attributes.get("aria-checked"))
    return False if written is UNSET else written


def _expanded(tree: Tree, index: int) -> bool | UnsetType:
    parent = tree.parents[index]
    if tree.tags[index] == "summary" and parent is not None and tree.tags[parent] == "details":
        return "open" in tree.attributes[parent]
    written = tree.attributes[index].get("aria-expanded")
    return written == "true" if written in {"true", "false"} else UNSET


def _tristate(written: str | None) -> Tristate | UnsetType:
    if written == "mixed":
        return "mixed"
    return written == "true" if written in {"true", "false"} else UNSET
