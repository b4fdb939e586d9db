"""From a capture to skills: one a template of controls, with everything that can be told without asking a model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET, UnsetType

from personalized_shopping.shared_libraries.skills.build import texts
from personalized_shopping.shared_libraries.skills.build.conditions import find_preconditions
from personalized_shopping.shared_libraries.skills.build.covers import Covers
from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts, group_controls
from personalized_shopping.shared_libraries.skills.build.locators import find_locators
from personalized_shopping.shared_libraries.skills.build.outcomes import find_postconditions
from personalized_shopping.shared_libraries.skills.build.programs import Recipe, main_program
from personalized_shopping.shared_libraries.skills.capture.files import AX, CONTROLS_TREE, DOM_SUMMARY, META
from personalized_shopping.shared_libraries.skills.capture.model import Capture
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.duplicates import fingerprint
from personalized_shopping.shared_libraries.skills.library_files import plain_host
from personalized_shopping.shared_libraries.skills.model import (
    About,
    ActionKind,
    Effect,
    Evidence,
    Skill,
    no_arguments,
)

SHOP_DOMAIN = "webshop"
MAX_TYPED_CHARS = 2_000
MAX_VALUES = 200
"""Values that an argument's ``enum`` lists; of more, any text is taken."""
FINGERPRINT_CHARS = 4
_EFFECTS: tuple[Effect, ...] = ("read", "navigate", "write", "purchase")
_MAX_NAME_CHARS = 200


@dataclass(frozen=True)
class Names:
    """What a skill is called, and what its argument is called."""

    id: str
    slug: str
    label: str
    description: str
    argument: str | None = None


NameOf = Callable[[Group, Names], Names | None]
"""Gives a group other names than its own; ``None`` leaves it out."""


def build_skills(
    capture: Capture,
    *,
    per_control: bool = False,
    now: str,
    taken: Mapping[str, str] | None = None,
    source_dir: str | None = None,
    name_of: NameOf | None = None,
) -> list[Skill]:
    """Return the skills of a page, as drafts, in the order of its controls.

    Args:
        capture: the page.
        per_control: whether every control is a skill of its own, as in the blueprint, instead of every template.
        now: the time of building, UTC, ISO 8601.
        taken: the ids that the domain has, each with its fingerprint; a skill of another fingerprint gets another id.
        source_dir: where the capture lies, relative to the workspace's parent; made from its head where not given.
        name_of: gives skills other names.
    """
    facts = PageFacts(capture)
    covers = Covers(facts)
    found = []
    for group in group_controls(facts, per_control=per_control):
        names = _names(facts, group, _fingerprint(facts, group), taken or {})
        chosen = names if name_of is None else name_of(group, names)
        if chosen is not None:
            found.append(_skill(facts, covers, group, chosen, _about(facts, group, now, source_dir)))
    return found


def domain_of(capture: Capture) -> str:
    """Return the domain of a capture's skills: ``webshop`` for the shop wherever it is served, else the host."""
    meta = capture.meta
    if meta.get("page_kind"):
        return SHOP_DOMAIN
    return plain_host(str(meta.get("domain") or "")) or "unknown"


def _skill(facts: PageFacts, covers: Covers, group: Group, names: Names, about: About) -> Skill:
    recipe = _recipe(group)
    argument = names.argument
    locators = find_locators(facts, group, argument=argument)
    entry = f"program__{names.id.replace('-', '_')}__{names.slug}"
    return Skill(
        id=names.id,
        domain=domain_of(facts.capture),
        slug=names.slug,
        label=names.label,
        description=names.description,
        action=_action(group),
        preconditions=find_preconditions(facts, covers, group, locators),
        locators=locators,
        args_schema=_args_schema(facts, group, argument),
        program=main_program(entry, recipe, argument=argument, scrolls=group.element.in_viewport is False),
        prepare=covers.prepare_for(group),
        postconditions=find_postconditions(facts, group, locators, searches=recipe == "search"),
        effect=_effect(group, recipe),
        evidence=_evidence(facts, group),
        meta=about,
    )


def _recipe(group: Group) -> Recipe:
    element, action = group.element, group.node.action
    if group.kind == "options":
        return "select"
    if action == "type":
        return "search" if element.role_computed == "searchbox" else "type"
    if action == "select":
        return "select" if element.tag == "select" else "option"
    return "key" if _needs_keys(group) else "press"


def _needs_keys(group: Group) -> bool:
    """Return whether the mouse cannot reach a control: it lies outside of the page, or is a link within it."""
    element = group.element
    if element.tag == "a" and (element.href or "").startswith("#"):
        return True
    x, y, width, height = element.page_bbox or (0, 0, 1, 1)
    return element.proxy_index is None and (x + width <= 0 or y + height <= 0)


