"""Every attack fails, says how, and leaves no trace: no file, no variable, no changed object, no process, no memory."""

import builtins
import copy
import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.skills.runtime import Limits, open_runtime
from personalized_shopping.shared_libraries.skills.runtime.base import ProgramRuntime
from personalized_shopping.shared_libraries.skills.runtime.form import syntax_problems
from tests.skills.runtime.attacks import ATTACKS, CODE, FILES, FRAMES, OBJECTS, WALKS, Attack
from tests.skills.runtime.programs import CLICK, ENTRY, FakeEnv

LIMITS = Limits(time_s=0.3, wall_s=10.0)
MAX_TIME_S = 8.0
MAX_GROWTH_KB = 100_000
BY_NAME = {attack.name: attack for attack in ATTACKS}


@pytest.fixture(scope="module", params=["monty", "restricted"])
def runtime(request: pytest.FixtureRequest) -> ProgramRuntime:
    return open_runtime(request.param)


@pytest.fixture
def bait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """Return a file that must not appear and one that must not be read."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the file's secret", encoding="utf-8")
    secret.chmod(0o600)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SKILL_TEST_SECRET", "the variable's secret")
    yield tmp_path / "mark", secret


def test_there_are_enough_attacks() -> None:
    assert len(BY_NAME) == len(ATTACKS) >= 60


@pytest.mark.parametrize("name", list(BY_NAME))
def test_no_attack_succeeds(name: str, runtime: ProgramRuntime, bait: tuple[Path, Path]) -> None:
    attack, (mark, secret) = BY_NAME[name], bait
    code = attack.code.replace("{mark}", str(mark)).replace("{secret}", str(secret))
    env = FakeEnv()
    locators, args, options = {"selector": "#a"}, {"list": [1]}, {"o": {"p": 1}}
    given = copy.deepcopy((locators, args, options))
    before = host_state(env)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.monotonic()

    result = runtime.run(code, ENTRY, env, locators, args, options, LIMITS)

    assert time.monotonic() - started < MAX_TIME_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < MAX_GROWTH_KB
    assert host_state(env) == before
    assert (locators, args, options) == given
    assert not mark.exists()
    assert sorted(path.name for path in mark.parent.iterdir()) == [secret.name]
    if not attack.harmless:
        assert not result.ok, result
        assert result.failure is not None
        assert result.message
    told = json.dumps([result.message, result.evidence])
    assert len(result.message) <= 500
    assert "secret" not in told.replace("has no attribute 'secret'", "").replace("attribute secret", "")
    assert "/bin" not in told
    assert len(env.done) <= 200


@pytest.mark.parametrize("attack", [*WALKS, *CODE, *FILES], ids=lambda attack: attack.name)
def test_what_reaches_outside_is_refused_by_its_form(attack: Attack) -> None:
    assert syntax_problems(attack.code, ENTRY)


def test_both_runtimes_work_after_all_of_it(runtime: ProgramRuntime) -> None:
    for attack in (FRAMES[0], OBJECTS[1], BY_NAME["growing list"], BY_NAME["deeper source"]):
        runtime.run(attack.code, ENTRY, FakeEnv(), {}, {}, {}, LIMITS)
        assert runtime.run(CLICK, ENTRY, FakeEnv(), {"selector": "#a"}, {}, {}).ok


def host_state(env: FakeEnv) -> object:
    """Return what an attack could change here."""
    return (
        copy.deepcopy(env.hidden),
        sorted(vars(env)),
        sorted(vars(FakeEnv)),
        dict(os.environ),
        os.getcwd(),
        sorted(vars(builtins)),
        [str.upper, dict.get, builtins.print],
        sys.getrecursionlimit(),
        threading.active_count(),
    )
