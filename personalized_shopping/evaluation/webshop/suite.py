"""A run over WebShop's goals."""

from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personalized_shopping.evaluation.agent_setting import AgentSetting, Record
from personalized_shopping.evaluation.running.manifest import shop_facts, task_facts
from personalized_shopping.evaluation.running.suite import Player
from personalized_shopping.evaluation.webshop.grade import Grader
from personalized_shopping.evaluation.webshop.play_policy import play_policy, record
from personalized_shopping.evaluation.webshop.tasks import Task
from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode, Status
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import GoalKind
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

MAX_RECORDED = 200
"""Failed episodes of a policy that are recorded, the first ones: a person looks at no more."""


class WebShopSuite(Struct, frozen=True, kw_only=True, dict=True):
    """Goals of one shop, and who plays them: a policy on the environment, or the agent with a model.

    ``seed`` is that of goals and prices. ``choice`` is what chose the tasks, for the manifest. ``record`` is ``all``,
    ``failed`` or ``none``; ``trajectories`` is the directory that episodes are recorded in.
    """

    shop: Path
    kind: GoalKind
    seed: int
    tasks: list[Task]
    choice: dict[str, Any]
    policy: str | None = None
    agent: AgentSetting | None = None
    max_steps: int = 100
    record: Record = "none"
    trajectories: Path | None = None

    @property
    def keys(self) -> list[str]:
        """The trials' names."""
        return [task.key for task in self.tasks]

    def open(self) -> Player:
        """Return a player with the shop opened."""
        return _Player(self)

    def failed(self, key: str, ended: Ending, error: str) -> Episode:
        """Return the record of an episode that came to no end of its own; only a time-out is the player's fault."""
        status: Status = "finished" if ended == "timeout" else "system_error"
        return self.grader.grade(
            self.by_key[key], ended=ended, status=status, purchase=None, actions=(), listed=(), error=error
        )

    def facts(self) -> dict[str, Any]:
        """Return what the manifest says: who plays, what decides the results, the shop, the tasks."""
        player = {"policy": self.policy} if self.agent is None else self.agent.facts()
        return {
            "suite": "webshop",
            "settings": player | self.choice | {"goals": self.kind, "seed": self.seed, "max_steps": self.max_steps},
            "shop": shop_facts(self.grader.files) | {"noun_tagger": self.grader.tagger},
            "tasks": task_facts(self.keys),
        }

    def finish(self, episodes: list[Episode]) -> list[Episode]:
        """Record the failed episodes of a policy, where that is wanted."""
        if self.policy is None or self.record == "none" or self.trajectories is None:
            return episodes
        wanted = [one.key for one in episodes if one.failure or self.record == "all"]
        chosen = set(wanted if self.record == "all" else wanted[:MAX_RECORDED])
        server = self.server()
        return [
            msgspec.structs.replace(one, trajectory=record(one, self.policy, server, self.trajectories))
            if one.key in chosen
            else one
            for one in episodes
        ]

    @cached_property
    def grader(self) -> Grader:
        """What scores purchases, with the shop opened."""
        return Grader(ShopFiles(self.shop), self.kind, self.seed)

    @cached_property
    def by_key(self) -> dict[str, Task]:
        """The tasks by name."""
        return {task.key: task for task in self.tasks}

    def server(self) -> SimServer:
        """Return the shop for policies."""
        return SimServer(files=self.grader.files, human_goals=self.kind == "human", seed=self.seed)


class _Player:
    def __init__(self, suite: WebShopSuite) -> None:
        self._suite = suite
        self._server = suite.server() if suite.policy else None
        if suite.agent is not None:
            suite.agent.apply(suite.shop)

    def play(self, key: str) -> Episode:
        """Play the episode of this name."""
        suite, task = self._suite, self._suite.by_key[key]
        if suite.policy is not None and self._server is not None:
            return play_policy(suite.policy, self._server, suite.grader, task, max_steps=suite.max_steps)
        assert suite.agent is not None, "either a policy or an agent plays"
        # Policies need none of ADK, which takes seconds to import.
        from personalized_shopping.evaluation.webshop.play_agent import play_agent

        return play_agent(suite.agent, suite.grader, task, suite.trajectories, keep=suite.record)
