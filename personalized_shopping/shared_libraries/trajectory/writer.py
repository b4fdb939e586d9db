"""The one thread that writes all logs of a process, in the order in which it was asked."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class Writer:
    """Jobs that run one after another on a thread of their own; at the interpreter's end they are finished first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._droppable = 0
        os.register_at_fork(after_in_child=self._forget) if hasattr(os, "register_at_fork") else None

    def submit(self, job: Callable[[], Result]) -> "Future[Result]":
        """Run a job after those before it, and return its future. It is never dropped."""
        try:
            return self._running().submit(job)
        except RuntimeError:  # the interpreter is ending and takes no more work for threads
            return _now(job)

    def submit_droppable(self, job: Callable[[], None], limit: int) -> bool:
        """Run a job after those before it, unless ``limit`` of its kind wait already; return whether it will run."""
        with self._lock:
            if self._droppable >= limit:
                return False
            self._droppable += 1
        self.submit(job).add_done_callback(self._taken)
        return True

    def drain(self, timeout_s: float | None = None) -> None:
        """Wait until everything that was submitted before is done."""
        self.submit(lambda: None).result(timeout_s)

    def _taken(self, _future: "Future[None]") -> None:
        with self._lock:
            self._droppable -= 1

    def _running(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trajectory")
            return self._executor

    def _forget(self) -> None:
        """Start anew in a forked process, which has the queue but not the thread."""
        self._lock, self._executor, self._droppable = threading.Lock(), None, 0


def _now(job: Callable[[], Result]) -> "Future[Result]":
    future: Future[Result] = Future()
    try:
        future.set_result(job())
    except Exception as error:
        future.set_exception(error)
    return future


records_writer = Writer()
"""Writes records and pages."""
files_writer = Writer()
"""Writes what is made from logs, takes screenshots, and clears away: slow work that no run waits for."""
