"""The Makefile hands a QUERY on as it was typed, and does nothing a second time."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKE = shutil.which("make")

pytestmark = pytest.mark.skipif(MAKE is None, reason="make is not on this machine")

SPY = """#!{python}
import json, sys
print(json.dumps(sys.argv[1:]))
"""


@pytest.fixture
def checkout(tmp_path):
    """A copy of what make looks at, whose virtual environment is up to date and holds a spy in the command's place."""
    for name in ("Makefile", "pyproject.toml", "requirements.lock", "requirements-base.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("python", "personalized-shopping"):
        (programs / name).write_text(SPY.format(python=sys.executable))
        (programs / name).chmod(0o755)
    for stamp in (".base", ".test"):
        (tmp_path / ".venv" / stamp).touch()
    return tmp_path


def make(checkout, *arguments, **environment):
    clean = {
        name: value for name, value in os.environ.items() if name not in {"QUERY", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    }
    return subprocess.run(
        [MAKE, f"PYTHON={sys.executable}", *arguments],
        cwd=checkout,
        env={**clean, **environment},
        capture_output=True,
        text=True,
        check=True,
    )


QUERIES = [
    "a red cotton shirt under 30 dollars",
    "under $30",
    "$$ $(HOME) ${HOME} $HOME $x",
    'a "quoted" word',
    "a woman's shirt",
    "`id` \\ \\\\ ; exit 3 # & | > < * ?",
    "--help",
    "$(shell touch pwned)",
    "két szín, 赤い",
    "blanks  kept  ",
    "100% wool: a=b",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_arrives_as_typed(checkout, query):
    assert json.loads(make(checkout, "chat", f"QUERY={query}").stdout) == ["chat", "--", query]
    assert json.loads(make(checkout, "chat", QUERY=query).stdout) == ["chat", "--", query], "from the environment"
    assert not (checkout / "pwned").exists()


def test_without_a_query_it_is_a_conversation(checkout):
    assert json.loads(make(checkout, "chat").stdout) == ["chat"]


def test_web_takes_a_port(checkout):
    assert json.loads(make(checkout, "web", "PORT=8123").stdout) == ["web", "--port", "8123", "--eval-sets", "eval"]


def test_test_runs_pytest(checkout):
    assert json.loads(make(checkout, "test").stdout)[:2] == ["-m", "pytest"]


def test_a_change_of_the_lock_installs_again(checkout):
    assert "pip" not in make(checkout, "-n", "chat").stdout
    stamp = (checkout / ".venv" / ".base").stat().st_mtime
    os.utime(checkout / "requirements-base.lock", (stamp + 10, stamp + 10))
    assert "pip" in make(checkout, "-n", "chat").stdout


def test_help_lists_the_targets(checkout):
    printed = make(checkout, "help").stdout
    for target in ("chat", "web", "test", "eval", "replay", "lint", "bench", "lock", "clean"):
        assert f"make {target}" in printed


def test_clean_keeps_the_environment(checkout):
    for name in ("personalized_shopping", "tests", "benchmarks", "build"):
        (checkout / name / "__pycache__").mkdir(parents=True)
    make(checkout, "clean")
    assert not (checkout / "build").exists()
    assert not (checkout / "tests" / "__pycache__").exists()
    assert (checkout / ".venv" / ".base").exists()
