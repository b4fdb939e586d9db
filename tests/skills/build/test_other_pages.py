"""The skills of any page. A docstring says how the program that the blueprint was written for failed here."""

import time

import msgspec
import pytest

from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.capture import Capture, Dom, capture_html
from personalized_shopping.shared_libraries.skills.chain import fill_selector
from personalized_shopping.shared_libraries.skills.model import Viewport
from personalized_shopping.shared_libraries.skills.patterns import matches
from personalized_shopping.shared_libraries.skills.runtime import open_runtime
from tests.skills.build.conftest import NOW, Built
from tests.skills.capture.pages import GOLDEN, TORTURE, TORTURE_URL

URL = "https://www.example.com/a/page"
ITEMS = "".join(f'<li><a class="card" href="/p/{n}">Thing number {n}</a></li>' for n in "abcd")


@pytest.mark.parametrize(
    ("html", "action", "arguments"),
    [
        ('<button id="go">Go</button>', "click", []),
        ('<a href="/x">Images</a>', "navigate", []),
        ('<input name="q" aria-label="Name">', "type", ["text"]),
        ("<textarea aria-label='Note'></textarea>", "type", ["text"]),
        ('<select aria-label="Size"><option>S<option>M</select>', "select", ["value"]),
        ('<div role="listbox" aria-label="Size"><div role="option">S</div></div>', "select", ["value"]),
        ('<label><input type="checkbox" name="ok">Yes</label>', "toggle", []),
        ('<form><input name="a"><input type="submit" value="Send"></form>', "submit", []),
        ('<button aria-expanded="false" id="m">Menu</button>', "open", []),
    ],
)
def test_actions_and_their_arguments(built: Built, html: str, action: str, arguments: list[str]) -> None:
    skill = built(html)[-1]
    assert (skill.action, list(skill.args_schema["properties"])) == (action, arguments)
    assert admission_problems(skill, open_runtime("monty"), check_types=False) == []


def test_a_page_of_another_site(built: Built) -> None:
    (skill,) = built('<a role="link" aria-label="Images" href="/images">I</a>')
    assert (skill.id, skill.domain, skill.slug, skill.label) == (
        "d4",
        "example.com",
        "navigate_images",
        "Navigate_Images",
    )
    assert skill.program.entry == "program__d4__navigate_images"
    (pattern,) = skill.preconditions.url_matches
    assert all(matches(pattern, url) for url in (URL, "http://example.com:8080/", "https://m.example.com/x?y"))
    assert not any(
        matches(pattern, url) for url in ("https://example.com.evil.org/", "https://evil.org/?a.example.com/")
    )
    assert skill.postconditions.url_matches == ["^https://www\\.example\\.com/images/?(?:[?#&].*)?$"]
    assert skill.preconditions.page_kind == []


def test_lists_are_told_apart_by_name(built: Built) -> None:
    (skill,) = built(f'<ul id="things">{ITEMS}</ul>')
    assert skill.locators.item_param == "item"
    assert skill.preconditions.exists == ["a.card", "#things"]
    page = Dom(f"<!doctype html><ul id='things'>{ITEMS}</ul>")
    filled = fill_selector(skill.locators.selector, {"item": "Thing number c"})
    assert [page.attributes(index)["href"] for index in page.select(filled)] == ["/p/c"]


def test_lists_of_one_name_are_told_apart_by_an_attribute(built: Built) -> None:
    rows = "".join(f'<li><button class="add" data-sku="s{n}">Add</button></li>' for n in range(3))
    (skill,) = built(f"<ul>{rows}</ul>")
    assert skill.locators.selector == 'button.add[data-sku="{item}"]'
    assert skill.args_schema["properties"]["item"]["examples"] == ["s0", "s1", "s2"]


def test_twins_that_nothing_tells_apart(built: Built) -> None:
    """What changes something is not pressed by its place; the skill says that it cannot tell which."""
    (read,) = built("<p><button>More</button><button>More</button></p>")
    (write,) = built("<p><button>Delete</button><button>Delete</button></p>")
    page = Dom("<!doctype html><title>Page</title><p><button>More</button><button>More</button></p>")
    assert read.locators.unique
    assert len(page.select(read.locators.selector)) == 1
    assert "first of 2" in str(read.description)
    assert (write.effect, write.locators.unique, write.locators.selector_alt) == ("write", False, [])


def test_ids_with_spaces_and_quotes(built: Built) -> None:
    """``#radio_fit type0`` is another selector."""
    (skill,) = built("<button id='fit type\"0'>Go</button>")
    page = Dom("<!doctype html><button id='fit type\"0'>Go</button>")
    assert len(page.select(skill.locators.selector)) == 1


@pytest.mark.parametrize(
    "name",
    [
        '"""); import os; ("""',
        "{item} {args}",
        "\\",
        "'; env.click('x')",
        "<script>",
        "نعم",
        "×",
        "a" * 5_000,
        "\u202e x",
    ],
)
def test_hostile_names_stay_texts(built: Built, name: str) -> None:
    capture = capture_html("<!doctype html><button>Go</button>", url=URL)
    element = msgspec.structs.replace(capture.elements[-1], name_computed=name, text=name[:160])
    node = msgspec.structs.replace(capture.nodes[-1], name=name)
    (skill,) = build_skills(
        msgspec.structs.replace(capture, elements=[*capture.elements[:-1], element], nodes=[node]), now=NOW
    )
    assert len(str(skill.label)) <= 40 and len(str(skill.slug)) <= 32
    assert name not in skill.program.code
    assert admission_problems(skill, open_runtime("monty"), check_types=False) == []


