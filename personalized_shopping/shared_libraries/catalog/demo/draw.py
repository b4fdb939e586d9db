"""Drawing from a seeded generator, with nothing that could differ between Python versions or processes."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """Draws of one record, made from ``Random.random`` alone: the one method whose stream Python promises to keep."""

    __slots__ = ("number",)

    def __init__(self, seed: int) -> None:
        self.number = Random(seed).random

    def one(self, values: Sequence[T]) -> T:
        """Pick one of the values."""
        return values[int(self.number() * len(values))]

    def between(self, least: int, most: int) -> int:
        """Pick a whole number, both ends included."""
        return least + int(self.number() * (most - least + 1))

    def some(self, values: Sequence[T], count: int) -> list[T]:
        """Pick so many different values, in random order; all of them where there are fewer."""
        left = list(values)
        picked: list[T] = []
        while left and len(picked) < count:
            at = int(self.number() * len(left))
            picked.append(left[at])
            left[at] = left[-1]
            left.pop()
        return picked

    def some_in_order(self, values: Sequence[T], count: int) -> list[T]:
        """Pick a run of neighbouring values, as a shop that stocks sizes from S to XL does."""
        count = min(count, len(values))
        start = int(self.number() * (len(values) - count + 1))
        return list(values[start : start + count])
