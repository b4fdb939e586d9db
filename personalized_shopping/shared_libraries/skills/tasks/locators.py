"""The locator task: which of the known selectors comes first, and which are its fallbacks."""

import msgspec
from msgspec import UNSET, Struct

from personalized_shopping.shared_libraries.asking import Answer, Ask, BadReply, ask_for, read_json
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text, role_selector
from personalized_shopping.shared_libraries.skills.chain import DOM_INDEX_EFFECTS
from personalized_shopping.shared_libraries.skills.model import MAX_ALTERNATIVES, Skill
from personalized_shopping.shared_libraries.skills.tasks.proposal import Proposal
from personalized_shopping.shared_libraries.skills.tasks.signals import ElementFacts, Page

PROMPT = "skill_locators"


class Candidates(Struct, frozen=True, kw_only=True):
    """The selectors to choose from; ``matches`` says how many elements each of them matches."""

    css: list[str]
    matches: dict[str, int]
    by_role: dict[str, object] | None
    by_text: list[str]
    by_dom_index: int | None


class LocatorQuestion(Struct, frozen=True, kw_only=True):
    """What a model needs to know to order locators."""

    domain: str
    url: str
    action: str
    effect: str
    element: ElementFacts
    candidates: Candidates
    neighborhood_texts: list[str]


class LocatorReply(Struct, frozen=True, kw_only=True):
    """The order that a model chose."""

    primary: str
    fallbacks: list[str] = []
    rationale: str = ""


def order_locators(page: Page, ask: Ask, prompt: str) -> Answer[Proposal]:
    """Return the skill with its locators in the order that a model chose.

    Args:
        page: the page, with the skill; one of a single control.
        ask: asks the model.
        prompt: of the task.
    """
    skill, matches = page.skill, candidates_of(page)
    locators = skill.locators
    question = LocatorQuestion(
        domain=skill.domain,
        url=str(page.capture.meta.get("url", "")),
        action=skill.action,
        effect=skill.effect,
        element=page.described(),
        candidates=Candidates(
            css=list(matches),
            matches=matches,
            by_role=None if locators.by_role is UNSET else msgspec.to_builtins(locators.by_role),
            by_text=locators.by_text,
            by_dom_index=None if locators.by_dom_index is UNSET else locators.by_dom_index,
        ),
        neighborhood_texts=page.texts(),
    )

    def read(reply: str) -> Proposal:
        order = read_order(reply, matches)
        return Proposal(reordered(skill, order, matches), order.rationale)

    return ask_for(ask, prompt, question, read)


def candidates_of(page: Page) -> dict[str, int]:
    """Return the selectors that may be chosen, each with the number of elements that it matches."""
    node, locators, effect = page.node, page.skill.locators, page.skill.effect
    found = {locators.selector: 1 if locators.unique else node.unique.css}
    found |= dict.fromkeys(locators.selector_alt, 1)
    found.setdefault(node.selector, node.unique.css)
    if node.role and node.name:
        found.setdefault(role_selector(node.role, matching_text(node.name)), node.unique.role_name)
    if node.path and effect in DOM_INDEX_EFFECTS:
        found.setdefault(node.path, 1)
    return found


def read_order(reply: str, matches: dict[str, int]) -> LocatorReply:
    """Return the order of a reply.

    Raises:
        BadReply: for selectors that were not offered, and for a first one that is not unique though another is.
    """
    order = read_json(reply, LocatorReply)
    for selector in (order.primary, *order.fallbacks):
        if selector not in matches:
            raise BadReply(f"{ascii(selector)[:200]} is none of candidates.css. Choose among these, as they stand.")
    if len(order.fallbacks) > MAX_ALTERNATIVES:
        raise BadReply(f"There are {len(order.fallbacks)} fallbacks; at most {MAX_ALTERNATIVES}.")
    if matches[order.primary] != 1 and 1 in matches.values():
        raise BadReply(f"The primary matches {matches[order.primary]} elements. Choose one that matches exactly 1.")
    return order


def reordered(skill: Skill, order: LocatorReply, matches: dict[str, int]) -> Skill:
    """Return a skill with another order of locators; its conditions name the new first one."""
    first, old = order.primary, skill.locators.selector
    alternatives = dict.fromkeys(each for each in order.fallbacks if each != first and matches[each] == 1)
    locators = msgspec.structs.replace(
        skill.locators, selector=first, selector_alt=list(alternatives), unique=matches[first] == 1
    )
    is_css = not first.startswith("role=")
    conditions = skill.preconditions

    def moved(selectors: list[str], *, keep: bool = True) -> list[str]:
        return list(dict.fromkeys(first if each == old else each for each in selectors if keep or each != old))

    preconditions = msgspec.structs.replace(
        conditions,
        exists=moved(conditions.exists),
        visible=moved(conditions.visible),
        enabled=moved(conditions.enabled, keep=is_css),  # only CSS can be asked whether it is enabled
    )
    return msgspec.structs.replace(skill, locators=locators, preconditions=preconditions)
