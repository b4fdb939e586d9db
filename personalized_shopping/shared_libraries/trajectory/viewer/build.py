"""Writing the viewer: one HTML file that holds its own scripts and every session, and asks nobody for anything.

What sessions say stands in it only as data: the list as JSON, a session and a page each as compressed text that the
script inflates when it is looked at. The page's security policy runs our own script, known by its hash, and no other.
"""

import base64
import contextlib
import gzip
import hashlib
import html
import os
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec

from personalized_shopping.errors import TrajectoryError, TrajectoryNotFound
from personalized_shopping.shared_libraries.trajectory.plain_json import plain_json
from personalized_shopping.shared_libraries.trajectory.recorder import utc_now
from personalized_shopping.shared_libraries.trajectory.records import Blob
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory, read_session
from personalized_shopping.shared_libraries.trajectory.viewer.view_model import (
    Row,
    SessionList,
    Titles,
    expensive_above,
    session_detail,
    session_row,
)

_HERE = Path(__file__).parent
_SCRIPTS = (
    "dom.js",
    "words.js",
    "windowed.js",
    "list.js",
    "timeline.js",
    "step.js",
    "page.js",
    "talk.js",
    "session.js",
    "viewer.js",
)
_DATA_MARK = "<!-- data -->"
_COMPRESSION = 6


def write_viewer(
    directories: Sequence[Path],
    out: Path,
    *,
    selected: str | None = None,
    report: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Path:
    """Write sessions as one HTML file that is opened from the disk, and return where it is.

    A session that cannot be read is listed with the reason. The file is there whole or not at all.

    Args:
        directories: the sessions' directories.
        out: the file; directories above it are made.
        selected: the session that is shown first, by its id or its directory's name; the list where it is not given.
        report: the address of the report that the sessions belong to, which the page then links to.
        progress: called with 1 for every session.

    Raises:
        TrajectoryNotFound: when none of the sessions is the selected one.
        TrajectoryError: when the file cannot be written.
    """
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        # What people said to the agent is nobody else's business on this machine.
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            _Writer(file).write(directories, selected, report, progress)
        os.replace(temporary, out)
    except OSError as error:
        raise TrajectoryError(f"{out} cannot be written: {error.strerror or error}.") from None
    finally:
        with contextlib.suppress(OSError):  # it has its name by now, or was never made
            temporary.unlink()
    return out


class _Writer:
    """Writes one file; holds one session at a time, and a row of every one."""

    def __init__(self, file: IO[str]) -> None:
        self.file = file
        self.rows: list[Row] = []
        self.titles = Titles()
        self.keys: set[str] = set()
        self.pages: set[str] = set()
        """The renderings that are in the file already; most sessions begin on the same page."""

    def write(
        self,
        directories: Sequence[Path],
        selected: str | None,
        report: str | None,
        progress: Callable[[int], None] | None,
    ) -> None:
        head, tail = _page(report).split(_DATA_MARK)
        self.file.write(head)
        for directory in directories:
            self.add(directory)
            if progress is not None:
                progress(1)
        self.rows.sort(key=lambda row: (row.time, row.key), reverse=True)
        listed = SessionList(
            made=utc_now(),
            sessions=self.rows,
            titles=self.titles.as_list(),
            expensive_above=expensive_above(self.rows),
            selected=self._selected(selected),
        )
        self.file.write(f'<script type="application/json" id="sessions">{_inline_json(listed)}</script>\n')
        self.file.write(tail)

    def add(self, directory: Path) -> None:
        """Write a session's blocks, and keep its row."""
        key = self._key(directory)
        try:
            session = read_session(directory)
            blocks = self._blocks(session, key)
            row = session_row(session, key, self.titles)
        except Exception as error:  # whatever one log holds, the others must be shown
            said = str(error) if isinstance(error, TrajectoryError) else f"{type(error).__name__}: {error}"
            # The file may go to somebody else, whom this machine's directories do not concern.
            said = said.replace(str(directory), directory.name)
            self.rows.append(Row(key=key, id=key, problem=said, failed=True))
            return
        self.rows.append(row)
        for block in blocks:
            self.file.write(block)

    def _blocks(self, session: SessionTrajectory, key: str) -> list[str]:
        """Return a session's script blocks: its pages that are not in the file yet, and the session."""
        pages: dict[str, bytes] = {}

        def kept(blob: Blob) -> bool:
            if blob.sha256 in self.pages or blob.sha256 in pages:
                return True
            try:
                session.blobs.get(blob)  # raises where the content is not what it was
                pages[blob.sha256] = session.blobs.path(blob.sha256).read_bytes()
            except (OSError, TrajectoryError):
                return False
            return True

        detail = session_detail(session, key, kept)
        data = gzip.compress(_encode(detail), _COMPRESSION, mtime=0)
        self.pages.update(pages)
        blocks = [_block("page", sha256, content) for sha256, content in pages.items()]
        return [*blocks, _block("session", key, data)]

    def _key(self, directory: Path) -> str:
        """Return a session's name within the file: its directory's, with a number where two roots share it."""
        name = directory.absolute().name.encode("utf-8", "replace").decode()
        key, number = name, 1
        while key in self.keys:
            number += 1
            key = f"{name}-{number}"
        self.keys.add(key)
        return key

    def _selected(self, wanted: str | None) -> str | None:
        if wanted is None:
            return None
        for row in self.rows:
            if wanted in (row.key, row.id):
                return row.key
        raise TrajectoryNotFound(f"None of the {len(self.rows)} sessions is {wanted!r}.")


def _page(report: str | None) -> str:
    """Return the page without its data, with a link to a report where there is one.

    The policy allows the one script that stands in it, by its hash.
    """
    source = "\n".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'\n"use strict";\n(() => {{\n{source}\n}})();\n'
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    parts = {
        "$script_hash": f"sha256-{digest}",
        "<!-- report -->": f'<a href="{html.escape(report)}">Report</a>' if report else "",
        "/* viewer.css */": (_HERE / "viewer.css").read_text(encoding="utf-8"),
        "/* scripts */": script,
    }
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    for mark, content in parts.items():
        page = page.replace(mark, content, 1)
    return page


def _block(kind: str, name: str, gzipped: bytes) -> str:
    content = base64.b64encode(gzipped).decode()
    name = html.escape(name)
    return f'<script type="application/octet-stream" data-{kind}="{name}" id="{kind}-{name}">{content}</script>\n'


def _inline_json(value: Any) -> str:
    """Return JSON that no HTML parser takes for anything else: it holds no ``<``."""
    text = _encode(value).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _encode(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value)
    except (ValueError, OverflowError):  # half a surrogate pair, or a number that JSON has no room for
        return msgspec.json.encode(plain_json(value))
