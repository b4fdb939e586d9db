"""Every run of the agent leaves a log that tells what happened, and recording never disturbs the conversation."""

import asyncio
import gc
import json
import os
from collections.abc import AsyncGenerator, Iterator, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from google.adk.agents.run_config import RunConfig
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from personalized_shopping.plugins import ToolStartPlugin, TrajectoryPlugin, shop_plugins
from personalized_shopping.shared_libraries.trajectory import (
    Decision,
    ToolEnd,
    ToolStart,
    health,
    read_log,
    read_session,
    records,
)
from personalized_shopping.shared_libraries.trajectory.execution import SCHEMA_FILE, execution_trajectory
from personalized_shopping.shared_libraries.trajectory.layout import logs_of, session_dirs
from personalized_shopping.shared_libraries.trajectory.recorder import Run
from personalized_shopping.shared_libraries.trajectory.replay import replay, rescore
from personalized_shopping.shared_libraries.trajectory.replay_source import from_session, load_recorded
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from tests.agent.helpers import APP, DENIM, RED, USER, Chat, ScriptedLlm, call, click, search

pytestmark = pytest.mark.usefixtures("shop")


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAJECTORY_DIR", str(tmp_path / "trajectories"))
    monkeypatch.setenv("SAFETY_SYSTEM", "off")  # here the shop itself asks; the guard has tests of its own
    return tmp_path / "trajectories"


@pytest.fixture(autouse=True)
def healthy() -> Iterator[None]:
    health.__init__()  # type: ignore[misc]
    yield
    health.__init__()  # type: ignore[misc]


def recording(*script: Any, plugins: Sequence[BasePlugin] = (), **more: Any) -> Chat:
    """Return a conversation that is recorded; further plugins stand behind the recorder."""
    return Chat(*script, plugins=[*shop_plugins(), *plugins], **more)


def settled() -> None:
    records_writer.drain()
    files_writer.drain()


def recorded(root: Path, session_id: str = "s") -> SessionTrajectory:
    settled()
    [directory] = [found for found in session_dirs(root) if found.name.startswith(f"{session_id}-")]
    return read_session(directory)


def kinds(root: Path, run: int = -1) -> list[str]:
    settled()
    [directory] = session_dirs(root)
    return [str(type(line.record).__struct_config__.tag) for line in read_log(logs_of(directory)[run]).lines]


async def test_a_conversation_is_recorded_step_by_step(root: Path) -> None:
    chat = recording(search("denim jacket"), click(DENIM), [click("dark blue"), click("small")], "there")
    await chat.say("a denim jacket please")
    session = recorded(root)
    assert session.instruction == "a denim jacket please" and session.status == "completed"
    assert [[action.text for action in step.actions] for step in session.steps] == [
        ["search[denim jacket]"],
        [f"click[{DENIM}]"],
        ["click[dark blue]", "click[small]"],
        [],
    ]
    assert [step.response for step in session.steps] == ["", "", "", "there"]
    assert all(action.outcome == "done" and action.duration_ms for action in session.actions)
    assert all(step.usage is not None and step.usage.total == 2 for step in session.steps)
    pages = [session.pages[action.page_after] for action in session.actions if action.page_after]
    assert [page.kind for page in pages] == ["results", "item", "item", "item"]
    both = session.blobs.get(pages[-1].a11y)  # type: ignore[arg-type]
    assert "[radio] dark blue (checked)" in both and "[radio] small (checked)" in both
    only_colour = session.blobs.get(pages[-2].a11y)  # type: ignore[arg-type]
    assert "[radio] dark blue (checked)" in only_colour and "[radio] small (not checked)" in only_colour
    assert "denim jacket for women" in session.blobs.get(pages[-1].html)  # type: ignore[arg-type]
    assert {artifact.name for artifact in session.actions[0].artifacts} == {"page.html", "page.svg"}
    assert "search" in str(session.tools) and len(str(session.system)) > 100
    again = session.actions[1].page_before
    assert again == session.actions[0].page_after and session.actions[0].page_before == (0, 0)


