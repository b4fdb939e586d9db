"""What runs a program: the interface, its limits, and the result that is trusted only after it was checked."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from personalized_shopping.shared_libraries.skills.runtime.host_calls import Cancel, FailureKind, HostCall

INTERPRETER_TIME_S = 1.0
"""Longest time that a program may compute; the time that the page takes is not counted."""
MEMORY_BYTES = 16 * 1024 * 1024
"""Most memory for a program's own values."""
MAX_HOST_CALLS = 200
"""Most calls of ``env`` in one run."""
MAX_OUTPUT_BYTES = 64 * 1024
"""Most that a program may print, and the largest evidence that it may return, as JSON."""
WALL_TIME_S = 60.0
"""Longest time that a run may take, the page's time included."""
MAX_RECURSION = 100
"""Deepest nesting of calls."""
MAX_MESSAGE_CHARS = 500
"""Longest message of a result; a longer one is cut."""
MAX_EVIDENCE_DEPTH = 20
"""Deepest nesting of a result's evidence."""
MAX_INTEGER_BITS = 64
"""Largest whole number in a result; longer ones are no numbers of a shop."""


@dataclass(frozen=True)
class Limits:
    """What one run of a program may use. Times are seconds."""

    time_s: float = INTERPRETER_TIME_S
    memory_bytes: int = MEMORY_BYTES
    host_calls: int = MAX_HOST_CALLS
    output_bytes: int = MAX_OUTPUT_BYTES
    wall_s: float = WALL_TIME_S
    recursion: int = MAX_RECURSION


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class ProgramResult:
    """What a program came to.

    ``failure`` is ``None`` where the program ran and returned ``ok``; ``reported`` where it says itself that it did not
    succeed. ``calls`` are the calls of ``env`` in their order.
    """

    ok: bool
    message: str
    evidence: dict[str, Any] = field(default_factory=dict)
    failure: FailureKind | None = None
    calls: tuple[HostCall, ...] = ()


class ProgramRuntime(Protocol):
    """Runs programs so that they reach nothing but ``env``."""

    name: str

    def run(
        self,
        code: str,
        entry: str,
        env: object,
        locators: Mapping[str, Any],
        args: Mapping[str, Any],
        options: Mapping[str, Any],
        limits: Limits = DEFAULT_LIMITS,
        *,
        cancel: Cancel | None = None,
    ) -> ProgramResult:
        """Run one program to its end.

        Args:
            code: the source of a function named ``entry``.
            entry: ``program__…``, called with ``(env, locators, args, options)``; or ``prepare``, called with
                ``(env, ctx, options)``, where ``args`` is the ``ctx``.
            env: the world; the program can call its ``ENV_METHODS`` and reach nothing else of it.
            locators: how the control is found; JSON. The program gets a copy, as of ``args`` and ``options``.
            args: the skill's arguments; JSON.
            options: what the caller asks of the run; JSON.
            limits: what the run may use.
            cancel: an event that ends the run at its next call of ``env``.

        Returns:
            The result; every mistake of the program is one, too. Only mistakes of ``env`` itself are raised.
        """
        ...


def failed(kind: FailureKind, message: str, calls: tuple[HostCall, ...] = ()) -> ProgramResult:
    """Return the result of a program that did not come to an end of its own."""
    return ProgramResult(False, _text(message), {}, kind, calls)


def read_result(value: object, limits: Limits = DEFAULT_LIMITS, calls: tuple[HostCall, ...] = ()) -> ProgramResult:
    """Return what a program returned, checked and copied: ``{"ok": bool, "message": str, "evidence": {…}}``."""
    try:
        plain = plain_json(value)
        size = len(json.dumps(plain, ensure_ascii=False).encode())
    except ValueError as error:
        return failed("result", f"The program's result is not plain JSON: {error}.", calls)
    if not isinstance(plain, dict) or not isinstance(plain.get("ok"), bool):
        return failed(
            "result", 'The program returned no {"ok": true or false, "message": "…", "evidence": {…}}.', calls
        )
    message, evidence = plain.get("message", ""), plain.get("evidence", {})
    if not isinstance(message, str) or not isinstance(evidence, dict):
        return failed("result", "The program's message is no text, or its evidence is no mapping.", calls)
    if unknown := sorted(set(plain) - {"ok", "message", "evidence"}):
        return failed("result", f"The program's result has a key that it may not have: {unknown[0][:80]}.", calls)
    if size > limits.output_bytes:
        why = f"The program's result has {size} bytes; at most {limits.output_bytes} are taken."
        return failed("output", why, calls)
    return ProgramResult(plain["ok"], _text(message), evidence, None if plain["ok"] else "reported", calls)


def plain_json(value: object, depth: int = MAX_EVIDENCE_DEPTH) -> Any:
    """Return a copy of a JSON value; tuples become lists, and lone surrogates question marks.

    Raises:
        ValueError: for any other value, which is named by its type alone: its own ``repr`` is never called.
    """
    if value is None or type(value) is bool:
        return value
    if type(value) is str:
        return _text(value, None)
    if type(value) is int:
        if value.bit_length() > MAX_INTEGER_BITS:
            raise ValueError("a number of more than 64 bits")
        return value
    if type(value) is float:
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError("a number that is not finite")
        return value
    if type(value) not in (dict, list, tuple):
        raise ValueError(f"a {type(value).__name__[:40]}")
    if depth <= 0:
        raise ValueError("nested too deeply")
    if isinstance(value, dict):
        if any(type(key) is not str for key in value):
            raise ValueError("a key that is no text")
        return {_text(key, None): plain_json(inner, depth - 1) for key, inner in value.items()}
    assert isinstance(value, list | tuple)
    return [plain_json(inner, depth - 1) for inner in value]


def _text(text: str, limit: int | None = MAX_MESSAGE_CHARS) -> str:
    whole = text.encode("utf-8", "replace").decode()
    return whole if limit is None or len(whole) <= limit else whole[: limit - 1] + "…"
