"""One episode of a policy on the shop itself."""

import shutil
from collections.abc import Callable
from pathlib import Path

from personalized_shopping.evaluation.policies.base import Policy
from personalized_shopping.evaluation.policies.offline import OfflinePolicy
from personalized_shopping.evaluation.policies.oracle import OraclePolicy
from personalized_shopping.evaluation.policies.simple import RandomPolicy, RulePolicy
from personalized_shopping.evaluation.webshop.grade import Grader
from personalized_shopping.evaluation.webshop.tasks import Task
from personalized_shopping.shared_libraries.metrics.episode import Ending, Episode
from personalized_shopping.shared_libraries.trajectory.layout import session_dir
from personalized_shopping.shared_libraries.trajectory.recording_env import APP, RecordTrajectory
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import WebAgentTextEnv

USER = "evaluation"
MakePolicy = Callable[[Goal, Task, Grader], Policy]

POLICIES: dict[str, MakePolicy] = {
    "random": lambda goal, task, grader: RandomPolicy(f"{grader.seed} {task.key}"),
    "rule": lambda goal, task, grader: RulePolicy(),
    "oracle": lambda goal, task, grader: OraclePolicy(goal, grader.files.catalog.product(goal.asin).title or ""),
    "offline": lambda goal, task, grader: OfflinePolicy(goal.instruction_text),
}
"""How each policy is made for an episode. Only the oracle gets the goal; the others read the instruction at most."""


def play_policy(name: str, server: SimServer, grader: Grader, task: Task, *, max_steps: int) -> Episode:
    """Play a goal and grade what came of it.

    Args:
        name: one of ``POLICIES``.
        server: the shop with its goals.
        grader: scores the purchase.
        task: which goal.
        max_steps: actions after which the episode is cut off.
    """
    policy = POLICIES[name](grader.goals[task.goal_index], task, grader)
    visit, page = server.start(task.key, task.goal_index)
    actions: list[str] = []
    listed: set[str] = set()
    ended: Ending = "max_steps"
    purchase: Purchase | None = None
    while len(actions) < max_steps:
        action = policy.act(page)
        if action is None:
            ended = "said"
            break
        actions.append(action)
        parsed, _ = read_action(action)
        if parsed is None:
            continue  # as in the environment, nothing happens: a label with brackets cannot be written as an action
        step, visit = server.act(task.key, visit, parsed, page)
        page = step.page
        listed.update(card.asin for card in page.products)
        if step.purchase is not None:
            ended, purchase = "bought", step.purchase
            break
    return grader.grade(task, ended=ended, purchase=purchase, actions=actions, listed=listed)


def record(episode: Episode, name: str, server: SimServer, root: Path) -> str:
    """Play an episode's actions again with a recorder, and return its directory, relative to that of the run.

    A policy's actions lead to the same pages each time, so only episodes that somebody will look at need a recording.

    Args:
        episode: what was played.
        name: the policy.
        server: the shop that it was played in.
        root: where trajectories lie.
    """
    directory = session_dir(root, APP, USER, episode.key)
    if directory.exists():
        shutil.rmtree(directory)  # of a run that was killed here
    env = RecordTrajectory(
        WebAgentTextEnv("text_rich", server=server), root, policy=name, user=USER, session_id=episode.key
    )
    env.reset(options={"session": episode.goal_index})
    for action in episode.actions:
        env.step(action)
    env.close()
    return f"{root.name}/{directory.name}"
