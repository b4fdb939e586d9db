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
from tests.trajectory.samples import NASTY, SAMPLES, TOOLS

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
