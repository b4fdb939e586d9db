"""The thin line to Chromium: our script in a world of its own, and the accessibility tree joined to the elements."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture.states import States

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

_SCRIPT = Path(__file__).with_name("onepass.js")
_TIMEOUT_MS = 20_000
MAX_ANSWER_CHARS = 200_000_000
_ELEMENT = 1


class Occlusion(Struct, frozen=True):
    """Which part of a control is covered, and by which element."""

    ratio: float | None
    cover: int | None


class Seen(Struct, frozen=True, rename="camel", kw_only=True):
    """One element as the script saw it."""

    parent: int | None
    tag: str
    attributes: dict[str, str]
    text: str
    states: States
    visible: bool
    box: list[int]
    in_viewport: bool
    labels: list[int] = []
    label_texts: list[str] = []
    looks: dict[str, str] = {}
    occlusion: Occlusion | None = None


class Look(Struct, frozen=True, rename="camel", kw_only=True):
    """What the script saw of a page."""

    url: str
    title: str
    viewport: tuple[int, int]
    scroll: tuple[int, int]
    scroll_height: int
    scale: float
    user_agent: str
    is_quirky: bool
    total: int
    frames: int
    shadows: int
    elements: list[Seen]


class Told(Struct, frozen=True):
    """What the accessibility tree tells of one element. ``role`` is in Chromium's words."""

    tag: str
    role: str | None = None
    name: str = ""


class Line:
    """A line to one page, closed after use.

    Args:
        page: the page, in Chromium or a browser made of it.

    Raises:
        SkillError: for another browser.
    """

    def __init__(self, page: "Page") -> None:
        try:
            self._session: CDPSession = page.context.new_cdp_session(page)
        except Exception as error:
            raise SkillError(f"A page can be captured in Chromium or Chrome only: {_first_line(error)}") from None
        frame = self._send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = self._send("Page.createIsolatedWorld", frameId=frame, worldName="capture")
        self._world = world["executionContextId"]

    def close(self) -> None:
        """Close the line; the page stays as it is."""
        self._session.detach()

    def look(self, options: dict[str, Any]) -> Look:
        """Run the script and return what it saw.

        Raises:
            SkillError: when it cannot be run, or sees what it cannot tell.
        """
        script = _SCRIPT.read_text(encoding="utf-8").strip().removesuffix(";")
        script = "\n".join(line for line in script.splitlines() if not line.startswith("//"))
        answer = self.evaluate(f"({script})({json.dumps(options)})")
        if not isinstance(answer, str) or len(answer) > MAX_ANSWER_CHARS:
            raise SkillError("The page is too large to be captured.")
        try:
            return msgspec.json.decode(answer, type=Look)
        except (msgspec.MsgspecError, UnicodeError) as error:
            raise SkillError(f"The page cannot be captured: {error}") from None

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, promises awaited."""
        answer = self._send(
            "Runtime.evaluate",
            expression=expression,
            contextId=self._world,
            returnByValue=True,
            awaitPromise=True,
            timeout=_TIMEOUT_MS,
        )
        if "exceptionDetails" in answer:
            text = answer["exceptionDetails"].get("exception", {}).get("description") or "it threw something"
            raise SkillError(f"The page cannot be captured: {str(text).splitlines()[0][:200]}")
        return answer["result"].get("value")

    def tell(self) -> list[Told]:
        """Return what the accessibility tree tells, element by element, in document order."""
        root = self._send("DOM.getDocument", depth=-1)["root"]
        nodes = {
            node["backendDOMNodeId"]: node
            for node in self._send("Accessibility.getFullAXTree")["nodes"]
            if "backendDOMNodeId" in node
        }
        return [_told(element, nodes.get(element["backendNodeId"])) for element in _elements(root)]

    def _send(self, method: str, **parameters: Any) -> Any:
        try:
            return self._session.send(method, parameters)
        except Exception as error:
            raise SkillError(f"The page cannot be captured ({method}): {_first_line(error)}") from None


def _elements(root: dict[str, Any]) -> Iterator[dict[str, Any]]:
    waiting = list(reversed(root.get("children", [])))
    while waiting:
        node = waiting.pop()
        if node["nodeType"] == _ELEMENT:
            yield node
            waiting.extend(reversed(node.get("children", [])))


def _told(element: dict[str, Any], node: dict[str, Any] | None) -> Told:
    tag = str(element["localName"]).lower()
    if node is None or node.get("ignored"):
        return Told(tag)
    return Told(tag, str(node.get("role", {}).get("value", "")), str(node.get("name", {}).get("value", "")))


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