def _effect(group: Group, recipe: Recipe) -> Effect:
    """Return the gravest effect of the controls; a search leads to another page."""
    effects: list[Effect] = [node.effect for node in group.nodes]
    return max([*effects, "navigate" if recipe == "search" else "read"], key=_EFFECTS.index)


def _action(group: Group) -> ActionKind:
    if group.kind == "options":
        return "select"
    assert group.node.action != "none"  # such controls are in no group
    return group.node.action


def _names(facts: PageFacts, group: Group, mark: str, taken: Mapping[str, str]) -> Names:
    recipe = _recipe(group)
    argument = {"type": "text", "search": "text", "select": "value", "option": "value"}.get(recipe)
    if group.kind == "list":
        argument = "item"
    thing = texts.thing_of(facts, group)
    words = [_action(group), *thing]
    name = f"d{group.node.index}"
    # The shop's pages are one domain, in which the same place stands for another control on every kind of page.
    shared = len(group.nodes) > 1 or facts.page_kind is not None or taken.get(name, mark) != mark
    return Names(
        id=f"{name}-{mark[:FINGERPRINT_CHARS]}" if shared else name,
        slug=texts.slug_of(words),
        label=texts.label_of(words),
        description=texts.description_of(group, thing, argument=argument, searches=recipe == "search"),
        argument=argument,
    )


def _args_schema(facts: PageFacts, group: Group, argument: str | None) -> dict[str, Any]:
    if argument is None:
        return no_arguments()
    value: dict[str, Any] = {"type": "string"}
    if group.kind == "list":
        names = group.names if group.attribute is None else [each.attrs[group.attribute] for each in group.elements]
        value |= {"minLength": 1, "maxLength": MAX_TYPED_CHARS, "examples": names[:3]}
    elif group.kind == "options":
        value |= _values([each.attrs.get("value", "on") for each in group.elements])
    elif group.node.action == "select":
        value |= _values(_listed(facts, group))
    else:
        value["maxLength"] = MAX_TYPED_CHARS
    return {"type": "object", "properties": {argument: value}, "required": [argument], "additionalProperties": False}


def _values(values: list[str]) -> dict[str, Any]:
    listed = list(dict.fromkeys(value for value in values if value))
    return {"enum": listed} if 0 < len(listed) <= MAX_VALUES else {"minLength": 1, "maxLength": MAX_TYPED_CHARS}


def _listed(facts: PageFacts, group: Group) -> list[str]:
    """Return the entries of a list of values as people see them; by their values where two are called the same."""
    inside = [each for each in facts.inside(group.element.index) if "option" in (each.tag, each.role_computed)]
    shown = [matching_text(each.attrs.get("label") or each.text or each.name_computed) for each in inside]
    values = [each.attrs.get("value", text) for each, text in zip(inside, shown, strict=True)]
    return shown if len(set(shown)) == len(shown) and all(shown) else values


def _fingerprint(facts: PageFacts, group: Group) -> str:
    element, node = group.element, group.node
    form = None if element.form_index is None else facts.capture.element(element.form_index)
    named = element.attrs.get("name", "") if group.kind == "options" else node.name
    address = element.href or (form.attrs.get("action") if form is not None else None)
    if address and facts.session:
        address = address.replace(facts.session, "*")  # the same control in every session
    return fingerprint(
        host=domain_of(facts.capture),
        page_kind=facts.page_kind,
        action=_action(group),
        role=node.role,
        name=named or element.attrs.get("name", ""),
        address=address,
        ancestors=facts.surroundings(element.index),
        repeated=group.kind == "list",
    )


def _evidence(facts: PageFacts, group: Group) -> Evidence:
    name: str | UnsetType = matching_text(group.node.name)[:_MAX_NAME_CHARS] or UNSET
    if group.kind == "options":
        name = group.element.attrs.get("name", "")[:_MAX_NAME_CHARS] or UNSET
    return Evidence(
        tag=group.element.tag,
        role=group.node.role or UNSET,
        name=UNSET if group.kind == "list" else name,
        text_snippets=texts.snippets(facts, group),
        source=f"controls_tree+ax:{facts.capture.meta.get('capture_mode', 'unknown')}",
    )


def _about(facts: PageFacts, group: Group, now: str, source_dir: str | None) -> About:
    meta = facts.capture.meta
    usual = f"workspace/data/{meta.get('domain_sanitized', 'unknown')}/{meta.get('timestamp', '')}"
    return About(
        created_at=now,
        source_dir=source_dir or usual,
        source_files=[CONTROLS_TREE, DOM_SUMMARY, AX, META],
        detect_spec_version=str(meta.get("detect_spec_version", "")) or UNSET,
        fingerprint=_fingerprint(facts, group),
        template_id=group.node.template_id or UNSET,
    )
