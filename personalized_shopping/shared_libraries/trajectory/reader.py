"""Reading logs back, whole ones and those of runs that died."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

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
    Record,
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
    numbers: set[int] = set()
    bad = 0
    *whole, torn = data.split(b"\n")
    bad += bool(torn) and not live
    for raw in filter(None, whole):
        found = _read_line(raw, blobs, path)
        if found is None:
            bad += 1
            continue
        envelope, record = found
        numbers.add(envelope.seq)
        if record is not None:
            lines.append(Line(record=record, **msgspec.structs.asdict(envelope)))
    missing = max(numbers) + 1 - len(numbers) if numbers else 0
    return RunLog(path, lines, bad, missing, live)


class _Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """What every line has; see ``Line``."""

    v: int
    run_id: str
    seq: Annotated[int, msgspec.Meta(ge=0)]
    time: str
    offset_ms: float


def _read_line(raw: bytes, blobs: BlobStore, path: Path) -> tuple[_Envelope, Record | None] | None:
    """Return a line's envelope and record; no record where only a later version knows its type."""
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError):  # UnicodeDecodeError is a ValueError too
        return None
    if not isinstance(fields, dict):
        return None
    version = fields.get("v")
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise TrajectoryError(
            f"{path} has version {version}, and this program reads up to {SCHEMA_VERSION}. Update it to read this log."
        )
    kind = RECORD_TYPES.get(str(fields.get("type")))
    try:
        envelope = msgspec.convert(fields, _Envelope)
        return envelope, _record(fields, kind, blobs) if kind is not None else None
    except msgspec.ValidationError:
        return None


def _record(fields: dict[str, Any], kind: type[Record], blobs: BlobStore) -> Record:
    whole = {name: _whole(fields[name], blobs) for name in kind.__struct_fields__ if name in fields}
    try:
        return msgspec.convert({**whole, "type": fields["type"]}, kind)
    except msgspec.ValidationError:
        # One field that is damaged, or was no number (a reward that is NaN), must not cost the record.
        mended = {
            field.name: usable[0]
            for field in msgspec.structs.fields(kind)
            if field.name in whole and (usable := [v for v in _stand_ins(whole[field.name]) if fits(v, field.type)])
        }
        return msgspec.convert({**mended, "type": fields["type"]}, kind)


def _stand_ins(value: Any) -> Iterator[Any]:
    """Yield a field's value, and what can stand for it where another type is wanted."""
    yield value
    reason = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    text = f"[{reason}]" if isinstance(reason, str) else json.dumps(value)
    yield from (text, [text], {"type": "Unreadable", "message": text})


def fits(value: Any, wanted: Any) -> bool:
    """Return whether a value out of a log is of a type."""
    try:
        msgspec.convert(value, wanted)
    except msgspec.ValidationError:
        return False
    return True


def _whole(value: Any, blobs: BlobStore) -> Any:
    """Return a field with what lies beside the log put back."""
    if not (isinstance(value, dict) and len(value) == 1 and BLOB_KEY in value):
        return value
    try:
        blob = msgspec.convert(value[BLOB_KEY], Blob)
        if blob.truncated:
            return {"$cut": f"The field was too long. The blob {blob.sha256} holds its first {blob.bytes} bytes."}
        return json.loads(blobs.get(blob))
    except (TrajectoryError, ValueError, RecursionError) as error:
        return {"$missing": str(error)}
