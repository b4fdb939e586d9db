"""Recording from many threads, in floods, around ends, exits and forks."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.config import MAX_PENDING_PAGES
from personalized_shopping.shared_libraries.trajectory import (
    RenderedPage,
    Run,
    RunLog,
    RunStart,
    ToolEnd,
    UserMessage,
    failure,
    read_log,
    read_session,
    recorder,
)
from personalized_shopping.shared_libraries.trajectory.layout import logs_of
from personalized_shopping.shared_libraries.trajectory.log import Health, is_being_written
from personalized_shopping.shared_libraries.trajectory.records import PageShown
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer

WAIT_S = 30


@pytest.fixture(autouse=True)
def health(monkeypatch: pytest.MonkeyPatch) -> Iterator[Health]:
    """Give each test a health of its own, and leave nothing waiting to the next."""
    own = Health()
    monkeypatch.setattr(recorder, "health", own)
    yield own
    records_writer.drain(WAIT_S)
    files_writer.drain(WAIT_S)


@pytest.fixture
def blocked() -> Iterator[threading.Event]:
    """Keep the writer's thread busy until the event is set."""
    go = threading.Event()
    records_writer.submit(lambda: go.wait(WAIT_S))
    yield go
    go.set()


def start_of(session: str) -> RunStart:
    return RunStart(app="app", user="user", session=session)


def page(number: int) -> Callable[[], RenderedPage]:
    return lambda: RenderedPage("item", f"<html>{number}</html>", f"page {number}")


def the_log(run: Run) -> RunLog:
    records_writer.drain(WAIT_S)
    (path,) = logs_of(run.directory)
    return read_log(path)


def assert_whole(log: RunLog) -> None:
    assert (log.bad_lines, log.missing) == (0, 0)
    assert [line.seq for line in log.lines] == list(range(len(log.lines)))


