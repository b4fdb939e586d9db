"""Exports of sessions: each is valid in its format, and all tell the same story as the logs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory
from inspect_ai.log import EvalLog, read_eval_log

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import SessionTrajectory, read_session
from personalized_shopping.shared_libraries.trajectory.exports import FORMATS, export_session, export_sessions
from personalized_shopping.shared_libraries.trajectory.exports.atif import atif
from personalized_shopping.shared_libraries.trajectory.exports.common import storable
from personalized_shopping.shared_libraries.trajectory.exports.functions import function_definitions
from personalized_shopping.shared_libraries.trajectory.exports.inspect_log import inspect_log, log_document
from personalized_shopping.shared_libraries.trajectory.exports.messages import messages, messages_line
from tests.trajectory.samples import FACTS, NASTY, SAMPLES, SYSTEM, TOOLS

Read = Callable[[str], SessionTrajectory]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Return a function that writes a sample and reads it back."""
    return lambda name: read_session(SAMPLES[name](tmp_path / "trajectories"))


@pytest.mark.parametrize("name", SAMPLES)
def test_atif_is_valid(name: str, read: Read) -> None:
    document = atif(read(name))
    assert document["schema_version"] == "ATIF-v1.7"
    assert Trajectory.model_validate(document).to_json_dict() == document, "a field is not what the format says"
    for step in document["steps"]:
        results = step.get("observation", {}).get("results", [])
        assert {result["source_call_id"] for result in results} <= {
            call["tool_call_id"] for call in step.get("tool_calls", [])
        }


def test_atif_of_a_purchase(read: Read) -> None:
    document = atif(read("purchase"))
    assert [step["source"] for step in document["steps"]] == ["system", "user", "agent", "agent", "agent"]
    _, asked, first, bought, last = document["steps"]
    assert asked["message"] == "I want a red cotton shirt, size medium, under $30."
    assert asked["extra"]["attachments"] == ["image/png"]
    assert first["message"] == "I shall look."
    assert first["reasoning_content"] == "Search first."
    assert first["metrics"]["cached_tokens"] == 40
    [found] = first["observation"]["results"]
    assert found["content"] == "Page 1 [SEP] B0SHIRT001 [SEP] Red Cotton Shirt"
    assert found["extra"]["html_ref"].startswith("blobs/")
    # The question and the purchase are one call, with one result: the last.
    [call] = bought["tool_calls"]
    [result] = bought["observation"]["results"]
    assert call["tool_call_id"] == result["source_call_id"] == "c2"
    assert call["extra"]["safety"]["source"] == "person"
    assert [earlier["decision"] for earlier in call["extra"]["safety"]["attempts"]] == ["confirm"]
    assert call["extra"]["confirmation"]["confirmed"] is True
    assert result["content"] == "Thank you for shopping!"
    assert result["extra"]["reward"] == 1.0
    assert result["extra"]["done"] is True
    assert result["extra"]["duration_ms"] == 6.25
    assert last["metrics"]["extra"]["reasoning_tokens"] == 7
    assert document["extra"]["task"]["task_id"] == "webshop-42"
    assert document["extra"]["outcome"]["success"] is True
    assert [item["asin"] for item in document["extra"]["outcome"]["purchases"]] == ["B0SHIRT001"]


def test_atif_of_a_guarded_session(read: Read) -> None:
    document = atif(read("guarded"))
    agent = [step for step in document["steps"] if step["source"] == "agent"]
    assert [step["llm_call_count"] for step in agent] == [2, 1, 1]
    assert agent[0]["metrics"] == {"prompt_tokens": 170, "completion_tokens": 20, "extra": {"total_tokens": 190}}
    assert "metrics" not in agent[2], "no provider told, and nothing is not zero"
    assert agent[0]["extra"]["plan"]["plan_steps"] == ["search", "buy"]
    assert [error["type"] for error in agent[0]["extra"]["errors"]] == ["ServerError", "OSError"]
    found, broken = agent[0]["observation"]["results"]
    assert (found["extra"]["outcome"], broken["extra"]["outcome"]) == ("done", "failed")
    assert broken["extra"]["error"]["message"] == "no index"
    safety = agent[1]["tool_calls"][0]["extra"]["safety"]
    assert (safety["decision"], safety["risk_score"]) == ("block", 0.9)
    assert safety["violated_policy_ids"] == ["SHOP-BUDGET"]
    assert safety["world_model_output"]["long_term_impact"] == "irreversible"
    assert safety["attempts"][0]["status"] == "timeout"
    assert agent[1]["observation"]["results"][0]["extra"]["executed"] is False
    assert json.loads(agent[1]["observation"]["results"][0]["content"])["status"] == "blocked_by_policy"
    guard = agent[1]["extra"]["guard_usage"]["world_model"]
    assert (guard["model"], guard["calls"], guard["prompt_tokens"]) == ("guard/model", 2, 2400)
    # What the guard took is no part of what the agent took.
    final = document["final_metrics"]
    assert (final["total_prompt_tokens"], final["extra"]["guard_total_prompt_tokens"]) == (370, 2430)


