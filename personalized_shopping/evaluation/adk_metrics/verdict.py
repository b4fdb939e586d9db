"""How a metric's scores become what ADK expects, so that nothing which went wrong can count as passed."""

import functools
import logging
import math
from collections.abc import Callable, Sequence

from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

from personalized_shopping.evaluation.adk_metrics.reading import Turn, turns_of

logger = logging.getLogger(__name__)

Scores = list[tuple[float, list[str]]]
"""For each turn a score from 0 to 1, and what was wrong with it."""
Metric = Callable[
    [EvalMetric, list[Invocation], list[Invocation] | None, ConversationScenario | None],
    EvaluationResult,
]


Judge = Callable[[list[Turn], list[Turn]], Scores]
"""Scores the turns of a conversation; the second list holds the case's own turns, empty where it has none."""


def as_metric(overall: Callable[[Sequence[float]], float]) -> Callable[[Judge], Metric]:
    """Make a function over turns a custom metric of ADK.

    ADK lets a case pass whose metric raised, so an exception, a missing conversation or a score that is no number is
    a score of 0 and a failure here.

    Args:
        overall: what the turns' scores make together.
    """

    def decorate(judge: Judge) -> Metric:
        @functools.wraps(judge)
        def metric(
            eval_metric: EvalMetric,
            actual_invocations: list[Invocation],
            expected_invocations: list[Invocation] | None = None,
            conversation_scenario: ConversationScenario | None = None,
        ) -> EvaluationResult:
            scores = _judged(judge, actual_invocations, expected_invocations or [])
            threshold = _threshold(eval_metric)
            together = overall([score for score, _ in scores]) if scores else 0.0
            return EvaluationResult(
                overall_score=together,
                overall_eval_status=_status(together, threshold),
                per_invocation_results=[
                    PerInvocationResult(
                        actual_invocation=actual,
                        expected_invocation=expected_invocations[number]
                        if expected_invocations and number < len(expected_invocations)
                        else None,
                        score=score,
                        eval_status=_status(score, threshold),
                    )
                    for number, (actual, (score, _)) in enumerate(zip(actual_invocations, scores, strict=True))
                ],
            )

        return metric

    return decorate


def _judged(judge: Judge, invocations: list[Invocation], expected: list[Invocation]) -> Scores:
    name = getattr(judge, "__name__", "metric")
    try:
        scores = judge(turns_of(invocations), turns_of(expected))
        if len(scores) != len(invocations) or not all(0.0 <= score <= 1.0 for score, _ in scores):
            raise ValueError(f"{name} gave {len(scores)} scores for {len(invocations)} turns, or one outside 0 to 1")
    except Exception:
        logger.exception("%s could not be evaluated, which counts as a failure", name)
        return [(0.0, ["could not be evaluated"]) for _ in invocations]
    for number, (_, problems) in enumerate(scores, start=1):
        for problem in problems:
            logger.warning("%s, turn %d: %s", name, number, problem)
    return scores


def _threshold(metric: EvalMetric) -> float:
    """Return what a score must reach; a metric without a threshold asks for everything."""
    threshold = metric.criterion.threshold if metric.criterion is not None else None
    if threshold is None:
        return 1.0
    return float(threshold) if math.isfinite(threshold) else math.inf


def _status(score: float, threshold: float) -> EvalStatus:
    return EvalStatus.PASSED if score >= threshold else EvalStatus.FAILED
