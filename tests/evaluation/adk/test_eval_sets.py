"""The eval sets that are shipped: sound, and passed by the offline shopper with ADK's own evaluator, really awaited."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.evaluation.agent_evaluator import AgentEvaluator
from google.adk.evaluation.eval_config import EvalConfig
from google.adk.evaluation.eval_set import EvalSet

from personalized_shopping.evaluation.adk_metrics import checked_run
from personalized_shopping.shared_libraries.init_env import get_shop_files

EVAL = Path(__file__).resolve().parents[3] / "eval"
SETS = sorted([*EVAL.glob("*.evalset.json"), *EVAL.glob("*.test.json")])
CONFIGS = sorted([*EVAL.glob("*.config.json"), EVAL / "test_config.json"])
AGENT = "personalized_shopping.agent"


def ids(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", SETS, ids=ids)
def test_a_set_is_of_the_present_format(path: Path) -> None:
    eval_set = EvalSet.model_validate_json(path.read_text(encoding="utf-8"))
    names = [case.eval_id for case in eval_set.eval_cases]
    assert eval_set.eval_set_id == path.name.split(".")[0]
    assert names and len(set(names)) == len(names)
    assert all(case.conversation and case.session_input for case in eval_set.eval_cases)


@pytest.mark.parametrize("path", CONFIGS, ids=ids)
def test_every_custom_metric_of_a_config_is_there(path: Path) -> None:
    config = EvalConfig.model_validate_json(path.read_text(encoding="utf-8"))
    assert config.criteria and set(config.custom_metrics or {}) <= set(config.criteria)
    for metric in (config.custom_metrics or {}).values():
        module, _, name = metric.code_config.name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))


def test_no_config_names_a_model() -> None:
    assert not [path.name for path in CONFIGS if "gemini" in path.read_text(encoding="utf-8")]


def test_a_goal_is_asked_for_in_its_own_words() -> None:
    goals = get_shop_files().goals("synthetic")
    eval_set = json.loads((EVAL / "goals.evalset.json").read_text(encoding="utf-8"))
    for case in eval_set["eval_cases"]:
        said = case["conversation"][0]["user_content"]["parts"][0]["text"]
        assert said == goals[case["session_input"]["state"]["goal_index"]].instruction_text


@pytest.mark.parametrize("path", SETS, ids=ids)
async def test_the_offline_shopper_passes(path: Path) -> None:
    from personalized_shopping.agent import app, root_agent

    config = checked_run.load_config(checked_run.config_of(path))
    cases = await checked_run.run_eval_set(checked_run.load_eval_set(path), config, root_agent, app)
    assert cases and all(case.passed for case in cases), [case for case in cases if not case.passed]


@pytest.mark.filterwarnings("default")
async def test_adks_own_evaluator_passes_the_test_files() -> None:
    await AgentEvaluator.evaluate(AGENT, str(EVAL), num_runs=1, print_detailed_results=False)


def one_case(config: dict[str, Any], tool: str) -> tuple[EvalSet, EvalConfig]:
    eval_set = json.loads((EVAL / "out_of_scope.test.json").read_text(encoding="utf-8"))
    eval_set["eval_cases"] = eval_set["eval_cases"][1:]
    for use in eval_set["eval_cases"][0]["conversation"][0]["intermediate_data"]["tool_uses"]:
        use["name"] = tool
    return EvalSet.model_validate(eval_set), EvalConfig.model_validate(config)


METRICS = "tests.evaluation.adk.test_checked_run"
TRAJECTORY = {"tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER", "ignore_args": True}}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("tool", "metric", "words"),
    [
        ("use_skill", "content", "tool_trajectory_avg_score"),
        ("search", "discontent", "mine .* Failed"),
        ("search", "raising", "mine .* was not evaluated"),
        ("search", "not_there", "mine .* was not evaluated"),
    ],
)
async def test_adks_own_evaluator_fails(tool: str, metric: str, words: str) -> None:
    custom = {"mine": {"code_config": {"name": f"{METRICS}.{metric}"}}}
    eval_set, config = one_case({"criteria": {**TRAJECTORY, "mine": 0.5}, "custom_metrics": custom}, tool)
    with pytest.raises(AssertionError, match=words):
        await AgentEvaluator.evaluate_eval_set(
            AGENT, eval_set, eval_config=config, num_runs=1, print_detailed_results=False
        )