def test_atif_of_an_episode_without_a_model(read: Read) -> None:
    document = atif(read("played"))
    assert document["steps"][0]["message"] == "Find me a red cotton shirt, size medium, under $30."
    assert [step["llm_call_count"] for step in document["steps"][1:]] == [0, 0]
    assert document["extra"]["outcome"]["reward"] == 0.5
    assert document["extra"]["outcome"]["success"] is False


def test_atif_tells_what_is_unknown(read: Read) -> None:
    [step] = [step for step in atif(read("died"))["steps"] if step["source"] == "agent"]
    assert [call["tool_call_id"] for call in step["tool_calls"]] == ["d1", "d2"]
    [result] = step["observation"]["results"]
    assert (result["source_call_id"], result["extra"]["outcome"]) == ("d1", "unknown")
    assert "content" not in result


def test_declared_tools_become_function_definitions() -> None:
    search, click = function_definitions(TOOLS)
    assert search["function"]["parameters"]["required"] == ["keywords"]
    assert click["function"]["parameters"] == {
        "type": "object",
        "properties": {"button_name": {"type": ["string", "null"], "minLength": 1}},
        "required": ["button_name"],
    }
    nested: dict[str, Any] = {
        "type": "OBJECT",
        "properties": {
            "type": {"any_of": [{"type": "STRING", "enum": ["a"]}, {"type": "INTEGER"}], "nullable": True},
            "many": {"type": "ARRAY", "items": {"type": "NUMBER", "example": 1.5}, "max_items": 3},
        },
        "property_ordering": ["type", "many"],
    }
    [made] = function_definitions([{"name": "t", "parameters": nested}])
    assert made["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "type": {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer"}, {"type": "null"}]},
            "many": {"type": "array", "items": {"type": "number", "examples": [1.5]}, "maxItems": 3},
        },
    }
    assert function_definitions([made]) == [made]
    assert function_definitions([{"name": "bare"}])[0]["function"]["parameters"]["type"] == "object"
    assert function_definitions({"$missing": "the blob is gone"}) == []


def test_nasty_texts_survive_as_they_are(read: Read) -> None:
    document = atif(read("nasty"))
    said = next(step["message"] for step in document["steps"] if step["source"] == "user")
    # The recorder has put U+FFFD in the place of what no text may hold.
    assert said == NASTY.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def test_halves_of_surrogate_pairs_in_a_log_break_nothing(read: Read) -> None:
    session = read("purchase")
    path = session.runs[0].path
    path.write_text(path.read_text(encoding="utf-8").replace("I shall look.", "half \\ud83d of one"), encoding="utf-8")
    document = atif(read_session(session.directory))
    assert document["steps"][2]["message"] == "half ? of one"
    Trajectory.model_validate(document)


