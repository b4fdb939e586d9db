"""One episode of the real agent on a goal: the runner, its tools and its plugins."""

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from google.genai import types

from personalized_shopping.evaluation.agent_session import APP_NAME, AgentSession, Turn
from personalized_shopping.evaluation.agent_setting import AgentSetting, Record
from personalized_shopping.evaluation.policies.offline import errand
from personalized_shopping.evaluation.webshop.grade import Grader
from personalized_shopping.evaluation.webshop.tasks import Task
from personalized_shopping.models import choose_model
from personalized_shopping.plugins import GuardPlugin, ToolStartPlugin, TrajectoryPlugin
from personalized_shopping.plugins.guard_model import configured_guard
from personalized_shopping.session import GOAL_KEY, GOAL_KIND_KEY, GOAL_SEED_KEY, TASK_KEY
from personalized_shopping.shared_libraries.metrics.cost import cost_usd
from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode, Status
from personalized_shopping.shared_libraries.trajectory.layout import session_dir
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase

USER = "evaluation"
DECIDE = "Please decide by yourself, and buy what fits best."
"""What the person says to an agent that asks back or only tells: the instruction is all that they know."""
MAX_WORDS = 3
"""How often they say it before the episode ends without a purchase."""
_ITS_OWN_FAULT = tuple(reason.name for reason in types.FinishReason)
"""Errors that a model's reply names itself; all others are those of its service."""


def play_agent(
    setting: AgentSetting, grader: Grader, task: Task, trajectories: Path | None, *, keep: Record = "all"
) -> Episode:
    """Play a goal and grade what came of it.

    The person says the instruction, agrees to what the agent wants to buy, and knows nothing more.

    Args:
        setting: which agent.
        grader: scores the purchase.
        task: which goal.
        trajectories: where the session is recorded; ``None`` for nowhere.
        keep: which recordings stay.
    """
    if keep == "none":
        trajectories = None
    session_id = f"{task.task_id}-{task.trial}"
    recorded = session_dir(trajectories, APP_NAME, USER, session_id) if trajectories else None
    if recorded is not None and recorded.exists():
        shutil.rmtree(recorded)  # of an attempt that a kill cut short
    recorder = TrajectoryPlugin(lambda: trajectories)
    state = {
        GOAL_KEY: task.goal_index,
        GOAL_KIND_KEY: task.kind,
        GOAL_SEED_KEY: grader.seed,
        TASK_KEY: {"task_id": task.key},
    }
    session = AgentSession(
        choose_model(setting.model),
        [recorder, GuardPlugin(configured_guard, recorder), ToolStartPlugin(recorder)],
        session_id=session_id,
        user=USER,
        state=state,
        max_model_calls=setting.max_steps,
    )
    last = asyncio.run(_converse(session, errand(grader.goals[task.goal_index].instruction_text)))
    if recorded is not None:
        records_writer.drain()
        files_writer.drain()
    bought = session.purchases[0] if session.purchases else None
    read, written = (sum(getattr(turn, name) for turn in session.turns) for name in ("input_tokens", "output_tokens"))
    ended: Ending = "bought" if bought is not None else last.ended
    episode = grader.grade(
        task,
        ended=ended,
        status=_status(last) if bought is None else "finished",
        purchase=Purchase(asin=bought.asin, options=bought.options) if bought is not None else None,
        actions=session.actions,
        listed={asin for call in session.calls for asin in _listed(call.answer)},
        error=last.error,
        answer=last.text,
        model_calls=sum(turn.model_calls for turn in session.turns),
        input_tokens=read,
        output_tokens=written,
        cost_usd=cost_usd(setting.prices, setting.model, read, written),
    )
    if trajectories is None or recorded is None or not recorded.exists():
        return episode
    if keep == "failed" and episode.failure is None:
        shutil.rmtree(recorded)
        return episode
    return msgspec.structs.replace(episode, trajectory=f"{trajectories.name}/{recorded.name}")


async def _converse(session: AgentSession, message: str) -> Turn:
    turn = await session.say(message)
    words = 0
    while not turn.broken and not session.purchases:
        if turn.question is not None:
            turn = await session.answer(turn.question, yes=True)
        elif words < MAX_WORDS:
            words += 1
            turn = await session.say(DECIDE)
        else:
            break
    return turn


def _status(last: Turn) -> Status:
    if last.ended == "error":
        return "system_error"
    # A service that fails says nothing about the agent; a reply that cannot be used does.
    own = last.error.strip("'\"").startswith(_ITS_OWN_FAULT)
    return "system_error" if last.ended == "model_error" and not own else "finished"


def _listed(answer: Any) -> Iterator[str]:
    """Yield the ASINs of the results that a tool's answer holds, those of a skill's steps too."""
    if isinstance(answer, Mapping):
        for card in answer.get("products") or ():
            if isinstance(card, Mapping) and card.get("asin"):
                yield str(card["asin"])
        for value in answer.values():
            yield from _listed(value)
    elif isinstance(answer, list):
        for value in answer:
            yield from _listed(value)
