"""Runs: workers, time-outs, retries, kills, and going on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.running.directory import Entry, RunDirectory, read_episodes, read_manifest
from personalized_shopping.evaluation.running.run import How, Outcome, carry_out
from personalized_shopping.shared_libraries.metrics.episode import Timing
from tests.evaluation.running.fakes import FakeSuite

ROOT = Path(__file__).resolve().parents[3]
RESULTS = ("episodes.jsonl", "summary.json", "summary.md", "episodes.csv")
GOOD = [f"good-{number:02d}" for number in range(12)]


def carried_out(tmp_path: Path, names: list[str], how: How | None = None, out: str = "run") -> Outcome:
    (tmp_path / "scratch").mkdir(exist_ok=True)
    suite = FakeSuite(names=names, scratch=tmp_path / "scratch")
    return carry_out(suite, tmp_path / out, how or How(retries=1), name="fake", command="eval fake")


def same_results(a: Path, b: Path) -> bool:
    return all((a / name).read_bytes() == (b / name).read_bytes() for name in RESULTS)


def test_one_worker_and_two_write_the_same_files(tmp_path: Path) -> None:
    carried_out(tmp_path, GOOD, How(workers=1), "one")
    carried_out(tmp_path, GOOD, How(workers=2), "two")
    assert same_results(tmp_path / "one", tmp_path / "two")
    assert [episode.task_id for episode in read_episodes(tmp_path / "two")] == GOOD


def test_what_differs_each_time_lies_in_files_of_its_own(tmp_path: Path) -> None:
    outcome = carried_out(tmp_path, GOOD[:2])
    assert not (outcome.directory / "journal.jsonl").exists()
    timings = [json.loads(line) for line in (outcome.directory / "timings.jsonl").read_text().splitlines()]
    assert {timing["key"] for timing in timings} == {"good-00#0", "good-01#0"}
    manifest = read_manifest(outcome.directory)
    assert manifest.started_at and manifest.ended_at and manifest.versions["personalized-shopping"]


def test_a_system_error_is_tried_again_and_a_time_out_is_not(tmp_path: Path) -> None:
    names = ["good-a", "once-b", "raises-c", "dies-d", "slow-e"]
    outcome = carried_out(tmp_path, names, How(workers=2, timeout_s=8, retries=1))
    status = {episode.task_id: (episode.status, episode.ended) for episode in outcome.episodes}
    assert status["good-a"] == status["once-b"] == ("finished", "bought")
    assert status["raises-c"] == status["dies-d"] == ("system_error", "error")
    assert status["slow-e"] == ("finished", "timeout")
    tries = {name: len((tmp_path / "scratch" / name).read_text()) for name in names}
    assert tries == {"good-a": 1, "once-b": 2, "raises-c": 2, "dies-d": 2, "slow-e": 1}
    assert outcome.unjudged == 2


def test_a_directory_with_a_run_is_not_written_over(tmp_path: Path) -> None:
    carried_out(tmp_path, GOOD[:1])
    with pytest.raises(EvaluationError, match="--resume"):
        carried_out(tmp_path, GOOD[:1])


def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    carried_out(tmp_path, GOOD[:1])
    with pytest.raises(EvaluationError, match="another one"):
        carried_out(tmp_path, GOOD[:2], How(resume=True))


def test_what_is_not_there_is_not_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no evaluation run"):
        carried_out(tmp_path, GOOD[:1], How(resume=True))


def test_a_finished_run_that_is_resumed_stays_as_it_is(tmp_path: Path) -> None:
    before = carried_out(tmp_path, GOOD[:3])
    texts = {name: (before.directory / name).read_bytes() for name in RESULTS}
    carried_out(tmp_path, GOOD[:3], How(resume=True))
    assert texts == {name: (before.directory / name).read_bytes() for name in RESULTS}
    assert (tmp_path / "scratch" / GOOD[0]).read_text() == "x", "nothing is played again"


def test_half_a_line_is_not_an_episode(tmp_path: Path) -> None:
    outcome = carried_out(tmp_path, GOOD[:2], out="whole")
    half = tmp_path / "half"
    half.mkdir()
    (half / "manifest.json").write_bytes((outcome.directory / "manifest.json").read_bytes())
    first = Entry(episode=outcome.episodes[0], timing=_timing(outcome.episodes[0].key))
    line = msgspec.json.encode(first) + b"\n"
    (half / "journal.jsonl").write_bytes(line + line[: len(line) // 2])
    directory = RunDirectory(half)
    directory.go_on(outcome.manifest)
    assert list(directory.done) == ["good-00#0"]
    assert (half / "journal.jsonl").read_bytes() == line
    carried_out(tmp_path, GOOD[:2], How(resume=True), "half")
    assert same_results(outcome.directory, half)


def test_a_run_killed_at_any_moment_and_resumed_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    carried_out(tmp_path, GOOD, out="whole")
    script = (
        "from pathlib import Path\n"
        "from tests.evaluation.running.test_run import *\n"
        f"carried_out(Path({str(tmp_path)!r}), GOOD, How(workers=2), 'killed')\n"
    )
    running = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, start_new_session=True)
    journal = tmp_path / "killed" / "journal.jsonl"
    wanted = random.Random(os.getpid()).randrange(1, 8)
    deadline = time.monotonic() + 60
    while running.poll() is None and time.monotonic() < deadline:
        if journal.exists() and journal.read_bytes().count(b"\n") >= wanted:
            break
        time.sleep(0.002)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    if not (tmp_path / "killed" / "episodes.jsonl").exists():
        with pytest.raises(EvaluationError, match="not finished"):
            read_episodes(tmp_path / "killed")
    carried_out(tmp_path, GOOD, How(resume=True), "killed")
    assert same_results(tmp_path / "whole", tmp_path / "killed")


def test_what_is_no_run_is_said_to_be_none(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no evaluation run"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(EvaluationError, match="cannot be read"):
        read_manifest(tmp_path)


def _timing(key: str) -> Timing:
    return Timing(key=key, seconds=0.1)
