"""Where things lie on disk; nothing else decides it."""

import os
import sys
from pathlib import Path

from personalized_shopping.config import setting

APP_DIR_NAME = "personalized-shopping"


def data_dir() -> Path:
    """Return the directory of everything that this program writes: ``DATA_DIR`` or the user's data directory."""
    configured = setting("DATA_DIR")
    if configured:
        return Path(configured).expanduser().absolute()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / APP_DIR_NAME


def catalogs_dir() -> Path:
    """Return the directory of the catalogues that were built without naming a place."""
    return data_dir() / "catalogs"


def cache_dir() -> Path:
    """Return the directory of derived files, which may be deleted at any time."""
    return data_dir() / "cache"


def demo_catalog_dir(products: int, seed: int) -> Path:
    """Return where the demo catalogue of this size and seed lies."""
    return catalogs_dir() / f"demo-{products}-{seed}"


def trajectory_dir() -> Path | None:
    """Return where trajectories are recorded: ``TRAJECTORY_DIR`` or a directory of its own; ``None`` when it is off."""
    configured = setting("TRAJECTORY_DIR")
    if configured.lower() == "off":
        return None
    return Path(configured).expanduser().absolute() if configured else data_dir() / "trajectories"


def evaluations_dir() -> Path:
    """Return the directory of the evaluation runs that were not given a place."""
    return data_dir() / "evaluations"


def skill_library_dir() -> Path:
    """Return where learned skills lie: ``SKILL_LIBRARY_DIR`` or a directory of its own."""
    return _configured("SKILL_LIBRARY_DIR", "skills")


def skill_workspace_dir() -> Path:
    """Return where captures of pages lie: ``SKILL_WORKSPACE_DIR`` or a directory of its own."""
    return _configured("SKILL_WORKSPACE_DIR", "workspace")


def _configured(name: str, default: str) -> Path:
    configured = setting(name)
    return Path(configured).expanduser().absolute() if configured else data_dir() / default
