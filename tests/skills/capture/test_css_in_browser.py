"""What a selector matches here is what it matches in a browser."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.skills.capture import Dom
from personalized_shopping.shared_libraries.skills.world import WorldError
from tests.skills.capture.browsing import open_page
from tests.skills.capture.pages import GOLDEN, TORTURE, TORTURE_URL

pytestmark = pytest.mark.browser
MATCH = """selectors => { const all = [...document.querySelectorAll("*")]; return selectors.map((css) => {
  try { return [...document.querySelectorAll(css)].map((each) => all.indexOf(each)); } catch { return null; } }); }"""
PIECES = [
    "button", "a", "*", "input", "label", "li", ".gone", ".gone.back", "#dup", "#overlay", "[hidden]",
    "[type=submit]", "[TYPE=url]", "[type='URL']", "[id='r 2']", "[title]", "[title*=t]", "[title^='t']",
    "[title$=t]", "[role~=link]", "[aria-label='']", "[lang|=en]", "[title=TT i]", ":checked", ":disabled",
    ":enabled", ":root", ":first-child", ":last-child", ":only-child", ":first-of-type",
    ":last-of-type", ":only-of-type", ":nth-child(2)", ":nth-child(2n+1)", ":nth-child(even)",
    ":nth-child(-n+3)", ":nth-last-child(2)", ":nth-of-type(3)", ":nth-last-of-type(1)", ":not(div)",
    ":not(.a, [b])", ":not(:disabled)", ":is(button, a)", ":where(i)", ":has(b)", ":has(> input)",
    ":has(+ label)", ":has(~ p)", "BUTTON", "svg", "input:not([type])", "option:checked", "\\62 utton", "#b\\32",
    "x-tag", "[data-é]", ":not(:checked)", "input:not(:disabled)", "option:disabled",
]  # fmt: skip


def html_of(name: str, quirky: bool) -> str:
    html = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
    return html.replace("<!doctype html>", "", 1) if quirky else html


@pytest.mark.parametrize("quirky", [False, True])
def test_the_supported_selectors_match_the_same_elements(browser: Any, quirky: bool) -> None:
    html = html_of(TORTURE, quirky)
    dom = Dom(html)
    with open_page(browser, html, TORTURE_URL) as page:
        pairs = [f"{left} {right}" for left in PIECES[:8] for right in PIECES]
        selectors = [*PIECES, *pairs, "LI > A", "label+input", "h2 ~ button", ".GONE", "#DUP", "#overlay , nav a"]
        for selector, theirs in zip(selectors, page.evaluate(MATCH, selectors), strict=True):
            try:
                ours: list[int] | None = dom.select(selector)
            except WorldError:
                ours = None
            if ":" in selector and ours and theirs:  # the library counts a doctype among the root's siblings
                ours, theirs = ([index for index in found if index != 0] for found in (ours, theirs))
            assert ours == theirs, selector


@given(st.lists(st.text(alphabet="ab*.#[]()='\"\\:>+~, |1n-é", min_size=1, max_size=12), min_size=200, max_size=200))
@settings(max_examples=15, deadline=None)
def test_what_is_taken_for_a_selector_is_one(selectors: list[str]) -> None:
    dom, page = Dom(html_of(TORTURE, False)), PAGE["page"]
    for selector, theirs in zip(selectors, page.evaluate(MATCH, selectors), strict=True):
        try:
            ours = dom.select(selector)
        except WorldError:
            continue  # fewer selectors are read here than in a browser
        assert ours == theirs, selector


PAGE: dict[str, Any] = {}


@pytest.fixture(autouse=True, scope="module")
def torture_page(browser: Any) -> Any:
    with open_page(browser, html_of(TORTURE, False), TORTURE_URL) as page:
        PAGE["page"] = page
        yield
        PAGE.clear()
