"""Goals for the sub-environments of a vector environment, whichever way it runs them."""

from collections.abc import Sequence
from typing import Any

from gymnasium.vector import VectorEnv


def reset_to_goals(
    envs: VectorEnv[Any, Any, Any], goals: Sequence[int], *, seed: int | None = None
) -> tuple[Any, dict[str, Any]]:
    """Reset a vector environment and have its sub-environments play these goals, dealt out like cards.

    Of ``n`` sub-environments the first plays ``goals[0]``, ``goals[n]`` and so on, one with each reset, the automatic
    ones included. One that has played its share draws goals, as ever.

    Args:
        envs: of ``gymnasium.make_vec("WebAgentTextEnv-v0", ...)``, sync or async.
        goals: at least one goal index for each sub-environment.
        seed: of whatever is drawn; sub-environment ``i`` gets ``seed + i``.

    Returns:
        The observations and infos of the reset.
    """
    count = envs.num_envs
    vectorised: Any = envs.unwrapped  # sync or async; their common class declares no set_attr
    if len(goals) < count:
        raise ValueError(f"There are {len(goals)} goals for {count} sub-environments; each needs one to begin with.")
    vectorised.set_attr("next_sessions", [[int(goal) for goal in goals[first::count]] for first in range(count)])
    return envs.reset(seed=seed)
