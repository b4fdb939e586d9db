"""A real browser for the tests: pages are given to it as HTML, and nothing else is to be had."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Page, Route, sync_playwright

from personalized_shopping.browsers import find_browser

WINDOW: Any = {"width": 1280, "height": 800}


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(browser: Browser, html: str, url: str, **more: Any) -> Iterator[Page]:
    """Show HTML under an address."""
    context = browser.new_context(viewport=WINDOW, **more)

    def answer(route: Route) -> None:
        if route.request.is_navigation_request():
            body = html.encode("utf-8", "replace")
            route.fulfill(status=200, headers={"content-type": "text/html; charset=utf-8"}, body=body)
        else:
            route.abort()

    context.route("**/*", answer)
    try:
        page = context.new_page()
        page.goto(url)
        yield page
    finally:
        context.close()
