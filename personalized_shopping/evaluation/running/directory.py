"""A run on disk.

``manifest.json`` says what is run, ``journal.jsonl`` holds a line for each episode that is done, in the order in which
they were. When all are done, ``episodes.jsonl`` (the same on any number of workers) and ``timings.jsonl`` take its
place, and ``summary.json`` stands beside them. ``trajectories/`` holds recorded sessions.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.running.manifest import FORMAT, RunManifest, differences
from personalized_shopping.shared_libraries.metrics.episode import Episode, Timing
from personalized_shopping.shared_libraries.metrics.summary import Summary

MANIFEST, JOURNAL, EPISODES = "manifest.json", "journal.jsonl", "episodes.jsonl"
TIMINGS, SUMMARY, TRAJECTORIES = "timings.jsonl", "summary.json", "trajectories"
SYNC_EVERY_S = 5.0
"""Policies play some hundred episodes a second, which no disk can acknowledge one by one."""
T = TypeVar("T")


class Entry(Struct, frozen=True, kw_only=True):
    """A line of the journal."""

    episode: Episode
    timing: Timing


class RunDirectory:
    """Writes a run, a line an episode; a line counts when it is whole.

    Args:
        path: the run's directory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Entry] = {}
        """The entries of the episodes that are done, by name."""
        self._synced = 0.0

    @property
    def finished(self) -> bool:
        """Whether all episodes are done."""
        return (self.path / EPISODES).exists()

    def begin(self, manifest: RunManifest) -> None:
        """Write the manifest of a new run.

        Raises:
            EvaluationError: where the directory holds a run or cannot be written.
        """
        if (self.path / MANIFEST).exists():
            raise EvaluationError(
                f"There is a run at {self.path} already. Go on with it by --resume, or name another place with --out."
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            write_json(self.path / MANIFEST, manifest)
        except OSError as error:
            raise EvaluationError(f"The run cannot be written to {self.path}: {error.strerror}.") from error

    def go_on(self, manifest: RunManifest) -> None:
        """Read what a run has done so far.

        Raises:
            EvaluationError: where there is no run, or one with other settings or another shop.
        """
        other = differences(read_manifest(self.path), manifest)
        if other:
            raise EvaluationError(f"The run at {self.path} is another one: {'; '.join(other)}.")
        try:
            lines = (self.path / JOURNAL).read_bytes().split(b"\n")
        except FileNotFoundError:
            lines = []
        whole = 0
        for line in lines[:-1]:  # what comes after the last line end was cut off by the kill
            entry = msgspec.json.decode(line, type=Entry)
            self.done[entry.episode.key] = entry
            whole += len(line) + 1
        if lines:
            os.truncate(self.path / JOURNAL, whole)

    def add(self, entry: Entry) -> None:
        """Write an episode down. A kill cannot take it back any more; a power cut can for ``SYNC_EVERY_S``."""
        with (self.path / JOURNAL).open("ab") as journal:
            journal.write(msgspec.json.encode(entry) + b"\n")
            journal.flush()
            if time.monotonic() - self._synced >= SYNC_EVERY_S:
                os.fsync(journal.fileno())
                self._synced = time.monotonic()
        self.done[entry.episode.key] = entry

    def finish(self, episodes: list[Episode], summary: Summary, manifest: RunManifest) -> None:
        """Write the results; the journal goes when they are all there."""
        timings = sorted((entry.timing for entry in self.done.values()), key=lambda timing: timing.key)
        write_json(self.path / SUMMARY, summary)
        write_json(self.path / MANIFEST, manifest)
        write_lines(self.path / TIMINGS, timings)
        write_lines(self.path / EPISODES, episodes)
        (self.path / JOURNAL).unlink(missing_ok=True)


def read_manifest(path: Path) -> RunManifest:
    """Return the manifest of a run.

    Raises:
        EvaluationError: where there is none that this program reads.
    """
    manifest = _read(path / MANIFEST, RunManifest)
    if manifest.format != FORMAT:
        raise EvaluationError(f"The run at {path} has format {manifest.format}; this program reads {FORMAT}.")
    return manifest


def read_episodes(path: Path) -> list[Episode]:
    """Return the episodes of a finished run.

    Raises:
        EvaluationError: where there is no finished run.
    """
    if not (path / EPISODES).exists() and (path / JOURNAL).exists():
        raise EvaluationError(f"The run at {path} is not finished. Go on with it by --resume.")
    return _read_lines(path / EPISODES, Episode)


def read_timings(path: Path) -> list[Timing]:
    """Return how long the episodes of a finished run took."""
    return _read_lines(path / TIMINGS, Timing)


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON that people can read, whole or not at all."""
    _write(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def write_lines(path: Path, values: Sequence[Any]) -> None:
    """Write values as JSON Lines, whole or not at all."""
    _write(path, msgspec.json.Encoder().encode_lines(values))


def _write(path: Path, data: bytes) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)


def _read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise EvaluationError(f"There is no evaluation run at {path.parent}: it has no {path.name}.") from None
    except (OSError, msgspec.DecodeError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}.") from None


def _read_lines(path: Path, kind: type[T]) -> list[T]:
    try:
        return msgspec.json.Decoder(kind).decode_lines(path.read_bytes())
    except FileNotFoundError:
        raise EvaluationError(f"There is no finished evaluation run at {path.parent}: it has no {path.name}.") from None
    except (OSError, msgspec.DecodeError) as error:
        raise EvaluationError(f"{path} cannot be read: {error}.") from None
