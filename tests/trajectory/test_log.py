"""How a log is written: whole lines or none, whatever the disk and the values do."""

import errno
import fcntl
import gzip
import json
import logging
import math
import os
import resource
import stat
import string
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.config import MAX_FIELD_BYTES, MAX_INLINE_CHARS, MAX_PAGE_BYTES
from personalized_shopping.shared_libraries.trajectory import (
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    RenderedPage,
    Run,
    RunLog,
    RunStart,
    StateChange,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
    layout,
    log,
    read_log,
    recorder,
)
from personalized_shopping.shared_libraries.trajectory.blobs import BlobStore
from personalized_shopping.shared_libraries.trajectory.log import Health, LogFile
from personalized_shopping.shared_libraries.trajectory.records import Blob, PageShown, Record
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor
from personalized_shopping.shared_libraries.trajectory.writer import records_writer

WAIT_S = 30
TIME = "2026-01-02T03:04:05.678Z"
LONG = "long " * MAX_INLINE_CHARS


@pytest.fixture(autouse=True)
def health(monkeypatch: pytest.MonkeyPatch) -> Iterator[Health]:
    own = Health()
    monkeypatch.setattr(recorder, "health", own)
    yield own
    records_writer.drain(WAIT_S)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    begun = Run(tmp_path, RunStart(app="app", user="user", session="s"), redactor=Redactor())
    records_writer.drain(WAIT_S)
    yield begun
    begun.end("completed").result(WAIT_S)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[LogFile]:
    """Return a log that the test writes itself, on its own thread."""
    made = LogFile(tmp_path / "s", "run", TIME, Redactor())
    yield made
    made.close()


def put(file: LogFile, record: Record, *, durable: bool = False) -> bool:
    return file.write(record, TIME, 1.0, durable=durable)


def the_log(run: Run) -> RunLog:
    records_writer.drain(WAIT_S)
    (path,) = layout.logs_of(run.directory)
    return read_log(path)


def strict_lines(path: Path) -> list[dict[str, Any]]:
    """Return a log's lines as a strict reader of JSON sees them."""

    def no_constant(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    data = path.read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line, parse_constant=no_constant) for line in data.decode().split("\n")[:-1] if line]


