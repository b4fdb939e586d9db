"""Programs in pydantic-monty: an interpreter in a process of its own that has no files, no network and no host objects.

The synchronous pool is used, and every request of the program comes here as a snapshot that is answered by hand: a
run that has to end is simply not answered any more.
"""

import atexit
import json
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.runtime.base import (
    DEFAULT_LIMITS,
    Limits,
    ProgramResult,
    failed,
    read_result,
)
from personalized_shopping.shared_libraries.skills.runtime.form import parameters
from personalized_shopping.shared_libraries.skills.runtime.host_calls import Cancel, HostCalls, HostError, ProgramStop
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS

if TYPE_CHECKING:
    import pydantic_monty

MAX_PROCESSES = 2
"""Interpreters that one process keeps; a further run waits for one of them."""
CHECKOUT_TIMEOUT_S = 30.0
"""How long a run waits for an interpreter."""
REQUEST_TIMEOUT_S = 15.0
"""How long an interpreter may be silent before it is killed; the limits of a run end it long before."""
TYPE_CHECK_LIMITS = {"max_memory": 256 * 1024 * 1024, "max_feed_duration_secs": 10.0}

_lock = threading.Lock()
_opened: list["pydantic_monty.Monty"] = []
"""The pool of this process, once it is open."""
_lost_by_fork = False
"""Whether this process was forked from one with an open pool; the threads that serve it were not forked along."""


class MontyRuntime:
    """The usual runtime.

    Raises:
        SkillError: when pydantic-monty is not installed.
    """

    name = "monty"

    def __init__(self) -> None:
        _library()

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
        """Run one program to its end; see ``ProgramRuntime``."""
        monty = _library()
        host = HostCalls(env, limits.host_calls, limits.wall_s, cancel)
        values: dict[str, Any] = {"locators": locators, "args": args, "ctx": args, "options": options}
        names = parameters(entry)
        # Through JSON, so that what the program gets is a copy of plain values and nothing else.
        inputs = {name: json.loads(json.dumps(values[name])) for name in names[1:]}
        inputs["env"] = monty.ClassInstance(_Env(), allowed_methods=ENV_METHODS)
        printed = _Printed(limits.output_bytes)
        session = _pool().checkout(
            limits={
                "max_feed_duration_secs": limits.time_s,
                "max_memory": limits.memory_bytes,
                "max_recursion_depth": limits.recursion,
                # One more than the calls that are answered, which are counted here; names take some, too.
                "max_suspensions": limits.host_calls * 2 + 100,
                "max_total_sleep_secs": 0.0,
            },
            script_name=f"{entry}.py",
            os_policy={"sleep": "zero", "datetime": "call_host", "random_start": {"seed": 0}},
        )
        try:
            host.check()
            with session as opened:
                source = f"{code}\n{entry}({', '.join(names)})\n"
                snapshot = _next(opened.feed_start, source, inputs=inputs, print_callback=printed)
                while not isinstance(snapshot, monty.MontyComplete):
                    snapshot = _answered(snapshot, host)
                output = snapshot.output
        except ProgramStop as stop:
            return failed(stop.kind, str(stop), tuple(host.made))
        except monty.MontyError as error:
            return _failure(error, printed, host)
        except TimeoutError:
            return failed("busy", f"No interpreter was free within {CHECKOUT_TIMEOUT_S:g} s.", tuple(host.made))
        except _ConversionError as error:
            return failed("result", f"A value of the program cannot leave it: {error}.", tuple(host.made))
        return read_result(output, limits, tuple(host.made))


class _Env:
    """What stands for the world in the interpreter: a name, and nothing to reach."""

    __slots__ = ()


