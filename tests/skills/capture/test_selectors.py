import pytest

from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import (
    RoleSelector,
    css_identifier,
    css_string,
    parse_selector,
    role_selector,
    text_selector,
)
from personalized_shopping.shared_libraries.skills.world import WorldError

NASTY = [
    "radio_fit type0",
    'say "hi"',
    "it's",
    "a\\b",
    "1st",
    "-",
    "-1",
    "--x",
    "a:b.c#d[e]>f",
    "é ü 日本 😀",
    "tab\there",
    "new\nline",
    "]",
    ")",
    "a,b",
    "\\",
    "{}",
    "%",
    "*",
]


@pytest.mark.parametrize("name", NASTY)
def test_an_escaped_id_finds_its_element_and_no_other(name: str) -> None:
    quoted = name.replace("&", "&amp;").replace('"', "&quot;")
    dom = Dom(f'<!doctype html><i id="radio_fit"></i><i id="{quoted}"></i><i id="a"></i><type0></type0>')
    (index,) = [index for index in range(len(dom)) if dom.attributes(index).get("id") == name]
    assert dom.select(f"#{css_identifier(name)}") == [index]
    assert dom.select(f"[id={css_string(name)}]") == [index]
    assert dom.select(f"i[id={css_string(name)}]") == [index]


@pytest.mark.parametrize("name", ["Buy Now", 'say "hi"', "back\\slash", "a]b", "< Prev", '\\"', "name~=", "日本"])
def test_a_role_selector_is_read_as_it_was_written(name: str) -> None:
    assert parse_selector(role_selector("button", name)) == RoleSelector("button", name, True)
    assert parse_selector(role_selector("link", name, exact=False)) == RoleSelector("link", name, False)
    assert parse_selector(role_selector("link")) == RoleSelector("link", None, True)


def test_names_are_matched_whole_or_in_part() -> None:
    dom = Dom(
        "<button>Buy  Now</button><button>buy nothing</button><button hidden>Buy Now</button><a href=x>Buy Now</a>"
    )
    buttons = dom.select("button")
    assert dom.select('role=button[name="Buy Now"]') == buttons[:1]
    assert dom.select('role=button[name="Buy"]') == []
    assert dom.select('role=button[name~="BUY"]') == buttons[:2]
    assert dom.select("role=button") == buttons[:2]
    assert dom.select("button", visible=True) == buttons[:2]


@pytest.mark.parametrize("text", ["two words", 'say "hi"', "back\\slash"])
def test_a_text_finds_the_innermost_element(text: str) -> None:
    dom = Dom(f"<div><p><b> {text.replace(' ', '  ')} </b></p></div><p>{text} more</p>")
    assert dom.select(text_selector(text)) == dom.select("b")


def test_a_text_is_the_whole_visible_text() -> None:
    dom = Dom(
        "<p>Back<span hidden>!</span> to <i>Search</i></p><input type=submit value='Back to Search'>"
        "<p style='display:none'>Back to Search</p><script>Back to Search</script>"
    )
    assert [dom.tag(index) for index in dom.select('text="Back to Search"')] == ["p", "input"]


def test_an_index_finds_one_element_or_none() -> None:
    dom = Dom("<p>x")
    assert dom.select("index=3") == [3] == dom.select("p")
    assert dom.select("index=4") == []


@pytest.mark.parametrize(
    "selector",
    [
        "",
        " ",
        "a" * 1_001,
        "role=",
        "role=Button!",
        'role=button[name="x]',
        "role=button[name=x]",
        'role=button[name="x"][name="y"]',
        "text=x",
        'text=""',
        'text=" "',
        "index=-1",
        "index=x",
        "index=99999999",
        "a[",
        "a]",
        "a[href='x]",
        "a)",
        "a(",
        ">a",
        "a >",
        "a >> b",
        "a,,b",
        "a,",
        "::before",
        "a:hover",
        "a:visible",
        "a:has-text('x')",
        ":lexbor-contains('x')",
        ":nth-child(2 of a)",
        ":nth-child()",
        ":not(a b)",
        ":not()",
        ":has(:has(a))",
        "*|a",
        "//a",
        "xpath=//a",
        "a\ud800",
        "#1a",
        "a..b",
        "<p>",
        "a{}",
    ],
)
def test_a_bad_selector_is_a_clear_error(selector: str) -> None:
    dom = Dom("<a href=x>y</a>")
    with pytest.raises(WorldError) as caught:
        dom.select(selector)
    assert caught.value.reason == "failed"
    assert len(str(caught.value)) < 300
