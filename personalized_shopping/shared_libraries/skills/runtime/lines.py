"""Lines of JSON to and from a child process that is not trusted: no line is too long, and no wait has no end."""

import json
import os
import selectors
import time
from typing import Any

MAX_LINE_BYTES = 1_000_000
"""Longest line that is taken from a child."""
CHUNK_BYTES = 65_536


class LinesError(Exception):
    """The child did not keep to the protocol."""


class Lines:
    """The two pipes of a child.

    Args:
        to_child: the file descriptor to write to.
        from_child: the file descriptor to read from.
    """

    def __init__(self, to_child: int, from_child: int) -> None:
        self._to, self._from = to_child, from_child
        self._read = b""
        for pipe in (to_child, from_child):
            os.set_blocking(pipe, False)

    def send(self, value: Any, timeout_s: float) -> None:
        """Write a line.

        Raises:
            TimeoutError: the child does not read.
            LinesError: the child has gone.
        """
        data = json.dumps(value).encode() + b"\n"
        end = time.monotonic() + timeout_s
        while data:
            self._wait(self._to, selectors.EVENT_WRITE, end)
            try:
                data = data[os.write(self._to, data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise LinesError("the child has gone") from None

    def receive(self, timeout_s: float) -> Any:
        """Return the next line's value.

        Raises:
            TimeoutError: none came.
            LinesError: the child has gone, the line is too long, or is no JSON.
        """
        end = time.monotonic() + timeout_s
        while b"\n" not in self._read:
            if len(self._read) > MAX_LINE_BYTES:
                raise LinesError("the child's line is too long")
            self._wait(self._from, selectors.EVENT_READ, end)
            try:
                chunk = os.read(self._from, CHUNK_BYTES)
            except BlockingIOError:
                continue
            if not chunk:
                raise LinesError("the child has gone")
            self._read += chunk
        line, _, self._read = self._read.partition(b"\n")
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise LinesError("the child's line is no JSON") from None

    def _wait(self, pipe: int, event: int, end: float) -> None:
        left = end - time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, event)
            if left <= 0 or not selector.select(left):
                raise TimeoutError