class Calls:
    """Calls of functions of the module ``os`` that have to do with one file."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
        self.seen: list[tuple[str, Any]] = []
        self._path = path
        self.real_open, self.real_write, self.real_fsync = os.open, os.write, os.fsync
        monkeypatch.setattr(os, "open", self._open)
        monkeypatch.setattr(os, "write", self._write)
        monkeypatch.setattr(os, "fsync", self._fsync)

    def is_it(self, descriptor: int) -> bool:
        return self._path.exists() and os.path.samestat(os.fstat(descriptor), self._path.stat())

    def _open(self, path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if Path(path) == self._path:
            self.seen.append(("open", flags))
        return self.real_open(path, flags, *rest, **named)

    def _write(self, descriptor: int, data: bytes) -> int:
        if self.is_it(descriptor):
            self.seen.append(("write", bytes(data)))
        return self.real_write(descriptor, data)

    def _fsync(self, descriptor: int) -> None:
        self.seen.append(("fsync", "log" if self.is_it(descriptor) else "other"))
        self.real_fsync(descriptor)


def test_each_record_is_one_appending_write(monkeypatch: pytest.MonkeyPatch, file: LogFile) -> None:
    calls = Calls(monkeypatch, file.path)
    records = [UserMessage(text="é" * 1000 * number) for number in range(3)] + [ToolStart(call_id="c")]
    for record in records:
        assert put(file, record)
    ((_, flags),) = [call for call in calls.seen if call[0] == "open"]
    assert flags & os.O_APPEND
    assert flags & os.O_EXCL
    writes = [data for name, data in calls.seen if name == "write"]
    assert len(writes) == len(records)
    assert all(data.endswith(b"\n") and data.count(b"\n") == 1 for data in writes)
    assert b"".join(writes) == file.path.read_bytes()
    assert [line["seq"] for line in strict_lines(file.path)] == [0, 1, 2, 3]


def test_only_its_owner_reads_it(run: Run) -> None:
    run.write(UserMessage(text=LONG), durable=True).result(WAIT_S)
    for path in run.directory.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert path.is_dir() or mode == 0o600, path
    assert stat.S_IMODE((run.directory / layout.RUNS).stat().st_mode) == 0o700


def test_a_durable_record_is_flushed_before_it_is_acknowledged(monkeypatch: pytest.MonkeyPatch, file: LogFile) -> None:
    put(file, UserMessage(text="first"))
    calls = Calls(monkeypatch, file.path)
    assert put(file, UserMessage(text="second"))
    assert [name for name, _ in calls.seen] == ["write"]
    calls.seen.clear()
    assert put(file, UserMessage(text="third"), durable=True)
    assert [name for name, _ in calls.seen] == ["write", "fsync"]
    calls.seen.clear()
    assert put(file, UserMessage(text=LONG), durable=True)
    assert [call for call in calls.seen if call[0] == "write"] == [calls.seen[-2]]
    assert calls.seen[-1] == ("fsync", "log")
    assert calls.seen[:-2] == [("fsync", "other"), ("fsync", "other")], "the blob and its directory, before the line"


def test_a_durable_record_flushes_a_blob_that_was_there_already(monkeypatch: pytest.MonkeyPatch, file: LogFile) -> None:
    put(file, UserMessage(text=LONG))
    calls = Calls(monkeypatch, file.path)
    put(file, UserMessage(text=LONG), durable=True)
    assert [name for name, _ in calls.seen] == ["fsync", "fsync", "write", "fsync"]
    calls.seen.clear()
    put(file, UserMessage(text=LONG), durable=True)
    assert [name for name, _ in calls.seen] == ["write", "fsync"], "once is enough"


@pytest.mark.parametrize(
    "record", [Decision(call_id="c", decision="allow", source="rule"), Confirmation(call_id="c", confirmed=True)]
)
def test_decisions_are_durable_by_themselves(record: Record, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(monkeypatch, layout.logs_of(run.directory)[0])
    assert run.write(record).result(WAIT_S)
    assert calls.seen[-1] == ("fsync", "log")
    calls.seen.clear()
    assert run.write(UserMessage(text="x")).result(WAIT_S)
    assert [name for name, _ in calls.seen] == ["write"]


def test_a_flush_that_fails_is_told_and_leaves_the_numbering_whole(
    monkeypatch: pytest.MonkeyPatch, run: Run, health: Health
) -> None:
    def fails(_descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        assert not run.write(UserMessage(text="x"), durable=True).result(WAIT_S)
    assert health.as_dict()["status"] == "degraded"
    assert run.write(UserMessage(text="y"), durable=True).result(WAIT_S)
    found = the_log(run)
    assert [line.seq for line in found.lines] == [0, 1, 2]
    assert found.missing == 0


def test_a_torn_tail_costs_one_record(file: LogFile) -> None:
    for number in range(5):
        put(file, UserMessage(text=str(number)))
    file.close()
    whole = file.path.read_bytes()
    start_of_last = whole.rindex(b"\n", 0, -1) + 1
    for cut in range(start_of_last, len(whole)):
        file.path.write_bytes(whole[:cut])
        found = read_log(file.path)
        assert len(found.lines) == 4
        assert found.bad_lines == (cut > start_of_last)
        assert found.status == "aborted"
    assert len(read_log(file.path).lines) == 4


def test_a_write_that_the_disk_cuts_short_spoils_no_other_record(
    monkeypatch: pytest.MonkeyPatch, run: Run, health: Health, caplog: pytest.LogCaptureFixture
) -> None:
    real = os.write
    full = [False]

    def write(descriptor: int, data: bytes) -> int:
        if not full[0]:
            return real(descriptor, data)
        if data.startswith(b"\n"):  # not even the rest of the last one
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(descriptor, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", write)
    assert run.write(UserMessage(text="before")).result(WAIT_S)
    full[0] = True
    with caplog.at_level(logging.WARNING):
        assert [run.write(UserMessage(text=f"lost {number}")).result(WAIT_S) for number in range(3)] == [False] * 3
    full[0] = False
    assert run.write(UserMessage(text="after")).result(WAIT_S)
    assert run.end("completed").result(WAIT_S)

    found = the_log(run)
    assert [line.record.text for line in found.lines if isinstance(line.record, UserMessage)] == ["before", "after"]
    assert [line.seq for line in found.lines] == [0, 1, 2, 3]
    assert (found.bad_lines, found.missing) == (1, 0)
    assert found.end is not None
    assert found.end.lost_records == 3
    assert health.as_dict()["status"] == "degraded"
    assert health.lost_records == 3
    assert len([entry for entry in caplog.records if "incomplete" in entry.message]) == 1, "the operator is told once"


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    code = f"""
import resource
from pathlib import Path
from personalized_shopping.shared_libraries.trajectory import *
run = Run(Path({str(tmp_path)!r}), RunStart(app="a", user="u", session="s"))
def write(count, text):
    return sum(run.write(UserMessage(text=text * 50)).result(20) for _ in range(count))
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
first = write(5, "before")
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, most))
full = write(20, "full")
resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
last = write(5, "after")
print(first, full, last, run.end("completed").result(20), health.as_dict()["lost_records"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    first, full, last, ended, lost = done.stdout.split()
    assert (first, last, ended) == ("5", "5", "True")
    assert int(full) + int(lost) == 20
    (path,) = tmp_path.glob("*/runs/*.jsonl")
    found = read_log(path)
    assert found.bad_lines == 1
    assert [line.seq for line in found.lines] == list(range(12 + int(full)))
    assert sum("after" in str(line.record) for line in found.lines) == 5
    assert "incomplete" in done.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 3000


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EMFILE])
def test_a_directory_that_takes_nothing_stops_nobody(
    number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, health: Health
) -> None:
    real = os.open

    def refuses(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if flags & os.O_CREAT and Path(path).is_relative_to(tmp_path):
            raise OSError(number, os.strerror(number))
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", refuses)
    run = Run(tmp_path, RunStart(app="app", user="user", session="s"))
    assert not run.write(UserMessage(text="x")).result(WAIT_S)
    assert run.show({"at": 1}, lambda: RenderedPage("item", "html", "tree")) == 0
    assert not run.write(UserMessage(text=LONG), durable=True).result(WAIT_S)
    assert not run.end("completed").result(WAIT_S)
    assert os.strerror(number) in str(run.problem)
    found = health.as_dict()
    assert (found["status"], found["lost_records"], found["dropped_pages"]) == ("degraded", 5, 1)
    assert os.strerror(number) in found["problem"]


def test_a_log_begins_when_the_disk_comes_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", lambda *_args, **_named: (_ for _ in ()).throw(OSError(errno.EROFS, "read-only")))
        run = Run(tmp_path, RunStart(app="app", user="user", session="s"))
        assert not run.write(UserMessage(text="lost")).result(WAIT_S)
    assert run.write(UserMessage(text="kept")).result(WAIT_S)
    assert run.end("completed").result(WAIT_S)
    found = the_log(run)
    assert [line.seq for line in found.lines] == [0, 1]
    assert found.end is not None
    assert found.end.lost_records == 2


def test_a_file_system_without_locks_is_good_enough(monkeypatch: pytest.MonkeyPatch, file: LogFile) -> None:
    def no_locks(_descriptor: Any, _operation: int) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    assert all(put(file, UserMessage(text=str(number))) for number in range(20))
    file.close()
    assert [line["seq"] for line in strict_lines(file.path)] == list(range(20))
    assert before == 0 or len(os.listdir("/proc/self/fd")) == before
    assert read_log(file.path).status == "aborted"


def test_another_runs_log_is_never_continued(file: LogFile) -> None:
    put(file, UserMessage(text="mine"))
    file.close()
    before = file.path.read_bytes()
    other = LogFile(file.directory, "run", TIME, Redactor())
    assert other.path == file.path
    assert not put(other, UserMessage(text="other"))
    assert not put(other, UserMessage(text="other"))
    assert file.path.read_bytes() == before
    assert put(file, UserMessage(text="mine again")), "its own run may open it again"
    assert [line["seq"] for line in strict_lines(file.path)] == [0, 1]


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


def ring() -> list[Any]:
    found: list[Any] = [1]
    found.append(found)
    return found


ODD_VALUES: list[Any] = [
    b"\xff" * 5,
    math.nan,
    [math.inf, -math.inf],
    ring(),
    "x" * 5_000_000,
    {"text": "y" * 5_000_000},
    ["z" * 900_000] * 10,
    "half \ud800 of a pair",
    {"\ud800": "\udfff"},
    {1, 2},
    np.arange(5),
    np.array([math.nan]),
    Unprintable(),
    ValueError("why"),
    10**400,
    {1: "a", "1": "b", None: "c"},
    "line\nbreak\r\u2028\x00\x1b[0m",
    object,
    None,
    {"$blob": 1},
    {"$blob": {"sha256": "0" * 64, "bytes": 1, "content_type": "text/html"}},
    {"$missing": "really"},
]


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: type(value).__name__)
def test_no_value_breaks_a_log(value: Any, run: Run) -> None:
    records: list[Record] = [
        ToolEnd(call_id="a", outcome="done", result=value),
        ToolEnd(call_id="b", outcome="done", result={"deep": [value]}, info=value, purchase=value, scored=value),
        Decision(call_id="b", decision="block", source="rule", facts=value, world_model=value, extra=value),
        StateChange(author="user", delta={"value": value}),
        UserMessage(text="after"),
    ]
    assert [run.write(record).result(WAIT_S) for record in records] == [True] * 5
    found = the_log(run)
    assert (found.bad_lines, found.missing) == (0, 0)
    assert [line["seq"] for line in strict_lines(found.path)] == list(range(6))
    assert found.path.stat().st_size < 20 * MAX_INLINE_CHARS
    first = found.lines[1].record
    assert isinstance(first, ToolEnd)
    json.dumps(first.result, allow_nan=False)


