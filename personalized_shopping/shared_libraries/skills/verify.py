"""Whether a skill works: its programs pass the gates, and on fresh pages of every kind it does what it promises.

A skill that buys is checked up to the press and not beyond.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Any, Literal

from msgspec import Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runner import check_skill, run_skill
from personalized_shopping.shared_libraries.skills.runs import Outcome, SkillRun
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.verify_args import make_args
from personalized_shopping.shared_libraries.skills.verify_places import Places, ShopPlaces, site_places
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

__all__ = ["Tried", "Verification", "verify", "verify_in_browser", "verify_in_shop"]

ANY_PAGE = "any"
MAX_WHY_CHARS = 1_000


class Tried(Struct, frozen=True, omit_defaults=True):
    """What came of a skill on one kind of page.

    ``none`` where there was no page of this kind. ``args`` are those that were made from the page.
    """

    page_kind: str
    outcome: Outcome | Literal["none"]
    args: dict[str, Any] = {}
    message: str = ""
    run: SkillRun | None = None

    @property
    def is_elsewhere(self) -> bool:
        """Whether the skill was not for this page, or there was none."""
        return self.outcome in ("mismatch", "none")


class Verification(Struct, frozen=True, omit_defaults=True):
    """Whether a skill works, and if not, why."""

    skill_id: str
    status: Literal["verified", "failed"]
    why: str = ""
    tried: tuple[Tried, ...] = ()

    @property
    def is_green(self) -> bool:
        """Whether it works."""
        return self.status == "verified"


def verify(skill: Skill, places: Places, runtime: ProgramRuntime, *, check_types: bool = True) -> Verification:
    """Run a skill on a fresh page of every kind that it names, and hold it to its postconditions.

    It works if its programs pass the gates, if it succeeded on at least one page and failed on none that it fits.

    Args:
        skill: the skill.
        places: where it runs.
        runtime: where its programs run.
        check_types: whether the programs' types are checked, which needs pydantic-monty.
    """
    try:
        problems = admission_problems(skill, runtime, check_types=check_types)
    except SkillError as error:
        problems = [str(error)]
    if problems:
        return _failed(skill, "The program may not be admitted. " + " ".join(problems))
    kinds: list[str | None] = [*skill.preconditions.page_kind] or [None]
    tried = tuple(_on_pages(skill, kind, places, runtime) for kind in kinds)
    wrong = [each for each in tried if each.outcome != "ok" and not each.is_elsewhere]
    if not wrong and not any(each.outcome == "ok" for each in tried):
        wrong = list(tried)
    if wrong:
        return _failed(skill, " ".join(f"{each.page_kind}: {each.outcome}. {each.message}" for each in wrong), tried)
    return Verification(skill.id, "verified", "", tried)


def verify_in_shop(skills: Iterable[Skill], shop: Shop, runtime: ProgramRuntime) -> Iterator[Verification]:
    """Verify skills of the shop in this process, one after the other.

    Raises:
        SkillError: for a shop without products.
    """
    places = ShopPlaces(shop)
    for skill in skills:
        yield verify(skill, places, runtime)


def verify_in_browser(skills: Iterable[Skill], shop: Shop, runtime: ProgramRuntime) -> Iterator[Verification]:
    """Verify skills of the shop at its website, which is served for this, in a real browser.

    Raises:
        SkillError: where there is no browser, or the shop has no products.
    """
    with site_places(shop) as places:
        for skill in skills:
            yield verify(skill, places, runtime)


def _on_pages(skill: Skill, kind: str | None, places: Places, runtime: ProgramRuntime) -> Tried:
    """Return what came of a skill on the first page of a kind that it fits."""
    first: Tried | None = None
    with closing(places.open(kind)) as worlds:
        for world in worlds:
            try:
                args = make_args(skill, world, places.hints())
            except SkillError as error:
                return Tried(kind or ANY_PAGE, "bad_args", message=str(error))
            if skill.effect == "purchase":
                run = check_skill(skill, world, args)
            else:
                run = run_skill(skill, world, args, runtime=runtime)
            tried = Tried(kind or ANY_PAGE, run.outcome, args, run.message, run)
            if not tried.is_elsewhere:
                return tried
            first = first or tried
    return first or Tried(kind or ANY_PAGE, "none", message="There is no such page here.")


def _failed(skill: Skill, why: str, tried: tuple[Tried, ...] = ()) -> Verification:
    told = why if len(why) <= MAX_WHY_CHARS else why[: MAX_WHY_CHARS - 1] + "…"
    return Verification(skill.id, "failed", told, tried)
