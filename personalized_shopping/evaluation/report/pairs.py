"""Two runs side by side: pairs of episodes, what changed between them, and which settings differ."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import failure_of, said
from personalized_shopping.shared_libraries.metrics.compare import SAME
from personalized_shopping.shared_libraries.metrics.episode import Episode

SUCCESS = "success"
"""What an episode without a failure is called among the classes of failure."""


class Pair(Struct, frozen=True):
    """One task, played in both runs. ``difference`` is B's score minus A's; ``outcome`` is B's against A."""

    a: Episode
    b: Episode

    @property
    def difference(self) -> float:
        """B's score minus A's."""
        return self.b.score - self.a.score

    @property
    def outcome(self) -> str:
        """``better``, ``worse`` or ``same``: what became of the episode in B."""
        if abs(self.difference) <= SAME:
            return "same"
        return "better" if self.difference > 0 else "worse"


def pairs_of(a: Run, b: Run) -> list[Pair]:
    """Return the episodes that both runs have judged, in A's order."""
    others = {episode.key: episode for episode in b.judged}
    return [Pair(one, others[one.key]) for one in a.judged if one.key in others]


def class_of(episode: Episode) -> str:
    """Return an episode's class of failure, or ``success``."""
    return failure_of(episode) or SUCCESS


def class_counts(pairs: Sequence[Pair]) -> list[tuple[str, int, int]]:
    """Return each class with how many episodes it has in A and in B, the largest first."""
    a = Counter(class_of(pair.a) for pair in pairs)
    b = Counter(class_of(pair.b) for pair in pairs)
    names = sorted({*a, *b}, key=lambda name: (name != SUCCESS, -a[name] - b[name], name))
    return [(name, a[name], b[name]) for name in names]


def transitions(pairs: Sequence[Pair], most: int) -> list[tuple[str, str, int]]:
    """Return from which class episodes went to which other, the most frequent first."""
    counts = Counter((class_of(pair.a), class_of(pair.b)) for pair in pairs)
    changed = [(start, end, number) for (start, end), number in counts.items() if start != end]
    return sorted(changed, key=lambda one: (-one[2], one[0], one[1]))[:most]


def differing_settings(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the settings that differ between two manifests: the name, A's value and B's; a dash where it has none."""
    first, second = dict(flat(a)), dict(flat(b))
    names = [*first, *(name for name in second if name not in first)]
    found = [(name, first.get(name, "–"), second.get(name, "–")) for name in names]
    return [entry for entry in found if entry[1] != entry[2]]


def flat(manifest: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield every value of a manifest with its path."""
    for name, value in manifest.items():
        path = f"{above}{name}"
        if isinstance(value, Mapping) and value:
            yield from flat(value, f"{path}.")
        else:
            yield path, said(value)
