"""A page in a real browser as a world: Playwright's synchronous pages, looked at and pressed as a person would.

No program and no runner sees a cookie's value, and no script of theirs runs in the page.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.skills.capture.css import split_selector
from personalized_shopping.shared_libraries.skills.capture.selectors import (
    IndexSelector,
    RoleSelector,
    TextSelector,
    parse_selector,
    role_selector,
)
from personalized_shopping.shared_libraries.skills.capture.webshop_url import page_kind
from personalized_shopping.shared_libraries.skills.world import Reason, Signals, State, WorldError

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

TIMEOUT_MS = 2_000
"""How long an element is waited for where the caller does not say."""
LOAD_TIMEOUT_MS = 10_000
"""How long a page may take to load after a press."""
SETTLE_MS = 50
"""How long a moment is; see ``settle``."""
MAX_DELAY_MS = 100
"""Longest pause between two typed characters."""

_PRESSED = """element => {
    const control = element.closest('button, input, label, a') || element;
    const pressed = control.tagName === 'LABEL' && control.control ? control.control : control;
    const form = pressed.form || null;
    return {method: form ? form.method : '', action: form ? form.action : ''};
}"""
"""Which form a press on an element sends, if any."""
_LABELS = """e => e.matches('input[type=radio], input[type=checkbox]')
    ? Array.from(e.labels).map(l => Array.prototype.indexOf.call(document.querySelectorAll('*'), l)) : []"""
_RADIOS = """elements => {
    const inside = elements.flatMap(e => e.matches('input[type=radio]') ? [e] : []);
    const radios = inside.length || elements.length !== 1 ? inside
        : Array.from(elements[0].querySelectorAll('input[type=radio]'));
    return JSON.stringify({all: inside.length === elements.length || inside.length === 0, radios: radios.map(e => ({
        place: Array.prototype.indexOf.call(document.querySelectorAll('*'), e), group: e.name, value: e.value,
        label: Array.from(e.labels || []).map(l => l.innerText).join(' ').trim()}))});
}"""
"""The radio buttons that a selector names, one by one or by what is around them."""


class PageWorld:
    """A page of a browser.

    Args:
        page: the page, of Playwright's synchronous interface; used on the thread that opened it, and nowhere else.
        timeout_ms: how long an element is waited for.
        allow_purchase: whether a purchase at the shop may be sent; of other sites nothing is known.
        login_state: what the caller knows of it, such as ``logged_in``; it is never guessed.
        root: the path below which the shop lies, for the kinds of its pages; empty at the top.
    """

    def __init__(
        self,
        page: "Page",
        *,
        timeout_ms: int = TIMEOUT_MS,
        allow_purchase: bool = False,
        login_state: str | None = None,
        root: str = "",
    ) -> None:
        self._page = page
        self._timeout_ms = timeout_ms
        self._login_state = login_state
        self._root = root
        self._refused = False
        self._guards = not allow_purchase
        # Only these requests are looked at; all others go on without asking.
        self._may_buy = re.compile(r"^https?://[^/]+" + re.escape(f"/{root.strip('/')}".rstrip("/")) + "/done/")
        if self._guards:
            page.route(self._may_buy, self._guard)

    def close(self) -> None:
        """Take back what was put on the page to keep purchases from being sent."""
        if self._guards:
            self._page.unroute(self._may_buy, self._guard)

    def signals(self) -> Signals:
        """Return where the world stands; of cookies the names alone."""
        with _told("the page"):
            title = self._page.title()
            has_field = self._page.locator("#search_input").count() > 0
            names = sorted({cookie.get("name", "") for cookie in self._page.context.cookies(self._page.url)})
        kind = page_kind(self._page.url, shows_search=has_field, root=self._root)
        size = self.viewport_size()
        window = (size["width"], size["height"]) if size else None
        return Signals(self._page.url, kind, title, window, tuple(names), self._login_state)

    def count(self, selector: str, *, visible: bool = False) -> int:
        """Return how many elements match; only the visible ones where that is asked for."""
        with _told(selector):
            found = self._locator(selector)
            return (found.locator("visible=true") if visible else found).count()

    def html(self) -> str:
        """Return the page's HTML as it is now."""
        with _told("the page"):
            return self._page.content()

    def text_of_page(self) -> str:
        """Return the page's visible text."""
        with _told("the page"):
            return _collapsed(self._page.locator("body").inner_text(timeout=self._timeout_ms))

    def current_url(self) -> str:
        """Return the address of the page."""
        return self._page.url

    def viewport_size(self) -> dict[str, int] | None:
        """Return the window's size in CSS pixels."""
        size = self._page.viewport_size
        if size is not None:
            return {"width": size["width"], "height": size["height"]}
        with _told("the window"):
            width, height = self._page.evaluate("[innerWidth, innerHeight]")
        return {"width": int(width), "height": int(height)}

    def settle(self) -> None:
        """Wait a moment, so that the page can go on with what it is doing."""
        with _told("the page"):
            self._page.wait_for_timeout(SETTLE_MS)

    def exists(self, selector: str, timeout_ms: int | None = None) -> bool:
        """Return whether anything matches, waiting at most so long; without a time, not at all."""
        if timeout_ms:
            try:
                self.wait_for_selector(selector, "attached", timeout_ms)
            except WorldError as error:
                if error.reason != "timeout":
                    raise
                return False
            return True
        return self.count(selector) > 0

    def text(self, selector: str) -> str:
        """Return the visible text of the one element that matches."""
        with _told(selector):
            return _collapsed(self._one(selector).inner_text(timeout=self._timeout_ms))

    def texts(self, selector: str) -> list[str]:
        """Return the visible text of every element that matches, in document order."""
        with _told(selector):
            return [_collapsed(text) for text in self._locator(selector).all_inner_texts()]

    def wait_for_selector(self, selector: str, state: State = "visible", timeout_ms: int | None = None) -> None:
        """Wait until an element is in a state; ``hidden`` means that nothing that matches is seen.

        Raises:
            WorldError: ``timeout``.
        """
        with _told(selector):
            found = self._locator(selector)
            if state != "attached":
                found = found.locator("visible=true")
            wanted: Any = "detached" if state == "hidden" else "attached"
            found.first.wait_for(state=wanted, timeout=self._timeout(timeout_ms))

    def scroll_into_view(self, selector: str) -> None:
        """Scroll to the element."""
        with _told(selector):
            self._one(selector).scroll_into_view_if_needed(timeout=self._timeout_ms)

    def highlight(self, selector: str) -> None:
        """Show a person which element is meant."""
        with _told(selector):
            self._one(selector).highlight()

    def clear_highlights(self) -> None:
        """Take the highlights away."""
        with _told("the page"):
            self._page.hide_highlight()

    def click(self, selector: str, timeout_ms: int | None = None) -> None:
        """Press the one element that matches, or the visible label that stands for a hidden field."""
        with _told(selector):
            self._press_on(self._one(selector, timeout_ms), selector, timeout_ms)

    def click_role(self, role: str, name: str) -> dict[str, Any]:
        """Press the one element of this role and name; return ``{"url", "page_kind"}``."""
        self.click(role_selector(role, name))
        signals = self.signals()
        return {"url": signals.url, "page_kind": signals.page_kind}

    def type(self, selector: str, text: str, delay_ms: int | None = None) -> None:
        """Replace the content of a text field."""
        with _told(selector):
            field = self._one(selector)
            self._require_usable(field, selector)
            if not delay_ms:
                field.fill(text, timeout=self._timeout_ms)
                return
            delay = min(delay_ms, MAX_DELAY_MS)
            field.fill("", timeout=self._timeout_ms)
            field.press_sequentially(text, delay=delay, timeout=self._timeout_ms + delay * len(text))

    def press(self, selector: str, key: str) -> None:
        """Press a key in the one element that matches."""
        with _told(selector):
            element = self._one(selector)
            if key in ("Enter", "Space", " "):
                self._require_allowed(element)
            element.press("Space" if key == " " else key, timeout=self._timeout_ms)
            self._after_press()

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a list, or of a group of radio buttons, by its value or by its label."""
        with _told(selector):
            found = self._locator(selector)
            if found.count() == 0:
                found = self._one(selector)
            if found.count() == 1 and found.evaluate("e => e.tagName") == "SELECT":
                self._select_of_list(found, value)
            else:
                self._select_of_radios(found, selector, value)
            self._after_press()

    def _select_of_list(self, element: "Locator", value: str) -> None:
        options: list[list[str]] = element.evaluate("e => Array.from(e.options).map(o => [o.value, o.label])")
        chosen = _matching([(option, option[0], option[1]) for option in options], value)
        if chosen is None:
            raise _no_value(value, [option[0] for option in options])
        element.select_option(value=chosen[0], timeout=self._timeout_ms)

    def _select_of_radios(self, found: "Locator", selector: str, value: str) -> None:
        read = json.loads(found.evaluate_all(_RADIOS))
        radios = read["radios"]
        if not radios or not read["all"]:
            raise WorldError("failed", f"{shorten(selector)} is no group of values to choose from.")
        if len({radio["group"] for radio in radios}) > 1:
            raise WorldError("ambiguous", f"{shorten(selector)} stands for several groups of values.")
        chosen = _matching([(radio, radio["value"], radio["label"]) for radio in radios], value)
        if chosen is None:
            raise _no_value(value, [radio["value"] for radio in radios])
        place = f"index={chosen['place']}"
        self._press_on(self._locator(place), selector, None)

    def _locator(self, selector: str) -> "Locator":
        wanted = parse_selector(selector)
        if isinstance(wanted, RoleSelector):
            role: Any = wanted.role
            if wanted.name is None:
                return self._page.get_by_role(role)
            return self._page.get_by_role(role, name=wanted.name, exact=wanted.exact)
        if isinstance(wanted, TextSelector):
            return self._page.get_by_text(wanted.text, exact=True)
        if isinstance(wanted, IndexSelector):
            (place,) = wanted
            return self._page.locator(f"xpath=(//*)[{place + 1}]")
        # Held to what both worlds know; Playwright's own additions to CSS are not among it.
        split_selector(wanted.css)
        return self._page.locator(f"css={wanted.css}")

    def _one(self, selector: str, timeout_ms: int | None = None) -> "Locator":
        """Return the one element that matches, waiting until there is any."""
        from playwright.sync_api import TimeoutError

        found = self._locator(selector)
        count = found.count()
        if count == 0:
            try:
                found.first.wait_for(state="attached", timeout=self._timeout(timeout_ms))
            except TimeoutError:
                raise WorldError("missing", f"Nothing on this page matches {shorten(selector)}.") from None
            count = found.count()
        if count != 1:
            raise WorldError("ambiguous", f"{shorten(selector)} matches {count} elements; one is needed.")
        return found

    def _press_on(self, element: "Locator", selector: str, timeout_ms: int | None) -> None:
        # A field that pages draw themselves lies under its label, if it has any size at all.
        target = self._visible_label(element) or (element if element.is_visible() else None)
        if target is None:
            raise WorldError("hidden", f"{shorten(selector)} is not shown, and nothing that is stands for it.")
        self._require_usable(element, selector)
        self._require_allowed(target)
        target.click(timeout=self._timeout(timeout_ms))
        self._after_press()

    def _visible_label(self, element: "Locator") -> "Locator | None":
        """Return the first visible label of a field that is ticked; others are pressed themselves."""
        places: list[int] = element.evaluate(_LABELS)
        labels = (self._locator(f"index={place}") for place in places)
        return next((label for label in labels if label.is_visible()), None)

    def _require_usable(self, element: "Locator", selector: str) -> None:
        if element.is_disabled() or element.get_attribute("aria-disabled") == "true":
            raise WorldError("disabled", f"{shorten(selector)} cannot be used now.")

    def _require_allowed(self, element: "Locator") -> None:
        """Raise before a press that would send a purchase; what gets past this is stopped by the guard."""
        if self._guards:
            form = element.evaluate(_PRESSED)
            if self._is_purchase(form["method"], form["action"]):
                raise _refused()

    def _guard(self, route: "Route") -> None:
        if self._is_purchase(route.request.method, route.request.url):
            self._refused = True
            route.abort("aborted")
        else:
            route.fallback()

    def _is_purchase(self, method: str, url: str) -> bool:
        return method.upper() == "POST" and page_kind(url, root=self._root) == "done"

    def _after_press(self) -> None:
        self._page.wait_for_load_state("domcontentloaded", timeout=LOAD_TIMEOUT_MS)
        if self._refused:
            self._refused = False
            raise _refused()

    def _timeout(self, wanted_ms: int | None) -> int:
        # Zero means no limit at all to Playwright.
        return self._timeout_ms if wanted_ms is None else max(1, wanted_ms)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Turn Playwright's errors into a world's, without its call logs."""
    from playwright.sync_api import Error, TimeoutError

    try:
        yield
    except TimeoutError as error:
        raise _as_world_error(what, str(error)) from None
    except Error as error:
        raise WorldError("failed", f"{shorten(what)}: {_first_line(error.message)}") from None


