"""Pictures of the pages of a session, by one browser that stays open."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.blobs import write_whole
from personalized_shopping.shared_libraries.trajectory.execution import screenshot_path
from personalized_shopping.shared_libraries.trajectory.session import read_session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

WIDTH, HEIGHT = 1000, 800
_TIMEOUT_MS = 10_000


def take_missing(directory: Path) -> int:
    """Take the pictures that a session's pages lack, and return how many. Call it on one thread only.

    A page is drawn from its recorded HTML, in which secrets are redacted already, with scripts off and no network.

    Raises:
        TrajectoryError: where there is no browser.
    """
    session = read_session(directory)
    wanted = {
        page.html.sha256: page.html
        for page in session.pages.values()
        if page.html is not None and not screenshot_path(directory, page.html.sha256).exists()
    }
    for sha256, blob in wanted.items():
        write_whole(screenshot_path(directory, sha256), _warm.picture(session.blobs.get(blob)))
    return len(wanted)


class _WarmBrowser:
    """A browser that is started with the first picture and closed with the process."""

    def __init__(self) -> None:
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._thread: int | None = None

    def picture(self, html: str) -> bytes:
        """Return a page as PNG."""
        context = self._open().new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, java_script_enabled=False, offline=True
        )
        try:
            page = context.new_page()
            page.set_content(html, timeout=_TIMEOUT_MS)
            return page.screenshot(full_page=False, timeout=_TIMEOUT_MS)
        finally:
            context.close()

    def _open(self) -> "Browser":
        if self._browser is not None and self._thread == threading.get_ident() and self._browser.is_connected():
            return self._browser
        try:
            from playwright.sync_api import sync_playwright
        except ImportError:
            raise TrajectoryError(
                "Screenshots need the extra `browser`: pip install 'personalized-shopping[browser]'."
            ) from None
        program = find_browser()
        options: dict[str, Any] = {"executable_path": program} if program else {}
        self._playwright = sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(**options)
        except Exception as error:
            self._playwright.stop()
            first_line = str(error).strip().splitlines()[0]
            raise TrajectoryError(
                f"No browser could be started for screenshots ({first_line}). Install Chromium, or unset "
                "TRAJECTORY_SCREENSHOTS."
            ) from None
        self._thread = threading.get_ident()
        return self._browser


_warm = _WarmBrowser()
