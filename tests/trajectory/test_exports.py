"""Exports of sessions: each is valid in its format, and all tell the same story as the logs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from atif import Trajectory

from personalized_shopping.shared_libraries.trajectory import SessionTrajectory, read_session
from personalized_shopping.shared_libraries.trajectory.exports.atif import atif
from personalized_shopping.shared_libraries.trajectory.exports.functions import function_definitions
from personalized_shopping.shared_libraries.trajectory.exports.messages import messages, messages_line
from tests.trajectory.samples import NASTY, SAMPLES, SYSTEM, TOOLS

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
    assert [error["type"] for error in agent[0]["extra"]["errors"]] == ["ServerError", "ToolError"]
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
