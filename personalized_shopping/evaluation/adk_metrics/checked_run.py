"""A run of eval sets that nothing passes unnoticed: what was not evaluated has failed.

ADK's own commands let a case pass whose metric could not be imported or raised. Here every case must have been played,
every metric of the config must have given a number for it, and every number must reach its threshold.
"""

import importlib
import json
import math
from collections.abc import Sequence
from pathlib import Path

from google.adk.agents.base_agent import BaseAgent
from google.adk.apps.app import App
from google.adk.evaluation.base_eval_service import (
    EvaluateConfig,
    EvaluateRequest,
    InferenceConfig,
    InferenceRequest,
    InferenceResult,
    InferenceStatus,
)
from google.adk.evaluation.eval_config import EvalConfig, get_eval_metrics_from_config
from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.eval_result import EvalCaseResult
from google.adk.evaluation.eval_set import EvalSet
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.evaluation.metric_evaluator_registry import (
    DEFAULT_METRIC_EVALUATOR_REGISTRY,
    MetricEvaluatorRegistry,
    register_custom_metrics_from_config,
)
from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider
from msgspec import Struct

from personalized_shopping.errors import ShoppingError
from personalized_shopping.evaluation.adk_metrics.judge import JUDGE, judge_name

APP_NAME = "personalized_shopping"
DEFAULT_CONFIG = "test_config.json"


class EvaluationError(ShoppingError):
    """An eval set or a config that cannot be run."""


class MetricResult(Struct, frozen=True):
    """What one metric says of one case: its score, ``None`` where it gave none, and why it failed, or nothing."""

    metric: str
    score: float | None
    problem: str = ""


