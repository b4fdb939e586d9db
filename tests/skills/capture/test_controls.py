"""The tree of controls. A docstring says how the program that the blueprint was written for failed here."""

import time
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.capture import Capture, Dom, Node, capture_html
from tests.skills.capture.pages import GOLDEN, KINDS, TORTURE, ShopPage

URL = "https://shop.test/a/page"


def captured(html: str, url: str = URL, **more: Any) -> Capture:
    return capture_html(f"<!doctype html>{html}", url=url, **more)


def shop(pages: dict[str, ShopPage], kind: str) -> Capture:
    return capture_html(pages[kind].html, url=pages[kind].url)


def by_name(capture: Capture) -> dict[str, Node]:
    return {node.name: node for node in capture.controls}


@pytest.mark.parametrize(
    ("html", "action"),
    [
        ("<input>", "type"),
        ("<input type=search>", "type"),
        ("<input type=date>", "type"),
        ("<textarea></textarea>", "type"),
        ("<div contenteditable>x</div>", "type"),
        ("<div role=textbox>x</div>", "type"),
        ("<input type=radio>", "toggle"),
        ("<input type=checkbox>", "toggle"),
        ("<div role=switch>x</div>", "toggle"),
        ("<input type=submit>", "submit"),
        ("<input type=image>", "submit"),
        ("<input type=button value=b>", "click"),
        ("<input type=reset>", "click"),
        ("<select><option>a</select>", "select"),
        ("<div role=listbox><p>x</div>", "select"),
        ("<button>b</button>", "click"),
        ("<button type=button>b</button>", "click"),
        ("<form><button>b</button></form>", "click"),
        ("<form><input type=hidden name=h><button>b</button></form>", "click"),
        ("<a href=/x>a</a>", "navigate"),
        ("<a href='#top'>a</a>", "click"),
        ("<a href='javascript:x()'>a</a>", "click"),
        ("<span role=link>a</span>", "navigate"),
        ("<div role=button>b</div>", "click"),
        ("<div onclick='x()'>b</div>", "click"),
        ("<details><summary>s</summary></details>", "open"),
        ("<button aria-expanded=false>b</button>", "open"),
        ("<button aria-haspopup=menu>b</button>", "open"),
        ("<input type=file>", "none"),
        ("<div tabindex=0>x</div>", "none"),
    ],
)
def test_every_sort_of_control_has_its_action(html: str, action: str) -> None:
    (node,) = captured(html).controls
    assert node.action == action


def test_a_button_of_a_form_with_fields_submits_it() -> None:
    capture = captured("<form><input name=q><button>Search</button><button type=button>Clear</button></form>")
    assert [node.action for node in capture.controls] == ["type", "submit", "click"]
    assert captured("<form id=f><input></form><button form=f>Go</button>").controls[1].action == "submit"


def test_what_is_no_control_has_no_node_of_one() -> None:
    html = "<input type=hidden><a>x</a><p tabindex=-1>x</p><p contenteditable=false>x</p><summary>x</summary>"
    assert captured(f"{html}<label>x</label>").controls == []


def test_types_of_inputs_are_told(pages: dict[str, ShopPage]) -> None:
    """Without them, each radio button was a text field."""
    capture = shop(pages, "item")
    radios = [each for each in capture.elements if each.input_type == "radio"]
    assert len(radios) > 3
    nodes = {node.index: node for node in capture.controls}
    assert {(nodes[each.index].role, nodes[each.index].action) for each in radios} == {("radio", "toggle")}


def test_plain_buttons_can_be_pressed(pages: dict[str, ShopPage]) -> None:
    """They had no action."""
    nodes = by_name(shop(pages, "item"))
    for name in ("Back to Search", "< Prev", "Description", "Features", "Reviews", "Attributes", "Buy Now"):
        assert nodes[name].action == "click" and nodes[name].role == "button"
    assert by_name(shop(pages, "search"))["Search"].action == "submit"


@pytest.mark.parametrize("name", [*KINDS, TORTURE])
def test_every_selector_finds_as_many_elements_as_it_says(name: str) -> None:
    """Four buttons and ten products shared a selector, and the first of them was pressed for all."""
    html = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
    capture, dom = capture_html(html, url=URL), Dom(html)
    for node in capture.nodes:
        found = dom.select(node.selector)
        assert len(found) == node.unique.css and node.index in found, node.selector
        for css in (*node.selector_alt, *([node.path] if node.path else [])):
            assert dom.select(css) == [node.index], css
        assert len(set(node.selector_alt) | {node.selector}) == 1 + len(node.selector_alt) <= 4
        if node.proxy_selector is not None:
            assert [dom.tag(index) for index in dom.select(node.proxy_selector)] == ["label"]


def test_buttons_that_css_cannot_tell_apart_are_marked_and_told_apart_by_name(pages: dict[str, ShopPage]) -> None:
    nodes = by_name(shop(pages, "item"))
    alike = [nodes[name] for name in ("< Prev", "Description", "Features", "Reviews")]
    assert {node.selector for node in alike} == {"button.btn.btn-primary"}
    assert all(node.unique.css > 1 and node.unique.role_name == 1 for node in alike)
    assert all(node.selector_kind == "class" for node in alike)
    assert len({node.path for node in alike}) == 4
    assert nodes["Buy Now"].selector not in {node.selector for node in alike}


def test_two_buttons_of_one_text_are_counted() -> None:
    nodes = captured("<button>Same</button><button>Same</button><button>Other</button>").controls
    assert [node.unique.role_name for node in nodes] == [2, 2, 1]
    assert [node.unique.css for node in nodes] == [3, 3, 3]
    assert [node.path for node in nodes] == [f"html > body > button:nth-of-type({place})" for place in (1, 2, 3)]


