"""Clearing old sessions away, by number and by age. A session goes whole, with its blobs and pictures."""

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from personalized_shopping.config import limit
from personalized_shopping.shared_libraries.trajectory.layout import logs_of, session_dirs
from personalized_shopping.shared_libraries.trajectory.log import is_being_written

_DAY_S = 86_400


@dataclass(frozen=True)
class Pruned:
    """What was (or would be) cleared away."""

    directories: list[Path]
    bytes: int


def prune_as_configured(root: Path) -> Pruned:
    """Clear away what the settings ``TRAJECTORY_KEEP_SESSIONS`` and ``TRAJECTORY_KEEP_DAYS`` do not keep."""
    return prune(root, keep_sessions=limit("TRAJECTORY_KEEP_SESSIONS"), keep_days=limit("TRAJECTORY_KEEP_DAYS"))


def prune(root: Path, *, keep_sessions: int | None, keep_days: int | None, dry_run: bool = False) -> Pruned:
    """Clear away sessions; one that is being written stays.

    Args:
        root: the trajectory directory.
        keep_sessions: how many stay, the newest; ``None`` for all.
        keep_days: sessions whose last run is older go; ``None`` for none.
        dry_run: only tell what would go.
    """
    newest_first = sorted(((_age_of(path), path) for path in session_dirs(root)), reverse=True)
    oldest = time.time() - keep_days * _DAY_S if keep_days is not None else 0.0
    going: list[Path] = []
    freed = 0
    for place, (changed, path) in enumerate(newest_first):
        too_many = keep_sessions is not None and place >= keep_sessions
        if not too_many and changed >= oldest:
            continue
        if any(is_being_written(log) for log in logs_of(path)):
            continue
        freed += sum(found.st_size for found in _stats(path.rglob("*")) if stat.S_ISREG(found.st_mode))
        going.append(path)
        if not dry_run:
            shutil.rmtree(path, ignore_errors=True)
    return Pruned(going, freed)


def _age_of(directory: Path) -> float:
    """Return when a session's last run was written to, in seconds since the epoch."""
    times = [found.st_mtime for found in _stats(logs_of(directory))]
    return max(times or [found.st_mtime for found in _stats([directory])], default=0.0)


def _stats(paths: Iterable[Path]) -> Iterator[os.stat_result]:
    """Yield what is known of files, except of those that another process has cleared away meanwhile."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            yield path.stat()