@pytest.mark.parametrize(
    "record",
    [
        ToolEnd(call_id="c", outcome="failed", result=1, reward=math.nan, duration_ms=math.inf),
        Decision(call_id="c", decision="block", source="rule", risk_score=math.nan, threshold=0.5),
        ModelCall(step=0, text="answer", latency_ms=math.inf, usage=Usage(prompt_tokens=2**70)),
        Failure,
    ],
    ids=["tool", "decision", "model", "failure"],
)
def test_a_number_that_is_none_costs_only_itself(record: Any, run: Run) -> None:
    if record is Failure:
        record = ToolEnd(call_id="c", outcome="failed", result=1, error=Failure(type="E", message=b"bytes"))  # type: ignore[arg-type]
    assert run.write(record).result(WAIT_S)
    found = the_log(run)
    assert found.bad_lines == 0
    kept = found.lines[1].record
    assert type(kept) is type(record)
    if isinstance(kept, ToolEnd):
        assert (kept.call_id, kept.outcome, kept.reward, kept.duration_ms) == ("c", "failed", None, None)
    if isinstance(kept, Decision):
        assert (kept.decision, kept.risk_score, kept.threshold) == ("block", None, 0.5)
    if isinstance(kept, ModelCall):
        assert (kept.text, kept.latency_ms) == ("answer", None)


