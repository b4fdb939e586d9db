"""What both runtimes do alike."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.runtime import Limits, ProgramResult, open_runtime
from personalized_shopping.shared_libraries.skills.runtime.base import ProgramRuntime
from tests.skills.runtime.programs import CLICK, ENTRY, FakeEnv, program


@pytest.fixture(scope="module", params=["monty", "restricted"])
def runtime(request: pytest.FixtureRequest) -> ProgramRuntime:
    return open_runtime(request.param)


def run(runtime: ProgramRuntime, code: str, env: object | None = None, **more: Any) -> ProgramResult:
    locators = more.pop("locators", {"selector": "#a"})
    entry, args = more.pop("entry", ENTRY), more.pop("args", {})
    return runtime.run(code, entry, env or FakeEnv(), locators, args, more.pop("options", {}), **more)


def test_a_program_acts_and_reports(runtime: ProgramRuntime) -> None:
    env = FakeEnv()
    result = run(runtime, CLICK, env)
    assert result.ok, result
    assert (result.message, result.evidence, result.failure) == ("pressed", {"url": "http://shop/"}, None)
    assert env.done == [("click", "#a", 2_000)]
    assert [call.method for call in result.calls] == ["click", "current_url"]


def test_a_program_sees_why_a_call_failed(runtime: ProgramRuntime) -> None:
    result = run(runtime, CLICK, locators={"selector": "#gone"})
    assert (result.ok, result.failure, result.message) == (False, "reported", "missing: No element matches #gone.")
    assert result.calls[0].reason == "missing"
    by_class = program("try:", "    env.click('#b')", "except RuntimeError as error:", "    return {'ok': True}")
    assert run(runtime, by_class).ok


def test_the_language_is_enough_for_skills(runtime: ProgramRuntime) -> None:
    code = program(
        "total, seen = 0, {}",
        "for index, (name, price) in enumerate(sorted(args['prices'].items(), key=lambda pair: pair[1])):",
        "    if price is None or not isinstance(price, (int, float)):",
        "        continue",
        "    total += price",
        "    seen[name] = {'rank': index, 'price': round(price, 2)}",
        "def shout(text):",
        "    return text.upper().strip()",
        "first, *rest = [shout(name) for name in seen]",
        "i = 0",
        "while i < 3:",
        "    i += 1",
        "    if i == 2:",
        "        break",
        "numbers = [float(text[1:].replace(',', '')) for text in ['$1,234.50'] if text.startswith('$')]",
        "parts = 'a|b|c'.split('|')[::-1]",
        "try:",
        "    int('x')",
        "except ValueError:",
        "    parts = parts + ['caught']",
        "finally:",
        "    parts = parts + ['end']",
        "message = f'{first} {len(rest)} {total:.2f} {i} {numbers[0]:.1f} {max(1, 2)} {any([0, 1])}'",
        "merged = {**seen, 'zip': list(zip('ab', [1, 2])), 'sum': sum(range(5))}",
        "return {'ok': True, 'message': message, 'evidence': {'seen': merged, 'parts': parts}}",
    )
    result = run(runtime, code, args={"prices": {"b": 2.5, "a": 1, "none": 7}})
    assert result.ok, result
    assert result.message == "A 2 10.50 2 1234.5 2 True"
    assert result.evidence["parts"] == ["c", "b", "a", "caught", "end"]
    assert result.evidence["seen"]["zip"] == [["a", 1], ["b", 2]]
    assert result.evidence["seen"]["sum"] == 10


def test_what_a_program_is_given_is_a_copy(runtime: ProgramRuntime) -> None:
    locators, args, options = {"selector": "#a", "by_text": ["x"]}, {"a": {"b": [1]}}, {"o": [1]}
    code = program(
        "locators['selector'] = 'body'",
        "locators['by_text'].append('y')",
        "args['a']['b'].append(2)",
        "options.clear()",
        "return {'ok': True, 'evidence': {'args': args}}",
    )
    result = runtime.run(code, ENTRY, FakeEnv(), locators, args, options)
    assert result.evidence == {"args": {"a": {"b": [1, 2]}}}
    assert locators == {"selector": "#a", "by_text": ["x"]}
    assert (args, options) == ({"a": {"b": [1]}}, {"o": [1]})


def test_prepare_is_given_its_context(runtime: ProgramRuntime) -> None:
    code = program("return {'ok': True, 'message': ctx['url'], 'evidence': options}", entry="prepare")
    result = run(runtime, code, entry="prepare", args={"url": "http://x/"}, options={"o": 1})
    assert (result.message, result.evidence) == ("http://x/", {"o": 1})


def test_wrong_programs_are_results(runtime: ProgramRuntime) -> None:
    assert run(runtime, "def program__x(:").failure == "syntax"
    assert run(runtime, program("return 1 / 0")).failure == "error"
    assert "division" in run(runtime, program("return 1 / 0")).message
    assert run(runtime, program("return {'ok': True}"), entry="program__other").failure in {"error", "refused"}
    assert run(runtime, program("return 'yes'")).failure == "result"
    assert run(runtime, "def program__x(env):\n    return {'ok': True}\n").failure == "error"


def test_limits_end_a_run(runtime: ProgramRuntime) -> None:
    endless = program("while True:", "    pass")
    started = time.monotonic()
    assert run(runtime, endless, limits=Limits(time_s=0.3)).failure == "time"
    assert time.monotonic() - started < 5
    env = FakeEnv()
    flood = program("while True:", "    try:", "        env.click('#a')", "    except Exception:", "        pass")
    result = run(runtime, flood, env, limits=Limits(host_calls=20))
    assert result.failure == "calls"
    assert len(env.done) == len(result.calls) == 20
    assert run(runtime, program("print('x' * 70000)", "return {'ok': True}")).failure == "output"
    assert run(runtime, program("return {'ok': True, 'evidence': {'a': 'x' * 70000}}")).failure == "output"
    assert run(runtime, program("print('x' * 6000)", "return {'ok': True}")).ok
    assert run(runtime, program("a = 'x'", "while True:", "    a = a + a")).failure == "memory"


def test_a_slow_page_ends_at_the_wall_limit(runtime: ProgramRuntime) -> None:
    class Slow(FakeEnv):
        def current_url(self) -> str:
            time.sleep(0.15)
            return "x"

    slow = program("while True:", "    env.current_url()")
    result = run(runtime, slow, Slow(), limits=Limits(wall_s=0.4, time_s=5.0))
    assert result.failure == "time"
    assert 1 <= len(result.calls) <= 4
    # The page's own time is not the program's.
    few = program("for i in range(3):", "    env.current_url()", "return {'ok': True}")
    assert run(runtime, few, Slow(), limits=Limits(time_s=0.3)).ok


def test_a_run_can_be_cancelled(runtime: ProgramRuntime) -> None:
    cancel = threading.Event()

    class Impatient(FakeEnv):
        def current_url(self) -> str:
            cancel.set()
            return "x"

    stubborn = program("while True:", "    try:", "        env.current_url()", "    except Exception:", "        pass")
    result = run(runtime, stubborn, Impatient(), cancel=cancel)
    assert (result.failure, len(result.calls)) == ("cancelled", 1)
    assert run(runtime, CLICK, cancel=cancel).failure == "cancelled"


def test_runs_know_nothing_of_each_other(runtime: ProgramRuntime) -> None:
    assert run(runtime, "kept = [1]\n" + program("kept.append(1)", "return {'ok': len(kept) == 2}")).ok
    assert run(runtime, program("return {'ok': bool(kept)}")).failure == "error"


def test_a_mistake_of_the_world_is_raised_and_the_next_run_works(runtime: ProgramRuntime) -> None:
    class Broken(FakeEnv):
        def current_url(self) -> str:
            raise ZeroDivisionError("the world's own mistake")

    with pytest.raises(ZeroDivisionError):
        run(runtime, program("env.current_url()"), Broken())
    assert run(runtime, CLICK).ok


def test_several_threads_may_run_programs(runtime: ProgramRuntime) -> None:
    results: list[ProgramResult] = []

    def work() -> None:
        results.extend(run(runtime, CLICK) for _ in range(3))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [result.ok for result in results] == [True] * 12


@pytest.mark.parametrize(("name", "module"), [("monty", "pydantic_monty"), ("restricted", "RestrictedPython")])
def test_a_missing_package_is_named(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SkillError, match=r"pip install 'personalized-shopping\[skills\]'"):
        open_runtime(name)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_forked_process_says_so_instead_of_hanging() -> None:
    assert run(open_runtime("monty"), CLICK).ok
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run(open_runtime("monty"), CLICK)
        except SkillError as error:
            status = 0 if "was forked" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert run(open_runtime("monty"), CLICK).ok


def test_a_process_that_ran_programs_ends_as_it_should() -> None:
    script = (
        "from personalized_shopping.shared_libraries.skills.runtime import open_runtime\n"
        "from tests.skills.runtime.programs import CLICK, ENTRY, FakeEnv\n"
        "import threading\n"
        "def go():\n"
        "    assert open_runtime('monty').run(CLICK, ENTRY, FakeEnv(), {'selector': '#a'}, {}, {}).ok\n"
        "thread = threading.Thread(target=go)\n"
        "thread.start(); thread.join(); go()\n"
    )
    root = str(Path(__file__).resolve().parents[3])
    for _ in range(3):
        ended = subprocess.run(
            [sys.executable, "-c", script], cwd=root, env={**os.environ, "PYTHONPATH": root}, timeout=300
        )
        assert ended.returncode == 0
