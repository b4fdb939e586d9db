"""What HTML itself says about form controls: their labels, their options, the words on their buttons."""

from personalized_shopping.shared_libraries.skills.capture.roles import input_type
from personalized_shopping.shared_libraries.skills.capture.tree import Tree

_LABELABLE = frozenset({"button", "input", "meter", "output", "progress", "select", "textarea"})
_PUSH_BUTTONS = {"submit": "Submit", "reset": "Reset"}
BUTTON_WORDS = _PUSH_BUTTONS | {"button": ""}
"""The words that a browser writes on an ``input`` of these types where the page gives none."""


def is_labelable(tree: Tree, index: int) -> bool:
    """Return whether a ``label`` can belong to the element."""
    tag = tree.tags[index]
    return tag in _LABELABLE and not (tag == "input" and input_type(tree.attributes[index]) == "hidden")


def find_labels(tree: Tree) -> dict[int, list[int]]:
    """Return the ``label`` elements of each control that has any, in document order.

    A label belongs to the element that its ``for`` names, or to the first control inside it.
    """
    inside: dict[int, int] = {}
    for index in range(len(tree.tags)):
        if is_labelable(tree, index):
            above = tree.parents[index]
            while above is not None:
                if tree.tags[above] == "label":
                    inside.setdefault(above, index)
                above = tree.parents[above]
    found: dict[int, list[int]] = {}
    for index, tag in enumerate(tree.tags):
        if tag == "label":
            target = tree.attributes[index].get("for")
            control = tree.ids.get(target) if target is not None else inside.get(index)
            if control is not None and is_labelable(tree, control):
                found.setdefault(control, []).append(index)
    return found


def button_text(attributes: dict[str, str]) -> str | None:
    """Return the words on an ``input`` that is a button, or ``None`` where nothing says them."""
    kind = input_type(attributes)
    if kind in _PUSH_BUTTONS:
        return attributes.get("value", _PUSH_BUTTONS[kind])
    if kind == "button":
        return attributes.get("value") or None
    if kind == "image":
        return attributes.get("alt") or attributes.get("value") or attributes.get("title") or "Submit"
    if kind == "file":
        return "Choose Files" if "multiple" in attributes else "Choose File"
    return None


def options_of(tree: Tree, select: int) -> list[int]:
    """Return the options of a ``select``, in order."""
    found: list[int] = []
    waiting = list(reversed(tree.children(select)))
    while waiting:
        index = waiting.pop()
        if tree.tags[index] == "option":
            found.append(index)
        elif tree.tags[index] != "select":
            waiting.extend(reversed(tree.children(index)))
    return found


def chosen_options(tree: Tree, select: int) -> list[int]:
    """Return the options that are chosen as the page comes: where one must be, the first that can."""
    options = options_of(tree, select)
    chosen = [option for option in options if "selected" in tree.attributes[option]]
    attributes = tree.attributes[select]
    if "multiple" in attributes:
        return chosen
    is_long = attributes.get("size", "1").strip() not in {"", "0", "1"}
    free = [option for option in options if "disabled" not in tree.attributes[option]]
    return chosen[-1:] or ([] if is_long else free[:1])


def plain_text(tree: Tree, index: int) -> str:
    """Return an element's own texts, as they stand."""
    return "".join(part for part in tree.contents[index] if isinstance(part, str))
