"""One episode of the real agent on a goal: the runner, its tools and its plugins."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.evaluation.agent_play import USER, Recording, ordinary_plugins, own_skill_library, status_of
from personalized_shopping.evaluation.agent_session import AgentSession, Turn
from personalized_shopping.evaluation.agent_setting import AgentSetting, Record
from personalized_shopping.evaluation.policies.offline import errand
from personalized_shopping.evaluation.webshop.grade import Grader
from personalized_shopping.evaluation.webshop.tasks import Task
from personalized_shopping.models import choose_model
from personalized_shopping.session import GOAL_KEY, GOAL_KIND_KEY, GOAL_SEED_KEY, TASK_KEY
from personalized_shopping.shared_libraries.metrics.cost import cost_usd
from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase

DECIDE = "Please decide by yourself, and buy what fits best."
"""What the person says to an agent that asks back or only tells: the instruction is all that they know."""
MAX_WORDS = 3
"""How often they say it before the episode ends without a purchase."""


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
    recording = Recording(trajectories, session_id)
    state = {
        GOAL_KEY: task.goal_index,
        GOAL_KIND_KEY: task.kind,
        GOAL_SEED_KEY: grader.seed,
        TASK_KEY: {"task_id": task.key},
    }
    session = AgentSession(
        choose_model(setting.model),
        ordinary_plugins(trajectories),
        session_id=session_id,
        user=USER,
        state=state,
        max_model_calls=setting.max_steps,
    )
    with own_skill_library():
        last = asyncio.run(_converse(session, errand(grader.goals[task.goal_index].instruction_text)))
    recorded = recording.finish()
    bought = session.purchases[0] if session.purchases else None
    read, written = (sum(getattr(turn, name) for turn in session.turns) for name in ("input_tokens", "output_tokens"))
    ended: Ending = "bought" if bought is not None else last.ended
    episode = grader.grade(
        task,
        ended=ended,
        status=status_of(last) if bought is None else "finished",
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
    if keep == "failed" and episode.failure is None:
        recording.drop()
        return episode
    return msgspec.structs.replace(episode, trajectory=recorded)


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
