"""A run over conversations."""

import asyncio
import contextlib
import random
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.agent_play import Recording
from personalized_shopping.evaluation.agent_setting import AgentSetting, Record
from personalized_shopping.evaluation.conversations.cases import cases
from personalized_shopping.evaluation.conversations.model import ConversationTask
from personalized_shopping.evaluation.conversations.play import SUITE, conversation_shop, play_case
from personalized_shopping.evaluation.running.manifest import shop_facts, task_facts
from personalized_shopping.evaluation.running.suite import Player
from personalized_shopping.models import choose_model
from personalized_shopping.shared_libraries.metrics.cost import cost_usd
from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode, Status
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop


class ConversationSuite(Struct, frozen=True, kw_only=True, dict=True):
    """Conversations on the demo catalogue, with a scripted or a model's person.

    ``person`` is ``scripted`` or a model's name as in ``MODEL_NAME``. ``tasks`` are names of cases.
    """

    agent: AgentSetting
    tasks: list[str]
    choice: dict[str, Any]
    trials: int = 1
    seed: int = 0
    person: str = "scripted"
    record: Record = "all"
    trajectories: Path | None = None

    @property
    def keys(self) -> list[str]:
        """The trials' names."""
        return [f"{task}#{trial}" for task in self.tasks for trial in range(self.trials)]

    @cached_property
    def cases(self) -> dict[str, ConversationTask]:
        """All cases by name."""
        return {case.id: case for case in cases()}

    def open(self) -> Player:
        """Return a player in the demo shop."""
        return _Player(self)

    def failed(self, key: str, ended: Ending, error: str) -> Episode:
        """Return the record of a conversation that came to no end of its own; only a time-out is the agent's fault."""
        name, _, trial = key.rpartition("#")
        case = self.cases[name]
        late = ended == "timeout"
        status: Status = "finished" if late else "system_error"
        return Episode(
            task_id=name,
            trial=int(trial),
            suite=SUITE,
            kind=case.kind,
            cluster=name,
            instruction=case.opening,
            status=status,
            ended=ended,
            failure="did_not_buy" if late else "system_error",
            why="Its time was over before the conversation ended." if late else f"The evaluation failed: {error}.",
            error=error,
        )

    def facts(self) -> dict[str, Any]:
        """Return what the manifest says: who talks, what decides the results, the shop, the tasks."""
        settings = self.agent.facts() | self.choice | {"seed": self.seed, "person": self.person}
        return {"suite": SUITE, "settings": settings, "shop": shop_facts(demo_shop()), "tasks": task_facts(self.keys)}

    def finish(self, episodes: list[Episode]) -> list[Episode]:
        """Return the records as they are: conversations are recorded while they are held."""
        return episodes


def select_cases(kinds: Collection[str] = (), limit: int | None = None, seed: int = 0) -> list[str]:
    """Return the names of the cases to play, in their order.

    Args:
        kinds: only these kinds; empty for all.
        limit: how many to draw; ``None`` for all.
        seed: of the draw.

    Raises:
        EvaluationError: where nothing is left.
    """
    found = [case.id for case in cases() if not kinds or case.kind in kinds]
    if not found:
        raise EvaluationError(f"There is no case of the kinds {', '.join(sorted(kinds))}.")
    if limit is not None and limit < len(found):
        found = [found[place] for place in sorted(random.Random(seed).sample(range(len(found)), limit))]
    return found


class _Player:
    def __init__(self, suite: ConversationSuite) -> None:
        self._suite = suite
        suite.agent.apply(demo_shop().directory)
        self._open = contextlib.ExitStack()  # for as long as the process lives
        self._open.enter_context(conversation_shop())
        self._person = _person(suite.person)

    def play(self, key: str) -> Episode:
        """Hold the conversation of this name."""
        suite = self._suite
        name, _, trial = key.rpartition("#")
        episode = asyncio.run(
            play_case(
                suite.cases[name],
                model=choose_model(suite.agent.model),
                trajectories=suite.trajectories if suite.record != "none" else None,
                seed=suite.seed,
                trial=int(trial),
                max_model_calls=suite.agent.max_steps,
                **self._person,
            )
        )
        if suite.record == "failed" and episode.failure is None:
            Recording(suite.trajectories, f"{name}-{trial}").drop()
            episode = msgspec.structs.replace(episode, trajectory=None)
        price = cost_usd(suite.agent.prices, suite.agent.model, episode.input_tokens, episode.output_tokens)
        return msgspec.structs.replace(episode, cost_usd=price)


def _person(name: str) -> dict[str, Any]:
    if name == "scripted":
        return {}
    from personalized_shopping.evaluation.conversations.model_person import model_person

    return {"person": model_person(choose_model(name))}