def test_messages_of_a_purchase(read: Read) -> None:
    line = messages(read("purchase"))
    system, asked, first, found, bought, receipt, last = line["messages"]
    assert system == {"role": "system", "content": SYSTEM}
    assert asked == {"role": "user", "content": "I want a red cotton shirt, size medium, under $30."}
    assert first["content"] == "I shall look."
    [call] = first["tool_calls"]
    assert (call["id"], call["type"], call["function"]["name"]) == ("c1", "function", "search")
    assert json.loads(call["function"]["arguments"]) == {"keywords": "red cotton shirt"}
    assert (found["role"], found["tool_call_id"]) == ("tool", "c1")
    assert json.loads(found["content"])["page"] == "results", "the model got more than the page's text"
    # The person's yes came in between; the model's call is answered once.
    assert bought["content"] is None
    assert bought["tool_calls"][0]["id"] == receipt["tool_call_id"] == "c2"
    assert json.loads(receipt["content"])["observation"] == "Thank you for shopping!"
    assert last == {"role": "assistant", "content": "It is bought."}
    assert line["step_rewards"] == [0.0, 1.0, None]
    assert line["action_rewards"] == [
        {"call_id": "c1", "reward": 0.0, "outcome": "done"},
        {"call_id": "c2", "reward": 1.0, "outcome": "done"},
    ]
    assert (line["session_id"], line["task_id"]) == ("purchase", "webshop-42")
    assert (line["reward"], line["success"], line["status"], line["blocked_calls"]) == (1.0, True, "completed", 0)
    assert line["token_usage"]["reasoning_tokens"] == 7
    assert [tool["function"]["name"] for tool in line["tools"]] == ["search", "click"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_call_in_messages_is_answered_at_once(name: str, read: Read) -> None:
    waiting: list[str] = []
    for message in messages(read(name))["messages"]:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
            assert message["content"]
        else:
            assert not waiting
            assert message["content"] or message["tool_calls"]
            waiting = [call["id"] for call in message.get("tool_calls", [])]
    assert not waiting


def test_messages_of_calls_without_an_answer(read: Read) -> None:
    answers = [message for message in messages(read("died"))["messages"] if message["role"] == "tool"]
    assert [json.loads(answer["content"]) for answer in answers] == [{"status": "unknown"}] * 2


def test_messages_of_a_guarded_session(read: Read) -> None:
    line = messages(read("guarded"))
    assert line["blocked_calls"] == 1
    assert line["token_usage"]["guard_tokens"] == 1000 + 1560 + 33
    assert (line["reward"], line["success"]) == (None, None)
    assert [entry["outcome"] for entry in line["action_rewards"]] == ["done", "failed", "blocked"]


def test_a_line_of_messages_is_one_line_for_every_reader(read: Read) -> None:
    line = messages_line(read("nasty"))
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line)["messages"][1]["content"].startswith("<script>")


def read_log(content: bytes, tmp_path: Path) -> EvalLog:
    """Read an Inspect log as its own tools do."""
    path = tmp_path / "log.eval"
    path.write_bytes(content)
    return read_eval_log(path, resolve_attachments=True)


def test_an_inspect_log_of_a_purchase(read: Read, tmp_path: Path) -> None:
    log = read_log(inspect_log([read("purchase")]), tmp_path)
    assert (log.status, log.eval.model, log.eval.task) == ("success", "test/model", "personalized_shopping")
    [sample] = log.samples or []
    assert (sample.id, sample.epoch, sample.target) == ("webshop-42", 1, "B0SHIRT001")
    assert sample.input == "Find me a red cotton shirt, size medium, under $30."
    roles = ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert [message.role for message in sample.messages] == roles
    calls = [event for event in sample.events if event.event == "model"]
    assert [len(call.input) for call in calls] == [2, 4, 6], "each call has read what was said before it"
    assert [tool.name for tool in calls[0].tools] == ["search", "click"]
    assert calls[0].output.completion == "I shall look."
    assert [part.type for part in calls[0].output.choices[0].message.content] == ["reasoning", "text"]
    assert calls[0].output.stop_reason == "tool_calls"
    tools = [event for event in sample.events if event.event == "tool"]
    assert [tool.arguments for tool in tools] == [{"keywords": "red cotton shirt"}, {"button_name": "Buy Now"}]
    assert tools[1].metadata["reward"] == 1.0
    assert sample.messages[5].text == tools[1].result
    infos = [(event.source, event.data.get("decision")) for event in sample.events if event.event == "info"]
    assert infos == [("guard", "confirm"), ("guard", "allow"), ("confirmation", None)]
    assert sample.scores["reward"].value == 1.0
    assert sample.scores["success"].value == "C"
    assert [score.metrics["mean"].value for score in log.results.scores if score.name == "reward"] == [1.0]
    assert sample.model_usage["test/model"].input_tokens_cache_read == 40
    assert sample.metadata["purchases"] == [FACTS]


def test_an_inspect_log_of_a_guarded_session(read: Read, tmp_path: Path) -> None:
    [sample] = read_log(inspect_log([read("guarded")]), tmp_path).samples or []
    first, second, *_ = [event for event in sample.events if event.event == "model"]
    assert first.error == "ServerError: 503 overloaded"
    assert second.error is None
    tools = {event.id: event for event in sample.events if event.event == "tool"}
    assert tools["g1"].error is None
    assert (tools["g2"].error.message, tools["g2"].failed) == ("OSError: no index", True)
    assert tools["g3"].error.type == "approval"
    block = next(event.data for event in sample.events if event.event == "info" and event.data.get("risk_score"))
    assert (block["decision"], block["violated_policy_ids"]) == ("block", ["SHOP-BUDGET"])
    assert [event.source for event in sample.events if event.event == "info"] == ["plan", "guard", "guard", "problem"]
    assert sample.role_usage["world_model"].input_tokens == 2400
    assert sample.scores is None


