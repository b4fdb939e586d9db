"""Eval sets and replays through ADK's own commands and server, as processes."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.agent.processes import ROOT, Install, checkout, free_port

pytestmark = pytest.mark.process
EVAL = ROOT / "eval"
PASSED, FAILED = 1, 2
"""ADK's statuses as its server writes them."""


@pytest.fixture
def install() -> Install:
    """Return the checkout with the offline shopper and the demo catalogue of these tests."""
    return checkout(MODEL_NAME="offline/shopper", DATA_DIR=os.environ["DATA_DIR"], TRAJECTORY_DIR="off")


def evaluate(install: Install, eval_set: Path, config: str, **env: str) -> tuple[int, str]:
    done = install.adk("eval", "personalized_shopping", str(eval_set), "--config_file_path", str(EVAL / config), **env)
    return done.returncode, done.stdout + done.stderr


def test_adk_eval_passes_what_buys_for_a_goal(install: Install) -> None:
    goals = Path(f"{EVAL / 'goals.evalset.json'}:goal_2")
    code, printed = evaluate(install, goals, "goals.config.json", ALLOW_UNCONFIRMED_PURCHASES="1")
    assert code == 0, printed[-3000:]
    assert "Tests passed: 1" in printed


def test_adk_eval_fails_where_nothing_was_bought(install: Install) -> None:
    goals = Path(f"{EVAL / 'goals.evalset.json'}:goal_2")
    code, printed = evaluate(install, goals, "goals.config.json")
    assert code == 1
    assert "Tests failed: 1" in printed and "nothing was bought" in printed


def test_the_evals_tab_shows_and_runs_our_sets(install: Install, tmp_path: Path) -> None:
    folder = tmp_path / "sets"
    shutil.copytree(EVAL, folder, ignore=shutil.ignore_patterns(".adk", "replays", "red_team"))
    port = free_port()
    before = set((ROOT / "personalized_shopping").glob("*.evalset.json"))
    arguments = ["-m", "personalized_shopping.cli", "web", "--port", str(port), "--eval-sets", str(folder)]
    with install.serve(*arguments, port=port) as client:
        app = "/dev/apps/personalized_shopping"
        assert client.get("/list-apps") == ["personalized_shopping"]
        names = client.get(f"{app}/eval-sets")["evalSetIds"]
        assert names == sorted(path.name.split(".")[0] for path in EVAL.glob("*.evalset.json"))
        known = {metric["metricName"] for metric in client.get(f"{app}/metrics-info")["metricsInfo"]}
        assert {"grounded_facts", "purchase_confirmed", "purchase_as_expected", "webshop_reward"} <= known

        def run(case: str, *metrics: dict[str, Any]) -> dict[str, Any]:
            body = {"evalCaseIds": [case], "evalMetrics": list(metrics)}
            [result] = json.loads(client.post(f"{app}/eval-sets/goals/run", body))["runEvalResults"]
            return result

        grounded = {"metricName": "grounded_facts", "criterion": {"threshold": 1.0}}
        reward = {"metricName": "webshop_reward", "criterion": {"threshold": 0.5}}
        assert run("goal_2", grounded)["finalEvalStatus"] == PASSED
        assert run("goal_2", reward)["finalEvalStatus"] == FAILED, "this server buys nothing unasked"
        client.post(f"{app}/eval-sets", {"evalSet": {"eval_set_id": "mine", "eval_cases": []}})
    assert (folder / "mine.evalset.json").exists()
    assert list((folder / ".adk" / "eval_history").glob("*goals*"))
    assert set((ROOT / "personalized_shopping").glob("*.evalset.json")) == before


def test_replays_pass_and_a_changed_page_fails(install: Install, tmp_path: Path) -> None:
    recorded = sorted((EVAL / "replays/shopping/tests").glob("*.json"))
    assert len(recorded) >= 3
    replays = tmp_path / "replays"
    shutil.copytree(EVAL / "replays", replays, ignore=shutil.ignore_patterns("__pycache__"))
    # Where the virtual environment lies in the checkout, pytest reads our settings for ADK's tests too.
    done = install.adk("test", str(replays), "--", "-W", "default")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert f"{len(recorded)} passed" in done.stdout
    changed = replays / "shopping/tests" / recorded[0].name
    text = changed.read_text(encoding="utf-8")
    changed.write_text(text.replace('"rating": ', '"rating": 1'), encoding="utf-8")
    assert changed.read_text(encoding="utf-8") != text
    done = install.adk("test", str(replays), "--", "-W", "default")
    assert done.returncode == 1
    assert f"1 failed, {len(recorded) - 1} passed" in done.stdout
