"""The numbers of a run: averages with intervals, the reward's parts, failures by class."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from statistics import fmean

from msgspec import Struct

from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.metrics.statistics import (
    Estimate,
    mean_of_clusters,
    mean_of_episodes,
    pass_hat_k,
)

Interval = tuple[float | None, float | None]
_UNKNOWN = Estimate(0.0, None, None)


class Group(Struct, frozen=True, kw_only=True):
    """The averages of some of the episodes."""

    episodes: int
    score: float
    success_rate: float


class Summary(Struct, frozen=True, kw_only=True):
    """The numbers of a run.

    ``score`` (mean reward) and ``success_rate`` (share of full rewards) are from 0 to 1, over the ``judged`` episodes:
    those in which neither the system nor the simulated person failed. With ``_by_product`` each product counts once,
    however many episodes it has. Intervals are of 95 %. ``ceiling`` is the mean score of buying just what was wanted,
    ``solvable`` how many episodes' goals then earn a full score. ``parts`` are means over the episodes with a purchase;
    ``steps``, ``model_calls`` and tokens are means, ``cost_usd`` is the sum. ``pass_hat_k`` is by k.
    """

    episodes: int
    judged: int
    products: int
    score: float
    success_rate: float
    score_by_product: float
    success_rate_by_product: float
    score_interval: Interval
    success_rate_interval: Interval
    score_by_product_interval: Interval
    success_rate_by_product_interval: Interval
    ceiling: float
    solvable: int
    bought: int
    parts: dict[str, float]
    pass_hat_k: dict[str, float]
    steps: float
    model_calls: float
    input_tokens: float
    output_tokens: float
    cost_usd: float | None
    failures: dict[str, int]
    by_kind: dict[str, Group]
    by_split: dict[str, Group]


def summarise(episodes: Sequence[Episode], *, seed: int = 0) -> Summary:
    """Return the numbers of a run's episodes.

    Args:
        episodes: all of them, in their order.
        seed: of the intervals' draws.
    """
    judged = [episode for episode in episodes if episode.status == "finished"]
    clusters = [episode.cluster or episode.task_id for episode in judged]
    scores = [episode.score for episode in judged]
    successes = [float(episode.success) for episode in judged]
    score = _estimate(mean_of_episodes, scores, clusters, seed)
    success = _estimate(mean_of_episodes, successes, clusters, seed)
    score_by_product = _estimate(mean_of_clusters, scores, clusters, seed)
    success_by_product = _estimate(mean_of_clusters, successes, clusters, seed)
    costs = [episode.cost_usd for episode in episodes if episode.cost_usd is not None]
    return Summary(
        episodes=len(episodes),
        judged=len(judged),
        products=len(set(clusters)),
        score=score.value,
        success_rate=success.value,
        score_by_product=score_by_product.value,
        success_rate_by_product=success_by_product.value,
        score_interval=(score.low, score.high),
        success_rate_interval=(success.low, success.high),
        score_by_product_interval=(score_by_product.low, score_by_product.high),
        success_rate_by_product_interval=(success_by_product.low, success_by_product.high),
        ceiling=_mean(episode.ceiling for episode in judged),
        solvable=sum(episode.ceiling >= 1.0 - 1e-9 for episode in judged),
        bought=sum(episode.bought is not None for episode in judged),
        parts=_parts(judged),
        pass_hat_k=_pass_hat_k(judged),
        steps=_mean(episode.steps for episode in judged),
        model_calls=_mean(episode.model_calls for episode in judged),
        input_tokens=_mean(episode.input_tokens for episode in judged),
        output_tokens=_mean(episode.output_tokens for episode in judged),
        cost_usd=sum(costs) if costs else None,
        failures=dict(Counter(episode.failure for episode in episodes if episode.failure).most_common()),
        by_kind=_groups(judged, lambda episode: episode.kind),
        by_split=_groups(judged, lambda episode: episode.split),
    )


def _estimate(mean: Callable[..., Estimate], values: Sequence[float], clusters: Sequence[str], seed: int) -> Estimate:
    return mean(values, clusters, seed=seed) if values else _UNKNOWN


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return fmean(numbers) if numbers else 0.0


def _parts(judged: Sequence[Episode]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for episode in judged:
        for name in ("r_type", "r_att", "r_option", "r_price"):
            value = episode.parts.get(name)
            if value is not None:
                found.setdefault(name, []).append(float(value))
    return {name: fmean(values) for name, values in found.items()}


def _pass_hat_k(judged: Sequence[Episode]) -> dict[str, float]:
    trials: dict[str, list[bool]] = {}
    for episode in judged:
        trials.setdefault(episode.task_id, []).append(episode.success)
    return {str(k): value for k, value in pass_hat_k(trials).items()}


def _groups(judged: Sequence[Episode], name: Callable[[Episode], str]) -> dict[str, Group]:
    found = {}
    for key, group in groupby(sorted(judged, key=name), key=name):
        members = list(group)
        if key:
            found[key] = Group(
                episodes=len(members),
                score=fmean(episode.score for episode in members),
                success_rate=fmean(episode.success for episode in members),
            )
    return found