async def test_the_file_is_written_after_each_run_and_validates(root: Path, shared_dir: Path) -> None:
    chat = recording(search("denim jacket"), "one")
    await chat.say("first")
    await chat.say("second", click(DENIM), "two")
    settled()
    [directory] = session_dirs(root)
    document = json.loads((directory / "execution_trajectory.json").read_bytes())
    jsonschema.validate(document, json.loads(SCHEMA_FILE.read_bytes()))
    jsonschema.validate(document, json.loads((shared_dir / "spec/schemas/exec_traj.schema.json").read_bytes()))
    assert [step["actions"] for step in document["steps"]] == [["search[denim jacket]"], [], [f"click[{DENIM}]"], []]
    assert [run["user_message"] for run in document["runs"]] == ["first", "second"]
    assert document["cumulative_stats"]["total_actions_executed"] == 2
    assert document["steps"][0]["next_state_a11y_tree"] == document["steps"][2]["a11y_tree"]


async def test_a_purchase_is_decided_on_disk_before_it_is_made(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(descriptor), fsync(descriptor))[1])
    on_disk_when_asked: list[bool] = []

    class Watch(BasePlugin):
        async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> None:
            if tool_args.get("button_name") == "Buy Now" and tool_context.tool_confirmation is not None:
                path = logs_of(session_dirs(root)[0])[-1]
                found = [line.record for line in read_log(path).lines]
                allowed = [r for r in found if isinstance(r, Decision) and r.decision == "allow"]
                on_disk_when_asked.append(bool(allowed) and isinstance(found[-1], ToolStart) and bool(synced))

    chat = recording(
        search("denim jacket"),
        click(DENIM),
        click("dark blue"),
        click("Buy Now"),
        plugins=[Watch("watch")],
    )
    await chat.say("get me a jacket")
    synced.clear()
    assert recorded(root).status == "paused"
    await chat.decide(True, "bought")
    assert on_disk_when_asked == [True]
    session = recorded(root)
    [buy] = [action for action in session.actions if action.irreversible]
    assert buy.outcome == "done" and buy.purchase["asin"] == DENIM and buy.executed
    assert [decision.decision for decision in buy.decisions] == ["confirm", "allow"]
    assert buy.decisions[1].source == "person" and buy.decisions[1].facts["price"] == "$49.90"
    asked, answered = buy.confirmations
    assert asked.question.startswith("Buy “denim jacket") and asked.confirmed is None
    assert answered.confirmed is True and answered.facts == asked.facts
    assert [run.status for run in session.runs] == ["paused", "completed"]
    document = execution_trajectory(session)
    results = [result for step in document["steps"] for result in step.get("action_results", [])]
    assert len([result for result in results if result["action"] == "click[Buy Now]"]) == 1
    assert document["outcome"]["bought"] is True and document["final_score"] is None


async def test_a_refused_purchase_was_not_carried_out(root: Path) -> None:
    chat = recording(search("denim jacket"), click(DENIM), click("Buy Now"))
    await chat.say()
    await chat.decide(False, "as you wish")
    session = recorded(root)
    [buy] = [action for action in session.actions if action.irreversible]
    assert buy.outcome == "refused" and not buy.executed and buy.blocked
    assert [decision.decision for decision in buy.decisions] == ["confirm", "block"]
    assert not session.purchases and not execution_trajectory(session)["outcome"]["bought"]


async def test_what_the_model_says_beside_a_question_is_refused(root: Path) -> None:
    chat = recording(search("denim jacket"), click(DENIM), [click("Buy Now"), search("shoes")])
    await chat.say()
    session = recorded(root)
    assert [action.outcome for action in session.steps[2].actions] == ["pending", "refused"]


