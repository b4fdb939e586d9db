from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.conditions import unmet_after, unmet_by_page, unmet_by_place
from personalized_shopping.shared_libraries.skills.model import Postconditions, Preconditions, Viewport
from personalized_shopping.shared_libraries.skills.world import Signals
from tests.skills.html_world import HtmlWorld

PAGE = """<title>T</title><h1>Big   <b>sale</b></h1><div class="modal" style="display:none">x</div>
<div class="toast">y</div><button id="on">On</button><button id="off" disabled>Off</button>
<button id="aria" aria-disabled="true">Aria</button><p hidden>secret</p>"""


def pre(**more: Any) -> Preconditions:
    return Preconditions(**{"url_matches": ["^http://site\\.test/"], "exists": ["h1"], **more})


def at(**more: Any) -> Signals:
    known: dict[str, Any] = {"url": "http://site.test/item", "page_kind": "item", "title": "", "viewport": (1000, 600)}
    return Signals(**(known | more))


@pytest.mark.parametrize(
    ("conditions", "signals"),
    [
        ({}, {}),
        ({"url_matches": ["^https://other/", "/item$"]}, {}),
        ({"page_kind": ["results", "item"]}, {}),
        ({"viewport": Viewport(min_width=960)}, {}),
        ({"viewport": Viewport(min_width=9_600)}, {"viewport": None}),
        ({"cookies": ["sid", "track_*"]}, {"cookies": ("sid", "track_7")}),
        ({"login_state": "logged_in"}, {"login_state": "logged_in"}),
    ],
)
def test_places_that_fit(conditions: dict[str, Any], signals: dict[str, Any]) -> None:
    assert unmet_by_place(pre(**conditions), at(**signals)) == []


@pytest.mark.parametrize(
    ("conditions", "signals", "field", "says"),
    [
        ({}, {"url": "http://site.test.evil/"}, "url_matches", "it is 'http://site.test.evil/'"),
        ({"url_matches": ["(?=a)", "(a+)+$"]}, {"url": "a" * 5_000 + "!"}, "url_matches", "Look-around"),
        ({"page_kind": ["results"]}, {}, "page_kind", "it is item"),
        ({"page_kind": ["results"]}, {"page_kind": None}, "page_kind", "not known"),
        ({"viewport": Viewport(min_width=1_200)}, {}, "viewport.min_width", "it is 1000"),
        ({"viewport": Viewport(min_height=700)}, {}, "viewport.min_height", "it is 600"),
        ({"cookies": ["sid"]}, {"cookies": ("SID",)}, "cookies", "no such cookie"),
        ({"login_state": "logged_in"}, {}, "login_state", "not known"),
    ],
)
def test_places_that_do_not(conditions: dict[str, Any], signals: dict[str, Any], field: str, says: str) -> None:
    found = unmet_by_place(pre(**conditions), at(**signals))
    assert [unmet.condition for unmet in found] == [field]
    assert says in str(found[0])


@pytest.mark.parametrize(
    ("conditions", "field"),
    [
        ({"exists": ["h1", "b"]}, None),
        ({"exists": ["h1", "h2"]}, "exists"),
        ({"exists": ["h1["]}, "exists"),
        ({"not_exists": [".modal", "h2", ".overlay, .modal"]}, None),
        ({"not_exists": [".modal, .toast"]}, "not_exists"),
        ({"visible": ["h1"]}, None),
        ({"visible": [".modal"]}, "visible"),
        ({"enabled": ["#on", "#off, #on"]}, None),
        ({"enabled": ["#off"]}, "enabled"),
        ({"enabled": ["#aria"]}, "enabled"),
        ({"enabled": ["role=button"]}, "enabled"),
        ({"text_contains": ["Big sale", "Big  {what}"]}, None),
        ({"text_contains": ["secret"]}, "text_contains"),
        ({"text_contains": ["big sale"]}, "text_contains"),
    ],
)
def test_conditions_of_the_page(conditions: dict[str, Any], field: str | None) -> None:
    found = unmet_by_page(pre(**conditions), HtmlWorld({"start": PAGE}), {"what": "sale"})
    assert [unmet.condition for unmet in found] == ([] if field is None else [field])


def test_a_skills_own_selector_is_left_to_its_chain() -> None:
    world = HtmlWorld({"start": PAGE})
    assert unmet_by_page(pre(exists=["#old", "h1"]), world, {}, own="#old") == []
    assert unmet_by_page(pre(exists=["#old", "h2"]), world, {}, own="#old")[0].wanted == "'h2'"


@pytest.mark.parametrize(
    ("conditions", "field"),
    [
        ({}, None),
        ({"page_kind": ["item"]}, None),
        ({"page_kind": ["results"]}, "page_kind"),
        ({"url_matches": ["/{page}$"]}, None),
        ({"url_matches": ["/other$"]}, "url_matches"),
        ({"url_changes": True}, None),
        ({"url_changes": False}, "url_changes"),
        ({"exists": ["#{page}", "h1"]}, "exists"),
        ({"not_exists": [".toast"]}, "not_exists"),
        ({"text_contains": ["Big sale"]}, None),
        ({"text_contains": ["Small {page}"]}, "text_contains"),
    ],
)
def test_postconditions(conditions: dict[str, Any], field: str | None) -> None:
    world = HtmlWorld({"start": PAGE}, signals={"page_kind": "item"})
    found = unmet_after(Postconditions(**conditions), world, {"page": "start"}, "http://site.test/before")
    assert [unmet.condition for unmet in found] == ([] if field is None else [field])


def test_the_same_address_may_be_asked_for() -> None:
    world = HtmlWorld({"start": PAGE})
    assert unmet_after(Postconditions(url_changes=False), world, {}, "http://site.test/start") == []
    assert unmet_after(Postconditions(url_changes=True), world, {}, "http://site.test/start")
