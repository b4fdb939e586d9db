"""Mending a skill: a fallback locator that keeps winning is promoted, and a control that moved is found again.

Finding again compares what the skill knows of its control with every control of a new capture. Only what both sides
know counts. A control is taken only if it is like the old one and no other is nearly as like.
"""

from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec import UNSET
from thefuzz import fuzz

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.capture.selectors import role_selector, text_selector
from personalized_shopping.shared_libraries.skills.element_names import (
    IDENTITY,
    CaptureLike,
    ElementLike,
    NodeLike,
    Sought,
    sought_control,
)
from personalized_shopping.shared_libraries.skills.model import MAX_ALTERNATIVES, Effect, Locators, Skill
from personalized_shopping.shared_libraries.skills.patches import Operation, PatchDocument, make_patch

WINS_TO_PROMOTE = 3
THRESHOLD = 0.65
MARGIN = 0.05
"""By so much the best control must be more like the old one than any other."""
WEIGHTS = {"name": 0.35, "attrs": 0.25, "role": 0.2, "tag": 0.1, "labels": 0.1}
MIN_NAME = 0.5
"""A control of quite another name is another control, unless its id is the same."""
MIN_NAME_OF_WRITES = 0.8
"""Where a wrong press costs something, the id alone proves nothing."""
_EFFECTS: tuple[Effect, ...] = ("read", "navigate", "write", "purchase")
_PRESSED = {"click", "navigate", "submit", "open"}
_LIKE = 0.7
MAX_NAME_CHARS = 200


class Likeness(NamedTuple):
    """How like the old control an element is, 0 to 1."""

    score: float
    element: ElementLike
    node: NodeLike


def promoted(skill: Skill) -> Skill | None:
    """Return the skill with the fallback that keeps winning as its first locator, or ``None`` where none does.

    A place in the document is never promoted: the next banner moves it. What may spend money is to be verified again.

    Args:
        skill: with a health that tells who won.
    """
    winner = skill.health.last_winner
    if not isinstance(winner, str) or skill.health.winner_streak < WINS_TO_PROMOTE or skill.steps:
        return None
    locators = skill.locators
    selector = _fallback(locators, winner)
    if selector is None or selector == locators.selector or locators.item_param is not UNSET:
        return None
    rest = [locators.selector, *(each for each in locators.selector_alt if each != selector)][:MAX_ALTERNATIVES]
    conditions = skill.preconditions
    return msgspec.structs.replace(
        skill,
        locators=msgspec.structs.replace(locators, selector=selector, selector_alt=rest, unique=True),
        preconditions=msgspec.structs.replace(
            conditions,
            exists=_renamed(conditions.exists, locators.selector, selector),
            visible=_renamed(conditions.visible, locators.selector, selector),
            enabled=_renamed(conditions.enabled, locators.selector, selector),
        ),
        status="trial" if skill.effect == "purchase" else skill.status,
        meta=msgspec.structs.replace(skill.meta, generator="hybrid"),
    )


def promotion_note(old: Skill) -> str:
    """Return what the notes say about a promotion."""
    return f"{old.health.last_winner} took the place of {shorten(old.locators.selector)}"


def _fallback(locators: Locators, place: str) -> str | None:
    """Return the selector of a fallback by its place in the chain."""
    if place == "by_role" and not isinstance(locators.by_role, msgspec.UnsetType):
        role = locators.by_role
        return role_selector(role.role, role.name or None, exact=role.exact is not False)
    for kind, values in (("selector_alt", locators.selector_alt), ("by_text", locators.by_text)):
        for index, value in enumerate(values):
            if place == f"{kind}[{index}]":
                return value if kind == "selector_alt" else text_selector(value)
    return None


def _renamed(selectors: list[str], old: str, new: str) -> list[str]:
    return list(dict.fromkeys(new if each == old else each for each in selectors))


def heal(skill: Skill, capture: CaptureLike, now: datetime) -> PatchDocument:
    """Return the patch that makes a skill's locators name its control as it is now.

    Args:
        skill: whose locators find nothing, or too much.
        capture: the page as it is now.
        now: the time.

    Raises:
        SkillError: where the page is another one, or no element is like the old control, or several are.
    """
    if skill.steps or skill.locators.item_param is not UNSET:
        kind = "a composite: heal the skills it stands for" if skill.steps else "for a list: capture and build it again"
        raise SkillError(f"The skill {skill.id} is {kind}.")
    kinds, here = skill.preconditions.page_kind, capture.meta.get("page_kind")
    if kinds and here and here not in kinds:
        raise SkillError(f"The skill {skill.id} is for a page of kind {', '.join(kinds)}, and this is {shorten(here)}.")
    sought = sought_control(skill)
    found = likenesses(skill, sought, capture)
    if not found or found[0].score < THRESHOLD:
        best = f"The best is {_described(found[0])}." if found else "Nothing on it can be pressed or filled in."
        raise SkillError(f"No element of the page is like the control of {skill.id}. {best}")
    if len(found) > 1 and found[0].score - found[1].score < MARGIN:
        raise SkillError(
            f"Several elements are like the control of {skill.id}: {_described(found[0])}, {_described(found[1])}."
        )
    return _patch(skill, found[0], now)


