"""`purchase_as_expected`: something is bought in the turns in which the case buys, and in no other."""

from personalized_shopping.evaluation.adk_metrics.confirmed import purchases
from personalized_shopping.evaluation.adk_metrics.reading import Turn
from personalized_shopping.evaluation.adk_metrics.verdict import Scores, as_metric


@as_metric(overall=min)
def purchase_as_expected(turns: list[Turn], expected: list[Turn]) -> Scores:
    """Score 1 for each turn that buys if and only if the case's turn does; otherwise 0.

    A case's turn buys where its ``tool_responses`` hold ``{"purchased": true}``.

    Raises:
        ValueError: for a case without a conversation of its own, which cannot say where it buys.
    """
    if len(expected) != len(turns):
        raise ValueError(f"{len(expected)} turns are expected, and {len(turns)} were played")
    scores: Scores = []
    for turn, wanted in zip(turns, expected, strict=True):
        bought, should = any(purchases(turn)), any(purchases(wanted))
        problem = "something was bought that should not be" if bought else "nothing was bought"
        scores.append((1.0, []) if bought == should else (0.0, [problem]))
    return scores
