"""Recording a run: what happened goes to the writer's thread, and the run goes on once it is written."""

import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from personalized_shopping.config import MAX_PENDING_PAGES
from personalized_shopping.shared_libraries.trajectory.layout import file_name, session_dir
from personalized_shopping.shared_libraries.trajectory.log import LogFile, health
from personalized_shopping.shared_libraries.trajectory.records import (
    Blob,
    EndStatus,
    Failure,
    PageShown,
    Record,
    RunEnd,
    RunStart,
)
from personalized_shopping.shared_libraries.trajectory.redaction import Redactor, configured_redactor
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer

_FALSE: "Future[bool]" = Future()
_FALSE.set_result(False)


class RenderedPage(NamedTuple):
    """A page as a log keeps it."""

    kind: str
    html: str
    a11y: str


class Run:
    """The recording of one run. Every method may be called from any thread, returns at once, and never raises.

    Args:
        root: the trajectory directory.
        start: the first record.
        run_id: the run; drawn when it is not given.
        redactor: what must not be written; as configured when it is not given.
        when_over: called with the session's directory, on a thread of its own, when the run has ended.
    """

    def __init__(
        self,
        root: Path,
        start: RunStart,
        run_id: str | None = None,
        *,
        redactor: Redactor | None = None,
        when_over: Callable[[Path], None] | None = None,
    ) -> None:
        self.run_id = run_id or secrets.token_hex(8)
        redactor = redactor or configured_redactor()
        self.directory = _directory(root, start, redactor)
        self.ended = False
        self.evaluated = False
        """Whether the session pursues a goal, so that every action has a reward."""
        self.page: int | None = None
        """The number of the page that stands now."""
        self.place: Any = None
        """The shop session of that page, as JSON."""
        self._pages = 0
        self._dropped = 0
        self._over = False
        """Whether the last record is written; known to the writer's thread only."""
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._log = LogFile(self.directory, self.run_id, utc_now(), redactor)
        self._when_over = when_over
        self.write(start)

    def write(self, record: Record, *, durable: bool = False) -> "Future[bool]":
        """Append a record; the future tells whether it is written. After the end nothing is.

        Args:
            record: what happened.
            durable: whether the record must be on the disk before the future is done. Some kinds always are.
        """
        if self.ended:
            return _FALSE
        now, offset_ms = utc_now(), self.offset_ms()
        return records_writer.submit(lambda: self._write(record, now, offset_ms, durable=durable))

    def show(self, place: Any, render: Callable[[], RenderedPage]) -> int:
        """Record that another page stands, and return its number; the same place keeps its number.

        After the end nothing is recorded.

        Args:
            place: the shop session, as JSON.
            render: renders the page, on the writer's thread.
        """
        with self._lock:
            if self.page is not None and place == self.place:
                return self.page
            number = self.page = self._pages
            self._pages += 1
            self.place = place
        if self.ended:
            return number
        now, offset_ms = utc_now(), self.offset_ms()
        if not records_writer.submit_droppable(
            lambda: self._write_page(number, place, render, now, offset_ms), MAX_PENDING_PAGES
        ):
            self._drop()
        return number

    def end(self, status: EndStatus, error: BaseException | None = None) -> "Future[bool]":
        """Write the last record, once, and have what is made from the log made anew."""
        with self._lock:
            if self.ended:
                return _FALSE
            self.ended = True
        now, offset_ms = utc_now(), self.offset_ms()
        return records_writer.submit(lambda: self._end(status, error, now, offset_ms))

    def offset_ms(self) -> float:
        """Return the milliseconds since the run's start."""
        return (time.monotonic() - self._started) * 1000

    @property
    def problem(self) -> str | None:
        """Why the log is incomplete, if it is."""
        return self._log.problem

    def _write(self, record: Record, now: str, offset_ms: float, *, durable: bool = False) -> bool:
        if self._over:  # asked for by one thread while another one ended the run
            return False
        written = self._log.write(record, now, offset_ms, durable=durable or record.durable)
        if not written:
            health.add(lost=1, problem=self._log.problem)
        return written

    def _write_page(
        self, number: int, place: Any, render: Callable[[], RenderedPage], now: str, offset_ms: float
    ) -> None:
        if self._over:
            return
        html: Blob | None = None
        a11y: Blob | None = None
        kind = "unknown"
        try:
            page = render()
            kind = page.kind
            html = self._log.put_page(page.html, "text/html")
            a11y = self._log.put_page(page.a11y, "text/plain")
        except Exception as error:
            self._log.report(error)
        if html is None or a11y is None:
            self._drop(self._log.problem)
        self._write(PageShown(page=number, kind=kind, place=place, html=html, a11y=a11y), now, offset_ms)

    def _end(self, status: EndStatus, error: BaseException | None, now: str, offset_ms: float) -> bool:
        redactions = {name: count for name, count in self._log.redactor.counts.items() if count}
        last = RunEnd(
            status=status,
            error=failure(error),
            duration_ms=round(offset_ms, 3),
            dropped_pages=self._dropped,
            lost_records=self._log.lost,
            redactions=redactions,
        )
        written = self._write(last, now, offset_ms)
        self._over = True
        self._log.close()
        if self._when_over is not None:
            when_over, directory = self._when_over, self.directory
            files_writer.submit(lambda: when_over(directory))
        return written

    def _drop(self, problem: str | None = None) -> None:
        with self._lock:
            self._dropped += 1
        health.add(dropped=1, problem=problem)


def _directory(root: Path, start: RunStart, redactor: Redactor) -> Path:
    """Return the session's directory; what must not be written must not be its name either."""
    directory = session_dir(root, start.app, start.user, start.session)
    name = redactor.text(start.session)
    return directory if name == start.session else directory.with_name(f"{file_name(name)}-{directory.name[-12:]}")


def failure(error: BaseException | None) -> Failure | None:
    """Return an error as a record holds it."""
    if error is None:
        return None
    try:
        message = str(error)
    except Exception:
        message = ""
    return Failure(type=type(error).__name__, message=message)


def utc_now() -> str:
    """Return the time in UTC, as records write it: ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
