"""How the control of a skill is found: the selectors that match it alone, the most lasting first.

An id or an attribute of its own comes first, then role and name, then classes, then the place among siblings. What
changes something is never found by its place. Where nothing finds the control alone, the skill says so (``unique``).
"""

import re
from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts, shared_classes
from personalized_shopping.shared_libraries.skills.build.texts import MAX_TEXT_CHARS, found_texts, is_steady
from personalized_shopping.shared_libraries.skills.capture.css import split_selector
from personalized_shopping.shared_libraries.skills.capture.model import Element, Node
from personalized_shopping.shared_libraries.skills.capture.selectors import (
    css_identifier,
    css_string,
    matching_text,
    role_selector,
)
from personalized_shopping.shared_libraries.skills.chain import DOM_INDEX_EFFECTS
from personalized_shopping.shared_libraries.skills.model import (
    MAX_ALTERNATIVES,
    MAX_SELECTOR_CHARS,
    Locators,
    RoleLocator,
)

ITEM = "{item}"
LASTING = ("id", "attribute")
_MIN_PART_CHARS = 12
_HREF = '[href="/'
_TYPE = re.compile(r"""\[type=("[^"]*"|'[^']*'|[^\]]*)\]""")


def find_locators(facts: PageFacts, group: Group, *, argument: str | None) -> Locators:
    """Return the locators of a group's skill.

    Args:
        facts: the page.
        group: the controls.
        argument: the argument that picks one of a list.
    """
    if group.kind == "list":
        return _of_list(facts, group, argument or "item")
    if group.kind == "options":
        return _of_options(facts, group)
    return _of_one(facts, group)


def shared_selector(group: Group) -> str:
    """Return a selector that every control of a list matches, and others perhaps as well."""
    if len({node.selector for node in group.nodes}) == 1:
        return group.node.selector
    classes = shared_classes(group.elements)
    if classes or group.attribute is not None or not group.node.role:
        return css_identifier(group.element.tag) + "".join(f".{css_identifier(name)}" for name in classes)
    return role_selector(group.node.role)


def _of_one(facts: PageFacts, group: Group) -> Locators:
    node, element = group.node, group.element
    by_role = role_locator(facts, node)
    ranked = list(dict.fromkeys(_alone(facts, node)))
    first = ranked[0] if ranked else node.selector
    return Locators(
        selector=first,
        selector_alt=_alternatives(node, ranked[1:]),
        by_role=by_role,
        by_text=[] if group.twins else found_texts(facts, element),
        by_dom_index=element.index,
        bbox=_box(element.bbox),
        page_bbox=_box(element.page_bbox),
        proxy=node.proxy_selector or UNSET,
        unique=bool(ranked),
    )


def _alone(facts: PageFacts, node: Node) -> Iterator[str]:
    """Yield the selectors that match a control alone, the best first."""
    # An address of the shop names a session: it finds the control in this one only.
    is_alone = node.unique.css == 1 and not (facts.page_kind and _HREF in node.selector)
    alternatives = [each for each in node.selector_alt if not (facts.page_kind and _HREF in each)]
    if is_alone and node.selector_kind in LASTING:
        yield node.selector
    named = role_locator(facts, node)
    if not isinstance(named, UnsetType) and named.exact is True and isinstance(named.name, str):
        yield role_selector(named.role, named.name)
    if is_alone:
        yield node.selector
    yield from alternatives
    if node.path and node.effect in DOM_INDEX_EFFECTS:
        yield node.path


def _alternatives(node: Node, ranked: list[str]) -> list[str]:
    """Return the selectors that are worth keeping beside the first one.

    Left out are role and name, which have a field of their own, what asks for hardly more than a tag, and what only
    adds an ancestor to another one. What changes something is not pressed because its classes fit.
    """
    kept: list[str] = []
    for selector in ranked:
        if selector.startswith("role="):
            continue
        is_place = selector == node.path
        last = split_selector(selector)[-1][-1].compound
        asks = _TYPE.sub("", last)
        is_telling = "#" in asks or "[" in asks or ("." in asks and node.effect in DOM_INDEX_EFFECTS)
        if (is_place or is_telling) and not any(selector.endswith(f" {known}") for known in kept):
            kept.append(selector)
    return kept[:MAX_ALTERNATIVES]


