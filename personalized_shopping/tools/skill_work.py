"""What the tools for skills do. Loaded with the first skill: importing the agent stays quick."""

import asyncio
import logging
from typing import Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import MAX_ANSWER_BLOCKS, MAX_BLOCK_CHARS
from personalized_shopping.errors import SkillError
from personalized_shopping.session import SKILL_STEPS_KEY
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runner import SkillRun, run_skill
from personalized_shopping.shared_libraries.skills.shared import get_library, get_runtime
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.tools.answer import describe
from personalized_shopping.tools.plain_text import plain
from personalized_shopping.tools.visit import Visit

logger = logging.getLogger(__name__)

MAX_SHOWN = 8
"""Most skills that a list shows: a few that fit serve better than a whole library."""


async def run_in_shop(here: Visit, context: ToolContext, skill: Skill, args: dict[str, Any]) -> dict[str, Any]:
    """Run a skill where the conversation stands, stand where it has led, and return what the model is told."""
    before = here.session
    steps: list[tuple[str, ShopSession, Page]] = []
    world = ShopWorld(here.shop, here.session, on_step=lambda *step: steps.append(step))
    run = await asyncio.to_thread(run_skill, skill, world, args, runtime=get_runtime())
    await here.walked([(session, page) for _, session, page in steps])
    # For the recorder alone: what the skill did, step by step.
    context.state[SKILL_STEPS_KEY] = [{"action": action, "place": session.to_json()} for action, session, _ in steps]
    await asyncio.to_thread(_remember, skill, run, before.kind, here.conversation.last_skill)
    if run.ok:
        here.conversation.last_skill = skill.id
    return _answer(here.page, skill, run, len(steps), moved=here.session.kind != before.kind)


def effect_of(skill_id: str) -> str | None:
    """Return what a skill does to the world; ``None`` for an unknown one."""
    try:
        return get_library().resolve(skill_id).effect
    except SkillError:
        return None


def _answer(page: Page, skill: Skill, run: SkillRun, steps: int, *, moved: bool) -> dict[str, Any]:
    """Return what a skill found, and the facts of the page that stands; its text only where the skill tells nothing."""
    facts = describe(page)
    if run.evidence:
        del facts["observation"]
        if not moved or "results" in run.evidence:
            facts.pop("products", None)
    told: dict[str, Any] = {"skill": skill.id, "ok": run.ok, "message": plain(run.message), "steps": steps}
    told["evidence"] = clean_evidence(run.evidence)
    if not run.ok:
        told["outcome"] = run.outcome
        told["error"] = plain(run.message)
    return {**told, **facts}


def clean_evidence(value: Any) -> Any:
    """Return what a program gave with plain, cut texts: it comes from pages."""
    if isinstance(value, str):
        return plain(value, limit=MAX_BLOCK_CHARS)
    if isinstance(value, dict):
        return {plain(str(name), one_line=True): clean_evidence(item) for name, item in value.items()}
    if isinstance(value, list):
        return [clean_evidence(item) for item in value[:MAX_ANSWER_BLOCKS]]
    return value


def fitting(here: Visit, query: str) -> list[Skill]:
    """Return the skills that fit the page and the goal."""
    world = ShopWorld(here.shop, here.session)
    library = get_library()
    after = here.conversation.last_skill
    fits = library.fitting(world.signals(), query, world.exists, MAX_SHOWN, after=after)
    return [fit.skill for fit in fits]


def _remember(skill: Skill, run: SkillRun, page_kind: str, after: str | None) -> None:
    """Record how the skill fared; a library that cannot be written is no reason to fail the shopper."""
    try:
        get_library().record_outcome(
            skill.domain, skill.id, run.outcome, winner=run.winner, page_kind=page_kind, after=after
        )
    except SkillError as error:
        logger.warning("How %s fared is not recorded: %s", skill.id, error)


def described(skill: Skill) -> dict[str, Any]:
    """Return a skill as a list shows it."""
    description = skill.description if isinstance(skill.description, str) else skill.label
    return {
        "skill_id": skill.id,
        "description": description if isinstance(description, str) else skill.id,
        "args": skill.args_schema,
        "effect": skill.effect,
    }
