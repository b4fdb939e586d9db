"""Which goals an environment plays: all of them, those a filter keeps, or a weighted sample."""

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.web_agent_site.engine.goals import SHUFFLE_SEED, Goal, GoalTable
from personalized_shopping.shared_libraries.web_agent_site.envs.views import GoalSelection


def random_idx(cum_weights: Sequence[float], rng: Any = random) -> int:
    """Draw an index by running sums of weights, as WebShop's ``limit_goals`` does.

    It never draws index 0 and draws the last one twice as often as its weight says. Which goals a limited environment
    plays depends on that, so it is kept there; sessions without a chosen goal are drawn correctly.
    """
    position = rng.uniform(0, cum_weights[-1])
    return min(bisect_right(cum_weights, position), len(cum_weights) - 2)


def select_goals(
    table: GoalTable, keep: Callable[[int, dict[str, Any]], bool] | None, limit: int
) -> tuple[Sequence[Goal], npt.NDArray[np.float64]]:
    """Return the goals to play, and the running sums of their weights.

    The sample that ``limit`` asks for continues the generator that shuffled the goals, as the published program does.
    """
    if keep is None and (limit == -1 or limit >= len(table)):
        return table, table.cum_weights
    numbers = [n for n in range(len(table)) if keep is None or keep(n, table[n].as_dict())]
    weights = [table[n].weight for n in numbers]
    if limit != -1 and limit < len(numbers):
        rng = random.Random(SHUFFLE_SEED)
        rng.shuffle(list(range(len(table))))
        sums = np.concatenate([[0.0], np.cumsum(weights)]).tolist()
        drawn: list[int] = []
        reachable = _reachable(weights)
        while len(drawn) < min(limit, reachable):
            position = random_idx(sums, rng)
            if position not in drawn:
                drawn.append(position)
        numbers, weights = [numbers[p] for p in drawn], [weights[p] for p in drawn]
    return GoalSelection(table, numbers), np.concatenate([[0.0], np.cumsum(weights)])


def _reachable(weights: Sequence[float]) -> int:
    """Return how many goals ``random_idx`` can draw at all: not the first one, and none without weight."""
    if len(weights) == 1:
        return 1
    return sum(weight > 0 for weight in weights[:-1])
