"""What stands between a program and the world: only known methods, checked arguments, counted calls."""

import inspect
import time
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Any, Literal, Protocol

from personalized_shopping.errors import ShoppingError, shorten
from personalized_shopping.shared_libraries.skills.model import MAX_SELECTOR_CHARS
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS, World, WorldError

MAX_CALL_TEXT_CHARS = 10_000
"""Longest text that a program may type."""
MAX_CALL_TIMEOUT_MS = 10_000
"""Longest wait that one call may ask for; a longer one is shortened to this."""
MAX_ANSWER_CHARS = 1_000_000
"""Most characters that one call may bring into a program."""

FailureKind = Literal[
    "syntax",
    "refused",
    "error",
    "time",
    "memory",
    "calls",
    "output",
    "result",
    "crashed",
    "busy",
    "cancelled",
    "reported",
]
"""Why a program failed.

``syntax``: it is no program; ``refused``: it asked for what programs may not have; ``error``: it raised; ``time``,
``memory``, ``calls``, ``output``: it passed a limit; ``result``: it returned something else than a result; ``crashed``:
the interpreter died; ``busy``: no interpreter was free; ``cancelled``: somebody stopped it; ``reported``: it returned
``ok: false``.
"""


class Cancel(Protocol):
    """What stops a run: a ``threading.Event``, or anything else with this method."""

    def is_set(self) -> bool:
        """Return whether the run shall stop."""
        ...


@dataclass(frozen=True)
class HostCall:
    """One call of ``env``: the method, what it was given (shortened), and why it failed, if it did."""

    method: str
    given: str
    reason: str | None = None
    message: str = ""


class HostError(Exception):
    """What a program sees of a call that failed: a text that begins with the reason's word."""


class ProgramStop(Exception):
    """The run ends now; the program cannot catch this."""

    def __init__(self, kind: FailureKind, message: str) -> None:
        super().__init__(message)
        self.kind: FailureKind = kind


class HostCalls:
    """The calls of one run.

    Args:
        env: the world, or what has its ``ENV_METHODS``.
        max_calls: how many calls there may be.
        wall_s: for how many seconds from now there may be any.
        cancel: the event that stops the run.
    """

    def __init__(self, env: object, max_calls: int, wall_s: float, cancel: Cancel | None) -> None:
        self._env = env
        self._max_calls = max_calls
        self._deadline = time.monotonic() + wall_s
        self._cancel = cancel
        self.made: list[HostCall] = []

    def seconds_left(self) -> float:
        """Return how long the run may still take."""
        return self._deadline - time.monotonic()

    def check(self) -> None:
        """Raise if the run has to end.

        Raises:
            ProgramStop: ``cancelled`` or ``time``.
        """
        if self._cancel is not None and self._cancel.is_set():
            raise ProgramStop("cancelled", "The run was cancelled.")
        if self.seconds_left() <= 0:
            raise ProgramStop("time", "The run took longer than it may.")

    def call(self, method: object, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a method of ``env`` for the program.

        Raises:
            HostError: the call failed; the program may handle it.
            ProgramStop: the run ends.
        """
        self.check()
        if len(self.made) >= self._max_calls:
            raise ProgramStop("calls", f"The program called env more than {self._max_calls} times.")
        if not isinstance(method, str) or method not in ENV_METHODS:
            raise ProgramStop("refused", f"env has no method {shorten(method)}.")
        given = ""
        try:
            bound = _bind(method, args, kwargs)
            given = ", ".join(shorten(value) for value in bound.values() if value is not None)
            if "timeout_ms" in bound:
                bound["timeout_ms"] = self._timeout(bound["timeout_ms"])
            answer = _answer(getattr(self._env, method)(**bound))
        except WorldError as error:
            raise self._failed(method, given, error.reason, str(error)) from None
        except ShoppingError as error:
            raise self._failed(method, given, "failed", str(error)) from None
        self.made.append(HostCall(method, given))
        return answer

    def _timeout(self, wanted: int | None) -> int | None:
        if wanted is None:
            return None
        return max(0, min(wanted, MAX_CALL_TIMEOUT_MS, int(self.seconds_left() * 1_000)))

    def _failed(self, method: str, given: str, reason: str, message: str) -> HostError:
        self.made.append(HostCall(method, given, reason, message[:300]))
        return HostError(f"{reason}: {message}")


@cache
def signature(method: str) -> inspect.Signature:
    """Return what a method of ``env`` takes, without ``self``."""
    whole = inspect.signature(getattr(World, method))
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def _bind(method: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by name, each of its type and size."""
    expected = signature(method)
    if len(args) > len(expected.parameters) or not set(kwargs) <= set(expected.parameters):
        raise WorldError("failed", f"env.{method} takes {expected}.")
    try:
        bound = expected.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise WorldError("failed", f"env.{method} takes {expected}: {error}.") from None
    for name, value in bound.items():
        if not _fits(value, expected.parameters[name].annotation):
            raise WorldError("failed", f"env.{method} takes {expected}; {name} is of another type.")
        if isinstance(value, str) and len(value) > (MAX_SELECTOR_CHARS if name == "selector" else MAX_CALL_TEXT_CHARS):
            raise WorldError("failed", f"The {name} of env.{method} has {len(value)} characters, which is too long.")
    return dict(bound)


def _fits(value: object, annotation: Any) -> bool:
    if typing.get_origin(annotation) is UnionType:
        return any(_fits(value, part) for part in typing.get_args(annotation))
    if typing.get_origin(annotation) is Literal:
        return value in typing.get_args(annotation) if type(value) is str else False
    if annotation is type(None):
        return value is None
    return type(value) is annotation


def _answer(value: Any) -> Any:
    """Return what the world answered, if it is not too much for a program."""
    parts = value if isinstance(value, list) else [value]
    if sum(len(part) for part in parts if isinstance(part, str)) > MAX_ANSWER_CHARS:
        raise WorldError("failed", f"The answer has more than {MAX_ANSWER_CHARS} characters; ask for less of the page.")
    return value
