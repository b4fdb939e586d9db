"""The one thread that writes all logs of a process, in the order in which it was asked."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")


class Writer:
    """Jobs that run one after another on a thread of their own; at the interpreter's end they are finished first."""

    _executor: ThreadPoolExecutor | None

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget) if hasattr(os, "register_at_fork") else None

    def submit(self, job: Callable[[], Result]) -> "Future[Result]":
        """Run a job after those before it, and return its future. It is never dropped, nor can it be cancelled."""
        future: Future[Result] = Future()
        # A conversation that is cancelled cancels what it waits for, and what happened is to be recorded all the same.
        future.set_running_or_notify_cancel()
        self._jobs.put((future, job))
        try:
            self._running().submit(self._next)
        except RuntimeError:  # the interpreter is ending, or has no more threads
            while not future.done():
                self._next()
        return future

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

    def _next(self) -> None:
        """Do the job whose turn it is, if one is left, on whichever thread this is."""
        with self._turn:
            try:
                future, job = self._jobs.get_nowait()
            except Empty:
                return
            try:
                result = job()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

    def _taken(self, _future: "Future[None]") -> None:
        with self._lock:
            self._droppable -= 1

    def _running(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="trajectory")
            return self._executor

    def _forget(self) -> None:
        """Start anew; a forked process has the queue but not the thread, and what waits is its parent's to write."""
        self._lock = threading.Lock()
        self._turn = threading.RLock()
        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._executor = None
        self._droppable = 0


records_writer = Writer()
"""Writes records and pages."""
files_writer = Writer()
"""Writes what is made from logs, takes screenshots, and clears away: slow work that no run waits for."""
