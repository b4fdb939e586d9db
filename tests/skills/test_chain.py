import pytest

from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.chain import (
    chain,
    fill_pattern,
    fill_selector,
    fill_text,
    find,
    hole_values,
    narrowed,
)
from personalized_shopping.shared_libraries.skills.model import Locators, RoleLocator
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.skills.world import WorldError
from tests.skills.html_world import HtmlWorld

PAGE = """<a href="x" title='a "b"'>one</a><a href="x" title="it's">two</a><button id="7 up">Go</button>
<input type="radio" name="c" value="1"><input type="radio" name="c" value="2"><input name="c2">
<p class="asin">B01</p><button disabled>Off</button>"""


def locators(**more: object) -> Locators:
    return Locators(**{"selector": "#main", **more})  # type: ignore[arg-type]


def test_the_order_of_the_chain() -> None:
    whole = locators(
        selector_alt=["a.b", "a.c"],
        by_role=RoleLocator(role="button", name="Go"),
        by_text=["Go", "Start"],
        by_dom_index=12,
    )
    assert [(link.place, link.selector) for link in chain(whole, "navigate", {})] == [
        ("selector", "#main"),
        ("by_role", 'role=button[name="Go"]'),
        ("selector_alt[0]", "a.b"),
        ("selector_alt[1]", "a.c"),
        ("by_text[0]", 'text="Go"'),
        ("by_text[1]", 'text="Start"'),
        ("by_dom_index", "index=12"),
    ]
    for effect in ("write", "purchase"):
        assert "by_dom_index" not in [link.place for link in chain(whole, effect, {})]
    loose = locators(by_role=RoleLocator(role="link", name="Go", exact=False))
    assert chain(loose, "read", {})[1].selector == 'role=link[name~="Go"]'
    assert chain(locators(by_role=RoleLocator(role="textbox")), "read", {})[1].selector == "role=textbox"


def test_values_stand_in_their_places() -> None:
    values = hole_values({"asin": "B01", "n": 3, "flag": True, "list": ["x"]}, "asin")
    assert values == {"asin": "B01", "n": "3", "flag": "true", "item": "B01"}
    assert fill_text("{item} of {n} {other} {list}", values) == "B01 of 3 {other} {list}"
    filled = chain(locators(selector='a[href*="{item}"]', by_text=["{item}"], item_param="asin"), "read", values)
    assert [link.selector for link in filled] == ['a[href*="B01"]', 'text="B01"']


@pytest.mark.parametrize(
    "value", ['a "b"', "it's", '"], a, [x="', "'],a,[x='", "\\", '\\"', "a\nb", "*", "", "{item}", "]", "\0", "ü 🦆"]
)
@pytest.mark.parametrize(
    "template", ['a[title="{item}"]', "a[title='{item}']", 'text="{item}"', 'role=link[name="{item}"]']
)
def test_no_value_leaves_its_string(value: str, template: str) -> None:
    html = "<a>x</a><a title=y>y</a>"
    try:
        found = Dom(html).select(fill_selector(template, {"item": value}))
    except WorldError as error:
        assert value in ("", "\n"), error
        found = []
    assert found == []


def test_the_value_is_found_whatever_is_in_it() -> None:
    dom = Dom(PAGE)
    for title in ('a "b"', "it's"):
        for template in ('a[title="{item}"]', "a[title='{item}']"):
            assert len(dom.select(fill_selector(template, {"item": title}))) == 1, (title, template)
    assert len(dom.select(fill_selector("#{item}", {"item": "7 up"}))) == 1
    assert len(dom.select(fill_selector(".{item}", {"item": "asin"}))) == 1


def test_a_value_in_a_pattern_means_itself() -> None:
    pattern = fill_pattern(r"/item/{asin}/[0-9]{2}$", {"asin": "B.1(x"})
    assert matches(pattern, "http://h/item/B.1(x/12")
    assert not matches(pattern, "http://h/item/Bb1(x/12")


def test_the_first_that_matches_one_element_wins() -> None:
    world = HtmlWorld({"start": PAGE})
    links = chain(locators(selector="a", selector_alt=["#none", "a[", "p.asin"], by_text=["B01"]), "read", {})
    found = find(world, links)
    assert found.winner is not None
    assert found.winner.place == "selector_alt[2]"
    assert [(tried.place, tried.matched) for tried in found.tried] == [
        ("selector", 2),
        ("selector_alt[0]", 0),
        ("selector_alt[1]", 0),
        ("selector_alt[2]", 1),
    ]
    assert found.tried[2].error is not None
    assert not found.nothing_there
    assert find(world, chain(locators(selector="#none"), "read", {})).nothing_there


def test_radio_buttons_are_one_to_who_chooses() -> None:
    world = HtmlWorld({"start": PAGE})
    links = chain(locators(selector='input[name="c"]'), "read", {})
    assert find(world, links).winner is None
    assert find(world, links, group=True).winner is not None
    assert find(world, chain(locators(selector="input"), "read", {}), group=True).winner is None
    assert find(world, chain(locators(selector="a"), "read", {}), group=True).winner is None


def test_a_selector_is_narrowed_in_each_of_its_alternatives() -> None:
    assert narrowed("a > b, .c d", ":not(.x)") == "a>b:not(.x), .c d:not(.x)"
    assert len(Dom(PAGE).select(narrowed("#none, button", ":not([disabled])"))) == 1
    with pytest.raises(WorldError, match="Only a CSS selector"):
        narrowed("role=button", ":not(.x)")
