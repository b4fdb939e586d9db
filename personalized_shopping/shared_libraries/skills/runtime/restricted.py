"""Programs in RestrictedPython, each in a child process with next to no rights: the runtime where Monty is not there.

RestrictedPython alone is no sandbox: it limits neither time nor memory, and what it gives to a program is the host's
own. In a child there is nothing to reach: an empty environment, no files, no rights, limits that the kernel keeps.
"""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.runtime.base import (
    DEFAULT_LIMITS,
    Limits,
    ProgramResult,
    failed,
    plain_json,
    read_result,
)
from personalized_shopping.shared_libraries.skills.runtime.form import parameters
from personalized_shopping.shared_libraries.skills.runtime.host_calls import (
    Cancel,
    FailureKind,
    HostCalls,
    HostError,
    ProgramStop,
)
from personalized_shopping.shared_libraries.skills.runtime.lines import Lines, LinesError
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS

CHILD = Path(__file__).with_name("restricted_child.py")
CHILD_LIBRARIES = ("RestrictedPython", "pyseccomp")
STACK_FRAMES = 40
"""Frames below a program's own, which the child's guards take."""
END_TIMEOUT_S = 5.0
"""How long a killed child may take to be gone."""
CANCEL_POLL_S = 0.05
"""How often a run that computes looks whether it was cancelled."""
_CHILD_FAILURES: tuple[FailureKind, ...] = ("syntax", "error", "memory", "output", "result")


class RestrictedRuntime:
    """The runtime that needs no native interpreter.

    Raises:
        SkillError: when RestrictedPython is not installed, or the system has no such limits.
    """

    name = "restricted"

    def __init__(self) -> None:
        self._path = [path for name in CHILD_LIBRARIES if (path := _directory_of(name)) is not None]
        if _directory_of(CHILD_LIBRARIES[0]) is None:
            raise SkillError(
                "The program runtime `restricted` needs RestrictedPython. "
                "Install it: pip install 'personalized-shopping[skills]'"
            )
        if os.name != "posix" or not sys.executable:
            raise SkillError("The program runtime `restricted` needs a Unix system; use SKILLS_RUNTIME=monty.")

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
        host = HostCalls(env, limits.host_calls, limits.wall_s, cancel)
        names = parameters(entry)
        request = {
            "code": code.encode("utf-8", "replace").decode(),
            "entry": entry,
            "names": names,
            "inputs": {"locators": locators, "args": args, "ctx": args, "options": options},
            "methods": sorted(ENV_METHODS),
            "time_s": limits.time_s,
            "recursion": limits.recursion + STACK_FRAMES,
            "output_bytes": limits.output_bytes,
        }
        json.dumps(request)
        try:
            host.check()
            with _Child(self._path) as child:
                return _conversation(child, request, host, limits)
        except ProgramStop as stop:
            return failed(stop.kind, str(stop), tuple(host.made))


class _Child:
    """A child process that is gone when the block is left."""

    def __init__(self, path: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(CHILD), *path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            close_fds=True,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.lines = Lines(self._process.stdin.fileno(), self._process.stdout.fileno())

    def __enter__(self) -> "_Child":
        return self

    def __exit__(self, *_error: object) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        self._process.wait(END_TIMEOUT_S)

    def ended_by(self) -> int:
        """Return the exit status of a child that has gone, negative for a signal."""
        return self._process.wait(END_TIMEOUT_S)


def _conversation(child: _Child, request: Any, host: HostCalls, limits: Limits) -> ProgramResult:
    """Answer a child's calls until it has a result."""
    try:
        child.lines.send(request, host.seconds_left())
        while True:
            said = _receive(child, host)
            if not isinstance(said, dict):
                return failed("crashed", "The program's process sent something else than was agreed.", tuple(host.made))
            if "method" not in said:
                return _result(said, limits, host)
            child.lines.send(_answer(said, host), host.seconds_left())
    except TimeoutError:
        return failed("time", "The run took longer than it may.", tuple(host.made))
    except LinesError as error:
        return _ending(child, str(error), host)


def _receive(child: _Child, host: HostCalls) -> Any:
    while True:
        host.check()
        try:
            return child.lines.receive(min(CANCEL_POLL_S, host.seconds_left()))
        except TimeoutError:
            continue


def _answer(said: dict[str, Any], host: HostCalls) -> dict[str, Any]:
    args, kwargs = said.get("args"), said.get("kwargs")
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise ProgramStop("refused", "The program's process sent something else than was agreed.")
    try:
        return {"value": plain_json(host.call(said["method"], args, kwargs))}
    except HostError as error:
        return {"error": str(error)}


def _result(said: dict[str, Any], limits: Limits, host: HostCalls) -> ProgramResult:
    calls = tuple(host.made)
    if "failure" not in said:
        return read_result(said.get("result"), limits, calls)
    kind: FailureKind = next((kind for kind in _CHILD_FAILURES if kind == said["failure"]), "crashed")
    return failed(kind, str(said.get("message", "")), calls)


def _ending(child: _Child, why: str, host: HostCalls) -> ProgramResult:
    """Return the result of a run whose child is gone, or has to go."""
    calls = tuple(host.made)
    try:
        status = child.ended_by()
    except subprocess.TimeoutExpired:
        return failed("output", f"The program's process was ended: {why}.", calls)
    if -status in (signal.SIGPROF, signal.SIGXCPU):
        return failed("time", "The program computed too long.", calls)
    return failed("crashed", f"The program's process ended by itself ({status}): {why}.", calls)


def _directory_of(package: str) -> str | None:
    """Return the directory that a package is imported from, or ``None`` where it is not installed."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    found = Path(spec.origin)
    return str(found.parents[1] if found.name == "__init__.py" else found.parent)
