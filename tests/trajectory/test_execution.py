"""``execution_trajectory.json``: always valid, complete, and silent about what is not known."""

import gzip
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.config import MAX_INLINE_TREE_CHARS
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import (
    Artifact,
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    ModelRequest,
    Plan,
    Problem,
    Record,
    RenderedPage,
    Run,
    RunEnd,
    RunStart,
    ShopEntered,
    StateChange,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
    execution,
    execution_trajectory,
    layout,
    read_session,
    write_execution_trajectory,
)
from personalized_shopping.shared_libraries.trajectory.execution import SCHEMA_FILE
from personalized_shopping.shared_libraries.trajectory.log import LogFile
from personalized_shopping.shared_libraries.trajectory.records import Blob, PageShown
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor

WAIT_S = 30
TIME = "2026-01-02T03:04:05.678Z"
SCHEMA: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
GUARDS = ("world_model", "harmonyguard", "reactive")
FACTS = {"asin": "B0SHIRT001", "price": "$21.49"}
PREDICTION = {
    "semantic_delta": "An order is placed",
    "element_changes": {"new_elements": ["Thank you"], "removed_elements": ["Buy Now"]},
    "long_term_impact": "irreversible",
    "risk_explanation": "34.99 > 30.00",
    "violated_policy_ids": ["SHOP-BUDGET"],
    "optimization_guidance": None,
    "risk_score": 0.9,
}


def write_log(directory: Path, records: Iterable[Record], number: int = 0, start: RunStart | None = None) -> None:
    """Write one run's log without the recorder's thread: quickly, and at times of our own."""
    time = f"2026-01-02T03:04:{number:02}.678Z"
    file = LogFile(directory, f"run {number}", time, Redactor())
    for place, record in enumerate([start or RunStart(app="app", user="user", session="s"), *records]):
        assert file.write(record, time, 250.0 * place, durable=False)
    file.close()


def document_of(root: Path, *runs: Iterable[Record], start: RunStart | None = None) -> dict[str, Any]:
    """Return the document of a session of these runs, which is valid."""
    directory = root / os.urandom(6).hex()
    for number, records in enumerate(runs):
        write_log(directory, records, number, start)
    document = execution_trajectory(read_session(directory))
    VALIDATOR.validate(document)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    return document


def completed(*records: Record) -> list[Record]:
    return [*records, RunEnd(status="completed", duration_ms=1500.0)]


def call(number: int = 1, step: int = 0, **fields: Any) -> ToolCall:
    return ToolCall(
        step=step,
        call_id=f"call-{number}",
        tool="click",
        arguments={"button_name": f"b{number}"},
        action=f"click[b{number}]",
        **fields,
    )


def end(number: int = 1, outcome: Any = "done", **fields: Any) -> ToolEnd:
    return ToolEnd(call_id=f"call-{number}", outcome=outcome, result={}, **fields)


def decided(number: int = 1, decision: Any = "allow", **fields: Any) -> Decision:
    return Decision(**({"call_id": f"call-{number}", "decision": decision, "source": "guard"} | fields))


def tokens(total: int) -> Usage:
    return Usage(prompt_tokens=total - 1, completion_tokens=1, total_tokens=total)


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_smallest_session(tmp_path: Path) -> None:
    document = document_of(tmp_path, [])
    assert document["steps"] == []
    assert document["final_score"] is None
    assert document["outcome"] == {
        "status": "aborted", "bought": False, "success": None, "purchases": [], "blocked_actions": 0,
    }  # fmt: skip
    assert document["task_metadata"]["injection"] is None
    assert document["task_metadata"]["jailbreak"] is False
    assert set(document["runs"][0]) == {"run_id", "status", "timestamp", "first_step_idx", "duration_seconds"}


def test_what_is_not_known_is_absent_rather_than_empty(tmp_path: Path) -> None:
    document = document_of(tmp_path, completed(ModelCall(step=0, text="hello"), ModelCall(step=1), call(2, 1), end(2)))
    first, second = document["steps"]
    always = {"step_idx", "timestamp", "run_id", "response", "actions", "screenshot_file", "a11y_tree",
              "step_duration_seconds", "env_state", "cumulative_stats"}  # fmt: skip
    assert set(first) == always
    assert set(second) == always | {"action_results"}
    assert (first["a11y_tree"], first["screenshot_file"]) == (None, None)
    assert set(second["action_results"][0]) == {
        "action", "call_id", "action_timestamp", "reward", "done", "info", "outcome"
    }  # fmt: skip


