"""Episodes of a policy as training data, played in the environment without recording."""

from personalized_shopping.evaluation.policies.base import Policy
from personalized_shopping.evaluation.splits import split_of_product
from personalized_shopping.shared_libraries.trajectory.exports.choices import Choice, make_choice, with_returns
from personalized_shopping.shared_libraries.trajectory.exports.offers import offers_of_page
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_text
from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import WebAgentTextEnv

MAX_STEPS = 100


def play(
    env: WebAgentTextEnv, policy: Policy, goal: int, *, seed: int | None = None, max_steps: int = MAX_STEPS
) -> list[Choice]:
    """Play one goal and return the decisions, as ``trajectory export --format choices`` gives those of a recording.

    Args:
        env: the environment; ``gymnasium.make(...).unwrapped`` of one that was made by name.
        policy: a new policy, for this episode.
        goal: the goal's index.
        seed: of the reset.
        max_steps: when an episode without a purchase ends.
    """
    env.reset(seed=seed, options={"session": goal})
    wanted = env.server.goal_table[env.server.goal_index(goal)]
    found: list[Choice] = []
    history: list[str] = []
    for _ in range(max_steps):
        page = env.browser.page
        action = policy.act(page)
        if action is None:
            break
        _, reward, done, _, _ = env.step(action)
        if read_action(action)[0] is None:  # no action at all; the recording's export leaves it out as well
            continue
        choice = make_choice(
            offers_of_page(page),
            action,
            episode=env.session or "",
            step=len(history),
            instruction=wanted.instruction_text,
            page=page.kind,
            state=render_text(page),
            history=tuple(history),
            reward=reward,
            done=done,
            asin=wanted.asin,
            split=split_of_product(wanted.asin),
            weight=wanted.weight,
        )
        found.append(choice)
        history.append(action)
        if done:
            break
    return with_returns(found)