def test_eight_threads_with_eight_sessions_stay_apart(tmp_path: Path) -> None:
    runs: dict[str, Run] = {}

    def record(name: str) -> None:
        run = runs[name] = Run(tmp_path, start_of(name))
        for number in range(100):
            run.write(UserMessage(text=f"{name} {number}"))
            run.show({"at": number // 2}, page(number // 2))
        run.end("completed").result(WAIT_S)

    threads = [threading.Thread(target=record, args=(f"session {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)

    assert len(list(tmp_path.iterdir())) == 8
    for name, run in runs.items():
        log = the_log(run)
        assert_whole(log)
        assert {line.run_id for line in log.lines} == {run.run_id}
        messages = [line.record.text for line in log.lines if isinstance(line.record, UserMessage)]
        assert messages == [f"{name} {number}" for number in range(100)]
        assert sorted(page.page for page in pages_of(log)) == sorted({page.page for page in pages_of(log)})


def pages_of(log: RunLog) -> list[PageShown]:
    return [line.record for line in log.lines if isinstance(line.record, PageShown)]


def test_eight_threads_in_one_run_lose_nothing(tmp_path: Path) -> None:
    run = Run(tmp_path, start_of("s"))

    def record(thread: int) -> None:
        for number in range(100):
            run.write(UserMessage(text=f"{thread} {number}"))

    threads = [threading.Thread(target=record, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert run.end("completed").result(WAIT_S)
    log = the_log(run)
    assert_whole(log)
    messages = [line.record.text for line in log.lines if isinstance(line.record, UserMessage)]
    assert sorted(messages) == sorted(f"{thread} {number}" for thread in range(8) for number in range(100))
    for thread in range(8):
        own = [text for text in messages if text.startswith(f"{thread} ")]
        assert own == [f"{thread} {number}" for number in range(100)], "each thread's records keep their order"


def test_a_flood_of_pages_drops_pages_and_no_record(tmp_path: Path, blocked: threading.Event, health: Health) -> None:
    run = Run(tmp_path, start_of("s"))
    numbers = []
    for number in range(MAX_PENDING_PAGES + 50):
        numbers.append(run.show({"at": number}, page(number)))
        run.write(ToolEnd(call_id=str(number), outcome="done", result=number, page=numbers[-1]))
    blocked.set()
    assert run.end("completed").result(WAIT_S)

    log = the_log(run)
    assert_whole(log)
    assert numbers == list(range(MAX_PENDING_PAGES + 50))
    assert [shown.page for shown in pages_of(log)] == list(range(MAX_PENDING_PAGES))
    assert sum(isinstance(line.record, ToolEnd) for line in log.lines) == MAX_PENDING_PAGES + 50
    assert log.end is not None
    assert log.end.dropped_pages == 50
    assert health.dropped_pages == 50
    assert health.as_dict()["status"] == "ok", "no record is missing"
    assert run.show({"at": "later"}, page(0)) == MAX_PENDING_PAGES + 50


def test_after_a_flood_pages_are_taken_again(tmp_path: Path, blocked: threading.Event) -> None:
    run = Run(tmp_path, start_of("s"))
    for number in range(MAX_PENDING_PAGES + 1):
        run.show({"at": number}, page(number))
    blocked.set()
    records_writer.drain(WAIT_S)
    last = run.show({"at": "later"}, page(0))
    assert pages_of(the_log(run))[-1].page == last == MAX_PENDING_PAGES + 1
    run.end("completed")


def test_the_same_place_keeps_its_page(tmp_path: Path) -> None:
    run, rendered = Run(tmp_path, start_of("s")), []

    def render() -> RenderedPage:
        rendered.append(1)
        return RenderedPage("item", "<html>", "tree")

    places: list[Any] = [{"at": 1}, {"at": 1}, {"at": 2}, {"at": 2}, {"at": 1}]
    assert [run.show(place, render) for place in places] == [0, 0, 1, 1, 2]
    assert run.page == 2
    run.end("completed")
    log = the_log(run)
    assert [shown.page for shown in pages_of(log)] == [0, 1, 2]
    assert len(rendered) == 3
    assert len({shown.html for shown in pages_of(log)}) == 1


def test_a_page_that_cannot_be_rendered_is_counted(tmp_path: Path, health: Health) -> None:
    def render() -> RenderedPage:
        raise RuntimeError("no template")

    run = Run(tmp_path, start_of("s"))
    run.show({"at": 1}, render)
    assert run.end("completed").result(WAIT_S)
    log = the_log(run)
    (shown,) = pages_of(log)
    assert (shown.page, shown.kind, shown.html, shown.place) == (0, "unknown", None, {"at": 1})
    assert log.end is not None
    assert log.end.dropped_pages == 1
    assert health.as_dict()["status"] == "degraded"
    assert "no template" in str(health.problem)


def test_what_comes_after_the_end_is_ignored(tmp_path: Path) -> None:
    run = Run(tmp_path, start_of("s"))
    assert run.end("completed").result(WAIT_S)
    size = logs_of(run.directory)[0].stat().st_size
    assert not run.write(UserMessage(text="late")).result(WAIT_S)
    assert not run.end("error").result(WAIT_S)
    run.show({"at": 1}, page(1))
    log = the_log(run)
    assert log.path.stat().st_size == size
    assert not is_being_written(log.path), "the file is closed for good"
    assert log.status == "completed"


def test_what_another_thread_asks_for_while_the_run_ends_is_refused(tmp_path: Path) -> None:
    run = Run(tmp_path, start_of("s"))
    records_writer.drain(WAIT_S)
    go = threading.Event()
    records_writer.submit(lambda: go.wait(WAIT_S))
    ended = run.end("completed")
    run.ended = False  # as the other thread saw it a moment before
    late = run.write(UserMessage(text="late"))
    run.show({"at": 1}, page(1))
    go.set()
    assert ended.result(WAIT_S)
    assert not late.result(WAIT_S)
    log = the_log(run)
    assert log.end is log.lines[-1].record
    assert not is_being_written(log.path)


def test_whoever_stops_waiting_does_not_stop_the_writing(tmp_path: Path, blocked: threading.Event) -> None:
    run = Run(tmp_path, start_of("s"))
    futures = [run.write(UserMessage(text=str(number))) for number in range(20)]
    assert not any(future.cancel() for future in futures)
    blocked.set()
    assert all(future.result(WAIT_S) for future in futures)
    run.end("cancelled")
    assert_whole(the_log(run))
    assert len(the_log(run).lines) == 22


def test_what_is_made_from_the_log_is_made_after_the_last_record(tmp_path: Path) -> None:
    seen: list[tuple[str, str, bool]] = []

    def when_over(directory: Path) -> None:
        seen.append((threading.current_thread().name, read_session(directory).status, run.ended))

    run = Run(tmp_path, start_of("s"), when_over=when_over)
    assert run.end("error", ValueError("why")).result(WAIT_S)
    files_writer.drain(WAIT_S)
    ((thread, status, ended),) = seen
    assert (status, ended) == ("error", True)
    assert thread != threading.current_thread().name


def test_an_error_whose_text_fails_is_recorded_by_its_class() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert failure(None) is None
    assert failure(Mute()) == failure(type("Mute", (Exception,), {})())
    found = failure(KeyError("asin"))
    assert found is not None
    assert (found.type, found.message) == ("KeyError", "'asin'")


def test_calling_costs_no_waiting(tmp_path: Path, blocked: threading.Event) -> None:
    begun = time.perf_counter()
    run = Run(tmp_path, start_of("s"))
    for number in range(100):
        run.write(UserMessage(text="x" * 1000))
        run.show({"at": number}, page(number))
    run.end("completed")
    assert time.perf_counter() - begun < 2, "the writer is blocked; whoever records is not"
    assert not run.directory.exists()


def in_new_process(code: str, root: Path) -> str:
    """Run code in a process of its own, with ``root`` and what recording needs at hand, and return what it prints."""
    begin = f"""
        import atexit, os, sys, threading, time
        from pathlib import Path
        from personalized_shopping.shared_libraries.trajectory import *
        from personalized_shopping.shared_libraries.trajectory.writer import records_writer
        root = Path({str(root)!r})
        def run(name):
            return Run(root, RunStart(app="app", user="user", session=name))
        """
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(begin) + textwrap.dedent(code)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stderr == ""
    return done.stdout


def only_log(root: Path, session: str) -> RunLog:
    (directory,) = root.glob(f"{session}-*")
    (path,) = logs_of(directory)
    return read_log(path)


WAYS_TO_END = {
    "return": "",
    "exit": "sys.exit(0)",
    "thread": """
        def go_on():
            for number in range(300):
                recording.write(UserMessage(text=str(number)))
                time.sleep(0.0005 * (number % 3))
        threading.Thread(target=go_on).start()
        """,
    "at exit": "atexit.register(lambda: [recording.write(UserMessage(text=str(number))) for number in range(300)])",
    "end at exit": "atexit.register(lambda: recording.end('cancelled'))",
}


@pytest.mark.parametrize("way", sorted(WAYS_TO_END))
def test_at_the_end_of_the_interpreter_everything_is_on_disk(way: str, tmp_path: Path) -> None:
    code = """
        recording = run("s")
        for number in range(300):
            recording.write(UserMessage(text=f"first {number}"))
            recording.show({"at": number // 10}, lambda: RenderedPage("item", "html" * 5000, "tree" * 5000))
        """
    in_new_process(textwrap.dedent(code) + textwrap.dedent(WAYS_TO_END[way]), tmp_path)
    log = only_log(tmp_path, "s")
    assert_whole(log)
    texts = [line.record.text for line in log.lines if isinstance(line.record, UserMessage)]
    later = [str(number) for number in range(300)] if way in ("thread", "at exit") else []
    assert texts == [f"first {number}" for number in range(300)] + later
    assert len(pages_of(log)) == 30
    assert log.status == ("cancelled" if way == "end at exit" else "aborted")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_records_for_itself(tmp_path: Path) -> None:
    out = in_new_process(
        """
        import warnings; warnings.simplefilter("ignore")  # of threads beside a fork
        parent = run("parent")
        go = threading.Event()
        records_writer.submit(go.wait)
        for number in range(50):
            parent.write(UserMessage(text=str(number)))
        child = os.fork()
        if child == 0:
            own = run("child")
            for number in range(50):
                own.write(UserMessage(text=str(number)))
            print(own.end("completed").result(20), flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        go.set()
        print(parent.end("completed").result(20))
        """,
        tmp_path,
    )
    assert out.split() == ["True", "True"]
    for name in ("parent", "child"):
        log = only_log(tmp_path, name)
        assert_whole(log)
        assert len(log.lines) == 52, "the parent's queue is the parent's to write"
        assert log.status == "completed"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_does_not_keep_a_finished_run_alive(tmp_path: Path) -> None:
    out = in_new_process(
        """
        import warnings; warnings.simplefilter("ignore")  # of threads beside a fork
        from personalized_shopping.shared_libraries.trajectory.layout import logs_of
        from personalized_shopping.shared_libraries.trajectory.log import is_being_written
        recording = run("s")
        records_writer.drain()
        go_on, stop = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(stop)
            os.read(go_on, 1)
            os._exit(0)
        (log,) = logs_of(recording.directory)
        before = is_being_written(log)
        recording.end("completed").result(20)
        print(before, is_being_written(log))
        os.close(stop)
        os.waitpid(child, 0)
        """,
        tmp_path,
    )
    assert out.split() == ["True", "False"]
