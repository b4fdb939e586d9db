"""Where programs run: pydantic-monty, or RestrictedPython in a limited child process. Nobody replaces one silently."""

from personalized_shopping.config import choices
from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.runtime.base import (
    DEFAULT_LIMITS,
    Limits,
    ProgramResult,
    ProgramRuntime,
)
from personalized_shopping.shared_libraries.skills.runtime.host_calls import Cancel, FailureKind, HostCall

__all__ = [
    "DEFAULT_LIMITS",
    "RUNTIMES",
    "Cancel",
    "FailureKind",
    "HostCall",
    "Limits",
    "ProgramResult",
    "ProgramRuntime",
    "open_runtime",
]

RUNTIMES = choices("SKILL_RUNTIME")
"""The names of the runtimes, the usual one first."""


def open_runtime(name: str = "monty") -> ProgramRuntime:
    """Return a program runtime by its name; it is never another one than the one that was asked for.

    Raises:
        SkillError: for an unknown name, or when what the runtime needs is not installed.
    """
    if name == "monty":
        from personalized_shopping.shared_libraries.skills.runtime.monty import MontyRuntime

        return MontyRuntime()
    if name == "restricted":
        from personalized_shopping.shared_libraries.skills.runtime.restricted import RestrictedRuntime

        return RestrictedRuntime()
    raise SkillError(f"There is no program runtime {shorten(name)}. Use one of: {', '.join(RUNTIMES)}.")
