"""Where what lies in a trajectory directory.

``<root>/<session>-<hash>/`` holds one session: ``runs/<UTC time>-<run>.jsonl`` is one log per run, ``blobs/`` what the
logs refer to, ``screenshots/`` pictures of pages, ``execution_trajectory.json`` the whole session for other programs.
"""

import hashlib
import re
from pathlib import Path

RUNS = "runs"
BLOBS = "blobs"
SCREENSHOTS = "screenshots"
EXECUTION = "execution_trajectory.json"
LOG_SUFFIX = ".jsonl"
_NAME_CHARS = 60


def session_dir(root: Path, app: str, user: str, session: str) -> Path:
    """Return the directory of a session: its id, made fit for a file name, and a hash that tells it from all others."""
    digest = hashlib.sha256("\0".join((app, user, session)).encode("utf-8", "replace")).hexdigest()[:12]
    return root / f"{file_name(session)}-{digest}"


def log_name(time_utc: str, run_id: str) -> str:
    """Return a log's file name, which sorts by the time of the run's start.

    Args:
        time_utc: the time as in the records.
        run_id: the run.
    """
    stamp = re.sub(r"[^0-9TZ]", "", time_utc)
    return f"{stamp}-{file_name(run_id)}{LOG_SUFFIX}"


def file_name(text: str) -> str:
    """Return a text as a part of a file name: letters, digits, ``_`` and ``-``."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:_NAME_CHARS].strip("-") or "unnamed"


def logs_of(directory: Path) -> list[Path]:
    """Return a session's logs, oldest first."""
    return sorted((directory / RUNS).glob(f"*{LOG_SUFFIX}"))


def session_dirs(root: Path) -> list[Path]:
    """Return the directories of all sessions, in no order."""
    try:
        return [path for path in root.iterdir() if (path / RUNS).is_dir()]
    except OSError:
        return []