@pytest.mark.parametrize(
    "style",
    ["opacity:0;position:fixed;width:0", "display:none", "visibility:hidden", "color:red"],
)
def test_a_hidden_option_survives_with_its_label(style: str) -> None:
    """The shop hides its radio buttons, and none of them was kept."""
    html = "<input type=radio id='radio_fit type0'><label for='radio_fit type0'>slim</label>"
    capture = captured(f"<style>input{{{style}}}</style>{html}")
    (node,) = capture.controls
    label = next(each for each in capture.elements if each.tag == "label")
    assert node.proxy_selector == 'label[for="radio_fit type0"]'
    assert capture.element(node.index).proxy_index == label.index


def test_all_options_of_the_shop_have_a_label_to_press(pages: dict[str, ShopPage]) -> None:
    capture = shop(pages, "item")
    page = pages["item"].page
    assert page.product is not None
    toggles = [node for node in capture.controls if node.action == "toggle"]
    assert [node.name for node in toggles] == [value for values in page.product.options.values() for value in values]
    assert all(node.proxy_selector for node in toggles)


def test_a_hidden_input_without_a_visible_label_has_no_node() -> None:
    html = "<input type=radio hidden id=a><label for=a hidden>x</label><input type=checkbox style='display:none'>"
    assert captured(html).controls == []
    assert captured("<div style='display:none'><button>x</button></div>").controls == []


@pytest.mark.parametrize("name", ["radio_fit type0", 'a"b', "1", "a.b", "é", "a\\b", "x:y", "-", "a]b"])
def test_odd_ids_are_written_so_that_they_are_found(name: str) -> None:
    """``#radio_fit type0`` is another selector."""
    quoted = name.replace('"', "&quot;")
    html = f'<!doctype html><button id="{quoted}">x</button><button>y</button>'
    node = capture_html(html, url=URL).controls[0]
    assert node.unique.css == 1 and node.selector_kind == "id"
    assert Dom(html).select(node.selector) == [node.index]
    assert node.selector.startswith("[id=")


def test_ids_that_repeat_are_not_taken_for_unique() -> None:
    first, second = captured("<input id=a name=x><input id=a name=y>").controls
    assert (first.selector, second.selector) == ('input[name="x"]', 'input[name="y"]')
    assert first.unique.css == second.unique.css == 1


def test_names_come_from_wherever_pages_put_them(pages: dict[str, ShopPage]) -> None:
    """Labels, placeholders and titles were read but never kept."""
    field = next(node for node in shop(pages, "search").controls if node.action == "type")
    assert (field.role, field.name) == ("searchbox", "Search")
    (element,) = (
        each for each in captured("<input placeholder=p title=t aria-label=l>").elements if each.tag == "input"
    )
    assert (element.placeholder, element.title, element.aria) == ("p", "t", {"aria-label": "l"})
    assert element.labels == ["l", "t"] and element.name_computed == "l"


def test_whether_a_covering_part_is_hidden_is_known() -> None:
    """A hidden overlay in the page blocked a skill for ever."""
    html = "<style>.modal{display:none}</style><div class=modal>m</div><div class=overlay>o</div>"
    modal, overlay = (each for each in captured(html).elements if each.tag == "div")
    assert modal.visible is False and overlay.visible == "unknown"
    assert Dom(html).select(".modal", visible=True) == [] != Dom(html).select(".overlay", visible=True)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_of_the_shop_are_told_apart(pages: dict[str, ShopPage], kind: str) -> None:
    """One origin, and every skill matched every page."""
    meta = shop(pages, kind).meta
    assert meta["page_kind"] == kind
    others = [shop(pages, other).meta["path_template"] for other in KINDS if other != kind]
    assert meta["path_template"] not in others
    for node in shop(pages, kind).nodes:
        assert node.selector not in node.selector_alt


def test_three_thousand_controls_take_a_moment() -> None:
    """The time grew with the square of the page."""
    row = "<li><a href='/item/{0}' class=l>Item {0}</a><input type=radio name=g id='r {0}'><button>Buy {0}</button>"
    html = "<ul>" + "".join(row.format(number) for number in range(1_000)) + "</ul>"
    began = time.process_time()
    capture = captured(html)
    assert time.process_time() - began < 10
    assert len(capture.controls) == 3_000
    assert len({node.template_id for node in capture.controls if node.action == "navigate"}) == 1


def test_a_control_that_cannot_be_told_is_never_the_first_element() -> None:
    """A locator that found nothing fell back to ``<html>``."""
    nodes = captured("<div onclick=x><div onclick=y></div></div>").controls
    assert all(node.index > 2 and node.selector not in {"html", "*"} for node in nodes)


def test_the_tree_hangs_together(pages: dict[str, ShopPage]) -> None:
    for kind in KINDS:
        capture = shop(pages, kind)
        nodes = {node.id: node for node in capture.nodes}
        assert [node.index for node in capture.nodes] == sorted(node.index for node in capture.nodes)
        for node in capture.nodes:
            assert node.id == f"d{node.index}"
            assert node.parent is None or node.id in nodes[node.parent].children
            assert all(nodes[child].parent == node.id for child in node.children)
            above = capture.element(node.index).parent_index
            while above is not None and f"d{above}" not in nodes:
                above = capture.element(above).parent_index
            assert node.parent == (None if above is None else f"d{above}")
        assert capture.roots == [node.id for node in capture.nodes if node.parent is None]