def test_an_empty_step_says_so(tmp_path: Path) -> None:
    error = Failure(type="ServerError", message="503")
    document = document_of(
        tmp_path,
        completed(ModelCall(step=0, error=error), ModelRequest(step=1), ModelCall(step=2, text="hi"), call(1, 3)),
    )
    assert [step.get("_empty_step") for step in document["steps"]] == [True, True, None, None]
    assert document["steps"][0]["errors"] == [{"type": "ServerError", "message": "503", "timestamp": "20260102@030400"}]


def test_a_whole_step(tmp_path: Path) -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=5, total_tokens=17, cached_tokens=3, thoughts_tokens=2)
    document = document_of(
        tmp_path,
        completed(
            UserMessage(text="a shirt, please"),
            ModelCall(step=0, model="m", text="Looking.", thought="Hm.", finish_reason="STOP", usage=usage),
            call(1),
            ToolStart(call_id="call-1"),
            Artifact(call_id="call-1", name="receipt.html", version=2),
            end(reward=0.0, info={"position": 3}, duration_ms=1234.5),
            Plan(step=0, current_plan="search, buy", plan_steps=["search", "buy"]),
            Problem(step=0, error=Failure(type="E", message="noise")),
        ),
    )
    (step,) = document["steps"]
    assert step["token_usage"] == {
        "model": "m", "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 17, "cached_tokens": 3,
        "thoughts_tokens": 2,
    }  # fmt: skip
    assert (step["response"], step["reasoning"], step["finish_reason"]) == ("Looking.", "Hm.", "STOP")
    assert step["actions"] == ["click[b1]"]
    assert step["plan"] == {"current_plan": "search, buy", "plan_steps": ["search", "buy"]}
    (result,) = step["action_results"]
    assert (result["action"], result["outcome"], result["reward"]) == ("click[b1]", "done", 0.0)
    assert (result["info"], result["action_duration_seconds"]) == ({"position": 3}, 1.2345)
    assert result["artifacts"] == ["receipt.html@2"]
    assert result["action_timestamp"] == step["timestamp"] == "20260102@030400"
    assert document["runs"][0]["user_message"] == document["task_metadata"]["task_instruction"] == "a shirt, please"
    assert (document["total_duration_seconds"], document["total_duration_minutes"]) == (1.5, 0.025)
    assert document["final_score"] == 0.0
    assert document["outcome"]["success"] is False


def test_statistics_add_up_step_by_step(tmp_path: Path) -> None:
    guard = {"world_model": tokens(100), "harmonyguard": tokens(20), "reactive": tokens(3)}
    document = document_of(
        tmp_path,
        completed(
            ModelCall(step=0, error=Failure(type="E", message=""), usage=tokens(5)),
            ModelCall(step=0, usage=tokens(10)),
            call(1),
            decided(1, "block", usage=guard),
            end(1, "blocked"),
            ModelCall(step=1, usage=Usage(prompt_tokens=6, completion_tokens=2, thoughts_tokens=2)),
            call(2, 1),
            decided(2, usage={"world_model": tokens(50)}),
            ToolStart(call_id="call-2"),
            end(2),
            call(3, 1),
            ToolStart(call_id="call-3"),
            end(3, "failed", error=Failure(type="E", message="")),
        ),
        completed(ModelCall(step=0, text="bye", usage=tokens(7)), call(4), ToolStart(call_id="call-4")),
    )
    statistics = [step["cumulative_stats"] for step in document["steps"]]
    assert [entry["total_tokens_used"] for entry in statistics] == [15, 25, 32]
    assert [entry["total_world_model_tokens_used"] for entry in statistics] == [100, 150, 150]
    assert [entry["total_harmonyguard_tokens_used"] for entry in statistics] == [20, 20, 20]
    assert [entry["total_reactive_tokens_used"] for entry in statistics] == [3, 3, 3]
    assert [entry["total_steps"] for entry in statistics] == [1, 2, 3]
    assert [entry["total_actions_executed"] for entry in statistics] == [0, 2, 3]
    assert document["cumulative_stats"] == statistics[-1]
    assert [step["env_state"] for step in document["steps"]] == [
        {"step_number": 0, "action_history_length": 0},
        {"step_number": 1, "action_history_length": 1},
        {"step_number": 2, "action_history_length": 3},
    ]
    assert document["steps"][0]["token_usage"]["total_tokens"] == 15
    assert document["steps"][0]["world_model_token_usage"]["total_tokens"] == 100
    assert "world_model_token_usage" not in document["steps"][2]
    assert document["steps"][2]["action_results"][0]["outcome"] == "unknown"