def blob_files(run: Run) -> list[Path]:
    return sorted((run.directory / layout.BLOBS).rglob("*.gz"))


def test_a_long_field_lies_beside_the_log_once_and_comes_back(run: Run) -> None:
    result = {"page": LONG, "list": list(range(100)), "é\u2028": None}
    failure = Failure(type="E", message=LONG)
    for _ in range(3):
        run.write(ToolEnd(call_id="c", outcome="done", result=result, error=failure)).result(WAIT_S)
        run.write(UserMessage(text=LONG)).result(WAIT_S)
        run.show({"at": LONG}, lambda: RenderedPage("item", LONG, "tree"))
    found = the_log(run)
    ends = [line.record for line in found.lines if isinstance(line.record, ToolEnd)]
    assert [(end.result, end.error) for end in ends] == [(result, failure)] * 3
    assert [line.record.text for line in found.lines if isinstance(line.record, UserMessage)] == [LONG] * 3
    (shown,) = [line.record for line in found.lines if isinstance(line.record, PageShown)]
    assert shown.place == {"at": LONG}
    assert shown.html is not None
    assert found.path.stat().st_size < 6000
    assert len(blob_files(run)) == 6, "result, error, text, place, and the page twice"


@pytest.mark.parametrize("length", [MAX_INLINE_CHARS - 2, MAX_INLINE_CHARS - 1])
def test_the_limit_of_what_stands_in_the_log(length: int, run: Run) -> None:
    run.write(UserMessage(text="x" * length)).result(WAIT_S)
    assert bool(blob_files(run)) == (length + 2 > MAX_INLINE_CHARS), "with the quotes"
    assert the_log(run).lines[1].record == UserMessage(text="x" * length)


