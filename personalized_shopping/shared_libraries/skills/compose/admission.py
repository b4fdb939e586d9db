"""Whether a composite is admitted: its gates, and replays whose outcome is that of the steps taken one by one."""

import random
from typing import Any, NamedTuple

import msgspec

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.compose.actions import same_place
from personalized_shopping.shared_libraries.skills.compose.mining import Pattern
from personalized_shopping.shared_libraries.skills.compose.programs import (
    LISTED,
    MAX_TEXTS,
    MAX_TITLE_CHARS,
    READS,
    navigations,
    text_chars,
)
from personalized_shopping.shared_libraries.skills.compose.templates import Template
from personalized_shopping.shared_libraries.skills.compose.walking import Drawing, Tried, Walk, walk
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runner import run_skill
from personalized_shopping.shared_libraries.skills.runtime.base import MAX_HOST_CALLS, ProgramRuntime, plain_json
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

MAX_NAVIGATIONS = 12
"""Most pages that one composite opens."""
MIN_REPLAYS = 3
"""Replays with arguments that nobody recorded; fewer prove nothing."""
MAX_RECORDED = 5
"""Recorded occurrences that are replayed, each of another session."""
MAX_DRAWS = 20
"""Draws for one replay with other arguments."""
_SEARCHABLE = ("search", "results", "item", "description", "features", "reviews")


class NotAdmitted(SkillError):
    """A composite is not admitted; the message says why."""


class Replays(NamedTuple):
    """How often a composite was replayed: with recorded arguments and with others; and where it may begin."""

    recorded: int
    others: int
    page_kinds: list[str]


def page_kinds(template: Template, shop: Shop) -> list[str]:
    """Return the kinds of pages on which a composite may begin."""
    if template.page_kind:
        return [template.page_kind]
    return [*_SEARCHABLE, *(["attributes"] if shop.show_attributes else [])]


def check(
    skill: Skill, template: Template, pattern: Pattern, shop: Shop, runtime: ProgramRuntime, rng: random.Random
) -> Replays:
    """Replay a composite in fresh sessions, and return how often.

    Args:
        skill: the composite, a draft.
        template: its steps.
        pattern: where they come from.
        shop: the shop.
        runtime: where its program runs.
        rng: draws the other arguments.

    Raises:
        NotAdmitted: when it passes a limit, fails a gate, or once does anything else than its steps do.
    """
    if (opened := navigations(template)) > MAX_NAVIGATIONS:
        raise NotAdmitted(f"It opens up to {opened} pages; a composite opens at most {MAX_NAVIGATIONS}.")
    if problems := admission_problems(skill, runtime, check_types=runtime.name == "monty"):
        raise NotAdmitted(f"Its program does not pass the gates: {problems[0]}")
    kinds = page_kinds(template, shop)
    recorded = _recorded(template, pattern)
    for start, args in recorded:
        # After a purchase one may search at once; a skill begins on a page that still goes somewhere.
        start = start if start.kind in kinds else shop.start(instruction=start.instruction)
        way = walk(shop, template, start, args)
        if way is None:
            raise NotAdmitted("The steps that were recorded are not possible any more.")
        _replay(skill, template, way, shop, runtime, "recorded arguments")
    every: list[Tried] = [(found.moves[0].before, template.arguments(found)) for found in pattern.occurrences]
    others = 0
    proven = []
    drawing = Drawing(shop, template, rng)
    for kind in kinds:
        drawn = _others(drawing, kind, every, max(1, -(-MIN_REPLAYS // len(kinds))))
        for way in drawn:
            _replay(skill, template, way, shop, runtime, "other arguments")
        others += len(drawn)
        proven += [kind] if drawn else []
    if others < MIN_REPLAYS:
        raise NotAdmitted(f"It was possible with {others} other sets of arguments; {MIN_REPLAYS} are needed.")
    return Replays(len(recorded), others, proven)


def _recorded(template: Template, pattern: Pattern) -> list[Tried]:
    """Return where some occurrences began and their arguments, each of another session."""
    by_session = {found.session: found for found in reversed(pattern.occurrences)}
    chosen = [by_session[session] for session in sorted(by_session)][:MAX_RECORDED]
    return [(found.moves[0].before, template.arguments(found)) for found in chosen]


def _others(drawing: Drawing, kind: str, recorded: list[Tried], wanted: int) -> list[Walk]:
    """Return so many ways that differ from the recorded ones and from each other; fewer where draws find no more."""
    found: list[Walk] = []
    for _ in range(MAX_DRAWS * wanted):
        way = drawing.draw(kind, [*recorded, *((way.start, way.args) for way in found)])
        found += [way] if way is not None else []
        if len(found) == wanted:
            break
    return found


def _replay(skill: Skill, template: Template, way: Walk, shop: Shop, runtime: ProgramRuntime, with_what: str) -> None:
    """Run a composite where a way begins, and raise unless it ends where the way does, having seen the same."""
    taken: list[str] = []
    world = ShopWorld(shop, way.start, on_step=lambda action, *_: taken.append(action))
    run = run_skill(skill, world, way.args, runtime=runtime)
    if not run.ok:
        raise NotAdmitted(f"With {with_what} it came to nothing ({run.outcome}): {run.message}")
    if len(taken) > MAX_NAVIGATIONS or len(run.calls) > MAX_HOST_CALLS or world.purchase is not None:
        raise NotAdmitted(f"With {with_what} it took {len(taken)} steps and {len(run.calls)} calls, which is too much.")
    expected = way.places[-1]
    if not same_place(world.session, expected, with_history=not _goes_back(template, way)):
        raise NotAdmitted(f"With {with_what} it ends at another place than its steps: {_differing(world, expected)}.")
    if world.text_of_page() != ShopWorld(shop, expected).text_of_page():
        raise NotAdmitted(f"With {with_what} the page at its end says something else than after its steps.")
    if run.evidence.get("content") != _content(template, way, shop) or run.evidence.get("done") != template.stages():
        raise NotAdmitted(f"With {with_what} it returns something else than its steps show.")


def _content(template: Template, way: Walk, shop: Shop) -> Any:
    """Return what the pages of a way say, as the program has to return it."""
    chars = text_chars(template)
    content: dict[str, Any] = {}
    for step, stage, place in zip(template.steps, template.stages(), way.places, strict=True):
        selector = READS.get((step.symbol.verb, step.symbol.leads_to))
        if selector is not None:
            texts = ShopWorld(shop, place).texts(selector)[:MAX_TEXTS]
            content[stage] = [text[:chars] for text in texts]
    if template.leads_to == "results":
        world = ShopWorld(shop, way.places[-1])
        columns = [world.texts(selector) for selector in LISTED.values()]
        rows = [dict(zip(LISTED, row, strict=True)) for row in zip(*columns, strict=True)]
        content["results"] = [{**row, "title": row["title"][:MAX_TITLE_CHARS]} for row in rows]
    return plain_json(content)


def _goes_back(template: Template, way: Walk) -> bool:
    """Return whether a search begins elsewhere than on the search page, so that the program goes back there first.

    The shop then forgets which products were opened before, which a search by itself does not make it do.
    """
    before = (way.start, *way.places)
    return any(
        step.symbol.verb == "search" and place.kind != "search"
        for step, place in zip(template.steps, before, strict=False)
    )


def _differing(world: ShopWorld, expected: ShopSession) -> str:
    fields = zip(expected.__struct_fields__, msgspec.structs.astuple(world.session), strict=True)
    names = [name for name, value in fields if value != getattr(expected, name) and name != "counts"]
    return ", ".join(names)