class CaseResult(Struct, frozen=True):
    """One case of an eval set; ``problem`` says why it could not be judged at all."""

    eval_set: str
    case: str
    metrics: tuple[MetricResult, ...] = ()
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether the case was judged by at least one metric, and all were content."""
        return not self.problem and bool(self.metrics) and not any(metric.problem for metric in self.metrics)


def config_of(eval_set: Path) -> Path:
    """Return the config of an eval set's file: `<name>.config.json` beside it, or the folder's `test_config.json`."""
    own = eval_set.with_name(f"{eval_set.name.split('.')[0]}.config.json")
    return own if own.exists() else eval_set.with_name(DEFAULT_CONFIG)


def load_config(path: Path) -> EvalConfig:
    """Read a config and make sure that all its metrics can be run.

    Raises:
        EvaluationError: for a file that cannot be read, a config without criteria, a metric that nobody defines or
            that cannot be imported, and rubrics without a configured judge.
    """
    try:
        config = EvalConfig.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"The config {path} cannot be read: {error}") from error
    if not config.criteria:
        raise EvaluationError(f"The config {path} has no criteria, so nothing could fail. Name at least one metric.")
    known = {info.metric_name for info in DEFAULT_METRIC_EVALUATOR_REGISTRY.get_registered_metrics()}
    custom = config.custom_metrics or {}
    if unknown := sorted(set(config.criteria) - known - set(custom)):
        raise EvaluationError(f"The config {path} asks for {', '.join(unknown)}, which nobody defines.")
    for name, metric in custom.items():
        _import(metric.code_config.name, f"The metric {name} of {path}")
    if JUDGE in json.dumps(config.model_dump(mode="json")):
        judge_name()
    return config


def load_eval_set(path: Path) -> EvalSet:
    """Read an eval set in ADK's present format.

    Raises:
        EvaluationError: for a file that cannot be read, is of another format, or has no cases.
    """
    try:
        eval_set = EvalSet.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise EvaluationError(f"The eval set {path} cannot be read: {error}") from error
    if not eval_set.eval_cases:
        raise EvaluationError(f"The eval set {path} has no cases, so nothing could fail.")
    return eval_set


async def run_eval_set(
    eval_set: EvalSet, config: EvalConfig, agent: BaseAgent, app: App | None = None, cases: Sequence[str] = ()
) -> list[CaseResult]:
    """Play the cases of an eval set and judge them.

    Args:
        eval_set: what is played.
        config: the metrics and their thresholds.
        agent: who plays.
        app: the agent's app, whose plugins then run too.
        cases: the ids of the cases to play; all of them where none are named.

    Returns:
        A result for every case, in the set's order.

    Raises:
        EvaluationError: for a case that the set does not have.
    """
    ids = [case.eval_id for case in eval_set.eval_cases]
    if missing := sorted(set(cases) - set(ids)):
        raise EvaluationError(f"{eval_set.eval_set_id} has no case {', '.join(missing)}. It has: {', '.join(ids)}.")
    wanted = [case for case in ids if not cases or case in cases]
    service = LocalEvalService(
        root_agent=agent,
        app=app,
        eval_sets_manager=_holding(eval_set),
        user_simulator_provider=UserSimulatorProvider(user_simulator_config=config.user_simulator_config),
        metric_evaluator_registry=_registry(config),
    )
    request = InferenceRequest(
        app_name=APP_NAME,
        eval_set_id=eval_set.eval_set_id,
        eval_case_ids=wanted,
        inference_config=InferenceConfig(parallelism=1),
    )
    played = [played async for played in service.perform_inference(request)]
    judged: dict[str, CaseResult] = {}
    for inference in played:
        judged[inference.eval_case_id] = await _judge(service, eval_set.eval_set_id, inference, config)
    nothing = "it was not played"
    return [judged.get(case) or CaseResult(eval_set.eval_set_id, case, problem=nothing) for case in wanted]


async def _judge(
    service: LocalEvalService, eval_set_id: str, inference: InferenceResult, config: EvalConfig
) -> CaseResult:
    case = inference.eval_case_id
    if inference.status != InferenceStatus.SUCCESS:
        problem = f"it could not be played: {inference.error_message or 'no reason given'}"
        return CaseResult(eval_set_id, case, problem=problem)
    request = EvaluateRequest(
        inference_results=[inference],
        evaluate_config=EvaluateConfig(eval_metrics=get_eval_metrics_from_config(config), parallelism=1),
    )
    try:
        results = [result async for result in service.evaluate(request)]
    except Exception as error:  # whatever one case raises, the others are still to be judged
        return CaseResult(eval_set_id, case, problem=f"it could not be judged: {error}")
    if len(results) != 1:
        return CaseResult(eval_set_id, case, problem=f"it has {len(results)} results instead of one")
    return CaseResult(eval_set_id, case, tuple(_metric(name, results[0]) for name in config.criteria))


def _metric(name: str, result: EvalCaseResult) -> MetricResult:
    """Return what a case's result says of a metric; whatever is not a clear pass is a problem."""
    found = [metric for metric in result.overall_eval_metric_results if metric.metric_name == name]
    if len(found) != 1:
        return MetricResult(name, None, "it was not evaluated")
    [metric] = found
    threshold = metric.criterion.threshold if metric.criterion is not None else metric.threshold
    if metric.score is None or not math.isfinite(metric.score) or metric.eval_status == EvalStatus.NOT_EVALUATED:
        return MetricResult(name, None, "it could not be evaluated; the log says why")
    if metric.eval_status != EvalStatus.PASSED:
        return MetricResult(name, metric.score, f"{metric.score:.3g} instead of {threshold:g}")
    for turn, invocation in enumerate(result.eval_metric_result_per_invocation, start=1):
        for one in invocation.eval_metric_results:
            if one.metric_name == name and (one.score is None or not math.isfinite(one.score)):
                return MetricResult(name, metric.score, f"turn {turn} could not be evaluated; the log says why")
    return MetricResult(name, metric.score)


def _holding(eval_set: EvalSet) -> InMemoryEvalSetsManager:
    manager = InMemoryEvalSetsManager()
    manager.create_eval_set(app_name=APP_NAME, eval_set_id=eval_set.eval_set_id)
    for case in eval_set.eval_cases:
        manager.add_eval_case(app_name=APP_NAME, eval_set_id=eval_set.eval_set_id, eval_case=case)
    return manager


def _registry(config: EvalConfig) -> MetricEvaluatorRegistry:
    return register_custom_metrics_from_config(config, DEFAULT_METRIC_EVALUATOR_REGISTRY.fork())


def _import(path: str, what: str) -> None:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise EvaluationError(f"{what} is {path!r}, which cannot be imported: {error}") from error
    if not callable(found):
        raise EvaluationError(f"{what} is {path!r}, which is no function.")
