"""Averages with their intervals. Episodes about one product are not independent, so whole products are drawn."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

RESAMPLES = 4_000
_BATCH = 200
"""Resamples that are drawn at once: with ten thousand products they take 16 MB."""
CONFIDENCE = 0.95
_Z = 1.959963984540054
"""The normal quantile of a two-sided interval of 95 %."""

Floats = npt.NDArray[np.float64]


class Estimate(NamedTuple):
    """A mean with the ends of its interval; ``None`` for an end that the data cannot tell."""

    value: float
    low: float | None
    high: float | None


class _Clusters(NamedTuple):
    """Sums and counts of values by cluster."""

    sums: Floats
    counts: Floats


def mean_of_episodes(values: Sequence[float], clusters: Sequence[str], *, seed: int) -> Estimate:
    """Return the mean of all values, with a percentile interval of a bootstrap over clusters.

    Args:
        values: one number an episode, of shape ``(n,)``, from 0 to 1.
        clusters: which cluster each belongs to.
        seed: of the bootstrap's draws.

    Raises:
        ValueError: if there is no value.
    """
    groups = _grouped(values, clusters)
    estimate = float(groups.sums.sum() / groups.counts.sum())
    return _interval(estimate, _drawn_means(groups, seed), len(groups.sums))


def mean_of_clusters(values: Sequence[float], clusters: Sequence[str], *, seed: int) -> Estimate:
    """Return the mean of the clusters' means, each cluster counted once; the interval as in ``mean_of_episodes``."""
    groups = _grouped(values, clusters)
    means = groups.sums / groups.counts
    return _interval(float(means.mean()), _drawn_means(_Clusters(means, np.ones_like(means)), seed), len(means))


def difference(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str], *, seed: int
) -> tuple[Estimate, float]:
    """Return the mean of ``second - first`` over pairs with its interval, and a two-sided p-value.

    The p-value is that of a permutation test which swaps the two sides of whole clusters: the share of the draws
    (and of the data itself) whose mean difference is at least as large.

    Args:
        first: one number a pair.
        second: the number that belongs to it.
        clusters: which cluster each pair belongs to.
        seed: of both draws.
    """
    groups = _grouped([b - a for a, b in zip(first, second, strict=True)], clusters)
    total = groups.counts.sum()
    observed = float(groups.sums.sum() / total)
    count = len(groups.sums)
    low, high = (None, None) if count < 2 else _percentiles(_drawn_means(groups, seed))
    rng = np.random.default_rng(seed)
    extreme = 0
    for _ in range(RESAMPLES // _BATCH):
        signs = rng.choice(np.array([-1.0, 1.0]), size=(_BATCH, count))
        extreme += int(np.sum(np.abs(signs @ groups.sums) / total >= abs(observed) - 1e-12))
    return Estimate(observed, low, high), (extreme + 1) / (RESAMPLES + 1)


def pass_hat_k(successes: Mapping[str, Sequence[bool]]) -> dict[int, float]:
    """Return for each k the chance that k trials of a task all succeed, averaged over tasks.

    For a task with c successes in n trials this is C(c, k) / C(n, k), the unbiased estimate (tau-bench, 2024). Only k
    that every task has trials for are returned.

    Args:
        successes: the outcomes of the trials, by task.
    """
    if not successes:
        return {}
    trials = min(len(outcomes) for outcomes in successes.values())
    return {
        k: math.fsum(math.comb(sum(outcomes), k) / math.comb(len(outcomes), k) for outcomes in successes.values())
        / len(successes)
        for k in range(1, trials + 1)
    }


def wilson(share: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % score interval of a share (0 to 1) of so many independent trials.

    It holds for few trials, and for shares of 0 and 1 too (E. B. Wilson, Probable inference, the law of succession,
    and statistical inference, JASA 22, 1927).
    """
    centre = share + _Z**2 / (2 * count)
    margin = _Z * math.sqrt(max(share * (1 - share), 0.0) / count + _Z**2 / (4 * count**2))
    scale = 1 + _Z**2 / count
    low, high = max((centre - margin) / scale, 0.0), min((centre + margin) / scale, 1.0)
    # At the ends the formula gives the ends themselves, but for rounding.
    return (0.0 if share == 0 else low), (1.0 if share == 1 else high)


def _grouped(values: Sequence[float], clusters: Sequence[str]) -> _Clusters:
    if not values:
        raise ValueError("there are no values to average")
    names = {name: place for place, name in enumerate(sorted(set(clusters)))}
    places = np.array([names[name] for name in clusters])
    sums = np.bincount(places, weights=np.asarray(values, dtype=np.float64), minlength=len(names)).astype(np.float64)
    counts = np.bincount(places, minlength=len(names)).astype(np.float64)
    return _Clusters(sums, counts)


def _drawn_means(groups: _Clusters, seed: int) -> Floats:
    """Return the mean over as many clusters drawn with replacement as there are, of shape ``(RESAMPLES,)``."""
    rng = np.random.default_rng(seed)
    count = len(groups.sums)
    means = []
    for _ in range(RESAMPLES // _BATCH):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=_BATCH).astype(np.float64)
        means.append((drawn @ groups.sums) / (drawn @ groups.counts))
    return np.concatenate(means)


def _interval(estimate: float, resampled: Floats, clusters: int) -> Estimate:
    if clusters < 2:
        return Estimate(estimate, None, None)
    low, high = _percentiles(resampled)
    if high - low < 1e-12:
        # Where all clusters agree, drawing them again says nothing; the number of clusters still does.
        low, high = wilson(min(max(estimate, 0.0), 1.0), clusters)
    return Estimate(estimate, low, high)


def _percentiles(resampled: Floats) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2 * 100
    low, high = np.percentile(resampled, [tail, 100 - tail])
    return float(low), float(high)