def role_locator(facts: PageFacts, node: Node) -> RoleLocator | UnsetType:
    """Return role and name of a control where they find it alone.

    A name that is long is cut and need not match as a whole; of one that looks as if it changed only the role is kept,
    if no other element has it.
    """
    name = matching_text(node.name)
    if not node.role:
        return UNSET
    if is_steady(name):
        return RoleLocator(role=node.role, name=name, exact=True) if node.unique.role_name == 1 else UNSET
    if len(name) > MAX_TEXT_CHARS:
        part = name[:MAX_TEXT_CHARS].rsplit(" ", 1)[0]
        alike = [each for each in facts.names_by_role.get(node.role, []) if part.lower() in each.lower()]
        if len(part) >= _MIN_PART_CHARS and len(alike) == 1:
            return RoleLocator(role=node.role, name=part, exact=False)
    return RoleLocator(role=node.role) if facts.roles[node.role] == 1 else UNSET


def _of_list(facts: PageFacts, group: Group, argument: str) -> Locators:
    shared, role = shared_selector(group), group.node.role
    if group.attribute is not None:
        selector = f'{shared}[{css_identifier(group.attribute)}="{ITEM}"]'
        return Locators(selector=selector, item_param=argument)
    assert role is not None  # what has no role is told apart by an attribute
    href = f'{shared}[href*="{ITEM}"]'
    in_href = not shared.startswith("role=") and all(_names_one(facts, group, name) for name in group.names)
    return Locators(
        selector=role_selector(role, ITEM),
        selector_alt=[href] if in_href else [],
        by_role=RoleLocator(role=role, name=ITEM, exact=True),
        by_text=[ITEM] if all(matching_text(each.text) == name for each, name in _named(group)) else [],
        item_param=argument,
    )


def _named(group: Group) -> Iterator[tuple[Element, str]]:
    return zip(group.elements, group.names, strict=True)


def _names_one(facts: PageFacts, group: Group, name: str) -> bool:
    """Return whether the address of one link like those of the list, and of no other, contains a name."""
    return sum(name in (each.href or "") for each in facts.alike(group.elements)) == 1


def _of_options(facts: PageFacts, group: Group) -> Locators:
    name = group.element.attrs.get("name", "")
    radios = f'input[type="radio"][name={css_string(name)}]'
    holder = _holder(facts, group)
    if holder is None:
        return Locators(selector=radios, unique=False)
    named = role_locator(facts, holder)
    ranked = list(dict.fromkeys(_alone(facts, holder)))
    if not ranked:
        return Locators(selector=radios, unique=False)
    return Locators(
        selector=ranked[0],
        selector_alt=[radios, *_alternatives(holder, ranked[1:])][:MAX_ALTERNATIVES],
        by_role=named,
        bbox=_box(facts.capture.element(holder.index).bbox),
        page_bbox=_box(facts.capture.element(holder.index).page_bbox),
    )


def _holder(facts: PageFacts, group: Group) -> Node | None:
    """Return the node around all radio buttons of a group and around no others, if there is one."""
    own = {each.index for each in group.elements}
    for around in facts.above(group.element.index):
        node = facts.nodes.get(around.index)
        if node is None:
            continue
        radios = (each.index for each in facts.inside(node.index) if each.input_type == "radio")
        holds_others = any(index not in own for index in radios)
        return None if holds_others or around.tag in {"body", "form", "main"} else node
    return None


def _box(box: list[int] | None) -> list[int] | UnsetType:
    """Return a box that has a size; hidden fields have none worth keeping."""
    return box if box and len(box) == 4 and box[2] >= 1 and box[3] >= 1 else UNSET


def css_of(locators: Locators) -> str | None:
    """Return the first locator if it is CSS, to which conditions can be added."""
    selector = locators.selector
    is_css = not selector.startswith(("role=", "text=", "index="))
    return selector if is_css and len(selector) <= MAX_SELECTOR_CHARS - 40 else None
