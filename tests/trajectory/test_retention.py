"""Old sessions are cleared away whole, and those that are being written stay."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.errors import SettingError
from personalized_shopping.shared_libraries.trajectory import (
    RenderedPage,
    Run,
    RunStart,
    finish,
    finish_session,
    layout,
    retention,
)
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor
from personalized_shopping.shared_libraries.trajectory.retention import Pruned, prune, prune_as_configured
from personalized_shopping.shared_libraries.trajectory.writer import records_writer

DAY_S = 86_400
WAIT_S = 30


def session(root: Path, name: str, age_days: float = 0.0, *, runs: int = 1, live: bool = False) -> Path:
    """Record a session whose last run was written to some days ago, the others each a hundred days before."""
    for number in range(runs):
        run = Run(root, RunStart(app="app", user="user", session=name), redactor=Redactor())
        run.show({}, lambda: RenderedPage("item", f"<p>{name}</p>" * 100, name))
        if not live:
            run.end("completed").result(WAIT_S)
        records_writer.drain(WAIT_S)
        (log,) = set(layout.logs_of(run.directory)) - set(_seen)
        _seen.append(log)
        then = time.time() - (age_days + 100 * (runs - 1 - number)) * DAY_S
        os.utime(log, (then, then))
        if live:
            _live.append(run)
    return run.directory


_seen: list[Path] = []
_live: list[Run] = []


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    yield
    while _live:
        _live.pop().end("completed").result(WAIT_S)
    _seen.clear()


def left(root: Path) -> set[str]:
    return {path.name.split("-")[0] for path in root.iterdir()}


def test_the_newest_stay(tmp_path: Path) -> None:
    for number in range(6):
        session(tmp_path, f"s{number}", age_days=number)
    done = prune(tmp_path, keep_sessions=2, keep_days=None)
    assert left(tmp_path) == {"s0", "s1"}
    assert [path.name[:2] for path in done.directories] == ["s2", "s3", "s4", "s5"], "newest first"


def test_the_old_go(tmp_path: Path) -> None:
    for age in (0, 5, 9.9, 10.1, 400):
        session(tmp_path, f"s{age}".replace(".", "_"), age_days=age)
    prune(tmp_path, keep_sessions=None, keep_days=10)
    assert left(tmp_path) == {"s0", "s5", "s9_9"}
    prune(tmp_path, keep_sessions=None, keep_days=0)
    assert left(tmp_path) == set()


def test_a_session_is_as_old_as_its_last_run(tmp_path: Path) -> None:
    session(tmp_path, "going", age_days=1, runs=3)
    session(tmp_path, "over", age_days=50, runs=3)
    prune(tmp_path, keep_sessions=None, keep_days=10)
    assert left(tmp_path) == {"going"}


def test_without_limits_everything_stays(tmp_path: Path) -> None:
    session(tmp_path, "s", age_days=10_000)
    assert prune(tmp_path, keep_sessions=None, keep_days=None) == Pruned([], 0)
    assert left(tmp_path) == {"s"}


def test_a_session_goes_whole_and_its_size_is_told(tmp_path: Path) -> None:
    directory = session(tmp_path, "s", age_days=20)
    (directory / layout.SCREENSHOTS).mkdir()
    (directory / layout.SCREENSHOTS / "a.png").write_bytes(b"x" * 1000)
    size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
    assert size > 1000
    looked = prune(tmp_path, keep_sessions=None, keep_days=10, dry_run=True)
    assert directory.exists()
    assert prune(tmp_path, keep_sessions=None, keep_days=10) == looked == Pruned([directory], size)
    assert not directory.exists()


def test_a_session_that_is_being_written_stays(tmp_path: Path) -> None:
    directory = session(tmp_path, "live", age_days=500, live=True)
    session(tmp_path, "old", age_days=400)
    assert [path.name[:3] for path in prune(tmp_path, keep_sessions=0, keep_days=1).directories] == ["old"]
    assert directory.exists()
    _live.pop().end("completed").result(WAIT_S)
    for log in layout.logs_of(directory):
        os.utime(log, (0, 0))
    assert prune(tmp_path, keep_sessions=0, keep_days=None).directories == [directory]


def test_a_session_that_is_just_being_made_is_new(tmp_path: Path) -> None:
    (tmp_path / "s-0123456789ab" / layout.RUNS).mkdir(parents=True)
    prune(tmp_path, keep_sessions=None, keep_days=10)
    assert left(tmp_path) == {"s"}


def test_what_is_no_session_stays(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "other" / "things").mkdir(parents=True)
    (tmp_path / "file" / "x").mkdir(parents=True)
    (tmp_path / "file" / "runs").write_text("a file")
    elsewhere = session(tmp_path.parent / "elsewhere", "linked", age_days=900)
    (tmp_path / "link").symlink_to(elsewhere, target_is_directory=True)
    prune(tmp_path, keep_sessions=0, keep_days=0)
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", "other", "file", "link"}
    assert layout.logs_of(elsewhere), "a link's target is not ours to clear away"
    assert prune(tmp_path / "nowhere", keep_sessions=0, keep_days=0) == Pruned([], 0)


@pytest.mark.parametrize("moment", ["age", "size"])
def test_two_processes_may_clear_away_at_once(moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directories = [session(tmp_path, f"s{number}", age_days=20 + number) for number in range(3)]
    real = retention.logs_of

    def meanwhile(directory: Path) -> Any:
        found = real(directory)
        if directory == directories[1] and (moment == "age" or len(calls) >= len(directories)):
            shutil.rmtree(directory, ignore_errors=True)
        calls.append(directory)
        return found

    calls: list[Path] = []
    monkeypatch.setattr(retention, "logs_of", meanwhile)
    prune(tmp_path, keep_sessions=None, keep_days=10)
    assert left(tmp_path) == set()


def test_the_settings_say_what_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for age in (1, 50, 100):
        session(tmp_path, f"s{age}", age_days=age)
    monkeypatch.setenv("TRAJECTORY_KEEP_SESSIONS", "all")
    monkeypatch.setenv("TRAJECTORY_KEEP_DAYS", "all")
    assert prune_as_configured(tmp_path).directories == []
    monkeypatch.delenv("TRAJECTORY_KEEP_DAYS")
    prune_as_configured(tmp_path)
    assert left(tmp_path) == {"s1", "s50"}
    monkeypatch.setenv("TRAJECTORY_KEEP_SESSIONS", "1")
    prune_as_configured(tmp_path)
    assert left(tmp_path) == {"s1"}
    monkeypatch.setenv("TRAJECTORY_KEEP_SESSIONS", "some")
    with pytest.raises(SettingError, match="TRAJECTORY_KEEP_SESSIONS"):
        prune_as_configured(tmp_path)


def test_the_first_finished_session_of_a_process_clears_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finish, "_first", type(finish._first)())
    monkeypatch.setenv("TRAJECTORY_KEEP_DAYS", "10")
    session(tmp_path, "old1", age_days=20)
    new = session(tmp_path, "new")
    finish_session(new)
    assert left(tmp_path) == {"new"}
    assert (new / layout.EXECUTION).exists()
    session(tmp_path, "old2", age_days=20)
    finish_session(new)
    assert left(tmp_path) == {"new", "old2"}, "once is enough"
