import time

import pytest

from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import css_string, role_selector


def test_an_element_is_known_by_its_place() -> None:
    dom = Dom("<!doctype html><title> A  page </title><p>x <b>y</b> z</p><svg><title>no</title></svg>")
    assert [dom.tag(index) for index in range(len(dom))] == ["html", "head", "title", "body", "p", "b", "svg", "title"]
    assert dom.title == "A page"
    (bold,) = dom.select("b")
    assert dom.parent(bold) == 4 and dom.parent(0) is None
    assert dom.own_text(4) == "x z" and dom.text(4) == "x y z"
    assert dom.closest(bold, "p") == 4 and dom.closest(bold, "form") is None


@pytest.mark.parametrize(
    "html", ["", " ", "\0", "plain", "<", "<!--", "<b", "&#x0;", "\ud800", "<p>\ud800", "<" * 5_000]
)
def test_any_text_is_a_page(html: str) -> None:
    dom = Dom(html)
    assert [dom.tag(index) for index in range(3)] == ["html", "head", "body"]
    assert isinstance(dom.page_text(), str) and dom.select("role=button") == []


def test_ids_that_repeat_are_all_found_and_the_first_is_the_one_meant() -> None:
    dom = Dom("<!doctype html><label for=a>L</label><input id=a><input id=a>")
    first, second = dom.select("#a")
    assert dom.by_id("a") == first
    assert dom.name(first) == "L" and dom.name(second) == ""
    assert dom.labels(first) == dom.select("label") and dom.labels(second) == []


def test_scripts_run_so_noscript_is_empty() -> None:
    dom = Dom(
        "<head><noscript><link><img></noscript></head><p>a<noscript><b>x</b></noscript></p><noscript><i>never ends"
    )
    assert [dom.tag(index) for index in range(len(dom))] == [
        "html",
        "head",
        "noscript",
        "body",
        "p",
        "noscript",
        "noscript",
    ]
    assert dom.page_text() == "a"


@pytest.mark.parametrize(
    "part",
    [
        "<p id=x hidden>x</p>",
        "<p id=x style='display:none'>x</p>",
        "<p id=x style='color:red;DISPLAY : None !important'>x</p>",
        "<p id=x style='visibility:hidden'>x</p>",
        "<div style='display:none'><p id=x>x</p></div>",
        "<style>.h{display:none}</style><p id=x class=h>x</p>",
        "<style>/* .h{} */ p{display:block} .h, .i { color: red; display: none }</style><p id=x class=h>x</p>",
        "<style>@import url(x);#x{visibility:hidden}</style><p id=x>x</p>",
        "<details><p id=x>x</p></details>",
        "<dialog id=x>x</dialog>",
        "<input id=x type=hidden>",
        "<template><p>x</p></template><datalist id=x>x</datalist>",
        "<div popover id=x>x</div>",
    ],
)
def test_what_the_page_itself_hides_is_hidden(part: str) -> None:
    dom = Dom(part)
    assert len(dom.select("#x")) == 1 and dom.select("#x", visible=True) == []
    assert dom.page_text() == ""


@pytest.mark.parametrize(
    "part",
    [
        "<p id=x>x</p>",
        "<p id=x style='display:block'>x</p>",
        "<p id=x hidden style='display:block'>x</p>",
        "<style>.h{display:none} p.h{display:block}</style><p id=x class=h>x</p>",
        "<style>p.h{display:block} .h{display:none}</style><p id=x class=h>x</p>",
        "<style>@media print{#x{display:none}}</style><p id=x>x</p>",
        "<style>.other #x{display:none} :hover{display:none} x:y{display:none}</style><p id=x>x</p>",
        "<style>#x{display:none}</style><p id=x style='display:inline'>x</p>",
        "<div style='visibility:hidden'><p id=x style='visibility:visible'>x</p></div>",
        "<details open><p id=x>x</p></details>",
        "<details><summary id=x>x</summary></details>",
        "<p id=x aria-hidden=true>x</p>",
    ],
)
def test_what_nothing_hides_is_shown(part: str) -> None:
    dom = Dom(part)
    assert dom.select("#x", visible=True) == dom.select("#x") != []
    assert dom.page_text() == "x"


