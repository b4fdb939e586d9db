"""The one library of skills and the one program runtime that the process shares, opened on first use."""

import threading
from pathlib import Path
from typing import Any

from personalized_shopping import paths
from personalized_shopping.config import setting
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime

BUILTIN = Path(__file__).parent / "shipped" / "library"
"""The skills that come with the program, in the layout of a library."""

_lock = threading.RLock()
_opened: dict[str, Any] = {}


def get_library() -> SkillLibrary:
    """Return the configured library over the shipped skills."""
    with _lock:
        if "library" not in _opened:
            _opened["library"] = SkillLibrary(paths.skill_library_dir(), BUILTIN)
        library: SkillLibrary = _opened["library"]
        return library


def get_runtime() -> ProgramRuntime:
    """Return the runtime that ``SKILL_RUNTIME`` names.

    Raises:
        SkillError: where it is not installed, or there is none of this name.
    """
    with _lock:
        if "runtime" not in _opened:
            _opened["runtime"] = open_runtime(setting("SKILL_RUNTIME"))
        runtime: ProgramRuntime = _opened["runtime"]
        return runtime


def close_shared() -> None:
    """Forget what was opened, so that the next use opens what is configured then."""
    with _lock:
        library = _opened.get("library")
        if isinstance(library, SkillLibrary):
            library.close()
        _opened.clear()
