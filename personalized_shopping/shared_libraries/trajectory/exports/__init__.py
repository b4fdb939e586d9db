"""Sessions in the formats of other programs, made from the logs alone."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.blobs import write_whole
from personalized_shopping.shared_libraries.trajectory.execution import execution_trajectory
from personalized_shopping.shared_libraries.trajectory.exports.atif import atif
from personalized_shopping.shared_libraries.trajectory.exports.choices import (
    Choice,
    SplitOf,
    choice_lines,
    choices,
    read_choices,
)
from personalized_shopping.shared_libraries.trajectory.exports.common import storable
from personalized_shopping.shared_libraries.trajectory.exports.inspect_log import inspect_log
from personalized_shopping.shared_libraries.trajectory.exports.messages import messages, messages_line
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory

__all__ = [
    "FORMATS",
    "Choice",
    "Format",
    "atif",
    "choice_lines",
    "choices",
    "export_session",
    "export_sessions",
    "inspect_log",
    "messages",
    "read_choices",
]

Encode = Callable[[Sequence[SessionTrajectory], SplitOf | None], bytes]


class Format(NamedTuple):
    """A format: the end of its files' names, whether a file holds many sessions, and what makes the file's content."""

    suffix: str
    many: bool
    encode: Encode


def _one_document(make: Callable[[SessionTrajectory], object]) -> Encode:
    def encode(sessions: Sequence[SessionTrajectory], split_of: SplitOf | None) -> bytes:
        [session] = sessions
        return json.dumps(storable(make(session)), ensure_ascii=False, allow_nan=False, indent=1).encode()

    return encode


def _choices(sessions: Sequence[SessionTrajectory], split_of: SplitOf | None) -> bytes:
    return b"".join(choice_lines(choices(session, split_of)) for session in sessions)


FORMATS: dict[str, Format] = {
    "execution": Format("execution.json", False, _one_document(execution_trajectory)),
    "atif": Format("atif.json", False, _one_document(atif)),
    "inspect": Format("eval", True, lambda sessions, split_of: inspect_log(sessions)),
    "messages": Format("messages.jsonl", True, lambda sessions, split_of: b"".join(map(messages_line, sessions))),
    "choices": Format("choices.jsonl", True, _choices),
}


def export_session(session: SessionTrajectory, format: str, path: Path) -> Path:
    """Write a session in a format, whole or not at all, and return where it is; see ``export_sessions``."""
    return export_sessions([session], format, path)


def export_sessions(
    sessions: Sequence[SessionTrajectory], format: str, path: Path, *, split_of: SplitOf | None = None
) -> Path:
    """Write sessions into one file, whole or not at all, and return where it is.

    Args:
        sessions: at least one; more only where the format holds many.
        format: one of ``FORMATS``.
        path: the file; what is there already is replaced.
        split_of: names the split of a product, for the formats that tell it.

    Raises:
        TrajectoryError: when the format is unknown, cannot hold what it should, or the file cannot be written.
    """
    if format not in FORMATS:
        raise TrajectoryError(f"There is no format {format!r}. There are: {', '.join(FORMATS)}.")
    chosen = FORMATS[format]
    if not sessions:
        raise TrajectoryError("There is no session to export.")
    if len(sessions) > 1 and not chosen.many:
        many = ", ".join(name for name, other in FORMATS.items() if other.many)
        raise TrajectoryError(
            f"A file of the format {format} holds one session, not {len(sessions)}. {many} hold many."
        )
    try:
        data = chosen.encode(sessions, split_of)
    except ValueError as error:  # not-a-number, which a log can hold and JSON cannot
        raise TrajectoryError(f"{sessions[0].directory.name} cannot be written as {format}: {error}") from None
    try:
        write_whole(path, data)
    except OSError as error:
        raise TrajectoryError(f"{path} cannot be written: {error.strerror}.") from None
    return path
