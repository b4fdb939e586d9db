"""One run's log, as it is written: append-only, one system call a record."""

import contextlib
import json
import logging
import os
import threading
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.config import MAX_FIELD_BYTES, MAX_INLINE_CHARS, MAX_PAGE_BYTES, MAX_RUN_PAGE_BYTES
from personalized_shopping.shared_libraries.trajectory import layout
from personalized_shopping.shared_libraries.trajectory.blobs import BlobStore, sync_directory
from personalized_shopping.shared_libraries.trajectory.plain_json import plain_json
from personalized_shopping.shared_libraries.trajectory.records import SCHEMA_VERSION, Blob, Record
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor

try:
    import fcntl
except ImportError:  # no such locks on Windows: there a reader cannot tell a run that goes on from one that died
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

BLOB_KEY = "$blob"
"""A field that lies beside the log is the mapping ``{"$blob": reference}``."""


class LogFile:
    """A run's log. Only one thread, the writer's, may use it; nothing here raises.

    Args:
        directory: the session's directory.
        run_id: the run.
        started: the time of its start, as in the records.
        redactor: what must not be written.
    """

    def __init__(self, directory: Path, run_id: str, started: str, redactor: Redactor) -> None:
        self.directory = directory
        self.run_id = run_id
        self.path = directory / layout.RUNS / layout.log_name(started, run_id)
        self.redactor = redactor
        self.blobs = BlobStore(directory / layout.BLOBS)
        self.problem: str | None = None
        """Why the log is incomplete, if it is."""
        self.lost = 0
        """How many records could not be written."""
        self._page_bytes = 0
        self._seq = 0
        self._descriptor: int | None = None
        self._made = False
        self._torn = False

    def write(self, record: Record, time: str, offset_ms: float, *, durable: bool) -> bool:
        """Append a record, and return whether it is written, and on the disk where that was asked for."""
        try:
            line = self._line(record, time, offset_ms, durable=durable)
            self._append(line, durable=durable)
        except Exception as error:
            self.lost += 1
            self.report(error)
            return False
        return True

    def put_page(self, text: str, content_type: str) -> Blob | None:
        """Store a page's rendering; ``None`` when the run has stored as much as it may, or the disk refuses."""
        if self._page_bytes > MAX_RUN_PAGE_BYTES:
            return None
        try:
            blob = self.blobs.put(self.redactor.text(text), content_type, MAX_PAGE_BYTES)
        except OSError as error:
            self.report(error)
            return None
        self._page_bytes += blob.bytes
        return blob

    def close(self) -> None:
        """Close the file. A further record would open it again."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            if fcntl is not None:
                with contextlib.suppress(OSError):
                    fcntl.flock(descriptor, fcntl.LOCK_UN)  # a forked process may still have the file open
            os.close(descriptor)

    def _line(self, record: Record, time: str, offset_ms: float, *, durable: bool) -> bytes:
        fields: dict[str, Any] = {
            "v": SCHEMA_VERSION,
            "run_id": self.run_id,
            "seq": self._seq,
            "time": time,
            "offset_ms": round(offset_ms, 3),
            "type": type(record).__struct_config__.tag,
        }
        defaults = dict(zip(reversed(record.__struct_fields__), reversed(record.__struct_defaults__), strict=False))
        for name, value in msgspec.structs.asdict(record).items():
            # Only plain values are compared: what a tool gave may not like to be.
            if name in defaults and (value is None or isinstance(value, str | int | float)) and value == defaults[name]:
                continue
            fields[name] = self._field(plain_json(value, self.redactor.text), durable=durable)
        return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"

    def _field(self, value: Any, *, durable: bool) -> Any:
        """Return a field's value, or a reference where the value is long."""
        if not isinstance(value, str | dict | list) or not value:
            return value
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        looks_like_one = isinstance(value, dict) and BLOB_KEY in value
        if len(text) <= MAX_INLINE_CHARS and not looks_like_one:
            return value
        blob = self.blobs.put(text, "application/json", MAX_FIELD_BYTES, durable=durable)
        return {BLOB_KEY: msgspec.to_builtins(blob)}

    def _append(self, line: bytes, *, durable: bool) -> None:
        descriptor = self._open()
        if self._torn:
            line = b"\n" + line  # what a failed write left behind must not spoil this record
        written = os.write(descriptor, line)
        self._torn = written != len(line)
        if self._torn:
            raise OSError(f"only {written} of {len(line)} bytes could be written")
        self._seq += 1  # the line is there, whether or not the disk takes it
        if durable:
            os.fsync(descriptor)

    def _open(self) -> int:
        if self._descriptor is None:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            first = os.O_EXCL if not self._made else 0  # never a part of another run's log
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | first, 0o600)
            self._made = True
            if fcntl is not None:
                with contextlib.suppress(OSError):  # some network file systems have no locks
                    fcntl.flock(self._descriptor, fcntl.LOCK_EX)  # waits at most for a reader that just looks
            for directory in (self.path.parent, self.directory, self.directory.parent):
                sync_directory(directory)
        return self._descriptor

    def report(self, error: Exception) -> None:
        """Say once to the operator that the log is incomplete, and remember why."""
        if self.problem is None:
            logger.warning("The trajectory %s is incomplete from here on: %s", self.path, error)
        self.problem = f"{type(error).__name__}: {error}"


def is_being_written(path: Path) -> bool:
    """Return whether a living process holds the log open for writing."""
    try:
        with path.open("rb") as file:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class Health:
    """What the recorder of this process has to say to its operator."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.lost_records = 0
        self.dropped_pages = 0
        self.problem: str | None = None

    def add(self, *, lost: int = 0, dropped: int = 0, problem: str | None = None) -> None:
        """Count what was not written, and keep the last reason."""
        with self._lock:
            self.lost_records += lost
            self.dropped_pages += dropped
            self.problem = problem or self.problem

    def as_dict(self) -> dict[str, Any]:
        """Return ``{"status": "ok" | "degraded", "lost_records", "dropped_pages", "problem"}``."""
        status = "degraded" if self.lost_records or self.problem else "ok"
        return {
            "status": status,
            "lost_records": self.lost_records,
            "dropped_pages": self.dropped_pages,
            "problem": self.problem,
        }


health = Health()
"""Of the whole process."""
