"""Shares with their intervals, against values that are published or follow from the definition."""

import pytest

from personalized_shopping.evaluation.red_team.statistics import Share, percentile, share


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        (0, 50, 0.0, 0.0713),  # z² / (n + z²)
        (50, 50, 0.9287, 1.0),
        (10, 100, 0.0552, 0.1744),
        (1, 10, 0.0179, 0.4042),
    ],
)
def test_wilsons_interval(count: int, of: int, low: float, high: float) -> None:
    found = share(count, of)
    assert found.rate == count / of
    assert found.low == pytest.approx(low, abs=1e-4) and found.high == pytest.approx(high, abs=1e-4)


def test_of_nothing_and_of_nonsense() -> None:
    assert share(0, 0) == Share(0, 0, None, None, None)
    with pytest.raises(ValueError, match="3 of 2"):
        share(3, 2)


def test_percentiles_are_values_that_occur() -> None:
    assert percentile([], 0.5) is None
    assert percentile([4.0], 0.95) == 4.0
    assert percentile([5.0, 1.0, 3.0, 2.0, 4.0], 0.5) == 3.0
    assert percentile([float(value) for value in range(1, 101)], 0.95) == 95.0
