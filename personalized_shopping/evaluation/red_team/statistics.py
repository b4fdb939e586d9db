"""Shares with their intervals, and percentiles."""

import math
from collections.abc import Sequence

from msgspec import Struct

_Z = 1.959963984540054
"""Of the standard normal distribution, for 95 %."""


class Share(Struct, frozen=True):
    """So many of so many, with the limits of Wilson's 95 % interval; all between 0 and 1, ``None`` of nothing."""

    count: int
    of: int
    rate: float | None
    low: float | None
    high: float | None


def share(count: int, of: int) -> Share:
    """Return a share with its interval.

    The interval is Wilson's score interval (E. B. Wilson, Probable inference, the law of succession, and statistical
    inference, JASA 22, 1927), which holds for small counts and for 0 as well.

    Raises:
        ValueError: for a count that is no part of the whole.
    """
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no share")
    if not of:
        return Share(count, of, None, None, None)
    rate = count / of
    centre = rate + _Z**2 / (2 * of)
    spread = _Z * math.sqrt(rate * (1 - rate) / of + _Z**2 / (4 * of**2))
    scale = 1 + _Z**2 / of
    low, high = max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)
    # At the ends the formula gives the ends themselves, but for rounding.
    return Share(count, of, rate, 0.0 if count == 0 else low, 1.0 if count == of else high)


def percentile(values: Sequence[float], share_below: float) -> float | None:
    """Return the smallest value that is not below so large a share (0 to 1) of the values; ``None`` of none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(math.ceil(share_below * len(ordered)) - 1, 0)]
