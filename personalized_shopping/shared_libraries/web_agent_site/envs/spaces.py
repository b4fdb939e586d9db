"""The space of observations and actions: any text."""

from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np

_SAMPLE_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_SAMPLE_LENGTH = 12


class UnicodeText(gymnasium.Space[str]):
    """Every string, the empty one included.

    Gymnasium's own ``Text`` enumerates its alphabet, which over all of Unicode takes seconds, and refuses the empty
    text.

    Args:
        samples: strings to draw samples from; without them a sample is ``search[...]`` with random letters.
        seed: of the samples.
    """

    def __init__(self, samples: Sequence[str] = (), seed: int | np.random.Generator | None = None) -> None:
        super().__init__(dtype=str, seed=seed)
        self.samples = tuple(samples)

    @property
    def is_np_flattenable(self) -> bool:
        """Texts have no array form."""
        return False

    def sample(self, mask: None = None, probability: None = None) -> str:
        """Return a random text."""
        if mask is not None or probability is not None:
            raise ValueError("a sample of texts takes neither mask nor probability")
        if self.samples:
            return self.samples[int(self.np_random.integers(len(self.samples)))]
        letters = self.np_random.choice(list(_SAMPLE_ALPHABET), size=_SAMPLE_LENGTH)
        return f"search[{''.join(letters)}]"

    def contains(self, x: Any) -> bool:
        """Return whether ``x`` is a string."""
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Return the samples as they are: strings are JSON."""
        return list(sample_n)

    def from_jsonable(self, sample_n: list[str]) -> list[str]:
        """Return what ``to_jsonable`` gave."""
        return list(sample_n)

    def __repr__(self) -> str:
        return "UnicodeText()"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText)

    def __hash__(self) -> int:
        return hash(UnicodeText)
