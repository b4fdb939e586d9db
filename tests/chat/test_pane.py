"""The pane that shows the agent's pages, in a real browser: it ends at the page that it names, whatever comes first."""

import contextlib
import time
from typing import Any

import pytest

from tests.agent.helpers import DENIM, ScriptedLlm, click, search
from tests.chat.browsing import Open, say
from tests.chat.helpers import make_chat

pytestmark = pytest.mark.browser
ABOUT = "About the denim jacket for women."


@pytest.fixture
def page(open_chat: Open) -> Any:
    """Return the page of a chat whose agent goes through five pages of the shop at once.

    The patience with a page that does not come ends when a test says so, however slow the machine is.
    """
    steps = [search("denim"), click(DENIM), click("Features"), click("< Prev"), click("Description")]
    opened = open_chat(make_chat(ScriptedLlm(script=[*steps, "Done."])))
    opened.evaluate(
        """() => {
            const wait = setTimeout;
            window.setTimeout = (act, ms) => (ms === 5_000 ? ((window.endPatience = act), 0) : wait(act, ms));
        }"""
    )
    return opened


class Gate:
    """Holds back the shop's pages, once ``hold`` is called, until they are let in one by one."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.held: list[Any] = []

    def hold(self) -> "Gate":
        self.page.route("**/chat/pages/*", lambda route: self.held.append(route))
        return self

    @property
    def asked(self) -> list[int]:
        return [int(route.request.url.rsplit("/", 1)[1]) for route in self.held]

    def has_asked(self, *numbers: int) -> None:
        """Wait until these pages were asked for, and see that no others are."""
        ends = time.monotonic() + 60
        while len(self.held) < len(numbers) and time.monotonic() < ends:
            self.page.wait_for_timeout(20)
        self.page.wait_for_timeout(200)
        assert self.asked == list(numbers)

    def has_asked_only(self, number: int) -> None:
        """Wait until this page was asked for, by the chat or by a browser that restores its frame, and no other."""
        ends = time.monotonic() + 60
        while not self.held and time.monotonic() < ends:
            self.page.wait_for_timeout(20)
        self.page.wait_for_timeout(200)
        assert set(self.asked) == {number}

    def let_all_in(self) -> None:
        """Let every page in, those too that are asked for from now on."""
        self.page.unroute("**/chat/pages/*")
        for route in self.held:
            with contextlib.suppress(Exception):  # the browser may have given it up
                route.continue_()

    def let_in(self) -> None:
        """Let the page in that was asked for last."""
        self.held[-1].continue_()


def test_pages_are_loaded_one_after_the_other(page: Any) -> None:
    gate = Gate(page).hold()
    say(page, "show me", 1)
    gate.has_asked(1)  # the others wait for it
    gate.let_in()
    gate.has_asked(1, 5)  # those between are left out
    gate.let_in()
    shown = page.frame_locator("#page-frame")
    shown.get_by_text(ABOUT).wait_for()
    assert page.locator("#page-count").inner_text() == "5 of 5"

    earlier = page.get_by_role("button", name="Earlier page")
    earlier.click()
    earlier.click()
    earlier.click()
    gate.has_asked(1, 5, 4)
    gate.let_in()
    gate.has_asked(1, 5, 4, 2)
    gate.let_in()
    shown.get_by_role("heading", name="denim jacket for women").wait_for()
    assert page.locator("#page-count").inner_text() == "2 of 5"


def test_a_page_that_never_comes_holds_up_no_other(page: Any) -> None:
    gate = Gate(page).hold()
    say(page, "show me", 1)
    gate.has_asked(1)
    page.evaluate("() => window.endPatience()")
    gate.has_asked(1, 5)
    gate.let_in()
    page.frame_locator("#page-frame").get_by_text(ABOUT).wait_for()


def test_the_pages_are_no_steps_of_the_way_back(page: Any) -> None:
    before = page.evaluate("history.length")
    say(page, "show me", 1)
    shown = page.frame_locator("#page-frame")
    shown.get_by_text(ABOUT).wait_for()
    for words in ("denim jacket for women", "Second point"):
        page.get_by_role("button", name="Earlier page").click()
        shown.get_by_text(words).first.wait_for()
    assert page.evaluate("history.length") == before


def test_a_conversation_that_is_restored_or_left_shows_no_other_page(page: Any) -> None:
    say(page, "show me", 1)
    gate = Gate(page).hold()
    page.reload()
    gate.has_asked_only(5)
    gate.let_all_in()
    page.frame_locator("#page-frame").get_by_text(ABOUT).wait_for()
    page.on("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="New").click()
    page.get_by_role("heading", name="What can I find for you?").wait_for()
    assert page.locator("#page-frame").is_hidden()
    assert page.frame_locator("#page-frame").locator("body").inner_html() == ""
