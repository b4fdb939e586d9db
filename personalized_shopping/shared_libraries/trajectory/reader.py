"""Reading logs back, whole ones and those of runs that died."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import layout
from personalized_shopping.shared_libraries.trajectory.blobs import BlobStore
from personalized_shopping.shared_libraries.trajectory.log import BLOB_KEY, is_being_written
from personalized_shopping.shared_libraries.trajectory.records import (
    RECORD_TYPES,
    SCHEMA_VERSION,
    Blob,
    Line,
    RunEnd,
    RunStart,
)


class RunLog(NamedTuple):
    """What a log holds.

    ``bad_lines`` counts lines that are torn or unreadable, ``missing`` records that the numbering shows to be gone.
    ``live`` is true while a process writes it.
    """

    path: Path
    lines: list[Line]
    bad_lines: int
    missing: int
    live: bool

    @property
    def start(self) -> RunStart | None:
        """The first record, if it survived."""
        return next((line.record for line in self.lines if isinstance(line.record, RunStart)), None)

    @property
    def end(self) -> RunEnd | None:
        """The last record; without one, the run goes on or died."""
        return next((line.record for line in reversed(self.lines) if isinstance(line.record, RunEnd)), None)

    @property
    def status(self) -> str:
        """How the run ended, ``running``, or ``aborted``: it died without a word."""
        if self.end is not None:
            return self.end.status
        return "running" if self.live else "aborted"


def read_log(path: Path) -> RunLog:
    """Read a run's log. A record counts only if its line is whole.

    Raises:
        TrajectoryError: if the file cannot be opened, or a later version of this program wrote it.
    """
    live = is_being_written(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TrajectoryError(f"{path} cannot be read: {error.strerror}.") from None
    blobs = BlobStore(path.parent.parent / layout.BLOBS)
    lines: list[Line] = []
    bad = 0
    *whole, torn = data.split(b"\n")
    bad += bool(torn) and not live
    for raw in whole:
        if not raw:
            continue
        line = _read_line(raw, blobs, path)
        if line is None:
            bad += 1
        elif line is not _UNKNOWN:
            lines.append(line)
    missing = (lines[-1].seq + 1 - len(lines)) if lines else 0
    return RunLog(path, lines, bad, max(missing, 0), live)


_UNKNOWN = Line(v=0, run_id="", seq=0, time="", offset_ms=0.0, record=RunStart(app="", user="", session=""))
"""Stands for a record of a type that only a later version knows."""


def _read_line(raw: bytes, blobs: BlobStore, path: Path) -> Line | None:
    try:
        fields = json.loads(raw)
    except ValueError:  # UnicodeDecodeError is one too
        return None
    if not isinstance(fields, dict):
        return None
    version = fields.get("v")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise TrajectoryError(
            f"{path} has version {version}, and this program reads up to {SCHEMA_VERSION}. Update it to read this log."
        )
    kind = RECORD_TYPES.get(str(fields.get("type")))
    if kind is None:
        return _UNKNOWN
    envelope = {name: fields.pop(name, None) for name in ("v", "run_id", "seq", "time", "offset_ms")}
    try:
        record = msgspec.convert({name: _whole(value, blobs) for name, value in fields.items()}, kind)
        return Line(record=record, **msgspec.convert(envelope, dict[str, Any]))
    except (msgspec.ValidationError, TypeError):
        return None


def _whole(value: Any, blobs: BlobStore) -> Any:
    """Return a field with what lies beside the log put back."""
    if not (isinstance(value, dict) and len(value) == 1 and BLOB_KEY in value):
        return value
    try:
        return json.loads(blobs.get(msgspec.convert(value[BLOB_KEY], Blob)))
    except (TrajectoryError, ValueError) as error:
        return {"$missing": str(error)}
