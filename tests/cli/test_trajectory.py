"""`trajectory`: what sessions recorded, from the command line."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from personalized_shopping.cli.terminal import one_line, printable
from personalized_shopping.evaluation.training import goals_of_split
from personalized_shopping.shared_libraries.trajectory import (
    ModelCall,
    Run,
    RunStart,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
)
from personalized_shopping.shared_libraries.trajectory.exports import read_choices
from personalized_shopping.shared_libraries.trajectory.finish import finish_session
from personalized_shopping.shared_libraries.trajectory.layout import EXECUTION, session_dirs
from personalized_shopping.shared_libraries.trajectory.recording_env import RecordTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer

HOSTILE = "\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>\u202edetrever\r\n\x9b31m"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAJECTORY_DIR", str(tmp_path / "t"))
    return tmp_path / "t"


def record(
    root: Path, session: str, *, text: str = "a shirt", end: str | None = "completed", finish: bool = True
) -> Path:
    start = RunStart(app="shop", user="u", session=session, model="m")
    run = Run(root, start, when_over=finish_session if finish else None)
    run.write(UserMessage(text=text))
    run.write(ModelCall(step=0, model="m", text=text, usage=Usage(prompt_tokens=3, completion_tokens=4)))
    run.write(ToolCall(step=0, call_id="c", tool="search", arguments={"keywords": text}, action=f"search[{text}]"))
    run.write(ToolStart(call_id="c"))
    run.write(ToolEnd(call_id="c", outcome="done", result={"observation": text}, reward=0.5, done=True))
    if end is not None:
        run.end(end)  # type: ignore[arg-type]
    records_writer.drain()
    files_writer.drain()
    return run.directory


@pytest.fixture
def chatted(cli) -> Iterator[str]:
    assert cli("chat", "a red cotton shirt under 30 dollars").code == 0
    files_writer.drain()
    yield cli("trajectory", "list", "--json").json[0]["session_id"]


def test_a_chat_is_listed_shown_replayed_and_exported(cli, chatted, tmp_path):
    [entry] = cli("trajectory", "list", "--json").json
    assert entry["instruction"] == "a red cotton shirt under 30 dollars" and entry["status"] == "completed"
    assert entry["model"] == "offline/shopper" and entry["actions"] > 0 and entry["tokens"] > 0
    shown = cli("trajectory", "show", chatted)
    assert shown.code == 0 and "search[red cotton shirt]  -> done" in shown.out
    assert cli("trajectory", "show", chatted, "--json").json["outcome"]["status"] == "completed"
    replayed = cli("trajectory", "replay", chatted, "--json")
    assert replayed.code == 0 and replayed.json["same"] is True and replayed.json["compared"] == entry["actions"] + 1
    rescored = cli("trajectory", "rescore", chatted, "--json")
    assert rescored.code == 0 and rescored.json == {"session_id": chatted, "same": True, "purchases": []}
    for fmt, read in {"execution": json.loads, "atif": json.loads, "messages": json.loads}.items():
        target = tmp_path / f"out.{fmt}"
        assert cli("trajectory", "export", chatted, "--format", fmt, "--output", target).code == 0
        assert isinstance(read(target.read_text(encoding="utf-8")), dict)


def test_many_sessions_are_exported_for_training(cli, root, tmp_path, monkeypatch):
    env = RecordTrajectory(gymnasium.make("WebAgentTextEnv-v0", observation_mode="text", num_products=60), root)
    server = env.unwrapped.server
    goals = [goals_of_split(server, split)[0] for split in ("train", "test")]
    for goal in goals:
        env.reset(options={"session": goal})
        env.step("search[lamp]")
        env.step("click[next >]")
    env.close()
    files_writer.drain()
    target = tmp_path / "all.jsonl"
    assert cli("trajectory", "export", "--all", "--format", "choices", "-o", target).code == 0
    found = list(read_choices(target))
    assert [(choice.action, choice.split) for choice in found] == [
        (action, split) for split in ("train", "test") for action in ("search[lamp]", "click[next >]")
    ]
    assert {choice.asin for choice in found} == {server.goal_table[goal].asin for goal in goals}
    assert cli("trajectory", "export", "--all", "--split", "test", "--format", "choices", "-o", target).code == 0
    assert {choice.split for choice in read_choices(target)} == {"test"}
    monkeypatch.chdir(tmp_path)
    names = [directory.name for directory in session_dirs(root)]
    assert cli("trajectory", "export", *names, "--format", "messages").out.strip() == "sessions.messages.jsonl"
    assert len((tmp_path / "sessions.messages.jsonl").read_bytes().splitlines()) == 2
    assert cli("trajectory", "export", names[0]).out.strip() == f"{names[0]}.execution.json"
    outcome = cli("trajectory", "export", *names, "--format", "atif")
    assert outcome.code == 1 and "choices" in outcome.err
    outcome = cli("trajectory", "export", "--all", "--split", "dev", "--format", "choices")
    assert outcome.code == 1 and "no session" in outcome.err
    for arguments in ([], [names[0], "--all"]):
        outcome = cli("trajectory", "export", *arguments)
        assert outcome.code == 2 and "--all" in outcome.err


def test_the_newest_session_comes_first(cli, root):
    for name in ("one", "two", "three"):
        record(root, name)
    assert [entry["session_id"] for entry in cli("trajectory", "list", "--json").json] == ["three", "two", "one"]
    listed = cli("trajectory", "list", "--limit", 2)
    assert "three" in listed.out and "one" not in listed.out and "1 more" in listed.err


def test_nothing_recorded_is_no_error(cli):
    listed = cli("trajectory", "list")
    assert listed.code == 0 and listed.out == "" and "Nothing has been recorded" in listed.err
    assert cli("trajectory", "list", "--json").json == []


@pytest.mark.parametrize("verb", ["show", "export", "recover", "view", "replay", "rescore"])
def test_an_unknown_session_is_named_and_exits_with_3(cli, root, verb):
    record(root, "known")
    outcome = cli("trajectory", verb, "\x1b[31munknown")
    assert outcome.code == 3 and "trajectory list" in outcome.err and "\x1b" not in outcome.err


def test_recording_switched_off_is_told(cli, monkeypatch):
    monkeypatch.setenv("TRAJECTORY_DIR", "off")
    outcome = cli("trajectory", "list")
    assert outcome.code == 2 and "TRAJECTORY_DIR" in outcome.err


def test_nothing_reaches_the_terminal_raw(cli, root):
    record(root, HOSTILE, text=HOSTILE)
    [directory] = session_dirs(root)
    for arguments in (["list"], ["show", directory.name], ["recover", directory.name]):
        outcome = cli("trajectory", *arguments)
        assert outcome.code == 0
        assert not set("\x1b\x07\x9b\u202e\r") & set(outcome.out + outcome.err), arguments


def test_recover_makes_the_files_of_sessions_that_died(cli, root):
    whole = record(root, "whole")
    died = record(root, "died", end=None, finish=False)
    log = next((died / "runs").glob("*.jsonl"))
    with log.open("ab") as file:
        file.write(b'{"v":1,"torn')
    outcome = cli("trajectory", "recover", "--json")
    assert outcome.code == 0 and outcome.json["failed"] == []
    [entry] = outcome.json["recovered"]
    assert entry["session_id"] == "died" and not (died / EXECUTION).read_text().startswith("{}")
    assert (whole / EXECUTION).exists()
    assert cli("trajectory", "recover", "--json").json["recovered"] == []


def test_prune_keeps_the_newest(cli, root):
    for number, name in enumerate(("old", "middle", "new")):
        log = next((record(root, name) / "runs").glob("*.jsonl"))
        os.utime(log, (1_000_000 + number, 1_000_000 + number))
    tried = cli("trajectory", "prune", "--keep-sessions", 1, "--dry-run", "--json").json
    assert len(tried["sessions"]) == 2 and len(session_dirs(root)) == 3
    assert cli("trajectory", "prune", "--keep-sessions", 1).code == 0
    [left] = session_dirs(root)
    assert left.name.startswith("new-")


def test_view_writes_one_page(cli, root, tmp_path):
    record(root, "one")
    target = tmp_path / "page.html"
    outcome = cli("trajectory", "view", "--output", target, "--no-open")
    assert outcome.code == 0 and outcome.out.strip() == str(target)
    assert target.read_text(encoding="utf-8").lower().startswith("<!doctype html>")


def test_a_file_that_is_no_trajectory_is_told(cli, tmp_path):
    for content in (
        "{}",
        "[1",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        '{"start": 3, "steps": {}}',
    ):
        file = tmp_path / "other.json"
        file.write_text(content, encoding="utf-8")
        outcome = cli("trajectory", "replay", file)
        assert outcome.code == 1 and "no execution_trajectory.json" in outcome.err


def test_every_verb_has_help(cli):
    for verb in ("list", "show", "export", "recover", "prune", "view", "replay", "rescore"):
        assert "Usage:" in cli("trajectory", verb, "--help").out
    assert "SESSION is a session's id" in cli("trajectory", "--help").out


@pytest.mark.parametrize("code", [0, 7, 27, 127, 0x9B, 0x200B, 0x202E, 0x2028, 0xFEFF, 0xD800, 0xE000])
def test_control_characters_are_shown_as_escapes(code):
    shown = printable(f"a{chr(code)}b")
    assert chr(code) not in shown and shown.startswith("a\\") and shown.endswith("b")
    assert shown.isascii()


def test_one_line_is_one_line():
    assert one_line("a\n b\t\tc") == "a b c"
    assert one_line("word " * 50, 10) == "word word…"
    assert sys.getsizeof(one_line("x" * 1000, 20)) < 200
