"""Plays episodes in worker processes: in parallel, each with its time, and again where the system failed."""

import logging
import multiprocessing
import time
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures import TimeoutError as TimeIsOver

from pebble import ProcessExpired, ProcessPool

from personalized_shopping.errors import shorten
from personalized_shopping.evaluation.running.directory import Entry
from personalized_shopping.evaluation.running.suite import Player, Suite
from personalized_shopping.shared_libraries.metrics.episode import Episode, Timing

_AHEAD = 4
"""Episodes a worker that are handed over ahead, so that none waits for the next one."""
_suite: Suite | None = None
_player: Player | None = None
"""In a worker: what is played, and this process's player of it."""


def play_all(
    suite: Suite,
    keys: Sequence[str],
    *,
    workers: int,
    timeout_s: float,
    retries: int,
    done: Callable[[Entry], None],
) -> None:
    """Play episodes and hand each record on as it is done, in no order.

    An episode in which the system failed is played again, up to ``retries`` times. One whose time is over is not: its
    process is ended, and it counts as not bought.

    Args:
        suite: knows how to play.
        keys: which episodes.
        workers: how many processes.
        timeout_s: seconds that an episode may take, opening the shop included.
        retries: how often an episode is played again.
        done: takes each record.
    """
    # Forked workers would share open files and locks with this process.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPool(max_workers=workers, initializer=_receive, initargs=(suite,), context=context)
    waiting = deque((key, 1) for key in keys)
    running: dict[Future[tuple[Episode, float]], tuple[str, int, float]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers * _AHEAD:
                key, attempt = waiting.popleft()
                future: Future[tuple[Episode, float]] = pool.schedule(_play, args=(key,), timeout=timeout_s)
                running[future] = (key, attempt, time.monotonic())
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                key, attempt, since = running.pop(future)
                episode, seconds = _outcome(future, suite, key, since, timeout_s)
                if episode.status == "system_error" and attempt <= retries:
                    waiting.append((key, attempt + 1))
                    continue
                done(Entry(episode=episode, timing=Timing(key=key, seconds=round(seconds, 4), attempts=attempt)))
        pool.close()  # type: ignore[no-untyped-call]
    finally:
        pool.stop()  # type: ignore[no-untyped-call]
        pool.join()


def _outcome(
    future: "Future[tuple[Episode, float]]", suite: Suite, key: str, since: float, timeout_s: float
) -> tuple[Episode, float]:
    try:
        return future.result()
    except TimeIsOver:
        return suite.failed(key, "timeout", f"it took more than {timeout_s:g} s"), timeout_s
    except ProcessExpired as error:
        return suite.failed(key, "error", f"its process died (exit code {error.exitcode})"), time.monotonic() - since
    except Exception as error:
        reason = shorten(f"{type(error).__name__}: {error}", 300)
        return suite.failed(key, "error", reason), time.monotonic() - since


def _receive(suite: Suite) -> None:
    """Take in what will be played; opening it is left to the first episode, whose errors come back."""
    global _suite
    _suite = suite
    # What fails is written into the episode; tracebacks of libraries between progress bars help nobody.
    for name in ("google_adk", "LiteLLM", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")


def _play(key: str) -> tuple[Episode, float]:
    """Play an episode in a worker process; return its record and the seconds that it took."""
    global _player
    assert _suite is not None, "the worker was started with a suite"
    started = time.perf_counter()
    if _player is None:
        _player = _suite.open()
    episode = _player.play(key)
    return episode, time.perf_counter() - started
