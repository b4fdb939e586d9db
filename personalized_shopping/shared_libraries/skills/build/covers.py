"""What lies over a page: dialogs, curtains, messages; which of them keep a control from being pressed, and its closing.

An element that lies over others is to be absent where it was hidden when the page was captured, or where it covered the
control. One that was always there and covered nothing would keep the skill from ever running.
"""

import re

from msgspec import UNSET, UnsetType

from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts
from personalized_shopping.shared_libraries.skills.build.programs import closing_program
from personalized_shopping.shared_libraries.skills.capture.model import Element, Node
from personalized_shopping.shared_libraries.skills.capture.selectors import css_identifier, role_selector
from personalized_shopping.shared_libraries.skills.capture.uniqueness import is_plain_name
from personalized_shopping.shared_libraries.skills.capture.words import words
from personalized_shopping.shared_libraries.skills.model import Program

COVERS = words(
    "backdrop dialog drawer loading mask modal overlay popup progress skeleton snackbar spinner toast tooltip"
)
"""Words in ids and classes of what lies over a page."""
STATEFUL = words("alertdialog dialog tabpanel")
"""Roles of what comes and goes."""
MAX_COVERS = 5
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CLOSES = re.compile(r"^\W*(?:close|dismiss|hide|no,? thanks|not now|skip|[x×✕✖])\W*$", re.IGNORECASE)


class Covers:
    """What lies over the controls of one page, or may come to.

    Args:
        facts: the page.
    """

    def __init__(self, facts: PageFacts) -> None:
        self._facts = facts
        self._hidden: list[tuple[str, Element]] = []
        seen: set[str] = set()
        hidden: dict[str, Element] = {}
        for element in facts.capture.elements:
            selector = self._selector(element) if says_cover(element) else None
            if selector is not None and element.visible is False:
                hidden.setdefault(selector, element)
            elif selector is not None:
                seen.add(selector)
        self._hidden = [(selector, element) for selector, element in hidden.items() if selector not in seen]

    def absent_for(self, group: Group) -> list[str]:
        """Return the selectors of what must not be seen when a control is pressed."""
        cover = self._over(group)
        first = None if cover is None else self._selector(cover)
        found = [] if first is None else [first]
        for selector, element in self._hidden:
            if len(found) < MAX_COVERS and not self._holds_any(element, group):
                found.append(selector)
        return list(dict.fromkeys(found))

    def prepare_for(self, group: Group) -> Program | UnsetType:
        """Return the program that takes away what covered a control when the page was captured."""
        cover = self._over(group)
        selector = None if cover is None else self._selector(cover)
        if cover is None or selector is None:
            return UNSET
        for node in self._facts.capture.controls:
            if _CLOSES.match(node.name) and self._facts.is_inside(node.index, cover.index):
                return closing_program(selector, _alone(node))
        return closing_program(selector, None)

    def _over(self, group: Group) -> Element | None:
        """Return the outermost element that lay over the control and does not hold it."""
        over = group.element.covered_by
        if over is None:
            return None
        around = [self._facts.capture.element(over), *self._facts.above(over)]
        outside = [each for each in around if not self._facts.is_inside(group.element.index, each.index)]
        named = [each for each in outside if says_cover(each) or each.role_computed in STATEFUL]
        return next(reversed(named or outside), None)

    def _holds_any(self, element: Element, group: Group) -> bool:
        return any(self._facts.is_inside(each.index, element.index) for each in group.elements)

    def _selector(self, element: Element) -> str | None:
        """Return a selector of what lies over a page: its id, the class that says so, its role or its place."""
        if element.id and is_plain_name(element.id):
            return f"#{element.id}"
        for name in element.classes:
            if _words_of(name) & COVERS:
                return f".{css_identifier(name)}"
        node = self._facts.nodes.get(element.index)
        if node is not None and node.unique.css == 1:
            return node.selector
        role = element.role_computed
        return role_selector(role) if role and self._facts.roles[role] == 1 else None


def says_cover(element: Element) -> bool:
    """Return whether an element's id or classes say that it lies over the page."""
    return any(_words_of(name) & COVERS for name in (*element.classes, element.id or ""))


def _words_of(name: str) -> set[str]:
    return {part.lower() for part in _PART.findall(name)}


def _alone(node: Node) -> str | None:
    if node.unique.css == 1:
        return node.selector
    if node.role and node.unique.role_name == 1:
        return role_selector(node.role, node.name)
    return node.path
