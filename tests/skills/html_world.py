"""A small site for the tests of skills: pages as HTML, and presses that lead from one to another."""

from collections.abc import Mapping
from typing import Any

from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import role_selector
from personalized_shopping.shared_libraries.skills.world import Signals, State, WorldError


class HtmlWorld:
    """Pages by name; an element with ``data-go`` leads to the page that it names, when it is pressed."""

    def __init__(self, pages: Mapping[str, str], at: str = "start", signals: Mapping[str, Any] | None = None) -> None:
        self.pages = dict(pages)
        self.at = at
        self.pressed: list[str] = []
        self.typed: dict[str, str] = {}
        self._signals = dict(signals or {})

    def _dom(self) -> Dom:
        return Dom(self.pages[self.at])

    def _one(self, selector: str) -> int:
        found = self._dom().select(selector)
        if len(found) != 1:
            raise WorldError("ambiguous" if found else "missing", f"{selector} matches {len(found)}.")
        return found[0]

    def signals(self) -> Signals:
        known: dict[str, Any] = {"page_kind": None, "title": self._dom().title, "viewport": (1280, 800)}
        return Signals(url=self.current_url(), **(known | self._signals))

    def count(self, selector: str, *, visible: bool = False) -> int:
        return len(self._dom().select(selector, visible))

    def html(self) -> str:
        return self.pages[self.at]

    def text_of_page(self) -> str:
        return self._dom().page_text()

    def click(self, selector: str, timeout_ms: int | None = None) -> None:
        attributes = self._dom().attributes(self._one(selector))
        if "data-refused" in attributes:
            raise WorldError("refused", "Not allowed.")
        self.pressed.append(selector)
        self.at = attributes.get("data-go", self.at)

    def click_role(self, role: str, name: str) -> dict[str, Any]:
        self.click(role_selector(role, name))
        return {"url": self.current_url(), "page_kind": None}

    def type(self, selector: str, text: str, delay_ms: int | None = None) -> None:
        self._one(selector)
        self.typed[selector] = text

    def select(self, selector: str, value: str) -> None:
        values = [self._dom().attributes(index).get("value") for index in self._dom().select(selector)]
        if value not in values:
            raise WorldError("missing", f"There is no value {value!r}.")
        self.typed[selector] = value

    def press(self, selector: str, key: str) -> None:
        self.click(selector)

    def exists(self, selector: str, timeout_ms: int | None = None) -> bool:
        return self.count(selector) > 0

    def text(self, selector: str) -> str:
        return self._dom().text(self._one(selector))

    def texts(self, selector: str) -> list[str]:
        return [self._dom().text(index) for index in self._dom().select(selector)]

    def wait_for_selector(self, selector: str, state: State = "visible", timeout_ms: int | None = None) -> None:
        if (self.count(selector) > 0) is (state == "hidden"):
            raise WorldError("timeout", "It did not come.")

    def scroll_into_view(self, selector: str) -> None:
        self._one(selector)

    def highlight(self, selector: str) -> None:
        pass

    def clear_highlights(self) -> None:
        pass

    def viewport_size(self) -> dict[str, int] | None:
        return {"width": 1280, "height": 800}

    def current_url(self) -> str:
        return f"http://site.test/{self.at}"
