"""The installed wheel, in a virtual environment that holds nothing else: CI makes one and names it in WHEEL_PYTHON."""

import json
import os
import subprocess
from pathlib import Path

import pytest

WHEEL_PYTHON = os.environ.get("WHEEL_PYTHON")
ROOT = Path(__file__).resolve().parents[2]

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(WHEEL_PYTHON is None, reason="WHEEL_PYTHON names no virtual environment with the wheel"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Run the wheel's Python in an empty directory, with an empty home."""
    home = tmp_path_factory.mktemp("home")

    def call(*arguments, check=True):
        return subprocess.run(
            [WHEEL_PYTHON, *arguments],
            cwd=home,
            env={"PATH": "/usr/bin:/bin", "HOME": str(home), "ADK_DISABLE_LOAD_DOTENV": "1"},
            capture_output=True,
            text=True,
            timeout=300,
            check=check,
        )

    return call


def test_it_is_the_wheel_and_not_the_checkout(run):
    place = run("-c", "import personalized_shopping as p; print(p.__file__)").stdout
    assert "site-packages" in place
    assert str(ROOT / "personalized_shopping") not in place


def test_importing_the_package_loads_neither_adk_nor_the_agent(run):
    script = "import sys, personalized_shopping; print([m for m in sys.modules if 'adk' in m or m.endswith('.agent')])"
    assert run("-c", script).stdout.strip() == "[]"


def test_the_doctor_finds_everything_needed(run):
    done = run("-m", "personalized_shopping.cli", "doctor", "--json", check=False)
    report = json.loads(done.stdout)
    assert (done.returncode, report["ok"]) == (0, True), done.stdout


def test_one_question_is_answered(run):
    done = run("-m", "personalized_shopping.cli", "chat", "a red cotton shirt under 30 dollars")
    assert done.stdout.count("$") >= 2
    assert "Log setup" not in done.stdout


@pytest.mark.parametrize("what", [("webshop", "--policy", "offline"), ("conversations", "--kind", "budget")])
def test_an_evaluation_runs_and_reports(run, tmp_path, what):
    done = run(
        "-m", "personalized_shopping.cli", "eval", *what, "--limit", "2", "--out", str(tmp_path / "run"), "--json"
    )
    assert json.loads(done.stdout)["judged"] == 2
    assert "<svg" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_the_environment_is_there(run):
    script = (
        "import gymnasium, personalized_shopping.shared_libraries.web_agent_site.envs;"
        "env = gymnasium.make('WebAgentTextEnv-v0', observation_mode='text');"
        "print(env.reset(seed=1)[0][:8]); env.close()"
    )
    assert run("-c", script).stdout.strip() == "WebShop"


def test_the_command_is_installed(run):
    command = Path(WHEEL_PYTHON).with_name("personalized-shopping")
    assert subprocess.run([command, "--version"], capture_output=True, check=True).stdout.startswith(b"personalized")