async def test_an_evaluated_session_is_scored_replayed_and_scored_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")
    state = {"goal_index": 0, "confirm_purchases": False}
    chat = recording(search("denim jacket"), click(DENIM), click("small"), click("Buy Now"), "done", state=state)
    answers = await chat.say("go")
    session = recorded(root)
    assert [action.reward for action in session.actions] == [0.0, 0.0, 0.0, answers[-1]["reward"]]
    assert [action.done for action in session.actions] == [False, False, False, True]
    assert session.reward == answers[-1]["reward"] and session.instruction == session.goal["instruction_text"]
    assert session.actions[-1].info["reward_info"] == answers[-1]["reward_info"]
    [decision] = session.actions[-1].decisions
    assert (decision.decision, decision.source) == ("allow", "setting")

    from personalized_shopping.shared_libraries.init_env import get_shop

    played = replay(from_session(session), get_shop())
    assert played.difference is None and played.compared == 5 and played.same_catalog
    [again] = rescore(from_session(session))
    assert again.computed.total == session.reward and again.computed.info() == answers[-1]["reward_info"]
    copied = root.parent / "copied.json"
    copied.write_bytes((session.directory / "execution_trajectory.json").read_bytes())
    elsewhere = load_recorded(None, str(copied))
    assert replay(elsewhere, get_shop()).difference is None and rescore(elsewhere) == rescore(from_session(session))


async def test_an_evaluation_names_its_task(root: Path) -> None:
    task = {"task_id": "case 7", "injection": {"type": "review"}, "jailbreak": True}
    await recording("hello", state={"task": task}).say()
    await recording("hello", session_id="other", state={"task": "no mapping"}).say()
    metadata = execution_trajectory(recorded(root))["task_metadata"]
    assert (metadata["task_id"], metadata["injection"], metadata["jailbreak"]) == ("case 7", {"type": "review"}, True)
    plain = execution_trajectory(recorded(root, "other"))["task_metadata"]
    assert (plain["task_id"], plain["injection"], plain["jailbreak"]) == ("other", None, False)


async def test_a_changed_shop_is_found_by_replay(root: Path) -> None:
    chat = recording(search("denim jacket"), click(DENIM), "there")
    await chat.say()
    source = from_session(recorded(root))
    tree = source.actions[1].tree
    assert tree is not None
    object.__setattr__(source.actions[1], "tree", type(tree)(tree.text.replace("$49.9", "$39.9")))

    from personalized_shopping.shared_libraries.init_env import get_shop

    difference = replay(source, get_shop()).difference
    assert difference is not None and difference.action == 1 and "$49.9" in difference.now


async def test_a_model_that_fails_ends_the_run_with_its_error(root: Path) -> None:
    chat = recording(search("denim jacket"), RuntimeError("quota exceeded"))
    with pytest.raises(RuntimeError, match="quota"):
        await chat.say()
    session = recorded(root)
    assert session.status == "error" and session.runs[0].error.message == "quota exceeded"  # type: ignore[union-attr]
    [failed] = session.steps[1].failed_calls
    assert failed.error.type == "RuntimeError" and failed.latency_ms is not None  # type: ignore[union-attr]


async def test_a_retried_call_counts_its_tokens_and_belongs_to_the_same_step(root: Path) -> None:
    class Retry(BasePlugin):
        async def on_model_error_callback(self, *, callback_context: Any, llm_request: Any, error: Any) -> LlmResponse:
            return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="sorry")]))

    chat = recording(RuntimeError("busy"), plugins=[Retry("retry")])
    await chat.say()
    session = recorded(root)
    assert session.status == "completed"
    assert [type(call.error).__name__ for call in session.steps[0].failed_calls] == ["Failure"]


async def test_too_many_model_calls_end_as_max_steps(root: Path) -> None:
    chat = recording(search("a"), search("b"), search("c"))
    await chat.sessions.create_session(app_name=APP, user_id=USER, session_id="s")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    with pytest.raises(Exception, match="exceeded"):
        async for _ in chat.runner.run_async(
            user_id=USER, session_id="s", new_message=message, run_config=RunConfig(max_llm_calls=2)
        ):
            pass
    session = recorded(root)
    assert session.status == "max_steps" and session.start.settings["max_steps"] == 2


