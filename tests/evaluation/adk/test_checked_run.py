"""A run of eval sets fails where ADK alone would let a case pass."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import EvalMetric, EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult

from personalized_shopping.evaluation.adk_metrics.__main__ import main
from personalized_shopping.evaluation.adk_metrics.checked_run import config_of

ROOT = Path(__file__).resolve().parents[3]
HERE = "tests.evaluation.adk.test_checked_run"
SMALL_TALK = ROOT / "eval" / "small_talk.evalset.json"
FINDING = ROOT / "eval" / "finding.evalset.json"


def content(metric: EvalMetric, actual: list[Invocation], *_: Any) -> EvaluationResult:
    """Be content with everything."""
    return result(1.0, EvalStatus.PASSED, actual)


def discontent(metric: EvalMetric, actual: list[Invocation], *_: Any) -> EvaluationResult:
    """Be content with nothing."""
    return result(0.0, EvalStatus.FAILED, actual)


def raising(*_: Any) -> EvaluationResult:
    """Fail as a metric may that has a mistake."""
    raise RuntimeError("no page")


def silent(*_: Any) -> EvaluationResult:
    """Give nothing at all."""
    return EvaluationResult()


def numberless(metric: EvalMetric, actual: list[Invocation], *_: Any) -> EvaluationResult:
    """Say passed, with a score that is no number."""
    return result(float("nan"), EvalStatus.PASSED, actual)


def one_turn_unseen(metric: EvalMetric, actual: list[Invocation], *_: Any) -> EvaluationResult:
    """Say passed, although a turn has no score."""
    judged = result(1.0, EvalStatus.PASSED, actual)
    judged.per_invocation_results[0].score = None
    return judged


def result(score: float, status: EvalStatus, actual: list[Invocation]) -> EvaluationResult:
    turns = [PerInvocationResult(actual_invocation=turn, score=score, eval_status=status) for turn in actual]
    return EvaluationResult(overall_score=score, overall_eval_status=status, per_invocation_results=turns)


def config(tmp_path: Path, metric: str = "content", **criteria: Any) -> Path:
    path = tmp_path / "config.json"
    custom = {"mine": {"code_config": {"name": metric if "." in metric else f"{HERE}.{metric}"}}}
    path.write_text(json.dumps({"criteria": {"mine": 0.5, **criteria}, "custom_metrics": custom}), encoding="utf-8")
    return path


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_content_passes(tmp_path: Path) -> None:
    outcome = run(f"{SMALL_TALK}:greeting", "--config", config(tmp_path))
    assert outcome.exit_code == 0, outcome.output
    assert "1 passed, 0 failed" in outcome.output


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("discontent", "0 instead of 0.5"),
        ("raising", "could not be evaluated"),
        ("silent", "could not be evaluated"),
        ("numberless", "could not be evaluated"),
        ("one_turn_unseen", "turn 1 could not be evaluated"),
    ],
)
def test_a_metric_that_is_not_content(metric: str, words: str, tmp_path: Path) -> None:
    outcome = run(f"{SMALL_TALK}:greeting", "--config", config(tmp_path, metric))
    assert outcome.exit_code == 1, outcome.output
    assert "FAILED  small_talk/greeting" in outcome.output and words in outcome.output


@pytest.mark.parametrize("metric", ["nowhere.to.be_found", f"{HERE}.not_there", f"{HERE}.ROOT", "nomodule."])
def test_a_metric_that_cannot_be_imported(metric: str, tmp_path: Path) -> None:
    outcome = run(SMALL_TALK, "--config", config(tmp_path, metric))
    assert outcome.exit_code == 1
    assert "mine" in outcome.output and metric in outcome.output


def test_a_metric_that_nobody_defines(tmp_path: Path) -> None:
    outcome = run(SMALL_TALK, "--config", config(tmp_path, tool_trajectory_average=1.0))
    assert outcome.exit_code == 1 and "tool_trajectory_average" in outcome.output


def test_a_wrong_trajectory(tmp_path: Path) -> None:
    wrong = json.loads(FINDING.read_text(encoding="utf-8"))
    wrong["eval_cases"] = [case for case in wrong["eval_cases"] if case["eval_id"] == "not_available"]
    uses = wrong["eval_cases"][0]["conversation"][0]["intermediate_data"]["tool_uses"]
    uses.append({"name": "click", "args": {"button_name": "Buy Now"}})
    path = tmp_path / "wrong.evalset.json"
    path.write_text(json.dumps(wrong), encoding="utf-8")
    outcome = run(path, "--config", ROOT / "eval" / "test_config.json")
    assert outcome.exit_code == 1
    assert "tool_trajectory_avg_score: 0 instead of 1" in outcome.output


def test_a_case_that_cannot_be_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from personalized_shopping.agent import root_agent

    def broken(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the model is away")

    monkeypatch.setattr(type(root_agent.model), "generate_content_async", broken)
    outcome = run(f"{SMALL_TALK}:greeting", "--config", config(tmp_path))
    assert outcome.exit_code == 1
    assert "could not be played" in outcome.output and "the model is away" in outcome.output


@pytest.mark.parametrize(
    ("text", "words"),
    [("{}", "cannot be read"), ("[]", "cannot be read"), ('{"eval_set_id": "x", "eval_cases": []}', "has no cases")],
)
def test_a_set_that_is_none(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "x.evalset.json"
    path.write_text(text, encoding="utf-8")
    outcome = run(path, "--config", config(tmp_path))
    assert outcome.exit_code == 1 and words in outcome.output


def test_no_criteria_and_no_such_case(tmp_path: Path) -> None:
    empty = tmp_path / "empty.json"
    empty.write_text("{}", encoding="utf-8")
    assert "no criteria" in run(SMALL_TALK, "--config", empty).output
    outcome = run(f"{SMALL_TALK}:nobody", "--config", config(tmp_path))
    assert outcome.exit_code == 1 and "greeting" in outcome.output


def test_rubrics_need_a_judge() -> None:
    outcome = run(SMALL_TALK, "--config", ROOT / "eval" / "judged.config.json")
    assert outcome.exit_code == 1 and "EVAL_JUDGE_MODEL" in outcome.output


def test_the_config_beside_a_set() -> None:
    assert config_of(SMALL_TALK).name == "small_talk.config.json"
    assert config_of(FINDING).name == "test_config.json"
    assert config_of(ROOT / "eval" / "out_of_scope.test.json").name == "test_config.json"
