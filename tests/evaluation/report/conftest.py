"""Reports in a real browser, which may neither complain nor ask anybody for anything."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


class Opened:
    """A report that a browser shows, and what the browser said of it."""

    def __init__(self, context: Any, path: Path) -> None:
        self.path = path
        self.page = context.new_page()
        self.troubles: list[str] = []
        self.asked: set[str] = set()
        self.page.on("console", lambda said: self.troubles.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.add(request.url.split("#")[0]))

    def goto(self, address: str = "") -> "Opened":
        self.page.goto(self.path.as_uri() + address)
        self.page.locator(".found").wait_for()
        return self

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    @property
    def found(self) -> str:
        return str(self.page.locator(".found").inner_text())

    @property
    def address(self) -> str:
        return str(self.page.url).partition("#")[2]

    def check(self) -> None:
        assert self.troubles == []
        assert {url for url in self.asked if not url.startswith("data:")} == {self.path.as_uri()}
        assert self.page.evaluate("() => window.marker") is None


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    contexts, found = [], []

    def open_it(path: Path, address: str = "", **options: Any) -> Opened:
        contexts.append(browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options}))
        found.append(Opened(contexts[-1], path))
        return found[-1].goto(address)

    yield open_it
    for each in found:
        each.check()
    for context in contexts:
        context.close()