class SlowLlm(ScriptedLlm):
    """Answers a second time only after a minute."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        if len(self.requests) == 1:
            await asyncio.sleep(60)
        async for response in super().generate_content_async(llm_request, stream):
            yield response


def slow_chat() -> Chat:
    chat = recording(search("denim jacket"), "never said")
    agent: Any = chat.runner.agent
    agent.model = chat.llm = SlowLlm(script=chat.llm.script)
    return chat


async def test_a_cancelled_run_ends_as_cancelled(root: Path) -> None:
    chat = slow_chat()
    task = asyncio.create_task(chat.say())
    while not any("tool_end" in kinds(root) for _ in [0] if session_dirs(root)):
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert recorded(root).status == "cancelled"


async def test_a_run_that_nobody_listens_to_any_more_ends_as_cancelled(root: Path) -> None:
    chat = recording(search("denim jacket"), click(DENIM), "there")
    await chat.sessions.create_session(app_name=APP, user_id=USER, session_id="s")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    events = chat.runner.run_async(user_id=USER, session_id="s", new_message=message)
    await anext(events)
    await events.aclose()
    del events
    gc.collect()
    assert recorded(root).status == "cancelled"


async def test_a_tool_that_raises_is_recorded(root: Path) -> None:
    class Broken(BasePlugin):
        async def before_tool_callback(self, **_: Any) -> None:
            raise KeyError("a plugin behind the recorder")

    chat = recording(search("denim jacket"), "never said", plugins=[Broken("broken")])
    with pytest.raises(RuntimeError, match="behind the recorder"):
        await chat.say()
    assert recorded(root).status == "error" and recorded(root).actions[0].outcome is None


async def test_a_tool_that_does_not_exist_is_a_failed_action(root: Path) -> None:
    chat = recording(call("no_such_tool", x=1), "well")
    await chat.say()
    [action] = recorded(root).actions
    assert action.text == "no_such_tool[x=1]" and action.outcome == "failed" and "no_such_tool" in action.error.message


async def test_a_bad_call_is_a_failed_action(root: Path) -> None:
    chat = recording(search("denim jacket"), click("no such button"), "well")
    await chat.say()
    action = recorded(root).actions[1]
    assert action.outcome == "failed" and "no button" in action.error.message  # type: ignore[union-attr]
    assert action.page_before == action.page_after


async def test_eight_sessions_at_once_stay_apart(root: Path) -> None:
    plugins = shop_plugins()  # one recorder for all, as in a server
    chats = [
        Chat(search(f"jacket {i}"), click([RED, DENIM][i % 2]), f"bye {i}", session_id=f"s{i}", plugins=plugins)
        for i in range(8)
    ]
    await asyncio.gather(*(chat.say(f"hello from {i}") for i, chat in enumerate(chats)))
    settled()
    for i in range(8):
        session = recorded(root, f"s{i}")
        assert session.instruction == f"hello from {i}" and session.steps[-1].response == f"bye {i}"
        assert [action.text for action in session.actions] == [
            f"search[jacket {i}]",
            f"click[{DENIM if i % 2 else RED}]",
        ]
        assert session.runs[0].missing == session.runs[0].bad_lines == 0


async def test_parallel_calls_keep_the_order_in_which_the_model_made_them(root: Path) -> None:
    chat = recording([search("denim jacket"), click(DENIM), click("light blue"), click("Features")], "there")
    answers = await chat.say()
    assert [answer["page"] for answer in answers] == ["results", "item", "item", "features"]
    session = recorded(root)
    pages = [session.pages[action.page_after].kind for action in session.actions if action.page_after]
    assert pages == ["results", "item", "item", "features"]


async def test_recording_that_breaks_does_not_break_the_conversation(
    root: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_args: Any, **_kwargs: Any) -> Any:
        raise ValueError("a defect of the recorder")

    chat = recording(search("denim jacket"), "there")
    monkeypatch.setattr(Run, "write", broken)
    [answer] = await chat.say()
    assert answer["page"] == "results" and "misses something" in caplog.text
    assert "a defect of the recorder" in str(health.as_dict()["problem"])


async def test_a_disk_that_refuses_does_not_stop_the_shopper(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    root.parent.joinpath("trajectories").write_text("a file where a directory should be")
    chat = recording(search("denim jacket"), click(DENIM), click("Buy Now"))
    await chat.say()
    [bought] = await chat.decide(True, "done")
    settled()
    assert bought["purchased"] is True
    assert health.as_dict()["status"] == "degraded" and health.lost_records > 10
    assert "incomplete from here on" in caplog.text


async def test_nothing_is_bought_unrecorded_where_that_is_wanted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAJECTORY_REQUIRED", "1")
    root.parent.joinpath("trajectories").write_text("a file where a directory should be")
    chat = recording(search("denim jacket"), click(DENIM), click("Buy Now"), "sorry")
    answers = await chat.say()
    assert "cannot be recorded" in answers[-1]["error"] and not chat.questions


async def test_recording_can_be_switched_off(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAJECTORY_DIR", "off")
    chat = recording(search("denim jacket"), "there")
    [answer] = await chat.say()
    settled()
    assert answer["page"] == "results" and not root.exists()


async def test_a_streamed_answer_is_one_call(root: Path) -> None:
    class Streaming(ScriptedLlm):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncGenerator[LlmResponse, None]:
            for text in ("Good ", "day"):
                yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]), partial=True)
            async for response in super().generate_content_async(llm_request, stream):
                yield response

    chat = recording("Good day")
    agent: Any = chat.runner.agent
    agent.model = Streaming(script=["Good day"])
    await chat.say()
    session = recorded(root)
    assert [step.response for step in session.steps] == ["Good day"]
    assert kinds(root).count("model_call") == 1


async def test_hostile_values_leave_the_log_valid(root: Path) -> None:
    nasty: dict[str, Any] = {"page": "results", "bytes": b"\x00\xff", "nan": float("nan"), "half": "\ud800"}
    nasty |= {"big": "x" * 5_000_000, "itself": nasty}
    recorder = TrajectoryPlugin()
    chat = Chat(search("denim jacket"), "there", plugins=[recorder, ToolStartPlugin(recorder)])
    original = recorder.after_tool_callback

    async def with_nasty_result(**arguments: Any) -> None:
        await original(**{**arguments, "result": nasty})

    recorder.after_tool_callback = with_nasty_result  # type: ignore[method-assign]
    await chat.say()
    settled()
    [directory] = session_dirs(root)
    [path] = logs_of(directory)
    for line in path.read_bytes().splitlines():
        json.loads(line, parse_constant=lambda name: pytest.fail(name))
    assert read_log(path).bad_lines == 0
    [end] = [line.record for line in read_log(path).lines if isinstance(line.record, ToolEnd)]
    assert end.result["bytes"] == {"$bytes": 2} and end.result["itself"] == {"$cycle": True}
    assert end.result["nan"] == {"$float": "nan"} and end.result["half"] == "\ufffd"
    assert len(end.result["big"]) < 1_100_000


def test_the_record_types_are_documented() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "trajectory.md").read_text(encoding="utf-8")
    for tag, kind in records.RECORD_TYPES.items():
        assert f"`{tag}`" in text, f"docs/trajectory.md does not name the record {tag}"
        for name in kind.__struct_fields__:
            assert f"`{name}`" in text, f"docs/trajectory.md does not describe {tag}.{name}"


def test_every_field_of_the_file_is_documented() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "trajectory.md").read_text(encoding="utf-8")
    schema = json.loads(SCHEMA_FILE.read_bytes())
    named = [schema, *schema["$defs"].values()]
    for definition in named:
        for name in definition.get("properties", {}):
            assert f"`{name}`" in text, f"docs/trajectory.md does not describe {name}"