def test_what_is_not_told_has_no_role_though_it_is_shown() -> None:
    dom = Dom("<div aria-hidden=true><button>x</button></div><div inert><button>x</button></div>")
    assert dom.select("role=button") == []
    assert len(dom.select("button", visible=True)) == 2


def test_nested_text_stays_in_its_lines() -> None:
    dom = Dom("<div>a<b>b</b>c<div>d</div>e<br>f<ul><li>g<li>h</ul><textarea>no</textarea><script>no</script></div>")
    assert dom.page_text() == "abc d e f g h"


def a_large_page() -> str:
    rows = (
        f'<li><label for="r {number}">Item <b>{number}</b> "nr. {number}"</label>'
        f'<input type="radio" id="r {number}" name=g>'
        f"<a class=link href='/item/{number}'>Open {number}</a><button>Buy {number}</button></li>"
        for number in range(1_000)
    )
    return f"<!doctype html><ul>{''.join(rows)}</ul>"


def test_three_thousand_controls_take_a_moment() -> None:
    began = time.process_time()
    dom = Dom(a_large_page())
    assert len(dom.select("role=radio")) == len(dom.select("role=link")) == len(dom.select("role=button")) == 1_000
    assert [dom.name(index) for index in dom.select("input")[:2]] == ['Item 0 "nr. 0"', 'Item 1 "nr. 1"']
    assert dom.select(role_selector("radio", 'Item 777 "nr. 777"')) == dom.select(f"[id={css_string('r 777')}]")
    assert dom.select('text="Buy 999"') == [dom.select("button")[-1]]
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 20_000 + "<button>x</button>",
        "<a href=x>" + "<div role=button>" * 5_000 + "x",
        "<label>" * 3_000 + "x<input>",
        "<header>" * 5_000 + "x",
        "<button aria-labelledby=big>x</button>" * 3_000 + "<p id=big>" + "<i>word </i>" * 5_000,
        "".join(f"<i id=i{n} aria-labelledby=i{n + 1}></i>" for n in range(3_000)),
        "<label for=a>l</label>" * 5_000 + "<input id=a>",
        "<p>" + "word " * 500_000,
        "<button>" + "word " * 200_000,
        "<noscript>" * 20_000,
        "<style>" + "a{display:none}" * 50_000 + "</style>" + "<a>x</a>" * 2_000,
        "<style>" + "{" * 100_000 + "</style>",
        "<style>" + "/*" * 100_000 + "</style>",
        "<select>" + "<option>x" * 20_000,
        "<details>" * 3_000 + "<summary>x",
    ],
    ids=range(15),
)
def test_no_page_takes_more_than_its_size(html: str) -> None:
    began = time.process_time()
    dom = Dom(html)
    for index in range(len(dom)):
        assert len(dom.name(index)) <= 1_000
    assert len(dom.states) == len(dom)
    dom.select('text="x"')
    assert len(dom.page_text()) <= 1_000_000
    assert time.process_time() - began < 10


def test_states_are_those_of_the_page_as_it_comes() -> None:
    dom = Dom("""<input type=radio name=g checked><input type=radio name=g checked><input type=checkbox>
        <fieldset disabled><legend><button>in</button></legend><button>out</button></fieldset>
        <button aria-pressed=true aria-expanded=false>p</button>
        <select><option disabled>a<option>b</select><details open><summary>s</summary></details>""")
    states = dom.states
    assert [states[index].checked for index in dom.select("input")] == [False, True, False]
    assert [states[index].disabled for index in dom.select("button")] == [False, True, False]
    pressed = states[dom.select("button")[-1]]
    assert pressed.pressed is True and pressed.expanded is False
    assert [states[index].selected for index in dom.select("option")] == [False, True]
    assert states[dom.select("summary")[0]].expanded is True