def test_sessions_of_one_task_are_epochs_of_one_sample(read: Read, tmp_path: Path) -> None:
    session = read("purchase")
    log = read_log(inspect_log([session, read("played"), read("nasty"), session]), tmp_path)
    found = {(sample.id, sample.epoch) for sample in log.samples or []}
    assert found >= {("webshop-42", 1), ("webshop-42", 2), ("played", 1)}
    assert len(found) == 4, "a name that is no file's name must not lose its sample"
    assert [(score.name, score.scored_samples) for score in log.results.scores] == [("reward", 4), ("success", 4)]
    assert log.results.scores[0].metrics["mean"].value == pytest.approx((1 + 0.5 + 0.25 + 1) / 4)


@pytest.mark.parametrize("name", SAMPLES)
def test_inspect_knows_every_field(name: str, read: Read) -> None:
    document = log_document([read(name)])
    taken = EvalLog.model_validate(storable(document))  # a copy: what is validated is also written to
    assert unknown_fields(storable(document), taken.model_dump(mode="json")) == []


def unknown_fields(given: Any, taken: Any, where: str = "") -> list[str]:
    """Return which of the fields that were given have silently been dropped."""
    if isinstance(given, dict) and isinstance(taken, dict):
        lost = [f"{where}.{key}" for key in given if key not in taken]
        return lost + [
            field for key in given if key in taken for field in unknown_fields(given[key], taken[key], f"{where}.{key}")
        ]
    if isinstance(given, list) and isinstance(taken, list):
        pairs = zip(given, taken, strict=True)
        return [field for one, other in pairs for field in unknown_fields(one, other, f"{where}[]")]
    return []


