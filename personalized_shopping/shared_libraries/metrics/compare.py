"""Two runs of the same tasks, compared pair by pair."""

from collections.abc import Sequence
from statistics import fmean

from msgspec import Struct

from personalized_shopping.errors import EvaluationError
from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.metrics.statistics import difference

SAME = 1e-9


class Side(Struct, frozen=True, kw_only=True):
    """One run's averages over the pairs."""

    name: str
    score: float
    success_rate: float


class Comparison(Struct, frozen=True, kw_only=True):
    """The difference of two runs, B minus A, over the episodes that both have judged.

    Intervals are of 95 %, by a bootstrap over products; p-values are of a permutation test over products. ``won`` are
    the episodes in which B scored more, ``lost`` those in which it scored less.
    """

    a: Side
    b: Side
    pairs: int
    products: int
    score_difference: float
    score_difference_interval: tuple[float | None, float | None]
    score_p: float
    success_difference: float
    success_difference_interval: tuple[float | None, float | None]
    success_p: float
    won: list[str]
    lost: list[str]
    same: int
    only_a: list[str]
    only_b: list[str]


def compare(
    a: Sequence[Episode], b: Sequence[Episode], names: tuple[str, str] = ("A", "B"), *, seed: int = 0
) -> Comparison:
    """Compare two runs.

    Args:
        a: the first run's episodes.
        b: the second run's.
        names: what the runs are called.
        seed: of the draws.

    Raises:
        EvaluationError: when the runs have no judged episode in common.
    """
    first = {episode.key: episode for episode in a if episode.status == "finished"}
    second = {episode.key: episode for episode in b if episode.status == "finished"}
    keys = [key for key in first if key in second]
    if not keys:
        raise EvaluationError("The two runs have no judged episode in common: compare runs of the same tasks.")
    pairs = [(first[key], second[key]) for key in keys]
    clusters = [one.cluster or one.task_id for one, _ in pairs]
    scores = [one.score for one, _ in pairs], [two.score for _, two in pairs]
    successes = [float(one.success) for one, _ in pairs], [float(two.success) for _, two in pairs]
    score, score_p = difference(*scores, clusters, seed=seed)
    success, success_p = difference(*successes, clusters, seed=seed)
    won = [one.key for one, two in pairs if two.score > one.score + SAME]
    lost = [one.key for one, two in pairs if two.score < one.score - SAME]
    return Comparison(
        a=Side(name=names[0], score=fmean(scores[0]), success_rate=fmean(successes[0])),
        b=Side(name=names[1], score=fmean(scores[1]), success_rate=fmean(successes[1])),
        pairs=len(pairs),
        products=len(set(clusters)),
        score_difference=score.value,
        score_difference_interval=(score.low, score.high),
        score_p=score_p,
        success_difference=success.value,
        success_difference_interval=(success.low, success.high),
        success_p=success_p,
        won=won,
        lost=lost,
        same=len(pairs) - len(won) - len(lost),
        only_a=[key for key in first if key not in second],
        only_b=[key for key in second if key not in first],
    )