def test_names_that_change_are_not_relied_on(built: Built) -> None:
    (skill,) = built('<button class="cart">Cart (123456 things)</button><button class="x y">Other</button>')[:1]
    assert skill.locators.selector == "button.cart"
    assert skill.locators.by_role is msgspec.UNSET


def test_a_hidden_overlay_must_stay_hidden(built: Built) -> None:
    """A hidden ``.modal`` kept the original's skills from running for ever."""
    (skill,) = built('<div class="modal-mask" hidden>x</div><div class="progress">50 %</div><button>Go</button>')
    assert skill.preconditions.not_exists == [".modal-mask"]
    inside = built('<div class="modal" role="dialog"><button>Close</button></div>')
    assert inside[0].preconditions.not_exists == []


def covered() -> Capture:
    """Return a page as a browser sees it, with a dialog over its button."""
    html = """<!doctype html><title>P</title><div class="modal"><button>Close</button></div>
    <button id="go">Go on</button><div role="dialog"><button aria-disabled="false" id="in">In</button></div>"""
    capture = capture_html(html, url=URL, viewport=(1200, 900))
    modal = next(each.index for each in capture.elements if each.class_ == "modal")
    changed = [
        msgspec.structs.replace(
            each,
            visible=True,
            bbox=[0, 0, 10, 10],
            page_bbox=[0, 0, 10, 10],
            in_viewport=each.id != "in",
            covered_by=modal if each.id == "go" else None,
        )
        for each in capture.elements
    ]
    meta = capture.meta | {"capture_mode": "browser", "viewport_known": True}
    return msgspec.structs.replace(capture, elements=changed, meta=meta)


def test_what_a_browser_saw_is_used() -> None:
    close, go, inside = build_skills(covered(), now=NOW)
    assert go.preconditions.viewport == Viewport(min_width=960)  # the height was asked for, too, and kept skills away
    assert (go.preconditions.cookies, go.preconditions.login_state) == ([], msgspec.UNSET)
    assert go.preconditions.not_exists == [".modal"]
    assert go.prepare is not msgspec.UNSET
    assert "env.click('role=button[name=\"Close\"]')" in go.prepare.code or "env.click('" in go.prepare.code
    assert admission_problems(go, open_runtime("monty")) == []
    assert close.prepare is msgspec.UNSET
    assert close.preconditions.not_exists == []
    assert inside.preconditions.visible and inside.preconditions.enabled == ["#in"]
    assert "scroll_into_view" in inside.program.code
    assert "scroll_into_view" not in go.program.code
    assert go.locators.bbox is msgspec.UNSET or go.locators.bbox == [0, 0, 10, 10]


def test_without_a_window_nothing_is_said_about_one(built: Built) -> None:
    (skill,) = built("<button>Go</button>")
    assert skill.preconditions.viewport is msgspec.UNSET
    assert (skill.preconditions.visible, skill.preconditions.enabled) == ([], [])


def test_secrets_and_files_have_no_skill(built: Built) -> None:
    assert [skill.label for skill in built('<input type="password"><input type="file"><button>Go</button>')] == [
        "Click_Go"
    ]


def test_an_id_that_is_taken_gets_the_mark_of_its_control(built: Built) -> None:
    (skill,) = built("<button>Go</button>")
    mark = str(skill.meta.fingerprint)
    assert built("<button>Go</button>", taken={skill.id: mark})[0].id == skill.id
    assert built("<button>Go</button>", taken={skill.id: "other"})[0].id == f"{skill.id}-{mark[:4]}"


def test_where_a_capture_lies_can_be_told(built: Built) -> None:
    (skill,) = built("<button>Go</button>", source_dir="workspace/data/example_com/20260101000000-1")
    assert skill.meta.source_dir == "workspace/data/example_com/20260101000000-1"


def test_a_torture_page_gives_sound_skills() -> None:
    capture = capture_html((GOLDEN / f"{TORTURE}.html").read_text(), url=TORTURE_URL)
    runtime = open_runtime("monty")
    page = Dom((GOLDEN / f"{TORTURE}.html").read_text())
    for per_control in (False, True):
        skills = build_skills(capture, per_control=per_control, now=NOW)
        assert skills
        for skill in skills:
            assert admission_problems(skill, runtime, check_types=False) == []
            if skill.locators.unique and skill.locators.item_param is msgspec.UNSET:
                assert len(page.select(skill.locators.selector)) == 1, skill.locators


@pytest.mark.parametrize(
    "one",
    [
        '<li><a class="c" href="/p/{n}">Thing {n}</a></li>',
        "<li><button>Same</button></li>",
        '<li><input name="f{n}" aria-label="Field {n}"></li>',
        '<li><select aria-label="s{n}"><option>a<option>b</select></li>',
        '<li><input type="radio" name="g{n}" value="a"><input type="radio" name="g{n}" value="b"></li>',
    ],
)
def test_three_thousand_controls(one: str, built: Built) -> None:
    html = "<ul>" + "".join(one.replace("{n}", str(n)) for n in range(3_000)) + "</ul>"
    capture = capture_html(f"<!doctype html>{html}", url=URL)
    began = time.perf_counter()
    skills = build_skills(capture, now=NOW)
    assert time.perf_counter() - began < 20
    assert 1 <= len(skills) <= 3_000