def test_an_inspect_log_leaves_nothing_else(read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = read("purchase")
    before = sorted(session.directory.rglob("*"))
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    export_session(session, "inspect", Path("session.eval"))
    assert [path.name for path in work.iterdir()] == ["session.eval"]
    assert list(temporary.iterdir()) == []
    assert sorted(session.directory.rglob("*")) == before


def test_without_inspect_the_error_names_the_extra(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(TrajectoryError, match=r"pip install 'personalized-shopping\[inspect\]'"):
        inspect_log([read("silent")])


def facts_of_logs(directory: Path) -> dict[str, float]:
    """Count in the raw lines, by no other code than this."""
    calls: dict[str, dict[str, Any]] = {}
    spent = {"prompt_tokens": 0, "completion_tokens": 0}
    for path in sorted((directory / "runs").iterdir()):
        for line in map(json.loads, path.read_bytes().split(b"\n")[:-1]):
            if line["type"] == "tool_call":
                calls.setdefault(line["call_id"], {})
            elif line["type"] == "tool_end":
                calls[line["call_id"]] = line
            elif line["type"] == "model_call":
                for name in spent:
                    spent[name] += (line.get("usage") or {}).get(name) or 0
    blocked = sum(end.get("outcome") in ("blocked", "refused") for end in calls.values())
    return {
        "calls": len(calls),
        "blocked": blocked,
        **spent,
        "reward": sum(end.get("reward") or 0 for end in calls.values()),
    }


def facts_of_execution(document: dict[str, Any]) -> dict[str, float]:
    usages = [step["token_usage"] for step in document["steps"] if "token_usage" in step]
    return {
        "calls": sum(len(step["actions"]) for step in document["steps"]),
        "blocked": document["outcome"]["blocked_actions"],
        "prompt_tokens": sum(usage["prompt_tokens"] for usage in usages),
        "completion_tokens": sum(usage["completion_tokens"] for usage in usages),
        "reward": document["final_score"] or 0,
    }


def facts_of_atif(document: dict[str, Any]) -> dict[str, float]:
    steps = [step for step in document["steps"] if step["source"] == "agent"]
    results = [result["extra"] for step in steps for result in step.get("observation", {}).get("results", [])]
    metrics = [step["metrics"] for step in steps if "metrics" in step]
    final = document["final_metrics"]
    for name in ("prompt_tokens", "completion_tokens"):
        assert final.get(f"total_{name}", 0) == sum(entry.get(name, 0) for entry in metrics)
    assert (document["extra"]["outcome"]["reward"] or 0) == sum(extra.get("reward") or 0 for extra in results)
    return {
        "calls": sum(len(step.get("tool_calls", [])) for step in steps),
        "blocked": sum(extra["outcome"] in ("blocked", "refused") for extra in results),
        "prompt_tokens": final.get("total_prompt_tokens", 0),
        "completion_tokens": final.get("total_completion_tokens", 0),
        "reward": document["extra"]["outcome"]["reward"] or 0,
    }


def facts_of_messages(document: dict[str, Any]) -> dict[str, float]:
    assert sum(entry["reward"] or 0 for entry in document["action_rewards"]) == (document["reward"] or 0)
    return {
        "calls": sum(len(message.get("tool_calls", [])) for message in document["messages"]),
        "blocked": document["blocked_calls"],
        "prompt_tokens": document["token_usage"]["prompt_tokens"] or 0,
        "completion_tokens": document["token_usage"]["completion_tokens"] or 0,
        "reward": sum(reward or 0 for reward in document["step_rewards"]),
    }


def facts_of_inspect(log: EvalLog) -> dict[str, float]:
    [sample] = log.samples or []
    usages = list(sample.model_usage.values())
    told = [event.output.usage for event in sample.events if event.event == "model" and event.output.usage]
    assert sum(usage.output_tokens for usage in told) == sum(usage.output_tokens for usage in usages)
    tools = [event for event in sample.events if event.event == "tool"]
    return {
        "calls": len(tools),
        "blocked": sum(tool.error is not None and tool.error.type == "approval" for tool in tools),
        "prompt_tokens": sum(usage.input_tokens + (usage.input_tokens_cache_read or 0) for usage in usages),
        "completion_tokens": sum(usage.output_tokens for usage in usages),
        "reward": sample.scores["reward"].value if sample.scores else 0,
    }


@pytest.mark.parametrize("name", SAMPLES)
def test_all_formats_tell_the_same_story(name: str, read: Read, tmp_path: Path) -> None:
    session = read(name)
    files = {format: export_session(session, format, tmp_path / "out" / format) for format in FORMATS}
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(FORMATS), "no temporary file is left"
    expected = facts_of_logs(session.directory)
    assert facts_of_execution(json.loads(files["execution"].read_bytes())) == expected
    assert facts_of_atif(json.loads(files["atif"].read_bytes())) == expected
    assert facts_of_messages(json.loads(files["messages"].read_bytes())) == expected
    assert facts_of_inspect(read_log(files["inspect"].read_bytes(), tmp_path)) == expected


def test_the_samples_are_not_all_alike(read: Read) -> None:
    # Otherwise formats could agree on nothing at all.
    facts = {name: facts_of_logs(read(name).directory) for name in SAMPLES}
    assert facts["purchase"] == {
        "calls": 2, "blocked": 0, "prompt_tokens": 450, "completion_tokens": 35, "reward": 1.0,
    }  # fmt: skip
    assert facts["guarded"] == {
        "calls": 3, "blocked": 1, "prompt_tokens": 370, "completion_tokens": 28, "reward": 0,
    }  # fmt: skip


def test_many_sessions_go_into_one_file_where_the_format_holds_many(read: Read, tmp_path: Path) -> None:
    sessions = [read("purchase"), read("nasty")]
    path = export_sessions(sessions, "messages", tmp_path / "all.jsonl")
    assert [json.loads(line)["status"] for line in path.read_text(encoding="utf-8").splitlines()] == ["completed"] * 2
    with pytest.raises(TrajectoryError, match="holds one session, not 2"):
        export_sessions(sessions, "atif", tmp_path / "all.json")
    with pytest.raises(TrajectoryError, match="no session to export"):
        export_sessions([], "messages", tmp_path / "none.jsonl")
    with pytest.raises(TrajectoryError, match="There are: execution, atif, inspect, messages"):
        export_session(sessions[0], "csv", tmp_path / "x.csv")
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["all.jsonl"]


def test_a_file_that_cannot_be_written_is_an_error_that_names_it(read: Read, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(TrajectoryError, match=r"taken cannot be written"):
        export_session(read("silent"), "atif", tmp_path / "taken")
    assert [entry.name for entry in (tmp_path).iterdir() if entry.name.startswith(".")] == []


def test_halves_of_surrogate_pairs_break_no_format(read: Read, tmp_path: Path) -> None:
    session = read("nasty")
    path = session.runs[0].path
    lines = path.read_text(encoding="utf-8")
    assert "\ufffd" in lines
    path.write_text(lines.replace("\ufffd", "\\udfff"), encoding="utf-8")
    session = read_session(session.directory)
    assert "\udfff" in session.instruction
    for format in FORMATS:
        export_session(session, format, tmp_path / format)
    Trajectory.model_validate_json((tmp_path / "atif").read_bytes())
    [sample] = read_log((tmp_path / "inspect").read_bytes(), tmp_path).samples or []
    assert "\x1b[31m" in sample.input
