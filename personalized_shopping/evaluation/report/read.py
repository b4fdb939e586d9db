"""Reading a run directory: the numbers, the episodes, and how long they took."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.running.directory import (
    MANIFEST,
    SUMMARY,
    TIMINGS,
    read_episodes,
    read_timings,
)
from personalized_shopping.shared_libraries.metrics.episode import Episode


class Run(Struct, frozen=True):
    """A run as its directory holds it. ``seconds`` is how long each episode took, by the episode's key."""

    directory: Path
    manifest: Mapping[str, Any]
    summary: Mapping[str, Any]
    episodes: list[Episode]
    seconds: Mapping[str, float]

    @property
    def judged(self) -> list[Episode]:
        """The episodes by which the agent is judged."""
        return [episode for episode in self.episodes if episode.status == "finished"]

    def setting(self, *names: str) -> Any:
        """Return the first of these settings that the manifest has: at its top, in ``settings`` or in ``shop``."""
        inner = (self.manifest.get("settings"), self.manifest.get("shop"))
        places = [self.manifest, *(place for place in inner if isinstance(place, Mapping))]
        for name in names:
            for place in places:
                if place.get(name) not in (None, ""):
                    return place[name]
        return None


def read_run(directory: Path) -> Run:
    """Read a run directory.

    Raises:
        EvaluationError: when it is none, or one of its files cannot be read.
    """
    timings = read_timings(directory) if (directory / TIMINGS).exists() else []
    return Run(
        directory=directory,
        manifest=_mapping(directory / MANIFEST),
        summary=_mapping(directory / SUMMARY),
        episodes=read_episodes(directory),
        seconds={timing.key: timing.seconds for timing in timings},
    )


def _mapping(path: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: Path, error: Exception) -> EvaluationError:
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return EvaluationError(f"{path} cannot be read: {said}. Is {path.parent} the directory of a finished run?")
