"""Whether a skill's preconditions and postconditions hold, and exactly which one does not."""

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import UNSET

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.chain import fill_pattern, fill_selector, fill_text, narrowed
from personalized_shopping.shared_libraries.skills.model import Postconditions, Preconditions
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.skills.world import Signals, World, WorldError

PAGE_CONDITIONS = ("exists", "not_exists", "visible", "enabled", "text_contains")
"""What a skill's ``prepare`` may bring about: it depends on the page and not on where the page is."""
NOT_DISABLED = ':not([disabled]):not([aria-disabled="true"])'

Values = Mapping[str, str]


class Unmet(NamedTuple):
    """A condition that does not hold: its field, what it asks for, and what there is instead."""

    condition: str
    wanted: str
    seen: str

    def __str__(self) -> str:
        return f"{self.condition} {self.wanted}: {self.seen}"


def unmet_by_place(conditions: Preconditions, signals: Signals) -> list[Unmet]:
    """Return the preconditions on where the page is that do not hold; one matching pattern of an address is enough."""
    found = _url_unmet(conditions.url_matches, signals.url)
    found += _kind_unmet(conditions.page_kind, signals.page_kind)
    if conditions.viewport is not UNSET and signals.viewport is not None:
        for name, least, given in zip(
            ("min_width", "min_height"),
            (conditions.viewport.min_width, conditions.viewport.min_height),
            signals.viewport,
            strict=True,
        ):
            if least is not UNSET and given < least:
                found.append(Unmet(f"viewport.{name}", str(least), f"it is {given}"))
    if conditions.login_state is not UNSET and signals.login_state != conditions.login_state:
        found.append(Unmet("login_state", conditions.login_state, f"it is {signals.login_state or 'not known'}"))
    for name in conditions.cookies:
        if not any(fnmatchcase(cookie, name) for cookie in signals.cookies):
            found.append(Unmet("cookies", shorten(name), "there is no such cookie"))
    return found


def unmet_by_page(conditions: Preconditions, world: World, values: Values, *, own: str | None = None) -> list[Unmet]:
    """Return the preconditions on the page itself that do not hold.

    Args:
        conditions: the preconditions.
        world: where the page is.
        values: what stands for ``{name}`` in them.
        own: the skill's own selector, which its chain of locators answers for and which is left out of ``exists``.
    """
    found = []
    for selector in conditions.exists:
        if selector != own:
            found += _selector_unmet("exists", selector, world, values, _is_there)
    for field, check in (("visible", _is_visible), ("enabled", _is_enabled), ("not_exists", _is_absent)):
        for selector in getattr(conditions, field):
            found += _selector_unmet(field, selector, world, values, check)
    return found + _text_unmet(conditions.text_contains, world, values)


def unmet_after(conditions: Postconditions, world: World, values: Values, url_before: str) -> list[Unmet]:
    """Return the postconditions that do not hold.

    Args:
        conditions: the postconditions.
        world: where the page is.
        values: what stands for ``{name}`` in them.
        url_before: the address before the program ran.
    """
    signals = world.signals()
    found = _kind_unmet(conditions.page_kind, signals.page_kind)
    found += _url_unmet([fill_pattern(pattern, values) for pattern in conditions.url_matches], signals.url)
    if conditions.url_changes is not UNSET and (signals.url != url_before) is not conditions.url_changes:
        wanted = "another address" if conditions.url_changes else "the same address"
        found.append(Unmet("url_changes", wanted, f"it is {shorten(signals.url, 200)}"))
    for field, check in (("exists", _is_there), ("not_exists", _is_absent)):
        for selector in getattr(conditions, field):
            found += _selector_unmet(field, selector, world, values, check)
    return found + _text_unmet(conditions.text_contains, world, values)


def _is_there(world: World, selector: str) -> str | None:
    return None if world.count(selector) else "nothing matches"


def _is_visible(world: World, selector: str) -> str | None:
    return None if world.count(selector, visible=True) else "nothing visible matches"


def _is_enabled(world: World, selector: str) -> str | None:
    return None if world.count(narrowed(selector, NOT_DISABLED)) else "nothing enabled matches"


def _is_absent(world: World, selector: str) -> str | None:
    shown = world.count(selector, visible=True)
    return f"{shown} visible" if shown else None


def _selector_unmet(
    field: str, selector: str, world: World, values: Values, check: Callable[[World, str], str | None]
) -> list[Unmet]:
    filled = fill_selector(selector, values)
    try:
        seen = check(world, filled)
    except WorldError as error:
        seen = str(error)[:300]
    return [] if seen is None else [Unmet(field, shorten(filled), seen)]


def _url_unmet(patterns: list[str], url: str) -> list[Unmet]:
    """Return what is wrong where no pattern matches; one that cannot be used matches nothing."""
    problems = []
    for pattern in patterns:
        try:
            if matches(pattern, url):
                return []
        except SkillError as error:
            problems.append(str(error))
    if not patterns:
        return []
    wanted = " or ".join(shorten(pattern) for pattern in patterns[:3])
    return [Unmet("url_matches", wanted, " ".join([f"it is {shorten(url, 200)}", *problems]))]


def _kind_unmet(kinds: list[str], kind: str | None) -> list[Unmet]:
    if not kinds or kind in kinds:
        return []
    return [Unmet("page_kind", " or ".join(kinds), f"it is {kind or 'not known'}")]


def _text_unmet(texts: list[str], world: World, values: Values) -> list[Unmet]:
    if not texts:
        return []
    shown = " ".join(world.text_of_page().split())
    wanted = [" ".join(fill_text(text, values).split()) for text in texts]
    return [Unmet("text_contains", shorten(text), "the page does not say it") for text in wanted if text not in shown]
