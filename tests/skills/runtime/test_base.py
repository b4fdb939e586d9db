import threading
from typing import Any

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.runtime import RUNTIMES, Limits, open_runtime
from personalized_shopping.shared_libraries.skills.runtime.base import MAX_MESSAGE_CHARS, plain_json, read_result
from personalized_shopping.shared_libraries.skills.runtime.host_calls import HostCalls, HostError, ProgramStop
from tests.skills.runtime import programs


def test_a_result_is_copied() -> None:
    evidence = {"list": [1, 2.5, None, True, "text"], "pair": (1, 2)}
    result = read_result({"ok": True, "message": "done", "evidence": evidence})
    assert result.ok
    assert result.failure is None
    assert result.evidence == {"list": [1, 2.5, None, True, "text"], "pair": [1, 2]}
    evidence["list"].append(3)  # type: ignore[attr-defined]
    assert len(result.evidence["list"]) == 5


def test_a_program_may_report_failure_itself() -> None:
    result = read_result({"ok": False, "message": "no such tab"})
    assert (result.ok, result.failure, result.evidence) == (False, "reported", {})


class Loud:
    def __repr__(self) -> str:
        raise AssertionError("a result's own code was called")


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "ok",
        [],
        {},
        {"ok": 1},
        {"ok": "yes"},
        {"ok": True, "message": 3},
        {"ok": True, "evidence": []},
        {"ok": True, "more": 1},
        {"ok": True, "evidence": {"a": Loud()}},
        {"ok": True, "evidence": {1: 2}},
        {"ok": True, "evidence": {"a": float("nan")}},
        {"ok": True, "evidence": {"a": float("inf")}},
        {"ok": True, "evidence": {"a": 2**70}},
        {"ok": True, "evidence": {"a": b"bytes"}},
        {"ok": True, "evidence": {"a": {1}}},
        Loud(),
    ],
)
def test_anything_else_is_no_result(value: Any) -> None:
    result = read_result(value)
    assert (result.ok, result.failure) == (False, "result")
    assert result.message


def test_a_result_may_not_be_its_own_part() -> None:
    round_about: dict[str, Any] = {}
    round_about["self"] = round_about
    assert read_result({"ok": True, "evidence": round_about}).failure == "result"


def test_a_long_message_is_cut_and_large_evidence_refused() -> None:
    assert len(read_result({"ok": True, "message": "m" * 600}).message) == MAX_MESSAGE_CHARS
    assert read_result({"ok": True, "evidence": {"a": "é" * 40_000}}).failure == "output"
    assert read_result({"ok": True, "evidence": {"a": "é" * 30_000}}).ok


def test_lone_surrogates_can_be_written() -> None:
    assert plain_json({"a\ud800": "\udfff"}) == {"a?": "?"}


def host(env: object, max_calls: int = 200, wall_s: float = 60.0, cancel: threading.Event | None = None) -> HostCalls:
    return HostCalls(env, max_calls, wall_s, cancel)


def test_calls_are_kept() -> None:
    env = programs.FakeEnv()
    calls = host(env)
    assert calls.call("click", ("#a",), {}) is None
    with pytest.raises(HostError, match=r"^missing: No element matches #b\.$"):
        calls.call("click", ("#b",), {"timeout_ms": 5})
    assert [(call.method, call.given, call.reason) for call in calls.made] == [
        ("click", "'#a'", None),
        ("click", "'#b', 5", "missing"),
    ]


@pytest.mark.parametrize("method", ["html", "count", "signals", "__class__", "secret", "", 3, None])
def test_only_the_methods_of_env_are_called(method: object) -> None:
    with pytest.raises(ProgramStop) as stop:
        host(programs.FakeEnv()).call(method, (), {})
    assert stop.value.kind == "refused"


@pytest.mark.parametrize(
    ("method", "args", "kwargs"),
    [
        ("click", (), {}),
        ("click", (1,), {}),
        ("click", ("#a", "soon"), {}),
        ("click", ("#a", True), {}),
        ("click", ("#a", 1, 2), {}),
        ("click", ("#a",), {"selector": "#a"}),
        ("click", ("#a",), {"force": True}),
        ("click", ("#" * 1_001,), {}),
        ("type", ("#a", "x" * 10_001), {}),
        ("type", ("#a", ["x"]), {}),
        ("wait_for_selector", ("#a", "gone"), {}),
        ("text", ("#a",), {}),
    ],
)
def test_a_wrong_call_fails_and_reaches_nothing(method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    env = programs.FakeEnv()
    with pytest.raises(HostError, match=r"^failed: "):
        host(env).call(method, args, kwargs)
    assert env.done == []


def test_a_long_wait_is_shortened() -> None:
    env = programs.FakeEnv()
    host(env, wall_s=3.0).call("click", ("#a", 10**9), {})
    host(env, wall_s=600.0).call("click", ("#a", 10**9), {})
    assert 2_000 < env.done[0][2] <= 3_000
    assert env.done[1][2] == 10_000


def test_a_run_ends_where_it_has_to() -> None:
    cancel = threading.Event()
    calls = host(programs.FakeEnv(), max_calls=1, cancel=cancel)
    calls.call("current_url", (), {})
    with pytest.raises(ProgramStop) as stop:
        calls.call("current_url", (), {})
    assert stop.value.kind == "calls"
    cancel.set()
    with pytest.raises(ProgramStop) as stop:
        calls.call("current_url", (), {})
    assert stop.value.kind == "cancelled"
    with pytest.raises(ProgramStop) as stop:
        host(programs.FakeEnv(), wall_s=0.0).call("current_url", (), {})
    assert stop.value.kind == "time"


def test_a_mistake_of_the_world_is_not_hidden() -> None:
    class Broken:
        def current_url(self) -> str:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        host(Broken()).call("current_url", (), {})


def test_a_runtime_is_chosen_by_its_name() -> None:
    assert [open_runtime(name).name for name in RUNTIMES] == list(RUNTIMES)
    with pytest.raises(SkillError, match="Use one of: monty, restricted"):
        open_runtime("smolagents")


def test_limits_are_as_documented() -> None:
    assert Limits() == Limits(time_s=1.0, memory_bytes=16 * 2**20, host_calls=200, output_bytes=65_536, wall_s=60.0)