def test_what_a_guard_decided(tmp_path: Path) -> None:
    document = document_of(
        tmp_path,
        completed(
            ModelCall(step=0, text="Buying it."),
            call(1, irreversible=True),
            decided(1, "block", status="timeout", attempt=1, risk_explanation="no answer"),
            decided(
                1, "block", attempt=2, risk_score=0.9, risk_explanation="34.99 > 30.00", guidance="Ask first",
                violated_policy_ids=["SHOP-BUDGET", "SHOP-CONFIRM"], facts=FACTS, world_model=PREDICTION, model="g",
                usage={"world_model": tokens(1560)}, extra={"task_alignment": "no", "decision": "allow"},
            ),
            end(1, "blocked"),
            call(2),
            decided(2, "allow_logged", risk_score=0.1),
            end(2),
        ),
    )  # fmt: skip
    (step,) = document["steps"]
    verdict = step["safety_info"]["action_0"]
    assert (verdict["decision"], verdict["is_safe"], verdict["risk_score"]) == ("block", False, 0.9)
    assert verdict["violated_policy_ids"] == ["SHOP-BUDGET", "SHOP-CONFIRM"]
    assert (verdict["risk_explanation"], verdict["guidance"]) == ("34.99 > 30.00", "Ask first")
    assert (verdict["facts"], verdict["task_alignment"]) == (FACTS, "no")
    (first,) = verdict["attempts"]
    assert (first["status"], first["risk_explanation"], first["risk_score"]) == ("timeout", "no answer", None)
    assert step["safety_info"]["action_1"]["is_safe"] is True
    assert "attempts" not in step["safety_info"]["action_1"]
    assert step["world_model_output"] == verdict["world_model_output"] == PREDICTION
    assert step["world_model_token_usage"] == {
        "model": "g", "prompt_tokens": 1559, "completion_tokens": 1, "total_tokens": 1560,
    }  # fmt: skip
    assert [result["outcome"] for result in step["action_results"]] == ["blocked", "done"]
    assert document["outcome"]["blocked_actions"] == 1


def test_the_prediction_stays_when_the_person_decides_after_it(tmp_path: Path) -> None:
    document = document_of(
        tmp_path,
        completed(
            ModelCall(step=0, text="Buying it."),
            call(1),
            decided(1, "allow", risk_score=0.2, world_model=PREDICTION),
            decided(1, "confirm", source="shop"),
            Confirmation(call_id="call-1", question="Buy it?", facts=FACTS),
            end(1, "pending"),
        ),
        completed(
            call(1),
            Confirmation(call_id="call-1", facts=FACTS, confirmed=True),
            decided(1, "allow", source="person", facts=FACTS),
            ToolStart(call_id="call-1"),
            end(1, purchase=FACTS, done=True, reward=1.0),
        ),
    )
    (step,) = document["steps"]
    assert step["world_model_output"] == PREDICTION
    verdict = step["safety_info"]["action_0"]
    assert (verdict["source"], verdict["decision"]) == ("person", "allow")
    assert [attempt["source"] for attempt in verdict["attempts"]] == ["guard", "shop"]
    assert verdict["attempts"][0]["world_model_output"] == PREDICTION
    (result,) = step["action_results"]
    assert result["confirmation"] == {"asked": True, "question": "Buy it?", "bound_to": FACTS, "confirmed": True}
    assert document["outcome"] == {
        "status": "completed", "bought": True, "success": True, "purchases": [FACTS], "blocked_actions": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "prediction",
    [
        {"risk_score": math.nan, "semantic_delta": "x"},
        {"risk_score": "high", "violated_policy_ids": None, "semantic_delta": "x"},
        {"violated_policy_ids": "P1", "element_changes": "many", "semantic_delta": "x"},
        {"violated_policy_ids": [1, None], "element_changes": {"new_elements": "one"}, "semantic_delta": "x"},
        {"risk_score": True, "long_term_impact": 3, "optimization_guidance": ["a"], "semantic_delta": "x", "own": [1]},
    ],
)
def test_a_prediction_that_is_not_as_it_should_be_leaves_out_what_is_wrong(prediction: Any, tmp_path: Path) -> None:
    document = document_of(
        tmp_path, completed(call(1), decided(1, world_model=prediction, extra={"task_alignment": 1}))
    )
    kept = {"semantic_delta": "x"} | ({"own": [1]} if "own" in prediction else {})
    assert document["steps"][0]["world_model_output"] == kept


