"""Shares with their intervals, and percentiles."""

import math
from collections.abc import Sequence

from msgspec import Struct

from personalized_shopping.shared_libraries.metrics.statistics import wilson


class Share(Struct, frozen=True):
    """So many of so many, with the limits of Wilson's 95 % interval; all between 0 and 1, ``None`` of nothing."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


def share(count: int, of: int) -> Share:
    """Return a share with its interval.

    Raises:
        ValueError: for a count that is no part of the whole.
    """
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no share")
    if not of:
        return Share(count, of, None, None, None)
    return Share(count, of, count / of, *wilson(count / of, of))


def percentile(values: Sequence[float], share_below: float) -> float | None:
    """Return the smallest value that is not below so large a share (0 to 1) of the values; ``None`` of none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(math.ceil(share_below * len(ordered)) - 1, 0)]
