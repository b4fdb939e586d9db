"""What the command's exit codes mean; `personalized-shopping --help` prints this table."""

from enum import IntEnum

from personalized_shopping.errors import (
    CatalogNotFound,
    CatalogVersionError,
    EngineUnavailable,
    IndexMismatch,
    IndexNotFound,
    ModelError,
    SettingError,
    ShoppingError,
    TrajectoryNotFound,
)


class ExitCode(IntEnum):
    """Name every way in which a verb can end."""

    OK = 0
    FAILED = 1
    USAGE = 2
    MISSING = 3
    UNEXPECTED = 4
    WAITING = 5
    INTERRUPTED = 130


MEANING = {
    ExitCode.OK: "done",
    ExitCode.FAILED: "a check failed, or the input cannot be used",
    ExitCode.USAGE: "a wrong option, argument or setting",
    ExitCode.MISSING: "something needed is missing or does not fit: catalogue, index, engine, model, trajectory",
    ExitCode.UNEXPECTED: "an error that should not happen; --debug shows where",
    ExitCode.WAITING: "the agent waits for an answer to go on (chat with a query)",
    ExitCode.INTERRUPTED: "interrupted with Ctrl-C",
}

_MISSING = (
    CatalogNotFound,
    CatalogVersionError,
    IndexNotFound,
    IndexMismatch,
    EngineUnavailable,
    ModelError,
    TrajectoryNotFound,
)


def code_of(error: ShoppingError) -> ExitCode:
    """Return the exit code that an error of ours ends the command with."""
    if isinstance(error, SettingError):
        return ExitCode.USAGE
    return ExitCode.MISSING if isinstance(error, _MISSING) else ExitCode.FAILED
