"""What surrounds a measured session: plugins, recording, a skill library of its own, and whose fault an end was."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from personalized_shopping import paths
from personalized_shopping.evaluation.agent_session import APP_NAME, Turn
from personalized_shopping.plugins import GuardPlugin, ToolStartPlugin, TrajectoryPlugin
from personalized_shopping.plugins.guard_model import configured_guard
from personalized_shopping.shared_libraries.metrics.episode import Status
from personalized_shopping.shared_libraries.skills.shared import close_shared
from personalized_shopping.shared_libraries.trajectory.layout import session_dir
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer

USER = "evaluation"
_LIBRARY = "SKILL_LIBRARY_DIR"
_ITS_OWN_FAULT = tuple(reason.name for reason in types.FinishReason)
"""Errors that a model's reply names itself; all others are those of its service."""


def ordinary_plugins(trajectories: Path | None) -> Sequence[BasePlugin]:
    """Return the plugins that the agent's app has: the recorder and the configured guard."""
    recorder = TrajectoryPlugin(lambda: trajectories)
    return [recorder, GuardPlugin(configured_guard, recorder), ToolStartPlugin(recorder)]


def status_of(turn: Turn) -> Status:
    """Return whether the agent is to be judged by a session that ended with this turn.

    A model's service that fails says nothing about the agent; a reply that cannot be used does.
    """
    if turn.ended == "error":
        return "system_error"
    own = turn.error.strip("'\"").startswith(_ITS_OWN_FAULT)
    return "system_error" if turn.ended == "model_error" and not own else "finished"


class Recording:
    """Where one session is recorded. What a killed attempt left there goes first.

    Args:
        root: where trajectories lie; ``None`` for nowhere.
        session_id: the session.
    """

    def __init__(self, root: Path | None, session_id: str) -> None:
        self._root = root
        self._directory = None if root is None else session_dir(root, APP_NAME, USER, session_id)
        self.drop()

    def finish(self) -> str | None:
        """Wait until all is written; return the session's directory, relative to that of the run."""
        if self._root is None or self._directory is None:
            return None
        records_writer.drain()
        files_writer.drain()
        return f"{self._root.name}/{self._directory.name}" if self._directory.exists() else None

    def drop(self) -> None:
        """Delete it."""
        if self._directory is not None and self._directory.exists():
            shutil.rmtree(self._directory)


@contextmanager
def own_skill_library() -> Iterator[None]:
    """Give a session a copy of the skill library: what runs of skills leave there must not reach the next session."""
    configured, before = paths.skill_library_dir(), os.environ.get(_LIBRARY)
    with tempfile.TemporaryDirectory(prefix="skills-") as scratch:
        copy = Path(scratch) / "library"
        if configured.is_dir():
            shutil.copytree(configured, copy)
        close_shared()
        os.environ[_LIBRARY] = str(copy)
        try:
            yield
        finally:
            close_shared()
            if before is None:
                del os.environ[_LIBRARY]
            else:
                os.environ[_LIBRARY] = before


def skill_library_hash() -> str | None:
    """Return the SHA-256 of the learned skills, names and contents; ``None`` where there are none."""
    directory = paths.skill_library_dir()
    files = sorted(path for path in directory.rglob("*") if path.is_file()) if directory.is_dir() else []
    if not files:
        return None
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"{path.relative_to(directory)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