@given(
    inner=st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text(string.printable, max_size=6), st.lists, max_leaves=9
    ),
    data=st.data(),
)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_json_comes_back_as_it_was(inner: Any, data: st.DataObject, tmp_path: Path) -> None:
    keys = st.sampled_from(["$blob", "$missing", "$cut", "a", "b"])
    value = data.draw(st.dictionaries(keys, st.just(inner), max_size=2)) | data.draw(
        st.dictionaries(keys, st.sampled_from([LONG, 1]), max_size=1)
    )
    file = LogFile(tmp_path / os.urandom(6).hex(), "run", TIME, Redactor())
    assert put(file, ToolEnd(call_id="c", outcome="done", result=value))
    file.close()
    end = read_log(file.path).lines[0].record
    assert isinstance(end, ToolEnd)
    assert end.result == value


def test_a_field_beyond_every_limit_leaves_a_marker(run: Run) -> None:
    run.write(ToolEnd(call_id="c", outcome="done", result=["ab" * 450_000] * 10)).result(WAIT_S)
    end = the_log(run).lines[1].record
    assert isinstance(end, ToolEnd)
    assert set(end.result) == {"$cut"}
    assert str(MAX_FIELD_BYTES) in end.result["$cut"]


def test_a_page_beyond_its_limit_is_cut_and_marked(run: Run) -> None:
    run.show({}, lambda: RenderedPage("item", "é" * MAX_PAGE_BYTES, "tree"))
    shown = the_log(run).lines[1].record
    assert isinstance(shown, PageShown)
    assert shown.html is not None
    assert (shown.html.truncated, shown.html.bytes) == (True, MAX_PAGE_BYTES)
    assert BlobStore(run.directory / layout.BLOBS).get(shown.html) == "é" * (MAX_PAGE_BYTES // 2)


def test_pages_beyond_the_runs_limit_are_dropped_and_counted(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(log, "MAX_RUN_PAGE_BYTES", 10_000)
    for number in range(5):
        run.show({"at": number}, lambda number=number: RenderedPage("item", str(number) * 4000, "tree"))  # type: ignore[misc]
    run.end("completed").result(WAIT_S)
    found = the_log(run)
    pages = [line.record for line in found.lines if isinstance(line.record, PageShown)]
    assert [page.html is not None for page in pages] == [True, True, True, False, False]
    assert [page.a11y is not None for page in pages] == [True, True, False, False, False]
    assert found.end is not None
    assert found.end.dropped_pages == 3, "the pages that lack something"


def spoiled(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "missing":
        path.unlink()
    elif how == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "flipped":
        path.write_bytes(data[:30] + bytes([data[30] ^ 0xFF]) + data[31:])
    elif how == "other content":
        path.write_bytes(gzip.compress(b'"other"'))
    elif how == "no archive":
        path.write_bytes(b"plain text")


@pytest.mark.parametrize("how", ["missing", "cut", "empty", "flipped", "other content", "no archive"])
def test_a_damaged_blob_leaves_a_marker_and_nothing_else_is_lost(how: str, run: Run) -> None:
    run.write(ToolEnd(call_id="c", outcome="done", result={"long": LONG}, reward=0.5)).result(WAIT_S)
    run.write(UserMessage(text=LONG)).result(WAIT_S)
    run.write(ModelCall(step=0, text="short", calls=[LONG], usage=Usage(total_tokens=7))).result(WAIT_S)
    run.write(StateChange(author="user", delta={"long": LONG})).result(WAIT_S)
    run.write(ToolEnd(call_id="c", outcome="failed", result=1, error=Failure(type="E", message=LONG))).result(WAIT_S)
    for path in blob_files(run):
        spoiled(path, how)
    found = the_log(run)
    assert (found.bad_lines, found.missing) == (0, 0)
    end, message, call, change, failed = (line.record for line in found.lines[1:])
    assert isinstance(end, ToolEnd)
    assert end.reward == 0.5
    assert set(end.result) == {"$missing"}
    assert "blob" in end.result["$missing"]
    assert isinstance(message, UserMessage)
    assert "blob" in message.text
    assert isinstance(call, ModelCall)
    assert (call.text, call.usage) == ("short", Usage(total_tokens=7))
    assert "blob" in call.calls[0]
    assert isinstance(change, StateChange)
    assert set(change.delta) == {"$missing"}
    assert isinstance(failed, ToolEnd)
    assert failed.error is not None
    assert "blob" in failed.error.message


def test_a_blob_that_is_no_blob_is_not_read_from_elsewhere(tmp_path: Path, run: Run) -> None:
    secret = tmp_path / "elsewhere.gz"
    secret.write_bytes(gzip.compress(b'"secret"'))
    path = layout.logs_of(run.directory)[0]
    for reference in ({"sha256": "../../../../elsewhere", "bytes": 8, "content_type": "x"}, 5, {"sha256": 1}, None):
        line = {**json.loads(path.read_text().splitlines()[0]), "seq": 1, "type": "tool_end", "call_id": "c"}
        line |= {"outcome": "done", "result": {"$blob": reference}}
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
    ends = [line.record for line in the_log(run).lines if isinstance(line.record, ToolEnd)]
    assert len(ends) == 4
    assert all(set(end.result) == {"$missing"} for end in ends)


def test_a_blob_is_written_whole_or_not_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    store = BlobStore(tmp_path)

    def fails(_old: Any, _new: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fails)
        with pytest.raises(OSError, match="No space"):
            store.put("text", "text/plain", 100)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert store.get(store.put("text", "text/plain", 100)) == "text"


def test_the_content_names_the_blob(tmp_path: Path) -> None:
    first, second = BlobStore(tmp_path), BlobStore(tmp_path)
    blob = first.put("text \ud800", "text/plain", 100)
    (path,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    made = path.stat().st_mtime_ns
    assert second.put("text \ud800", "text/html", 100).sha256 == blob.sha256
    assert first.path(blob.sha256) == path
    assert path.stat().st_mtime_ns == made
    assert blob == Blob(sha256=blob.sha256, bytes=6, content_type="text/plain")