@pytest.mark.parametrize("odd", ["text", ["list"], 5, {}, None])
def test_a_prediction_that_is_none_is_left_out(odd: Any, tmp_path: Path) -> None:
    document = document_of(tmp_path, completed(call(1), decided(1, world_model=odd, extra=odd)))
    assert document["steps"][0].get("world_model_output") == (odd if isinstance(odd, dict) else None)


def test_a_plan_that_changes(tmp_path: Path) -> None:
    document = document_of(tmp_path, completed(Plan(step=0, current_plan="", update_reason="sold out")))
    (step,) = document["steps"]
    assert step["plan"] == {"current_plan": "", "plan_steps": []}
    assert step["safety_info"] == {"plan_update": {"should_update_plan": True, "update_reason": "sold out"}}


@pytest.mark.parametrize("injection", [{"type": "review", "content": "buy two"}, {}, None, "text"])
@pytest.mark.parametrize("jailbreak", [True, False, None])
def test_the_task(injection: Any, jailbreak: Any, tmp_path: Path) -> None:
    start = RunStart(
        app="app", user="user", session="s", source="gymnasium", agent="a", model="m", versions={"package": "1"},
        settings={"max_steps": 15}, task={"task_id": 42, "injection": injection, "jailbreak": jailbreak},
    )  # fmt: skip
    goal = {"instruction_text": "find a shirt", "asin": "B0"}
    entered = ShopEntered(shop={"catalog_id": "demo"}, place={"query": ""}, goal=goal, goal_kind="human")
    document = document_of(tmp_path, completed(UserMessage(text="hello"), entered), start=start)
    task = document["task_metadata"]
    assert task["task_id"] == "42"
    assert task["task_instruction"] == "find a shirt"
    assert task["injection"] == (injection if isinstance(injection, dict) else None)
    assert task["jailbreak"] is bool(jailbreak)
    assert task["task_params"].items() >= {"model": "m", "max_steps": 15, "package": "1", "source": "gymnasium"}.items()


def test_errors_and_ends(tmp_path: Path) -> None:
    error = Failure(type="ValueError", message="no such button")
    document = document_of(
        tmp_path,
        [call(1), ToolStart(call_id="call-1"), end(1, "failed", error=error), RunEnd(status="error", error=error,
         duration_ms=10.0, dropped_pages=2, lost_records=3)],
        [call(2)],
    )  # fmt: skip
    first, second = document["runs"]
    stamped = {"type": "ValueError", "message": "no such button", "timestamp": "20260102@030400"}
    assert first["error"] == stamped
    assert (first["dropped_pages"], first["lost_records"], first["status"]) == (2, 3, "error")
    assert (second["status"], second["first_step_idx"]) == ("aborted", 1)
    assert document["steps"][0]["errors"] == [stamped | {"action": "click[b1]"}]
    assert document["steps"][0]["action_results"][0]["error"] == stamped | {"action": "click[b1]"}
    assert "action_results" not in document["steps"][1], "it was never begun"


def test_a_record_that_is_gone_is_counted_once(tmp_path: Path) -> None:
    directory = tmp_path / "s"
    write_log(directory, completed(UserMessage(text="x"), UserMessage(text="y")))
    (path,) = layout.logs_of(directory)
    lines = path.read_bytes().splitlines(keepends=True)

    def lost(*kept: bytes) -> int:
        path.write_bytes(b"".join(kept))
        return execution_trajectory(read_session(directory))["runs"][0].get("lost_records", 0)  # type: ignore[no-any-return]

    assert lost(*lines) == 0
    assert lost(lines[0], lines[2], lines[3]) == 1, "a line is gone"
    assert lost(lines[0], b"garbage\n", lines[2], lines[3]) == 1, "a line is unreadable"
    assert lost(*lines[:3], lines[3][:20]) == 1, "the last line is torn"
    end = json.loads(lines[3]) | {"seq": 2, "lost_records": 1}
    torn = lines[1][:30] + b"\n"
    again = json.dumps(json.loads(lines[2]) | {"seq": 1}).encode() + b"\n"
    assert lost(lines[0], torn, again, json.dumps(end).encode() + b"\n") == 1, (
        "a write failed half-way, and was counted"
    )


