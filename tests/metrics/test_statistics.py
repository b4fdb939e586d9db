"""Intervals and tests, against what theory or a count by hand says."""

import numpy as np
import pytest

from personalized_shopping.shared_libraries.metrics.statistics import (
    difference,
    mean_of_clusters,
    mean_of_episodes,
    pass_hat_k,
    wilson,
)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    covered = 0
    for draw in range(200):
        values = rng.random(60) < 0.4
        estimate = mean_of_episodes(values.astype(float).tolist(), [str(n) for n in range(60)], seed=draw)
        assert estimate.low is not None and estimate.high is not None
        covered += estimate.low <= 0.4 <= estimate.high
    assert 0.88 <= covered / 200 <= 0.99


def test_episodes_of_one_product_are_not_independent() -> None:
    values = [1.0] * 50 + [0.0] * 50
    many = mean_of_episodes(values, [str(n) for n in range(100)], seed=1)
    few = mean_of_episodes(values, [str(n // 10) for n in range(100)], seed=1)
    assert many.value == few.value == 0.5
    assert few.high - few.low > 2 * (many.high - many.low)  # type: ignore[operator]


def test_a_product_with_many_goals_counts_once_by_product() -> None:
    values, clusters = [1.0] * 9 + [0.0], ["a"] * 9 + ["b"]
    assert mean_of_episodes(values, clusters, seed=0).value == 0.9
    assert mean_of_clusters(values, clusters, seed=0).value == 0.5


def test_agreement_of_all_still_leaves_room_for_doubt() -> None:
    estimate = mean_of_episodes([1.0] * 10, [str(n) for n in range(10)], seed=0)
    assert (estimate.low, estimate.high) == wilson(1.0, 10)
    assert 0.6 < wilson(1.0, 10)[0] < 0.8


def test_one_product_tells_no_interval() -> None:
    assert mean_of_episodes([0.2, 0.4], ["a", "a"], seed=0)[1:] == (None, None)


def test_the_same_seed_gives_the_same_interval() -> None:
    values, clusters = [0.1, 0.9, 0.4, 0.7], ["a", "b", "c", "d"]
    assert mean_of_episodes(values, clusters, seed=3) == mean_of_episodes(values, clusters, seed=3)


def test_a_clear_difference_is_one_and_noise_is_none() -> None:
    rng = np.random.default_rng(5)
    first = rng.random(80)
    clusters = [str(n) for n in range(80)]
    better, p_better = difference(first.tolist(), (first + 0.1).tolist(), clusters, seed=0)
    noise, p_noise = difference(first.tolist(), (first + rng.normal(0, 0.3, 80)).tolist(), clusters, seed=0)
    assert better.value == pytest.approx(0.1) and p_better < 0.001
    assert p_noise > 0.01 and noise.low < 0 < noise.high  # type: ignore[operator]


def test_no_difference_has_a_p_value_of_one() -> None:
    estimate, p = difference([0.5, 0.2], [0.5, 0.2], ["a", "b"], seed=0)
    assert estimate.value == 0 and p == 1


def test_pass_hat_k_counts_by_hand() -> None:
    trials = {"a": [True, True, False], "b": [True, True, True]}
    assert pass_hat_k(trials) == pytest.approx({1: (2 / 3 + 1) / 2, 2: (1 / 3 + 1) / 2, 3: 0.5})


def test_nothing_cannot_be_averaged() -> None:
    with pytest.raises(ValueError, match="no values"):
        mean_of_episodes([], [], seed=0)
