"""What a page tells a model about a skill's control: the element, what stands near it, and what lies over the page."""

from itertools import islice

from msgspec import UNSET, Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.build.covers import says_cover
from personalized_shopping.shared_libraries.skills.build.groups import PageFacts
from personalized_shopping.shared_libraries.skills.capture.model import Capture, Element, Node
from personalized_shopping.shared_libraries.skills.capture.selectors import css_identifier, matching_text, role_selector
from personalized_shopping.shared_libraries.skills.capture.uniqueness import is_plain_name
from personalized_shopping.shared_libraries.skills.model import Skill

MAX_TEXTS = 10
MAX_TEXT_CHARS = 64
MAX_COVERS = 10
MAX_NEIGHBOURS = 100
"""Elements around a control that are looked at for texts."""
_MOBILE_WIDTH = 600


class ElementFacts(Struct, frozen=True, kw_only=True):
    """A control as a model sees it."""

    tag: str
    id: str | None
    role: str | None
    name: str
    classes: list[str]
    index: int
    bbox: list[int] | None


class Cover(Struct, frozen=True, kw_only=True):
    """Something that lies over the page, or may; ``close`` are the buttons in it."""

    selector: str
    visible: bool | str
    over_control: bool
    close: list[str]


class Page:
    """A capture as the tasks read it, for one skill.

    Args:
        capture: the page that the skill was built from.
        skill: the skill.

    Raises:
        SkillError: where the page has no such control.
    """

    def __init__(self, capture: Capture, skill: Skill) -> None:
        self.facts = PageFacts(capture)
        self.capture = capture
        self.skill = skill
        self.node = self._find()
        self.element: Element = capture.element(self.node.index)

    def _find(self) -> Node:
        index = self.skill.locators.by_dom_index
        if index is UNSET:
            digits = self.skill.id.removeprefix("d").partition("-")[0]
            index = int(digits) if digits.isdigit() else -1
        node = self.facts.nodes.get(index)
        if node is None or node.type != "control":
            raise SkillError(f"The capture has no control of the skill {self.skill.id}. Build it from this capture.")
        return node

    def described(self) -> ElementFacts:
        """Return the control for a model."""
        element = self.element
        return ElementFacts(
            tag=element.tag,
            id=element.id,
            role=element.role_computed,
            name=matching_text(element.name_computed)[:MAX_TEXT_CHARS],
            classes=element.classes[:MAX_TEXTS],
            index=element.index,
            bbox=element.bbox,
        )

    def texts(self) -> list[str]:
        """Return short texts of the control and of what stands next to it, the nearest first."""
        found = dict.fromkeys(self._texts_of(self.element))
        for around in self.facts.above(self.element.index):
            if len(found) >= MAX_TEXTS or around.tag in {"body", "html"}:
                break
            for inner in (around, *islice(self.facts.inside(around.index), MAX_NEIGHBOURS)):
                found |= dict.fromkeys(self._texts_of(inner))
        return list(found)[:MAX_TEXTS]

    def _texts_of(self, element: Element) -> list[str]:
        shown = () if element.visible is False else (element.text, element.name_computed, *element.labels)
        texts = (matching_text(text) for text in shown)
        return [text for text in texts if 0 < len(text) <= MAX_TEXT_CHARS]

    def covers(self) -> list[Cover]:
        """Return what lies over the page, or may come to."""
        found: dict[str, Cover] = {}
        over = {each.index for each in self._over()}
        for element in self.capture.elements:
            if element.index not in over and not says_cover(element):
                continue
            selector = self._selector(element)
            if selector is None or self.facts.is_inside(self.element.index, element.index):
                continue
            closing = [
                _alone(node) for node in self.capture.controls if self.facts.is_inside(node.index, element.index)
            ]
            cover = Cover(
                selector=selector,
                visible=element.visible,
                over_control=element.index in over,
                close=[each for each in closing if each is not None][:MAX_TEXTS],
            )
            found.setdefault(selector, cover)
        return list(found.values())[:MAX_COVERS]

    def is_mobile(self) -> bool:
        """Return whether the page was seen in a window as narrow as a telephone's."""
        return bool(self.capture.meta.get("viewport_known")) and self.capture.meta["viewport"]["width"] <= _MOBILE_WIDTH

    def _over(self) -> list[Element]:
        covered_by = self.element.covered_by
        if covered_by is None:
            return []
        return [self.capture.element(covered_by), *self.facts.above(covered_by)]

    def _selector(self, element: Element) -> str | None:
        if element.id and is_plain_name(element.id):
            return f"#{element.id}"
        return f".{css_identifier(element.classes[0])}" if element.classes else None


def _alone(node: Node) -> str | None:
    if node.role and node.name and node.unique.role_name == 1:
        return role_selector(node.role, matching_text(node.name))
    return node.selector if node.unique.css == 1 else None
