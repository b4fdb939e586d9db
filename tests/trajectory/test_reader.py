"""Logs read back, and runs put together into one session."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.errors import TrajectoryError, TrajectoryNotFound
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
    RunStart,
    SessionTrajectory,
    ShopEntered,
    StateChange,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
    find_session,
    layout,
    read_log,
    read_session,
)
from personalized_shopping.shared_libraries.trajectory.records import RECORD_TYPES, SCHEMA_VERSION
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor
from personalized_shopping.shared_libraries.trajectory.writer import records_writer

WAIT_S = 30
TIME = "2026-01-02T03:04:05.678Z"


def begin(root: Path, session: str = "s", **start: Any) -> Run:
    fields: dict[str, Any] = {"app": "app", "user": "user", "session": session} | start
    return Run(root, RunStart(**fields), redactor=Redactor())


def recorded(root: Path, *records: Record, status: Any = "completed", session: str = "s") -> Path:
    """Record a run; ``None`` as status leaves it without an end, as a crash does."""
    run = begin(root, session)
    for record in records:
        run.write(record)
    if status is not None:
        run.end(status).result(WAIT_S)
    else:
        records_writer.submit(run._log.close)
    records_writer.drain(WAIT_S)
    return run.directory


def written(root: Path, *lines: Any, name: str = "20260102T030405678Z-run.jsonl") -> Path:
    """Write a log by hand; a mapping without an envelope gets one."""
    path = root / "s-0123456789ab" / layout.RUNS / name
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = []
    for number, line in enumerate(lines):
        envelope = {"v": SCHEMA_VERSION, "run_id": "run", "seq": number, "time": TIME, "offset_ms": 10.0 * number}
        texts.append(line if isinstance(line, str) else json.dumps(envelope | line))
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


START = {"type": "run_start", "app": "app", "user": "user", "session": "s"}
END = {"type": "run_end", "status": "completed", "duration_ms": 5.0}


def call(number: int = 1, step: int = 0, *, name: str | None = None, irreversible: bool = False) -> ToolCall:
    arguments = {"button_name": f"button {number}"}
    return ToolCall(
        step=step,
        call_id=name or f"call-{number}",
        tool="click",
        arguments=arguments,
        action=f"click[button {number}]",
        irreversible=irreversible,
    )


def end(number: int = 1, outcome: Any = "done", **fields: Any) -> ToolEnd:
    return ToolEnd(**({"call_id": f"call-{number}", "outcome": outcome, "result": {"n": number}} | fields))


def test_every_kind_of_record_comes_back_equal(tmp_path: Path) -> None:
    usage = Usage(prompt_tokens=1, completion_tokens=2, total_tokens=3, cached_tokens=0)
    error = Failure(type="E", message="why")
    records: list[Record] = [
        ShopEntered(shop={"id": "demo"}, place={"query": ""}, goal={"instruction_text": "buy"}, goal_kind="human"),
        UserMessage(text="hello\n\u2028", attachments=["image/png"]),
        ModelRequest(step=0, system="be kind", tools=[{"name": "search"}]),
        ModelCall(step=0, model="m", text="t", thought="h", calls=[{"name": "search"}], finish_reason="STOP",
                  usage=usage, latency_ms=1.5),
        ModelCall(step=0, error=error),
        Decision(call_id="c", decision="block", source="rule", status="timeout", attempt=2, risk_score=0.5,
                 threshold=0.4, violated_policy_ids=["P1"], risk_explanation="r", guidance="g", facts={"asin": "B0"},
                 world_model={}, model="g", usage={"world_model": usage}, duration_ms=2.5, extra={"a": 1}),
        call(irreversible=True),
        ToolStart(call_id="call-1"),
        end(reward=0.25, done=True, info={"i": 1}, error=error, duration_ms=3.5, page=4, purchase={"asin": "B0"},
            scored=[]),
        Confirmation(call_id="call-1", question="sure?", facts={"price_usd": 3.0}, confirmed=False),
        Artifact(call_id="call-1", name="receipt.html", version=0),
        StateChange(author="user", delta={"a": None}),
        Plan(step=0, current_plan="p", plan_steps=["a"], update_reason="u"),
        Problem(step=None, error=error),
        Problem(step=3, error=error),
    ]  # fmt: skip
    directory = recorded(tmp_path, *records)
    log = read_log(layout.logs_of(directory)[0])
    assert [line.record for line in log.lines[1:-1]] == records
    assert {type(line.record) for line in log.lines} == set(RECORD_TYPES.values()) - {RECORD_TYPES["page"]}
    assert [line.offset_ms for line in log.lines] == sorted(line.offset_ms for line in log.lines)
    assert all(line.time.endswith("Z") and line.v == SCHEMA_VERSION for line in log.lines)


def test_what_only_a_later_version_knows_is_passed_over(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        START | {"colour": "red"},
        {"type": "wink", "eye": "left"},
        {"type": "user_message", "text": "hello", "mood": {"is": "good"}},
        END | {"later": []},
    )
    log = read_log(path)
    assert [type(line.record).__name__ for line in log.lines] == ["RunStart", "UserMessage", "RunEnd"]
    assert (log.bad_lines, log.missing, log.status) == (0, 0, "completed")


def test_a_log_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, START, END | {"v": SCHEMA_VERSION + 1})
    with pytest.raises(TrajectoryError, match=f"version {SCHEMA_VERSION + 1}, and this program reads up to"):
        read_log(path)
    with pytest.raises(TrajectoryError, match="Update it"):
        read_session(path.parent.parent)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "garbage",
        "[]",
        "5",
        '{"type": "user_message"',
        "[" * 100_000,
        "\ufeff{}",
        '{"type": "user_message", "text": "no envelope"}',
        {"type": "user_message", "text": "x", "seq": "three"},
        {"type": "user_message", "text": "x", "seq": -1},
        {"type": "user_message", "text": "x", "time": None},
        {"type": "user_message", "text": "x", "offset_ms": "soon"},
        {"type": "user_message"},
        {"type": "tool_end", "call_id": "c", "outcome": "splendid", "result": 1},
        {"type": ["user_message"]},
        {},
    ],
    ids=lambda line: str(line)[:30],
)
def test_a_line_that_is_no_record_is_counted_and_spoils_nothing(line: Any, tmp_path: Path) -> None:
    path = written(tmp_path, START, line, {"type": "user_message", "text": "hello"}, END)
    log = read_log(path)
    unknown = line == {} or line == {"type": ["user_message"]}
    assert log.bad_lines == bool(line != "" and not unknown)
    assert log.missing == (not unknown)
    assert [type(entry.record).__name__ for entry in log.lines] == ["RunStart", "UserMessage", "RunEnd"]
    assert read_session(path.parent.parent).status == "completed"


def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    path = written(tmp_path, START, END)
    path.write_bytes(b"\xff\xfe\x00\n" + path.read_bytes() + b"\x00" * 4096)
    log = read_log(path)
    assert (len(log.lines), log.bad_lines, log.missing) == (2, 2, 0)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TrajectoryError, match="cannot be read: No such file"):
        read_log(tmp_path / "runs" / "none.jsonl")
    with pytest.raises(TrajectoryError, match="Is a directory"):
        read_log(tmp_path)
    with pytest.raises(TrajectoryNotFound, match="holds no run"):
        read_session(tmp_path)


def test_a_run_is_running_until_it_ends(tmp_path: Path) -> None:
    run = begin(tmp_path)
    records_writer.drain(WAIT_S)
    (path,) = layout.logs_of(run.directory)
    assert (read_log(path).live, read_log(path).status) == (True, "running")
    whole = path.stat().st_size
    with path.open("ab") as half:
        half.write(b'{"half')
    assert read_log(path).bad_lines == 0, "the writer may be about to write the rest"
    os.truncate(path, whole)
    run.end("completed").result(WAIT_S)
    assert (read_log(path).live, read_log(path).status, read_log(path).bad_lines) == (False, "completed", 0)


def test_a_reader_does_not_disturb_the_writer(tmp_path: Path) -> None:
    run = begin(tmp_path)
    records_writer.drain(WAIT_S)
    (path,) = layout.logs_of(run.directory)
    futures = []
    for number in range(50):
        futures.append(run.write(UserMessage(text=str(number))))
        assert read_log(path).bad_lines == 0
    assert all(future.result(WAIT_S) for future in futures)
    run.end("completed").result(WAIT_S)


@pytest.mark.parametrize("status", ["completed", "paused", "cancelled", "error", "max_steps"])
def test_how_a_run_ended(status: Any, tmp_path: Path) -> None:
    directory = recorded(tmp_path, status=status)
    assert read_session(directory).status == status


def test_a_run_without_an_end_was_aborted(tmp_path: Path) -> None:
    directory = recorded(tmp_path, UserMessage(text="hello"), call(), ToolStart(call_id="call-1"), call(2), status=None)
    recorded(tmp_path, UserMessage(text="again"), ModelCall(step=0, text="answer"))
    session = read_session(directory)
    assert [run.status for run in session.runs] == ["aborted", "completed"]
    begun, never_begun = session.actions
    assert (begun.started, begun.outcome, begun.executed) == (True, None, True)
    assert (never_begun.started, never_begun.outcome, never_begun.executed) == (False, None, False)
    assert [step.run for step in session.steps] == [0, 1]
    assert session.runs[1].first_step == 1
    assert session.runs[0].duration_s >= 0


FACTS = {"asin": "B0SHIRT001", "price": "$21.49"}


def asked(number: int = 1) -> list[Record]:
    """Return a purchase up to the question."""
    return [
        call(number, irreversible=True),
        Decision(call_id=f"call-{number}", decision="confirm", source="shop"),
        ToolStart(call_id=f"call-{number}"),
        Confirmation(call_id=f"call-{number}", question="Buy it?", facts=FACTS),
        end(number, "pending", result={"status": "waiting"}, duration_ms=2.0),
    ]


def answered(number: int = 1, *, yes: bool = True) -> list[Record]:
    """Return the same purchase from the answer on."""
    outcome: dict[str, Any] = {"reward": 1.0, "done": True, "purchase": FACTS} if yes else {}
    return [
        call(number, irreversible=True),
        Confirmation(call_id=f"call-{number}", facts=FACTS, confirmed=yes),
        Decision(call_id=f"call-{number}", decision="allow" if yes else "block", source="person", facts=FACTS),
        *([ToolStart(call_id=f"call-{number}")] if yes else []),
        end(number, "done" if yes else "refused", duration_ms=3.0, **outcome),
    ]


@pytest.mark.parametrize("yes", [True, False])
def test_a_purchase_asked_in_one_run_and_answered_in_the_next_is_one_action(yes: bool, tmp_path: Path) -> None:
    recorded(tmp_path, UserMessage(text="buy it"), ModelCall(step=0, text="I ask."), *asked(), status="paused")
    waiting = read_session(next(tmp_path.iterdir()))
    assert (waiting.actions[0].outcome, waiting.actions[0].executed) == ("pending", False)
    assert waiting.status == "paused"

    directory = recorded(tmp_path, UserMessage(text="yes"), *answered(yes=yes), ModelCall(step=0, text="Done."))
    session = read_session(directory)
    (action,) = session.actions
    assert action.outcome == ("done" if yes else "refused")
    assert (action.started, action.executed, action.blocked) == (yes, yes, not yes)
    assert [decision.source for decision in action.decisions] == ["shop", "person"]
    assert [entry.confirmed for entry in action.confirmations] == [None, yes]
    assert action.duration_ms == 5.0
    assert action.result == {"n": 1}
    assert session.purchases == ([action] if yes else [])
    assert session.reward == (1.0 if yes else None)
    assert [(step.run, step.response, len(step.actions)) for step in session.steps] == [
        (0, "I ask.", 1),
        (1, "Done.", 0),
    ]
    assert [run.user_message.text for run in session.runs if run.user_message] == ["buy it", "yes"]


def test_a_question_that_is_asked_twice_stays_one_action(tmp_path: Path) -> None:
    recorded(tmp_path, ModelCall(step=0, text="a"), *asked(), status="paused")
    recorded(tmp_path, *asked(), status="paused")
    directory = recorded(tmp_path, *answered())
    (action,) = read_session(directory).actions
    assert (action.outcome, action.duration_ms, len(action.confirmations)) == ("done", 7.0, 3)


def test_a_call_id_that_another_call_had_before_is_another_action(tmp_path: Path) -> None:
    recorded(tmp_path, ModelCall(step=0, text="a"), call(), ToolStart(call_id="call-1"), end())
    directory = recorded(
        tmp_path, ModelCall(step=0, text="b"), call(), ToolStart(call_id="call-1"), end(outcome="failed")
    )
    assert [action.outcome for action in read_session(directory).actions] == ["done", "failed"]


def page(kind: str) -> RenderedPage:
    return RenderedPage(kind, f"<p>{kind}</p>", f"page {kind}")


def test_parallel_calls_are_the_actions_of_one_step_in_order(tmp_path: Path) -> None:
    run = begin(tmp_path)
    run.write(ModelCall(step=0, text="both", calls=[{}, {}]))
    run.write(call(1))
    run.write(call(2))
    run.show({"at": 0}, lambda: page("search"))
    for number in (1, 2):
        run.write(ToolStart(call_id=f"call-{number}"))
    for number in (1, 2):
        shown = run.show({"at": number}, lambda number=number: page(f"item {number}"))  # type: ignore[misc]
        run.write(end(number, page=shown))
    run.write(ModelCall(step=1, text="done"))
    run.end("completed").result(WAIT_S)
    session = read_session(run.directory)
    assert [[action.call_id for action in step.actions] for step in session.steps] == [["call-1", "call-2"], []]
    assert [(action.page_before, action.page_after) for action in session.actions] == [
        ((0, 0), (0, 1)),
        ((0, 1), (0, 2)),
    ]
    assert [session.pages[0, number].kind for number in range(3)] == ["search", "item 1", "item 2"]
    assert session.steps[1].page_before == (0, 2)


def test_pages_go_on_from_run_to_run(tmp_path: Path) -> None:
    for number in range(2):
        run = begin(tmp_path)
        run.write(ModelCall(step=0, text="go"))
        run.write(call(number))
        run.show({"at": "home"}, lambda: page("search"))
        run.write(ToolStart(call_id=f"call-{number}"))
        run.write(end(number, page=run.show({"at": "item"}, lambda: page("item"))))
        run.end("completed").result(WAIT_S)
    session = read_session(run.directory)
    assert [action.page_before for action in session.actions] == [(0, 0), (1, 0)]
    assert [action.page_after for action in session.actions] == [(0, 1), (1, 1)]
    assert len(session.pages) == 4


def test_a_model_call_that_failed_counts_with_the_one_in_its_place(tmp_path: Path) -> None:
    error = Failure(type="ServerError", message="503")
    directory = recorded(
        tmp_path,
        ModelRequest(step=0, system="be kind"),
        ModelCall(step=0, model="m", error=error, usage=Usage(prompt_tokens=10, completion_tokens=1)),
        ModelRequest(step=0),
        ModelCall(step=0, model="m2", text="an", usage=Usage(total_tokens=5)),
        ModelCall(step=0, text="swer", finish_reason="STOP", usage=Usage(total_tokens=30), latency_ms=7.0),
        ModelRequest(step=1, tools=["t"]),
        ModelCall(step=1, error=error),
    )
    session = read_session(directory)
    first, second = session.steps
    assert [usage.total for usage in first.agent_usages] == [11, 30]
    assert (first.response, first.model, first.finish_reason, first.latency_ms) == ("answer", "m2", "STOP", 7.0)
    assert [entry[1] for entry in first.errors] == [error]
    assert (first.has_model_call, second.has_model_call) == (True, False)
    assert (session.system, session.tools) == ("be kind", ["t"])
    assert second.agent_usages == []
    assert first.duration_s >= 0


def test_guard_tokens_are_kept_apart(tmp_path: Path) -> None:
    guard = {"world_model": Usage(total_tokens=100), "reactive": Usage(prompt_tokens=3, completion_tokens=4)}
    directory = recorded(
        tmp_path,
        ModelCall(step=0, usage=Usage(total_tokens=7)),
        call(),
        Decision(call_id="call-1", decision="block", source="guard", usage=guard),
        Decision(
            call_id="call-1", decision="block", source="guard", attempt=2, usage={"world_model": guard["reactive"]}
        ),
        end(outcome="blocked"),
        Decision(call_id="unheard of", decision="allow", source="guard"),
    )
    (step,) = read_session(directory).steps
    assert [usage.total for usage in step.agent_usages] == [7]
    assert [usage.total for usage in step.guard_usages("world_model")] == [100, 7]
    assert [usage.total for usage in step.guard_usages("reactive")] == [7]
    assert step.guard_usages("harmonyguard") == []
    assert (step.actions[0].blocked, step.actions[0].executed) == (True, False)


def test_what_the_goal_says_comes_before_what_the_person_says(tmp_path: Path) -> None:
    directory = recorded(tmp_path, UserMessage(text="hello"))
    assert read_session(directory).instruction == "hello"
    goal = {"instruction_text": "find a shirt"}
    directory = recorded(tmp_path, ShopEntered(shop={"id": "demo"}, place={}, goal=goal, goal_kind="human"))
    recorded(tmp_path, ShopEntered(shop={"id": "other"}, place={"later": 1}))
    session = read_session(directory)
    assert (session.instruction, session.shop, session.place) == ("find a shirt", {"id": "demo"}, {})


def test_a_run_whose_beginning_is_lost_still_counts(tmp_path: Path) -> None:
    written(tmp_path, "torn", {"type": "user_message", "text": "hello"}, name="20260102T030405678Z-a.jsonl")
    path = written(tmp_path, START, END, name="20260102T030405679Z-b.jsonl")
    session = read_session(path.parent.parent)
    assert [(run.status, run.bad_lines, run.missing) for run in session.runs] == [
        ("aborted", 1, 1),
        ("completed", 0, 0),
    ]
    assert session.start.session == "s"
    assert find_session(tmp_path, "s") == path.parent.parent


def test_a_session_is_found_by_what_a_person_has_at_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = recorded(tmp_path, UserMessage(text="hello"), session="My session / 1")
    recorded(tmp_path, session="My session / 12")
    (log,) = layout.logs_of(directory)
    (directory / layout.EXECUTION).write_text("{}")
    for wanted in ("My session / 1", directory.name, directory, directory / layout.EXECUTION, log.parent, log):
        assert find_session(tmp_path, str(wanted)) == directory
    assert find_session(None, str(directory)) == directory
    monkeypatch.chdir(tmp_path)
    assert find_session(None, directory.name) == Path(directory.name)


@pytest.mark.parametrize(
    "wanted", ["", "none", ".", "/", "My session", "x" * 5000, "a\0b", "../..", "*", "\ud800", "s-s-s", "é" * 200]
)
def test_what_is_not_there_is_not_found(wanted: str, tmp_path: Path) -> None:
    recorded(tmp_path, session="My session / 1")
    with pytest.raises(TrajectoryNotFound, match="There is no trajectory"):
        find_session(tmp_path, wanted)
    with pytest.raises(TrajectoryNotFound):
        find_session(tmp_path / "nowhere", wanted)


def test_one_id_of_two_people_is_ambiguous(tmp_path: Path) -> None:
    for user in ("ann", "bob"):
        begin(tmp_path, "s", user=user).end("completed").result(WAIT_S)
    with pytest.raises(TrajectoryNotFound, match=r"2 sessions answer to 's'\. Name one of them: s-"):
        find_session(tmp_path, "s")
    for directory in tmp_path.iterdir():
        assert find_session(tmp_path, directory.name) == directory


def test_a_log_of_a_later_version_hides_no_other_session(tmp_path: Path) -> None:
    directory = recorded(tmp_path, session="s")
    later = written(tmp_path / "later", START | {"v": SCHEMA_VERSION + 1})
    later.parent.parent.rename(tmp_path / "s-later-0123456789ab")
    later.parent.parent.parent.rmdir()
    other = written(tmp_path / "other", START | {"v": SCHEMA_VERSION + 1})
    other.parent.parent.rename(tmp_path / "s-ba9876543210")
    other.parent.parent.parent.rmdir()
    assert find_session(tmp_path, "s") == directory


def test_the_type_of_a_session(tmp_path: Path) -> None:
    session: SessionTrajectory = read_session(recorded(tmp_path, ModelCall(step=0, model="m")))
    assert (session.model, session.reward, session.purchases, session.place) == ("m", None, [], None)
    assert session.blobs.directory == session.directory / layout.BLOBS
