import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.tree import Document
from personalized_shopping.shared_libraries.skills.world import WorldError

PAGE = """<!doctype html>
<div id=a class='x y'><p>1</p><p class=x>2<i>3</i></p>
<ul><li>4</li><li class=y>5<ul><li>6</li></ul></li><li>7</li></ul></div>
<form><input name=q value='a b'><input type=checkbox checked disabled><a href='/x?y=1'>z</a></form>
<div><p>8</p><i>9</i></div>"""
PARSER = LexborHTMLParser(PAGE)
DOM = Dom(PAGE)


def library_says(selector: str) -> list[int]:
    places = {node.mem_id: index for index, node in enumerate(PARSER.css("*"))}
    return sorted(places[node.mem_id] for node in PARSER.css(selector))


@pytest.mark.parametrize(
    "selector",
    [
        "p", "P", "*", ".x", ".x.y", "#a", "div#a.x", "p , li", "div p", "div > p", "p + p", "p ~ ul",
        "div>ul>li", "li li", "ul ul li", "div > ul > li ~ li", ".x .x", "[name]", "[value='a b']",
        'input[value="a b"]', "[href^='/x']", "[href*='?y=1']", "[class~=y]", ":not(p)", "li:not(.y)",
        ":is(p, i)", "p:has(i)", "div:has(> p)", "li:first-child", "li:nth-child(2)", "li:nth-child(2n+1)",
        "li:last-child", ":nth-of-type(2)", "input:checked", ":disabled", "p:only-child", "div > *",
        "ul>li:not(:first-child)", "p+ul", "p~ul", " p ", "html body > div", "li + li, p + p", "[value='a > b']",
        "[value='a, b']", "input:enabled", ":root", "css=p",
    ],
)  # fmt: skip
def test_it_matches_what_the_library_matches(selector: str) -> None:
    expected = library_says(selector.removeprefix("css=").strip())
    assert DOM.select(selector) == expected


compounds = st.sampled_from(["p", "*", "div", "li", ".x", ".y", "ul", "i", "#a", ":first-child", "li:not(.y)"])
chains = st.lists(compounds, min_size=2, max_size=5)


@given(chains, st.lists(st.sampled_from([" ", ">", "+", "~"]), min_size=4, max_size=4))
@settings(max_examples=300, deadline=None)
def test_any_chain_matches_what_the_library_matches(parts: list[str], combinators: list[str]) -> None:
    selector = parts[0] + "".join(f" {sign} {part}" for sign, part in zip(combinators, parts[1:], strict=False))
    assert DOM.select(selector) == library_says(selector)


@given(st.text(alphabet="a*.#[]()='\"\\:>+~, |1nx_-é\n\0\ud800", max_size=30))
@settings(max_examples=1_500, deadline=None)
def test_any_text_is_either_a_selector_or_a_clear_error(selector: str) -> None:
    try:
        found = DOM.select(selector)
    except WorldError as error:
        assert error.reason == "failed"
    else:
        assert found == sorted(set(found))


@pytest.mark.parametrize(
    "selector",
    [
        "* " * 39 + "q",
        "div " * 39 + "q",
        " ~ ".join(["*"] * 40),
        "div > * ~ * " * 13,
        "*:has(q)",
        ":nth-last-of-type(n)",
    ],
)
def test_no_selector_takes_long_on_a_deep_and_wide_page(selector: str) -> None:
    document = Document("<div>" * 400 + "<p><a href=x>y</a></p>" * 3_000)
    dom = Dom("<div>" * 400 + "<p><a href=x>y</a></p>" * 3_000)
    assert len(document.tree.tags) == len(dom) > 6_000
    began = time.process_time()
    dom.select(selector)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("selector", ["a " * 41, "a" + ":first-child" * 11, ",".join("a" * 41)])
def test_a_selector_has_few_parts(selector: str) -> None:
    with pytest.raises(WorldError):
        DOM.select(selector)
