"""The preconditions task: what to ask for beyond the skeleton, and what to leave out, on evidence alone."""

import re
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.asking import Answer, Ask, BadReply, ask_for, read_json
from personalized_shopping.shared_libraries.skills.build.locators import css_of
from personalized_shopping.shared_libraries.skills.model import Preconditions
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.skills.tasks.proposal import Proposal
from personalized_shopping.shared_libraries.skills.tasks.signals import Cover, Page

PROMPT = "skill_preconditions"
MAX_ADDED_PATTERNS = 3
_SIGNED_IN = re.compile(r"^\W*(?:sign|log) ?out\W*$", re.IGNORECASE)
_SIGNED_OUT = re.compile(r"^\W*(?:sign|log) ?in\W*$", re.IGNORECASE)


class PageSignals(Struct, frozen=True, kw_only=True):
    """What speaks for and against a condition. ``login_state`` is what the page's own links and buttons say."""

    url: str
    covers: list[Cover]
    control_visible: bool | str
    control_enabled: bool | None
    occlusion_ratio: float | None
    viewport: dict[str, int] | None
    is_mobile: bool
    login_state: str | None
    texts: list[str]
    selectors: list[str]


class ConditionsQuestion(Struct, frozen=True, kw_only=True):
    """The skeleton to refine."""

    skeleton: dict[str, Any]
    signals: PageSignals


class ConditionsReply(Struct, frozen=True, kw_only=True):
    """The refined conditions, and why."""

    preconditions: Preconditions
    notes: str | list[str] = ""


def refine_preconditions(page: Page, ask: Ask, prompt: str) -> Answer[Proposal]:
    """Return the skill with the preconditions that a model refined.

    Args:
        page: the page, with the skill.
        ask: asks the model.
        prompt: of the task.
    """
    signals = signals_of(page)
    question = ConditionsQuestion(skeleton=msgspec.to_builtins(page.skill.preconditions), signals=signals)

    def read(reply: str) -> Proposal:
        refined = read_json(reply, ConditionsReply)
        check_conditions(refined.preconditions, page.skill.preconditions, signals)
        notes = refined.notes if isinstance(refined.notes, str) else " ".join(refined.notes)
        return Proposal(msgspec.structs.replace(page.skill, preconditions=refined.preconditions), notes)

    return ask_for(ask, prompt, question, read)


def signals_of(page: Page) -> PageSignals:
    """Return what the page says about the conditions of its skill."""
    meta, skill, covers = page.capture.meta, page.skill, page.covers()
    conditions = skill.preconditions
    own = [*conditions.exists, *conditions.visible, *conditions.enabled, *filter(None, [css_of(skill.locators)])]
    return PageSignals(
        url=str(meta.get("url", "")),
        covers=covers,
        control_visible=page.element.visible,
        control_enabled=page.element.enabled,
        occlusion_ratio=page.element.occlusion_ratio,
        viewport=meta["viewport"] if meta.get("viewport_known") else None,
        is_mobile=page.is_mobile(),
        login_state=_login_state(page),
        texts=page.texts(),
        selectors=list(dict.fromkeys([*own, *(cover.selector for cover in covers), *conditions.not_exists])),
    )


def check_conditions(conditions: Preconditions, skeleton: Preconditions, signals: PageSignals) -> None:
    """Raise where conditions go beyond what is known of the page.

    Raises:
        BadReply: which says what they may not ask for.
    """
    _check_addresses(conditions, skeleton, signals.url)
    if conditions.page_kind != skeleton.page_kind:
        raise BadReply("page_kind has to stay as it is in the skeleton.")
    if skeleton.exists[0] not in conditions.exists:
        raise BadReply(f"exists has to keep the control's own selector {skeleton.exists[0]!a}.")
    for field in ("exists", "visible", "enabled"):
        _check_known(field, getattr(conditions, field), signals.selectors)
    _check_absent(conditions, skeleton, signals)
    if conditions.visible != skeleton.visible and signals.control_visible is not True:
        raise BadReply("Nobody saw the control: leave visible as it is.")
    if clash := set(conditions.not_exists) & {*conditions.exists, *conditions.visible, *conditions.enabled}:
        raise BadReply(f"{sorted(clash)[0]!a} cannot be asked to be there and not to be there.")
    if any(selector.startswith(("role=", "text=")) for selector in conditions.enabled):
        raise BadReply("enabled takes CSS only.")
    if unknown := [text for text in conditions.text_contains if text not in signals.texts]:
        raise BadReply(f"text_contains takes texts of signals.texts, and {unknown[0]!a} is none of them.")
    if conditions.login_state not in (UNSET, skeleton.login_state, signals.login_state):
        raise BadReply("login_state may only be what signals.login_state says.")
    if set(conditions.cookies) - set(skeleton.cookies):
        raise BadReply("No cookies are known; leave cookies out.")
    _check_viewport(conditions, signals)


def _check_addresses(conditions: Preconditions, skeleton: Preconditions, url: str) -> None:
    """Allow the skeleton's patterns, and narrower ones that begin with one of them and match the page's address."""
    added = [pattern for pattern in conditions.url_matches if pattern not in skeleton.url_matches]
    if len(added) > MAX_ADDED_PATTERNS:
        raise BadReply(f"url_matches has more than {MAX_ADDED_PATTERNS} new patterns.")
    for pattern in added:
        if "|" in pattern or not any(pattern.startswith(known) for known in skeleton.url_matches):
            raise BadReply(f"{pattern[:200]!a} has to begin with a pattern of the skeleton, and have no alternatives.")
        try:
            fits = matches(pattern, url)
        except SkillError as error:
            raise BadReply(str(error)) from None
        if not fits:
            raise BadReply(f"{pattern[:200]!a} does not match the page's own address.")


def _check_absent(conditions: Preconditions, skeleton: Preconditions, signals: PageSignals) -> None:
    """Allow what was hidden, or lay over the control; what is always there would keep the skill from ever running."""
    may_be = {each.selector for each in signals.covers if each.visible is False or each.over_control}
    for selector in conditions.not_exists:
        if selector not in may_be and selector not in skeleton.not_exists:
            raise BadReply(
                f"not_exists has {selector[:200]!a}: no cover that was hidden, or that lay over the control."
            )


def _check_known(field: str, selectors: list[str], known: list[str]) -> None:
    if unknown := [selector for selector in selectors if selector not in known]:
        raise BadReply(f"{field} has {unknown[0][:200]!a}, which is none of the known selectors.")


def _check_viewport(conditions: Preconditions, signals: PageSignals) -> None:
    viewport = conditions.viewport
    if viewport is UNSET:
        return
    for name, least in (("width", viewport.min_width), ("height", viewport.min_height)):
        if least is UNSET:
            continue
        seen = signals.viewport[name] if signals.viewport else None
        if seen is None or not 0 < least <= seen:
            raise BadReply(f"viewport.min_{name} is {least}, and the page was seen with {seen or 'no window'}.")


def _login_state(page: Page) -> str | None:
    """Return what the page's own buttons and links say about being signed in."""
    names = [node.name for node in page.capture.controls]
    if any(_SIGNED_IN.match(name) for name in names):
        return "logged_in"
    return "logged_out" if any(_SIGNED_OUT.match(name) for name in names) else None