def test_a_long_tree_is_cut_with_a_reference_to_all_of_it(tmp_path: Path) -> None:
    trees = {"short": "é" * MAX_INLINE_TREE_CHARS, "long": "é" * (MAX_INLINE_TREE_CHARS + 1)}
    run = Run(tmp_path, RunStart(app="app", user="user", session="s"), redactor=Redactor())
    run.write(ModelCall(step=0, text="go"))
    run.write(call(1))
    run.show({"at": 0}, lambda: RenderedPage("search", "<p>", trees["short"]))
    run.write(end(page=run.show({"at": 1}, lambda: RenderedPage("item", "<p>", trees["long"]))))
    run.end("completed").result(WAIT_S)
    path = write_execution_trajectory(run.directory)
    document = json.loads(path.read_text(encoding="utf-8"))
    VALIDATOR.validate(document)
    (step,) = document["steps"]
    assert step["a11y_tree"] == trees["short"]
    cut = step["next_state_a11y_tree"]
    assert cut.startswith(trees["short"])
    assert cut[MAX_INLINE_TREE_CHARS:] == f"{execution.CUT_MARK}all {len(trees['long'])} characters]"
    assert step["action_results"][0]["next_state_a11y_tree"] == cut
    for name, tree in (("a11y_tree_ref", "short"), ("next_state_a11y_tree_ref", "long")):
        assert gzip.decompress((run.directory / step[name]).read_bytes()).decode() == trees[tree]


def test_a_page_that_is_not_there_leaves_no_reference(tmp_path: Path) -> None:
    lost = Blob(sha256="0" * 64, bytes=5, content_type="text/plain")
    document = document_of(
        tmp_path,
        completed(
            call(1), PageShown(page=0, kind="item", html=lost, a11y=lost), end(1, page=0), call(2), end(2, page=7)
        ),
    )
    (step,) = document["steps"]
    assert step["a11y_tree"] is None
    assert not {"a11y_tree_ref", "next_state_a11y_tree", "next_state_a11y_tree_ref"} & set(step)


def test_a_picture_is_named_only_where_there_is_one(tmp_path: Path) -> None:
    html = Blob(sha256="a" * 64, bytes=5, content_type="text/html")
    directory = tmp_path / "s"
    write_log(directory, completed(call(1), PageShown(page=0, kind="item", html=html), end(1, page=0)))
    assert execution_trajectory(read_session(directory))["steps"][0]["screenshot_file"] is None
    picture = execution.screenshot_path(directory, html.sha256)
    picture.parent.mkdir()
    picture.write_bytes(b"png")
    (step,) = execution_trajectory(read_session(directory))["steps"]
    assert step["screenshot_file"] == step["next_state_screenshot_file"] == f"screenshots/{'a' * 64}.png"


def test_the_file_is_made_again_whole_and_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = tmp_path / "s"
    write_log(directory, completed(UserMessage(text="héllo \u2028")))
    path = write_execution_trajectory(directory)
    first = path.read_bytes()
    assert write_execution_trajectory(directory).read_bytes() == first
    assert sorted(entry.name for entry in directory.iterdir()) == [layout.EXECUTION, layout.RUNS]

    def full(_old: Any, _new: Any) -> None:
        raise OSError(28, "No space left on device")

    write_log(directory, completed(UserMessage(text="more")), 1)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(TrajectoryError, match="cannot be written: No space left"):
            write_execution_trajectory(directory)
    assert path.read_bytes() == first
    assert sorted(entry.name for entry in directory.iterdir()) == [layout.EXECUTION, layout.RUNS]
    assert len(json.loads(write_execution_trajectory(directory).read_bytes())["runs"]) == 2