class _Printed:
    """Counts what a program prints; nobody reads it."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self.too_much = False

    def __call__(self, stream: str, text: str) -> None:
        self._left -= len(text.encode())
        if self._left < 0:
            self.too_much = True
            raise RuntimeError("The program printed more than it may.")


class _ConversionError(Exception):
    """A value cannot cross from the interpreter to here."""


def _answered(snapshot: Any, host: HostCalls) -> Any:
    """Answer what a program asks for; return what it asks next, or its end.

    Raises:
        ProgramStop: it asked for what no program has, or the run ends.
    """
    monty = _library()
    if isinstance(snapshot, monty.NameLookupSnapshot):
        # Left without a value, the name raises NameError or AttributeError in the program.
        return _next(snapshot.resume)
    if not isinstance(snapshot, monty.FunctionSnapshot) or snapshot.object_id is None or snapshot.is_os_function:
        name = getattr(snapshot, "function_name", type(snapshot).__name__)
        raise ProgramStop("refused", f"Programs have no {str(name)[:80]}.")
    try:
        answer = {"return_value": host.call(snapshot.function_name, snapshot.args, snapshot.kwargs)}
    except HostError as error:
        answer = {"exception": RuntimeError(str(error))}
    return _next(snapshot.resume, answer)


def _next(resume: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return resume(*args, **kwargs)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _ConversionError(str(error)[:200]) from None


def _failure(error: Any, printed: _Printed, host: HostCalls) -> ProgramResult:
    """Return the result of a run that the interpreter ended."""
    monty = _library()
    calls = tuple(host.made)
    if printed.too_much:
        return failed("output", "The program printed more than it may.", calls)
    if isinstance(error, monty.MontySyntaxError):
        return failed("syntax", f"The program cannot be read: {error}", calls)
    if isinstance(error, monty.MontyCrashedError):
        return failed("time" if error.timed_out else "crashed", f"The interpreter was ended: {error}", calls)
    text = str(error)
    if "time limit exceeded" in text:
        return failed("time", f"The program computed too long: {text}", calls)
    if "memory limit exceeded" in text:
        return failed("memory", f"The program took too much memory: {text}", calls)
    if "suspension limit" in text:
        return failed("calls", f"The program asked too often: {text}", calls)
    return failed("error", f"The program raised {text}", calls)


def type_problems(code: str, stubs: str) -> str | None:
    """Return what the type checker says against a program, or ``None``; nothing is run.

    Args:
        code: the source, its parameters annotated.
        stubs: the declarations that it refers to.

    Raises:
        SkillError: when pydantic-monty, which has the checker, is not installed.
    """
    monty = _library()
    session = _pool().checkout(
        limits=TYPE_CHECK_LIMITS, type_check=True, type_check_stubs=stubs, type_check_format="concise"
    )
    try:
        with session as opened:
            opened.feed_run(code)
    except monty.MontyTypingError as error:
        return str(error.display())
    except monty.MontyError as error:
        return str(error)
    return None


def _library() -> Any:
    try:
        import pydantic_monty
    except ImportError as error:
        raise SkillError(
            "The program runtime `monty` needs pydantic-monty. Install it: pip install 'personalized-shopping[skills]'"
        ) from error
    return pydantic_monty


def _pool() -> Any:
    """Return this process's interpreters, started on first use and ended with the process.

    Raises:
        SkillError: in a process that was forked after they were started.
    """
    with _lock:
        if _lost_by_fork:
            raise SkillError(
                "This process was forked after programs had run in its parent; pydantic-monty does not survive that. "
                "Start workers before the first run, start them with `spawn`, or use the runtime `restricted`."
            )
        if not _opened:
            pool = _library().Monty(
                min_processes=1,
                max_processes=MAX_PROCESSES,
                checkout_timeout=CHECKOUT_TIMEOUT_S,
                request_timeout=REQUEST_TIMEOUT_S,
            )
            pool.__enter__()
            _opened.append(pool)
        return _opened[0]


def close_pool() -> None:
    """End this process's interpreters; the next run starts others."""
    with _lock:
        if _lost_by_fork or not _opened:
            return
        pool = _opened.pop()
    pool.__exit__(None, None, None)


def _after_fork() -> None:
    global _lock, _lost_by_fork
    _lock = threading.Lock()
    _lost_by_fork = _lost_by_fork or bool(_opened)


atexit.register(close_pool)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
