"""Conversations as ADK's metrics see them, and an environment in which eval sets run offline."""

import importlib.util
from collections.abc import Callable
from typing import Any

import pytest
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import BaseCriterion, EvalMetric
from google.adk.evaluation.evaluator import EvaluationResult

QUIET = "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS"
if importlib.util.find_spec("rouge_score") is None:
    # google-adk[eval] is an extra.
    collect_ignore_glob = ["test_*.py"]
else:
    with pytest.MonkeyPatch.context() as patch:
        # Importing it warns that it is experimental, which is no news here.
        patch.setenv(QUIET, "true")
        import google.adk.evaluation.local_eval_service  # noqa: F401

_SETTINGS = ("CATALOG_PATH", "NUM_PRODUCTS", "GOOGLE_API_KEY", "GEMINI_API_KEY", "SAFETY_SYSTEM", "EVAL_JUDGE_MODEL")

Talk = Callable[..., list[Invocation]]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the offline shopper shop in the demo catalogue, and buy where a case says that it may."""
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(QUIET, "true")
    monkeypatch.setenv("MODEL_NAME", "offline/shopper")
    monkeypatch.setenv("TRAJECTORY_DIR", "off")
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")


def invocation(said: str, answer: str | None, *calls: tuple[str, dict[str, Any], dict[str, Any]]) -> Invocation:
    """Return a turn: what the person said, what was called and answered, what the agent told."""
    parts: list[dict[str, Any]] = []
    for number, (name, arguments, response) in enumerate(calls, start=1):
        named = {"name": name, "id": str(response.pop("_id", f"c{number}"))}
        parts.append({"function_call": {**named, "args": arguments}})
        parts.append({"function_response": {**named, "response": response}})
    events = [{"author": "agent", "content": {"role": "model", "parts": [part]}} for part in parts]
    return Invocation.model_validate(
        {
            "user_content": {"role": "user", "parts": [{"text": said}]},
            "final_response": None if answer is None else {"role": "model", "parts": [{"text": answer}]},
            "intermediate_data": {"invocation_events": events},
        }
    )


def score(metric: Any, turns: list[Invocation], expected: list[Invocation] | None = None) -> EvaluationResult:
    """Judge turns as ADK does, with a threshold of 1."""
    return metric(EvalMetric(metric_name="m", criterion=BaseCriterion(threshold=1.0)), turns, expected, None)


@pytest.fixture
def shirt() -> dict[str, Any]:
    """Return a product as a tool's answer describes it."""
    return {
        "asin": "B0SHIRT001",
        "title": "Plain Cotton Shirt for Men",
        "price": "$19.95",
        "price_usd": [19.95],
        "rating": 4.6,
        "options": [
            {"name": "color", "values": ["black", "dusty rose"], "chosen": "black"},
            {"name": "size", "values": ["medium", "x-large"], "chosen": "medium"},
        ],
    }
