"""A real browser at a website: one tab, driven by Playwright on a thread of its own."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import SettingError, ShoppingError, shorten

Result = TypeVar("Result")
_TIMEOUT_MS = 30_000
_WIDTH, _HEIGHT = 1280, 900
_CLOSE_TIMEOUT_S = 30.0
_LABEL_OF_RADIO = "xpath=following-sibling::label[1]"


class Shown(NamedTuple):
    """A page as the browser got it: its address, its HTML as it was sent, and the HTTP status of the answer."""

    url: str
    html: str
    status: int


class SiteBrowser:
    """One tab of one browser. Any thread may call it, also one that runs an event loop.

    Playwright belongs to the thread that started it and refuses those with an event loop, as notebooks have; a thread
    of its own also lets several of these live side by side. The browser starts with the first page. Without a window it
    loads no images.

    Args:
        visible: whether the browser has a window.
    """

    def __init__(self, *, visible: bool = False) -> None:
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = threading.Thread(target=_work, args=(self._jobs, visible), name="site-browser", daemon=True)
        self._closed = False
        self._thread.start()

    def begin(self, url: str) -> Shown:
        """Open a page as a browser that knows nothing: no cookies, no history.

        Raises:
            SettingError: where no browser can be started, or nothing answers there.
        """
        return self._do(lambda tab: tab.begin(url))

    def open(self, url: str) -> Shown:
        """Open a page as if its address were typed."""
        return self._do(lambda tab: tab.open(url))

    def press(self, selector: str, number: int) -> Shown:
        """Press an element that leads to another page, with the mouse; of a radio button, its label.

        Args:
            selector: CSS of elements of its kind.
            number: which of them, from 0.

        Raises:
            ShoppingError: where no page comes.
        """
        return self._do(lambda tab: tab.press(selector, number))

    def type(self, field: str, text: str, button: str) -> Shown:
        """Type into a field and press a button that leads to another page; both are named by CSS."""
        return self._do(lambda tab: tab.type(field, text, button))

    def close(self) -> None:
        """Close the browser and end its processes and its thread; twice is harmless."""
        if not self._closed:
            self._closed = True
            self._jobs.put(None)
            if threading.current_thread() is not self._thread:
                self._thread.join(_CLOSE_TIMEOUT_S)

    def _do(self, act: "Callable[[_Tab], Result]") -> Result:
        if self._closed:
            raise ShoppingError("The browser is closed; make another environment.")
        future: Future[Result] = Future()
        self._jobs.put((future, act))
        return future.result()


_Job = tuple["Future[Any]", "Callable[[_Tab], Any]"]


def _work(jobs: "SimpleQueue[_Job | None]", visible: bool) -> None:
    tab: _Tab | None = None
    while (job := jobs.get()) is not None:
        future, act = job
        try:
            tab = tab or _Tab(visible)
            future.set_result(act(tab))
        except BaseException as error:  # whatever it is, the caller waits for it
            future.set_exception(error)
        del job, future, act
    if tab is not None:
        tab.close()


class _Tab:
    """What lives on the browser's thread."""

    def __init__(self, visible: bool) -> None:
        try:
            from playwright.sync_api import Error, sync_playwright
        except ImportError:
            raise SettingError(
                "A real browser is driven by Playwright: pip install 'personalized-shopping[browser]'."
            ) from None
        self._error = Error
        program = find_browser()
        options: dict[str, Any] = {"executable_path": program} if program else {}
        if not visible:
            options["args"] = ["--blink-settings=imagesEnabled=false"]
        self._playwright = sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(headless=not visible, **options)
        except Error as error:
            self._playwright.stop()
            window = " A window needs a display; leave out render=True." if visible else ""
            raise SettingError(f"No browser could be started ({_said(error)}). Install Chromium.{window}") from None
        self._context: Any = None
        self._page: Any = None

    def begin(self, url: str) -> Shown:
        if self._context is not None:
            self._context.close()
        self._context = self._browser.new_context(viewport={"width": _WIDTH, "height": _HEIGHT})
        self._context.set_default_timeout(_TIMEOUT_MS)
        self._page = self._context.new_page()
        try:
            return self._shown(self._page.goto(url, wait_until="domcontentloaded"))
        except self._error as error:
            raise SettingError(f"No website answers at {shorten(url)} ({_said(error)}).") from None

    def open(self, url: str) -> Shown:
        return self._led_to(lambda: self._page.goto(url, wait_until="domcontentloaded"))

    def press(self, selector: str, number: int) -> Shown:
        element = self._page.locator(selector).nth(number)
        if selector == RADIO:
            element = element.locator(_LABEL_OF_RADIO)
        return self._follow(element)

    def type(self, field: str, text: str, button: str) -> Shown:
        self._page.fill(field, text)
        return self._follow(self._page.locator(button).first)

    def close(self) -> None:
        try:
            self._browser.close()
        finally:
            self._playwright.stop()

    def _follow(self, element: Any) -> Shown:
        def click() -> Any:
            with self._page.expect_navigation(wait_until="domcontentloaded") as coming:
                element.click()
            return coming.value

        return self._led_to(click)

    def _led_to(self, move: Callable[[], Any]) -> Shown:
        try:
            return self._shown(move())
        except self._error as error:
            raise ShoppingError(f"The browser came to no page ({_said(error)}).") from None

    def _shown(self, answer: Any) -> Shown:
        return Shown(self._page.url, answer.text(), answer.status)


RADIO = "input[type=radio]"


def _said(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
