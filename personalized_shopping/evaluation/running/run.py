"""One run, from its first episode to its report."""

import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from msgspec import Struct

from personalized_shopping.evaluation.running.directory import (
    Entry,
    RunDirectory,
    read_episodes,
    read_manifest,
)
from personalized_shopping.evaluation.running.manifest import (
    RunManifest,
    git_state,
    machine,
    now_utc,
    versions,
)
from personalized_shopping.evaluation.running.suite import Suite
from personalized_shopping.evaluation.running.workers import play_all
from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.metrics.summary import Summary, summarise

Told = Callable[[Entry, bool], None]
"""Told of each episode, and whether it was done in an earlier part of the run."""


class How(Struct, frozen=True, kw_only=True):
    """How a run is carried out; none of it changes a result, but for a time-out that strikes."""

    workers: int = 1
    timeout_s: float = 600.0
    retries: int = 2
    resume: bool = False


class Outcome(Struct, frozen=True, kw_only=True):
    """What a run came to."""

    directory: Path
    manifest: RunManifest
    summary: Summary
    episodes: list[Episode]

    @property
    def unjudged(self) -> int:
        """How many episodes failed for no fault of the agent."""
        return self.summary.episodes - self.summary.judged


def carry_out(suite: Suite, path: Path, how: How, *, name: str, command: str, told: Told | None = None) -> Outcome:
    """Play what a suite holds, write the results and the report.

    Args:
        suite: what is played.
        path: the run's directory.
        how: workers, time-out, retries, and whether a run is gone on with.
        name: what the run is called in reports.
        command: the command that repeats it.
        told: told of each episode.

    Raises:
        EvaluationError: where the directory holds another run.
    """
    from personalized_shopping.evaluation.report import write_report

    manifest = make_manifest(suite, how, name=name, command=command)
    directory = RunDirectory(path)
    if how.resume:
        directory.go_on(manifest)
        if directory.finished:
            write_report(path)
            return _finished(path)
    else:
        directory.begin(manifest)
    started = time.monotonic()

    def add(entry: Entry) -> None:
        directory.add(entry)
        if told is not None:
            told(entry, False)

    for entry in directory.done.values():
        if told is not None:
            told(entry, True)
    keys = suite.keys
    left = [key for key in keys if key not in directory.done]
    if left:
        play_all(suite, left, workers=how.workers, timeout_s=how.timeout_s, retries=how.retries, done=add)
    episodes = suite.finish([directory.done[key].episode for key in keys])
    summary = summary_of(manifest, episodes)
    worked = round(time.monotonic() - started, 1)
    manifest = msgspec.structs.replace(manifest, ended_at=now_utc(), seconds=worked)
    directory.finish(episodes, summary, manifest)
    write_report(path)
    return Outcome(directory=path, manifest=manifest, summary=summary, episodes=episodes)


def _finished(path: Path) -> Outcome:
    manifest, episodes = read_manifest(path), read_episodes(path)
    return Outcome(directory=path, manifest=manifest, summary=summary_of(manifest, episodes), episodes=episodes)


def summary_of(manifest: RunManifest, episodes: list[Episode]) -> Summary:
    """Return the numbers of a run; its own seed draws the intervals."""
    return summarise(episodes, seed=int(manifest.settings.get("seed") or 0))


def make_manifest(suite: Suite, how: How, *, name: str, command: str) -> RunManifest:
    """Return the manifest of a run that begins now."""
    facts = suite.facts()
    commit, changed = git_state()
    return RunManifest(
        suite=facts["suite"],
        name=name,
        command=command,
        settings=facts["settings"],
        shop=facts["shop"],
        tasks=facts["tasks"],
        versions=versions(),
        git_hash=commit,
        git_changed=changed,
        machine=machine(),
        started_at=now_utc(),
        workers=how.workers,
        timeout_s=how.timeout_s,
        retries=how.retries,
    )