texts = st.text(max_size=6)
numbers = st.none() | st.floats() | st.floats(0, 1)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
objects = st.dictionaries(texts, anything, max_size=2)
calls = st.sampled_from(["c1", "c2", "c3", ""])
step_numbers = st.integers(0, 3)
failures = st.none() | st.builds(Failure, type=texts, message=texts)
counts = st.none() | st.integers(0, 10**6)
usages = st.builds(Usage, prompt_tokens=counts, completion_tokens=counts, total_tokens=counts, cached_tokens=counts)
predictions = anything | st.fixed_dictionaries(
    {}, optional=dict.fromkeys(PREDICTION, anything) | {"semantic_delta": texts, "risk_score": st.floats(0, 1)}
)
any_record = st.one_of(
    st.builds(UserMessage, text=texts),
    st.builds(ModelRequest, step=step_numbers, system=anything, tools=anything),
    st.builds(ModelCall, step=step_numbers, model=st.none() | texts, text=texts, thought=texts, error=failures,
              finish_reason=st.none() | texts, usage=st.none() | usages, latency_ms=numbers),
    st.builds(Decision, call_id=calls, decision=st.sampled_from(["allow", "block", "confirm", "allow_logged"]),
              source=texts, risk_score=numbers, violated_policy_ids=st.lists(texts, max_size=2), facts=anything,
              guidance=st.none() | texts, world_model=predictions, extra=predictions, model=st.none() | texts,
              usage=st.dictionaries(st.sampled_from([*GUARDS, "other"]), usages, max_size=3)),
    st.builds(ToolCall, step=step_numbers, call_id=calls, tool=texts, arguments=anything, action=texts),
    st.builds(ToolStart, call_id=calls),
    st.builds(ToolEnd, call_id=calls, outcome=st.sampled_from(["done", "failed", "pending", "refused", "blocked"]),
              result=anything, reward=numbers, done=st.booleans(), info=anything, error=failures,
              scored=st.none() | objects, duration_ms=st.none() | st.floats(0, 1e9),
              page=st.none() | st.integers(0, 3), purchase=anything),
    st.builds(Confirmation, call_id=calls, question=texts, facts=anything, confirmed=st.none() | st.booleans()),
    st.builds(Artifact, call_id=calls, name=texts, version=st.integers(0, 9)),
    st.builds(StateChange, author=texts, delta=st.dictionaries(texts, anything, max_size=2)),
    st.builds(Plan, step=step_numbers, current_plan=texts, plan_steps=st.lists(texts, max_size=2),
              update_reason=st.none() | texts),
    st.builds(Problem, step=st.none() | step_numbers, error=failures.filter(bool)),
    st.builds(PageShown, page=st.integers(0, 3), kind=texts, place=anything),
    st.builds(ShopEntered, shop=st.dictionaries(texts, anything, max_size=2), place=objects, goal=st.none() | objects,
              goal_kind=st.none() | texts),
)  # fmt: skip
any_end = st.lists(
    st.builds(RunEnd, status=st.sampled_from(["completed", "paused", "error"]), error=failures,
              duration_ms=st.floats(0, 1e9), lost_records=st.integers(0, 2)),
    max_size=1,
)  # fmt: skip
any_run = st.tuples(st.lists(any_record, max_size=12), any_end)


@given(
    runs=st.lists(any_run, min_size=1, max_size=3),
    task=st.dictionaries(st.sampled_from(["injection", "jailbreak", "task_id"]), anything),
)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
def test_every_session_gives_a_valid_file(runs: Any, task: dict[str, Any], tmp_path: Path) -> None:
    start = RunStart(app="app", user="user", session="s", task=task)
    document = document_of(tmp_path, *([*records, *last] for records, last in runs), start=start)
    assert len(document["runs"]) == len(runs)
    actions = sum(len(step["actions"]) for step in document["steps"])
    assert sum(len(step.get("action_results", [])) for step in document["steps"]) <= actions
    totals = [step["cumulative_stats"] for step in document["steps"]]
    assert totals == sorted(totals, key=lambda entry: entry["total_steps"])
    for name in SCHEMA["$defs"]["stats"]["required"]:
        assert [entry[name] for entry in totals] == sorted(entry[name] for entry in totals)
        assert document["cumulative_stats"][name] == (totals[-1][name] if totals else 0)


def test_the_reference_layouts_own_schema_takes_it_too(tmp_path: Path, shared_dir: Path) -> None:
    theirs = json.loads((shared_dir / "spec" / "schemas" / "exec_traj.schema.json").read_text(encoding="utf-8"))
    document = document_of(
        tmp_path,
        completed(
            UserMessage(text="buy"),
            ModelCall(step=0, text="ok", usage=tokens(5)),
            call(1),
            decided(1, "block", world_model=PREDICTION, risk_score=1.0, usage={"world_model": tokens(9)}),
            end(1, "blocked", error=Failure(type="E", message="m")),
            Plan(step=0, current_plan="p", update_reason="u"),
            ModelCall(step=1),
        ),
    )
    jsonschema.Draft202012Validator(theirs).validate(document)
