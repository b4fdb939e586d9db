"""Capturing in a real browser: the same as from HTML alone, and what only a window shows."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture import Capture, capture_html, capture_page, write_capture
from personalized_shopping.shared_libraries.skills.capture.model import Geometry, Node
from tests.skills.capture.browsing import open_page
from tests.skills.capture.pages import GOLDEN, KINDS, SCORED, TORTURE, TORTURE_URL, ShopPage, rows

pytestmark = pytest.mark.browser
URL = "https://shop.test/a/page"


def captured(browser: Any, html: str, url: str = URL, **more: Any) -> Capture:
    with open_page(browser, html, url, **more) as page:
        return capture_page(page)


def controls_of(capture: Capture) -> list[Node]:
    return [msgspec.structs.replace(node, geom=Geometry()) for node in capture.nodes]


@pytest.mark.parametrize("kind", [*KINDS, SCORED])
def test_both_ways_see_the_same_shop(browser: Any, pages: dict[str, ShopPage], kind: str) -> None:
    shop_page = pages[kind]
    seen = captured(browser, shop_page.html, shop_page.url)
    read = capture_html(shop_page.html, url=seen.meta["url"])
    assert rows(seen) == rows(read)
    assert controls_of(seen) == controls_of(read)
    for ours, theirs in zip(read.elements, seen.elements, strict=True):
        for field in ("attrs", "labels", "text", "is_control", "enabled", "checked", "form_index", "list_template"):
            assert getattr(ours, field) == getattr(theirs, field), (ours.index, field)
        assert ours.visible == "unknown" or theirs.visible is False, ours.index
    assert seen.meta["page_kind"] == read.meta["page_kind"] == shop_page.page.kind
    assert seen.meta["path_template"] == read.meta["path_template"]


def test_both_ways_see_the_same_page_of_torture(browser: Any) -> None:
    html = (GOLDEN / f"{TORTURE}.html").read_text(encoding="utf-8")
    assert rows(captured(browser, html, TORTURE_URL)) == rows(capture_html(html, url=TORTURE_URL))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 250 + "<button>deep</button>" + "</div>" * 250,
        "<a href=x>" * 50,
        "<p>" * 30 + "<table>" * 20 + "<b>" * 20 + "x",
        "<button>no doctype</button><p id=A><p id=a>",
        "\0<p>a\0b</p>&#x0;&#xD800;",
        "<svg><foreignObject><button>x</button></foreignObject></svg><math><mi>x</mi></math>",
        "<frameset><frame></frameset>",
        "<!-- <p> --><p>x</p><!-->",
        "<select><button>b</button><option>o</select>",
    ],
)
def test_elements_stand_in_the_same_order_on_odd_pages(browser: Any, html: str) -> None:
    seen, read = captured(browser, html), capture_html(html, url=URL)
    assert [(each.tag, each.parent_index) for each in seen.elements] == [
        (each.tag, each.parent_index) for each in read.elements
    ]


@pytest.mark.parametrize("name", [*KINDS, TORTURE])
def test_selectors_match_as_many_elements_as_they_say(browser: Any, name: str) -> None:
    html = (GOLDEN / f"{name}.html").read_text(encoding="utf-8")
    with open_page(browser, html, TORTURE_URL) as page:
        nodes = capture_page(page).nodes
        for node in nodes:
            count = "css => document.querySelectorAll(css).length"
            place = "css => [...document.querySelectorAll('*')].indexOf(document.querySelector(css))"
            assert page.evaluate(count, node.selector) == node.unique.css, node.selector
            for css in (*node.selector_alt, node.path, *([node.selector] if node.unique.css == 1 else [])):
                assert css is None or (page.evaluate(count, css), page.evaluate(place, css)) == (1, node.index), css


def test_boxes_and_what_lies_over_what(browser: Any) -> None:
    html = """<!doctype html><body style="margin:0"><button id=under style="position:absolute;left:10px;top:20px;
        width:100px;height:40px">under</button><button id=free style="position:absolute;left:300px;top:20px;width:100px;
        height:40px;border-radius:20px">free <b>in</b></button><div id=cover style="position:fixed;left:0;top:0;
        width:200px;height:200px;z-index:9">over</div><button id=far style="position:absolute;top:3000px">far</button>
        <button id=off style="display:none">off</button>"""
    capture = captured(browser, html)
    by_id = {each.id: each for each in capture.elements if each.id}
    under, free, far = by_id["under"], by_id["free"], by_id["far"]
    assert under.bbox == under.page_bbox == [10, 20, 100, 40]
    assert under.occlusion_ratio == 1.0 and under.covered_by == by_id["cover"].index and under.visible is True
    assert free.occlusion_ratio == 0.0 and free.covered_by is None
    assert far.in_viewport is False and far.occlusion_ratio is None
    assert by_id["off"].visible is False
    assert by_id["cover"].occlusion_ratio is None, "what is no control is not looked at"
    nodes = {node.selector: node for node in capture.nodes}
    assert set(nodes) == {"#under", "#free", "#far"}
    assert nodes["#free"].geom.shape == "pill" and nodes["#under"].geom.shape == "rect"


def test_the_end_of_the_page_is_looked_at_and_the_page_stays_where_it_was(browser: Any) -> None:
    html = "<!doctype html><p style='height:5000px'>long</p><button id=end>end</button>"
    with open_page(browser, html, URL) as page:
        page.evaluate("scrollTo(0, 100)")
        capture = capture_page(page)
        assert page.evaluate("scrollY") == 100
    (first,), (last,) = ([each for each in part if each.id == "end"] for part in (capture.elements, capture.scrolled))
    assert first.in_viewport is False and last.in_viewport is True
    assert first.page_bbox == last.page_bbox


def test_nothing_is_pressed_typed_or_changed(browser: Any) -> None:
    events = "click mousedown mouseup mousemove pointerdown keydown input change focus submit toggle"
    html = f"""<!doctype html><details><summary>s</summary>x</details><form><input><button>b</button></form>
        <a href="/other">a</a><div style="height:3000px"></div><script>window.seen = [];
        for (const name of "{events}".split(" ")) addEventListener(name, (e) => seen.push(e.type), true);
        new MutationObserver(() => seen.push("mutation")).observe(document,
          {{subtree: true, childList: true, attributes: true, characterData: true}});</script>"""
    with open_page(browser, html, URL) as page:
        capture_page(page)
        assert page.evaluate("seen") == []
        assert page.url == URL


def test_cookies_passwords_and_what_was_typed_are_never_stored(browser: Any, tmp_path: Path) -> None:
    html = """<!doctype html><form><input type=password name=p value=secret-attr-1><input name=csrf_token type=hidden
        value=secret-attr-2><input name=q><textarea></textarea><input type=password id=typed></form>
        <label>w<input type=checkbox><input type=password value=secret-attr-3></label>
        <meta name=csrf-token content=secret-attr-4><a href="https://user:secret-attr-5@h.test/">x</a>"""
    with open_page(browser, html, "https://user:secret-url@shop.test/x") as page:
        page.context.add_cookies([{"name": "session", "value": "secret-cookie", "url": "https://shop.test"}])
        page.evaluate("localStorage.setItem('k', 'secret-storage')")
        page.fill("#typed", "secret-typed")
        page.fill("[name=q]", "secret-query")
        page.fill("textarea", "secret-text")
        directory = write_capture(capture_page(page), tmp_path)
    for path in directory.iterdir():
        assert "secret-" not in path.read_text(encoding="utf-8"), path.name
        assert "cookie" not in path.name


def test_a_page_that_changes_what_scripts_call_is_seen_as_it_is(browser: Any) -> None:
    html = """<!doctype html><button>real</button><script>
        document.querySelectorAll = () => []; JSON.stringify = () => "{}"; Array.from = () => [];
        Element.prototype.matches = () => false; Element.prototype.getBoundingClientRect = () => { throw 1; };
        window.requestAnimationFrame = () => {}; Object.prototype.tag = "x"; Map = null;</script>"""
    assert [node.name for node in captured(browser, html).controls] == ["real"]


def test_a_page_that_never_stands_still_is_captured_with_a_warning(browser: Any) -> None:
    html = """<!doctype html><button>b</button><div id=d></div><script>
        setInterval(() => { const e = document.createElement("i"); d.prepend(e); }, 0);
        setInterval(() => { d.lastChild.replaceWith(document.createElement("b")); }, 0);</script>"""
    capture = captured(browser, html)
    assert [node.selector for node in capture.controls] == ["button"]
    assert {each["code"] for each in capture.meta["warnings"]} <= {"AX_JOIN_FAILED"}


def test_a_very_deep_page_is_captured_with_a_warning(browser: Any) -> None:
    html = "<!doctype html>" + "<div>" * 700 + "<button>deep</button>"
    seen, read = captured(browser, html), capture_html(html, url=URL)
    assert rows(seen) == rows(read)
    assert [each["code"] for each in seen.meta["warnings"]] == ["AX_JOIN_FAILED"]


def test_frames_and_shadows_are_told_of(browser: Any) -> None:
    html = """<!doctype html><iframe srcdoc="<button>in</button>"></iframe><div id=host></div>
        <script>host.attachShadow({mode: "open"}).innerHTML = "<button>in</button>";</script>"""
    capture = captured(browser, html)
    assert {each["code"] for each in capture.meta["warnings"]} == {"FRAMES_SKIPPED", "SHADOW_ROOTS_SKIPPED"}
    assert capture.controls == []


def test_live_states_are_told(browser: Any) -> None:
    html = "<!doctype html><input type=checkbox id=c><input type=checkbox id=m><details id=d><summary>s</summary>"
    with open_page(browser, html, URL) as page:
        page.evaluate("c.checked = true; m.indeterminate = true; d.open = true")
        capture = capture_page(page)
    assert [each.checked for each in capture.elements if each.tag == "input"] == [True, "mixed"]


def test_three_thousand_controls_take_seconds(browser: Any) -> None:
    row = "<li><a href='/item/{0}' class=l>Item {0}</a><input type=radio name=g id='r {0}'><button>Buy {0}</button>"
    html = "<!doctype html><ul>" + "".join(row.format(number) for number in range(1_000)) + "</ul>"
    with open_page(browser, html, URL) as page:
        began = time.perf_counter()
        capture = capture_page(page)
        took = time.perf_counter() - began
    assert len(capture.controls) == 3_000
    assert took < 60, f"{took:.1f} s; the original needed 32 s for its element table alone, without names"


def test_what_is_written_is_plain(browser: Any, tmp_path: Path) -> None:
    directory = write_capture(captured(browser, "<!doctype html><button>b</button>"), tmp_path)
    meta = json.loads((directory / "meta.json").read_text(encoding="utf-8"))
    assert meta["capture_mode"] == "browser" and meta["parser"] == "chromium" and meta["user_agent"]
    assert meta["viewport"] == {"width": 1280, "height": 800} and meta["device_scale_factor"] == 1
    assert json.loads((directory / "ax.json").read_text(encoding="utf-8"))["source"] == "cdp"


def test_another_browser_is_a_clear_error() -> None:
    class Context:
        def new_cdp_session(self, page: object) -> object:
            raise RuntimeError("CDP session is only available in Chromium\nmore")

    class Firefox:
        context = Context()

    with pytest.raises(SkillError, match="Chromium or Chrome only"):
        capture_page(Firefox())  # type: ignore[arg-type]
