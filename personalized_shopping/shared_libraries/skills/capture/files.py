"""A capture on disk: ``<workspace>/data/<domain>/<time>/``, in the blueprint's files.

``meta.json`` is written last: a directory without it is no capture yet, or the remains of one that was broken off.
"""

import itertools
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.capture.model import (
    RULE_VERSION,
    AxNode,
    Capture,
    Element,
    Node,
)

CONTROLS_TREE = "controls_tree.json"
DOM_SUMMARY = "dom_summary.json"
DOM_SUMMARY_SCROLLED = "dom_summary_scrolled.json"
AX = "ax.json"
META = "meta.json"
MAX_FILE_BYTES = 500_000_000
MAX_SAME_SECOND = 1_000

File = TypeVar("File", bound=Struct)


class _Tree(Struct, frozen=True):
    meta: dict[str, Any]
    nodes: list[Node]
    roots: list[str]


class _Summary(Struct, frozen=True):
    count: int
    viewport: dict[str, int]
    elements: list[Element]


class _Ax(Struct, frozen=True):
    spec: str
    source: str
    nodes: list[AxNode]


def write_capture(capture: Capture, root: Path) -> Path:
    """Write a capture below a workspace and return its directory, which is a new one.

    Args:
        capture: the capture.
        root: the workspace.

    Raises:
        SkillError: when the directory cannot be made.
    """
    directory = _new_directory(root / "data" / str(capture.meta["domain_sanitized"]), str(capture.meta["timestamp"]))
    viewport = capture.meta["viewport"]
    controls = len(capture.controls)
    head = {
        "source": "dom+ax",
        "rule_version": RULE_VERSION,
        "count": len(capture.nodes),
        "control_count": controls,
        "content_count": len(capture.nodes) - controls,
        "parent_logic": "dom_parent_chain",
    }
    source = "cdp" if capture.meta["capture_mode"] == "browser" else "static"
    files: dict[str, Struct] = {
        CONTROLS_TREE: _Tree(head, capture.nodes, capture.roots),
        DOM_SUMMARY: _Summary(len(capture.elements), viewport, capture.elements),
        DOM_SUMMARY_SCROLLED: _Summary(len(capture.scrolled), viewport, capture.scrolled),
        AX: _Ax("ax_v1", source, capture.ax),
    }
    for name, content in files.items():
        _write(directory / name, msgspec.json.encode(content))
    present = {Path(name).stem: True for name in files} | {"screenshot_loaded": False}
    _write(directory / META, msgspec.json.encode(capture.meta | {"artifacts_present": present}))
    return directory


def read_capture(path: Path) -> Capture:
    """Read a capture's directory.

    Raises:
        SkillError: when it is none, or one of its files cannot be read.
    """
    tree = _read(path / CONTROLS_TREE, _Tree)
    meta = _decode(path / META, _bytes(path / META), dict[str, Any])
    meta.pop("artifacts_present", None)
    return Capture(
        meta=meta,
        elements=_read(path / DOM_SUMMARY, _Summary).elements,
        scrolled=_read(path / DOM_SUMMARY_SCROLLED, _Summary).elements,
        nodes=tree.nodes,
        ax=_read(path / AX, _Ax).nodes,
    )


def _new_directory(parent: Path, name: str) -> Path:
    for number in itertools.islice(itertools.count(), MAX_SAME_SECOND):
        directory = parent / (name if number == 0 else f"{name}-{number}")
        try:
            directory.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise SkillError(f"The capture cannot be written to {shorten(str(directory))}: {error.strerror}.") from None
        return directory
    raise SkillError(f"{shorten(str(parent / name))} exists {MAX_SAME_SECOND} times. Clear the workspace.")


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(msgspec.json.format(content, indent=1) + b"\n")
    except OSError as error:
        raise SkillError(f"The capture cannot be written to {shorten(str(path))}: {error.strerror}.") from None


def _read(path: Path, kind: type[File]) -> File:
    return _decode(path, _bytes(path), kind)


def _bytes(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SkillError(f"{shorten(str(path))} is larger than a capture's file can be.")
        return path.read_bytes()
    except OSError as error:
        what = f"{shorten(str(path.parent))} is no capture: {path.name} cannot be read ({error.strerror})."
        raise SkillError(f"{what} Capture the page again.") from None


Value = TypeVar("Value")


def _decode(path: Path, data: bytes, kind: type[Value]) -> Value:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise SkillError(f"{shorten(str(path))} is no {path.name} of a capture: {error}") from None