def _as_world_error(what: str, log: str) -> WorldError:
    reasons: tuple[tuple[str, Reason, str], ...] = (
        ("intercepts pointer events", "covered", "is covered by another element"),
        ("element is not enabled", "disabled", "cannot be used now"),
        ("element is not visible", "hidden", "is not shown"),
        ("outside of the viewport", "hidden", "is outside of the window"),
    )
    for sign, reason, words in reasons:
        if sign in log:
            return WorldError(reason, f"{shorten(what)} {words}.")
    return WorldError("timeout", f"{shorten(what)} did not come in time.")


def _first_line(message: str) -> str:
    return shorten(message.strip().splitlines()[0] if message.strip() else "", 200)


def _refused() -> WorldError:
    return WorldError("refused", "Buying was not allowed here; nothing was bought.")


def _no_value(value: str, values: list[str]) -> WorldError:
    listed = ", ".join(values[:20])
    return WorldError("missing", f"There is no value {shorten(value)}. There are: {listed}.")


def _matching(choices: list[tuple[Any, str, str]], value: str) -> Any:
    """Return the choice of this value, or else of this value or label in other letters."""
    for choice, own, _label in choices:
        if own == value:
            return choice
    wanted = value.strip().lower()
    return next(
        (choice for choice, own, label in choices if wanted in (own.strip().lower(), label.strip().lower())), None
    )


def _collapsed(text: str) -> str:
    return " ".join(text.split())
