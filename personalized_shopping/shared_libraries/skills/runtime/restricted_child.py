"""The child process of the restricted runtime: a script that nobody imports while it runs a program.

It is given one request on its standard input, takes every right away from itself that a program does not need, and
runs the program in RestrictedPython. Calls of ``env`` are lines of JSON to the parent, which trusts none of them.
"""

import importlib
import json
import operator
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

ADDRESS_SPACE_BYTES = 256 * 1024 * 1024
"""Largest address space, the interpreter's own included."""
CPU_TIME_S = 2
"""Longest computing time that the kernel allows; the run's own limit comes before it."""
MAX_OPEN_FILES = 16
MAX_FILE_BYTES = 1024 * 1024
NOBODY = 65_534
"""The user and group that a superuser's child becomes."""
SYSTEM_CALLS = (
    *("read", "write", "close", "fstat", "lseek", "poll", "ppoll", "ioctl", "fcntl"),
    *("mmap", "munmap", "mremap", "mprotect", "madvise", "brk", "futex"),
    *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "setitimer"),
    *("clock_gettime", "gettimeofday", "getrandom", "getpid", "gettid", "sched_yield", "exit", "exit_group"),
)
"""What the child may still ask of the kernel where seccomp is there; opening a file is not among it."""
PUBLIC_BUILTINS = (
    *("list", "dict", "set", "frozenset", "tuple", "enumerate", "zip", "map", "filter", "sorted", "reversed"),
    *("min", "max", "sum", "any", "all", "iter", "next"),
)
WITHHELD_BUILTINS = ("setattr", "delattr", "__build_class__", "id", "hash", "_getattr_")
IN_PLACE: dict[str, Callable[[Any, Any], Any]] = {
    **{"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv},
    **{"//=": operator.ifloordiv, "%=": operator.imod, "**=": operator.ipow},
    **{"|=": operator.ior, "&=": operator.iand, "^=": operator.ixor, "<<=": operator.ilshift, ">>=": operator.irshift},
}


class HostFailure(RuntimeError):
    """A call of ``env`` failed; the program may handle it."""


class TooMuchOutput(BaseException):
    """The program printed more than it may."""


def main() -> None:
    """Run the one program of this process."""
    sys.path.extend(sys.argv[1:])
    restricted = importlib.import_module("RestrictedPython")
    seccomp = _seccomp()
    request = _read()
    _limit(request["time_s"], seccomp)
    sys.setrecursionlimit(request["recursion"])
    try:
        answer = _run(restricted, request)
        line = json.dumps(answer, allow_nan=False)
    except TooMuchOutput:
        line = json.dumps({"failure": "output", "message": "The program printed more than it may."})
    except MemoryError:
        line = json.dumps({"failure": "memory", "message": "The program took too much memory."})
    except (ValueError, TypeError) as error:
        line = json.dumps({"failure": "result", "message": f"The program's result is not plain JSON: {error}"[:300]})
    except BaseException as error:
        line = json.dumps({"failure": "error", "message": f"The program raised {type(error).__name__}"})
    _write(line)


def _run(restricted: Any, request: dict[str, Any]) -> dict[str, Any]:
    compiled = restricted.compile_restricted_exec(request["code"], filename=f"{request['entry']}.py")
    if compiled.errors:
        return {"failure": "syntax", "message": "; ".join(compiled.errors)[:300]}
    env = Env(frozenset(request["methods"]))
    space = _namespace(restricted, env, request["output_bytes"])
    try:
        exec(compiled.code, space)
        entry = space.get(request["entry"])
        if entry is None:
            return {"failure": "error", "message": f"There is no function {request['entry']}."}
        given = [env if name == "env" else request["inputs"][name] for name in request["names"]]
        return {"result": entry(*given)}
    except (MemoryError, TooMuchOutput):
        raise
    except BaseException as error:
        return {"failure": "error", "message": f"The program raised {type(error).__name__}: {error}"[:300]}


class Env:
    """What the program knows of the world: methods that ask the parent."""

    def __init__(self, methods: frozenset[str]) -> None:
        self._methods = methods

    def method(self, name: str) -> Callable[..., Any]:
        """Return the method of a name."""
        if name not in self._methods:
            raise AttributeError(f"env has no attribute {name}")

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                line = json.dumps({"method": name, "args": args, "kwargs": kwargs})
            except (TypeError, ValueError, RecursionError):
                raise HostFailure("failed: env takes texts and numbers") from None
            _write(line)
            answer = _read()
            if "error" in answer:
                raise HostFailure(answer["error"])
            return answer["value"]

        return call


def _namespace(restricted: Any, env: Env, output_bytes: int) -> dict[str, Any]:
    guards = importlib.import_module("RestrictedPython.Guards")
    builtins: Any = importlib.import_module("builtins")
    known = {name: value for name, value in restricted.safe_builtins.items() if name not in WITHHELD_BUILTINS}
    known |= {name: getattr(builtins, name) for name in PUBLIC_BUILTINS}

    def get(owner: object, name: str) -> Any:
        return (
            owner.method(name) if owner is env and isinstance(owner, Env) else guards.safer_getattr_raise(owner, name)
        )

    left = [output_bytes]

    class Print:
        """What RestrictedPython makes of ``print``: it counts, and keeps nothing."""

        def __init__(self, _getattr_: object = None) -> None: ...

        def _call_print(self, *values: object, sep: str = " ", end: str = "\n", **_ignored: object) -> None:
            left[0] -= len(str(sep).join(map(str, values)).encode("utf-8", "replace")) + len(str(end))
            if left[0] < 0:
                raise TooMuchOutput

        def __call__(self) -> str:
            return ""

    return {
        "__builtins__": known,
        "__name__": "program",
        "_getattr_": get,
        "_getitem_": operator.getitem,
        "_getiter_": iter_of,
        "_write_": guards.full_write_guard,
        "_unpack_sequence_": guards.guarded_unpack_sequence,
        "_iter_unpack_sequence_": guards.guarded_iter_unpack_sequence,
        "_inplacevar_": in_place,
        "_print_": Print,
    }


def iter_of(value: Any) -> Iterator[Any]:
    """Return what a loop goes through."""
    return iter(value)


def in_place(operation: str, value: Any, other: Any) -> Any:
    """Return what an augmented assignment to a name gives."""
    return IN_PLACE[operation](value, other)


def _seccomp() -> Any:
    try:
        return importlib.import_module("pyseccomp")
    except (ImportError, OSError, RuntimeError):
        return None


def _limit(time_s: float, seccomp: Any) -> None:
    """Take away what a program does not need; from here on there is no way back."""
    import resource
    import signal

    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for name, most in (
        ("RLIMIT_AS", ADDRESS_SPACE_BYTES),
        ("RLIMIT_CPU", max(CPU_TIME_S, int(time_s) + 1)),
        ("RLIMIT_NPROC", 0),
        ("RLIMIT_NOFILE", MAX_OPEN_FILES),
        ("RLIMIT_FSIZE", MAX_FILE_BYTES),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            resource.setrlimit(getattr(resource, name), (most, most))
    # No handler: the kernel ends the process after so much computing, whatever the program catches.
    signal.setitimer(signal.ITIMER_PROF, time_s)
    if seccomp is not None:
        rules = seccomp.SyscallFilter(seccomp.ERRNO(1))
        for call in SYSTEM_CALLS:
            rules.add_rule(seccomp.ALLOW, call)
        rules.load()


def _read() -> dict[str, Any]:
    line = sys.stdin.buffer.readline()
    if not line:
        os._exit(0)
    value: dict[str, Any] = json.loads(line)
    return value


def _write(line: str) -> None:
    sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