def likenesses(skill: Skill, sought: Sought, capture: CaptureLike) -> list[Likeness]:
    """Return the controls that may be the skill's, the most like first."""
    careful = skill.effect in ("write", "purchase")
    found = []
    elements = {element.index: element for element in capture.elements}
    for node in capture.nodes:
        element = elements.get(node.index)
        if element is None or not _may_be(skill, node) or (element.visible is False and element.proxy_index is None):
            continue
        name = _name_likeness(sought, element)
        limit = MIN_NAME_OF_WRITES if careful else MIN_NAME
        if name is not None and name < limit and (careful or not _same_id(sought, element)):
            continue
        found.append(Likeness(_score(sought, element, name), element, node))
    return sorted(found, key=lambda each: (-each.score, each.element.index))


def _may_be(skill: Skill, node: NodeLike) -> bool:
    """Return whether a node takes the skill's action and costs no more than the skill says."""
    if node.type != "control" or _EFFECTS.index(node.effect) > _EFFECTS.index(skill.effect):
        return False
    return node.action == skill.action or {node.action, skill.action} <= _PRESSED


def _score(sought: Sought, element: ElementLike, name: float | None) -> float:
    parts: dict[str, float | None] = {
        "name": name,
        "role": float(element.role_computed == sought.role) if sought.role else None,
        "tag": float(element.tag == sought.tag) if sought.tag else None,
        "attrs": _attrs_likeness(sought, element),
        "labels": _labels_likeness(sought, element),
    }
    known = {part: value for part, value in parts.items() if value is not None}
    if "name" not in known and "attrs" not in known:
        return 0.0  # any button is like a button
    return sum(WEIGHTS[part] * value for part, value in known.items()) / sum(WEIGHTS[part] for part in known)


def _ratio(first: str, second: str) -> float:
    first, second = first.casefold()[:200], second.casefold()[:200]
    return max(fuzz.ratio(first, second), fuzz.token_sort_ratio(first, second)) / 100


def _name_likeness(sought: Sought, element: ElementLike) -> float | None:
    return _ratio(sought.name, element.name_computed or element.text) if sought.name else None


def _attrs_likeness(sought: Sought, element: ElementLike) -> float | None:
    if not sought.attrs and not sought.classes:
        return None
    total = reached = 0.0
    for name, value in sought.attrs.items():
        weight = 2.0 if name in IDENTITY else 1.0
        likeness = _ratio(value, element.attrs.get(name) or "")
        total += weight
        reached += weight * (likeness if likeness >= _LIKE else 0.0)
    if sought.classes:
        own = set(element.classes)
        total += 1.0
        reached += len(own & sought.classes) / len(own | sought.classes)
    return reached / total


def _labels_likeness(sought: Sought, element: ElementLike) -> float | None:
    if not sought.texts:
        return None
    own = [text for text in (*element.labels, element.text, element.name_computed) if text]
    return max((_ratio(text, other) for text in sought.texts for other in own), default=0.0)


def _same_id(sought: Sought, element: ElementLike) -> bool:
    return any(sought.attrs.get(name) == element.attrs.get(name) for name in IDENTITY if name in sought.attrs)


def _described(found: Likeness) -> str:
    element = found.element
    name = element.name_computed or element.text
    return f"{element.role_computed or element.tag} {shorten(name, 40)} ({found.score:.2f})"


def _patch(skill: Skill, found: Likeness, now: datetime) -> PatchDocument:
    element, node = found.element, found.node
    name = (element.name_computed or "")[:MAX_NAME_CHARS]
    selectors = [node.selector] if node.unique.css == 1 else []
    selectors += [selector for selector in node.selector_alt if selector != node.selector]
    if element.role_computed and name and node.unique.role_name == 1:
        selectors.append(role_selector(element.role_computed, name))
    if not selectors:
        raise SkillError(f"{_described(found)} is like the control of {skill.id}, but nothing names it alone.")
    first, *others = selectors
    by_role = {"role": element.role_computed, "name": name, "exact": True} if element.role_computed and name else None
    new: dict[str, object] = {
        "selector": first,
        "selector_alt": others[:MAX_ALTERNATIVES],
        "by_role": by_role,
        "by_text": [text for text in (name or element.text,) if text and len(text) <= 64],
        "by_dom_index": element.index,
        "bbox": element.bbox and [int(each) for each in element.bbox],
        "page_bbox": element.page_bbox and [int(each) for each in element.page_bbox],
        "proxy": node.proxy_selector,
        "unique": True,
    }
    old = {"selector_alt": [], "by_text": [], "unique": True} | msgspec.to_builtins(skill.locators)
    ops = []
    for part, value in new.items():
        if value is not None and value != old.get(part):
            ops.append(Operation(op="add", path=f"/locators/{part}", value=value))
        elif value is None and part in old:
            ops.append(Operation(op="remove", path=f"/locators/{part}"))
    for part in ("exists", "visible", "enabled"):
        before: list[str] = getattr(skill.preconditions, part)
        after = _renamed(before, skill.locators.selector, first)
        if after != before:
            ops.append(Operation(op="add", path=f"/preconditions/{part}", value=after))
    ops.append(Operation(op="add", path="/meta/generator", value="hybrid"))
    return make_patch(
        skill,
        ops,
        rationale=f"The control is now {_described(found)}.",
        created_at=rules.timestamp(now),
        author="similarity",
    )
