"""Mending skills: promoted fallbacks, controls that are found again, and patches."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.capture.model import Capture
from personalized_shopping.shared_libraries.skills.capture.static import capture_html
from personalized_shopping.shared_libraries.skills.element_names import sought_control
from personalized_shopping.shared_libraries.skills.healing import THRESHOLD, heal, likenesses, promoted
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.model import Health, Skill
from personalized_shopping.shared_libraries.skills.patches import (
    Operation,
    PatchDocument,
    apply_patch,
    make_patch,
    read_patch,
)
from tests.skills.store_samples import NOW, make_skill

URL = "http://127.0.0.1:3000/item_page/s/B01/k/1/x"


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path, clock=lambda: NOW)


def page(body: str, kind: str | None = "item") -> Capture:
    return capture_html(f"<!doctype html><html><body>{body}</body></html>", url=URL, page_kind=kind)


# Promotion


def won(skill: Skill, winner: str, streak: int = 3) -> Skill:
    return msgspec.structs.replace(skill, health=Health(last_winner=winner, winner_streak=streak))


CHAIN = make_skill(
    locators={
        "selector": "#desc",
        "by_role": {"role": "button", "name": 'The "Description"'},
        "selector_alt": ["button.a", "button.b", "button.c"],
        "by_text": ["Description"],
        "by_dom_index": 4,
    },
    preconditions={"exists": ["#desc", "#shop"], "visible": ["#desc"]},
)


@pytest.mark.parametrize(
    ("winner", "selector", "others"),
    [
        ("by_role", 'role=button[name="The \\"Description\\""]', ["#desc", "button.a", "button.b"]),
        ("selector_alt[0]", "button.a", ["#desc", "button.b", "button.c"]),
        ("selector_alt[2]", "button.c", ["#desc", "button.a", "button.b"]),
        ("by_text[0]", 'text="Description"', ["#desc", "button.a", "button.b"]),
    ],
)
def test_the_fallback_that_keeps_winning_comes_first(winner: str, selector: str, others: list[str]) -> None:
    new = promoted(won(CHAIN, winner))
    assert new is not None
    assert (new.locators.selector, new.locators.selector_alt) == (selector, others)
    assert new.preconditions.exists == [selector, "#shop"]
    assert new.preconditions.visible == [selector]
    assert (new.meta.generator, new.status) == ("hybrid", "verified")


@pytest.mark.parametrize(
    "skill",
    [
        won(CHAIN, "selector", 9),
        won(CHAIN, "by_role", 2),
        won(CHAIN, "by_dom_index", 9),
        won(CHAIN, "selector_alt[3]"),
        won(CHAIN, "made up"),
        CHAIN,
        won(make_skill(steps=["d2"]), "by_role"),
        won(make_skill(locators={"item_param": "asin"}), "by_role"),
    ],
)
def test_what_is_not_promoted(skill: Skill) -> None:
    assert promoted(skill) is None


def test_three_wins_in_a_row_make_a_new_version(library: SkillLibrary) -> None:
    library.put(CHAIN)
    for winner in ("by_role", "by_role", "selector", "by_role", "by_role"):
        assert library.record_outcome("webshop", "d1", "ok", winner=winner).promoted == []
    assert library.record_outcome("webshop", "d1", "ok", winner="by_role").promoted == [("webshop", "d1")]
    skill = library.get("webshop", "d1")
    assert (skill.meta.version, skill.meta.generator, skill.status) == ("v0.2", "hybrid", "verified")
    assert skill.locators.selector.startswith("role=button")
    assert skill.health.notes == "by_role took the place of '#desc'"
    assert (skill.health.winners, skill.health.last_winner, skill.health.success_count) == ({}, UNSET, 6)
    assert library.rollback("webshop", "d1").locators.selector == "#desc"


def test_what_may_spend_money_is_to_be_verified_again(library: SkillLibrary) -> None:
    library.put(msgspec.structs.replace(CHAIN, effect="purchase"))
    library.record_outcomes([Outcome("webshop", "d1", "ok", winner="by_role")] * 3)
    assert library.get("webshop", "d1").status == "trial"


def test_a_promotion_of_a_shipped_skill_is_a_learned_version(tmp_path: Path, library: SkillLibrary) -> None:
    library.put(CHAIN)
    over = SkillLibrary(tmp_path / "over", library.directory, clock=lambda: NOW)
    over.record_outcomes([Outcome("webshop", "d1", "ok", winner="selector_alt[0]")] * 3)
    assert over.get("webshop", "d1").locators.selector == "button.a"
    assert not over.is_shipped(over.get("webshop", "d1"))
    assert library.get("webshop", "d1").locators.selector == "#desc"


# Finding again

DESCRIPTION = make_skill(
    action="click",
    locators={
        "selector": "button#desc.btn.btn-primary",
        "by_text": ["Description"],
        "by_dom_index": 7,
        "bbox": [1, 2, 3, 4],
    },
    evidence={"tag": "button", "role": "button", "name": "Description", "from": "controls_tree+ax"},
)
OTHERS = '<button class="btn btn-primary">Features</button><button class="btn btn-primary">Reviews</button>'


def test_a_control_with_another_id_is_found_again(library: SkillLibrary) -> None:
    library.put(DESCRIPTION)
    library.record_outcomes([Outcome("webshop", "d1", "damage")] * 2)
    broken = library.get("webshop", "d1")
    assert broken.status == "quarantined"
    patch = heal(broken, page(f'{OTHERS}<button id="tab-1" class="btn btn-primary">Description</button>'), NOW)
    assert (patch.skill_id, patch.base_version, patch.author) == ("d1", "v0.1", "similarity")
    mended = library.apply("webshop", patch)
    assert mended.locators.selector == "#tab-1"
    assert mended.locators.by_role is not UNSET
    assert mended.locators.by_role.name == "Description"
    assert (mended.locators.bbox, mended.locators.by_dom_index) == (UNSET, 5)
    assert (mended.meta.version, mended.meta.generator, mended.status) == ("v0.2", "hybrid", "trial")
    assert mended.health.health_score == 0.6
    assert str(mended.health.notes).startswith("similarity: The control is now button 'Description'")
    assert library.get("webshop", "d1") == mended
    with pytest.raises(SkillError, match="Make a new one"):
        library.apply("webshop", patch)


def test_the_precondition_on_the_control_follows_it() -> None:
    patch = heal(make_skill(action="click"), page('<button id="tab">Description</button>'), NOW)
    assert apply_patch(make_skill(action="click"), patch).preconditions.exists == ["#tab"]


FOUND = {
    "renamed, same id": '<button id="desc" class="btn btn-primary">About this item</button>',
    "renamed a little": '<button id="d2" class="btn btn-primary">Descriptions</button>',
    "another tag": '<a role="button" href="#" class="btn btn-primary" id="desc">Description</a>',
    "nested in a link": '<a href="/x"><button class="btn">Description</button></a>',
}


@pytest.mark.parametrize("body", FOUND.values(), ids=FOUND)
def test_what_is_found_again(body: str) -> None:
    capture = page(OTHERS + body)
    mended = apply_patch(DESCRIPTION, heal(DESCRIPTION, capture, NOW))
    assert likenesses(DESCRIPTION, sought_control(DESCRIPTION), capture)[0].score >= THRESHOLD
    assert mended.locators.selector != DESCRIPTION.locators.selector or "desc" in body


LOST = {
    "gone": (OTHERS, "No element"),
    "an empty page": ("", "Nothing on it"),
    "two of them": ('<button>Description</button><p><button class="x">Description</button></p>', "Several elements"),
    "only a text": ("<p>Description</p>", "No element|Nothing"),
    "now it buys": ('<button id="desc" class="btn btn-primary">Buy Now</button>', "Nothing|No element"),
    "now it is a field": ('<input id="desc" class="btn btn-primary" aria-label="Description">', "Nothing|No element"),
    "hidden": ('<button id="desc" hidden>Description</button>', "Nothing|No element"),
}


@pytest.mark.parametrize(("body", "message"), LOST.values(), ids=LOST)
def test_what_is_not_found_again(body: str, message: str) -> None:
    with pytest.raises(SkillError, match=message):
        heal(DESCRIPTION, page(body), NOW)


def test_another_page_is_no_place_to_look() -> None:
    with pytest.raises(SkillError, match="of kind item, and this is 'results'"):
        heal(DESCRIPTION, page('<button id="desc">Description</button>', kind="results"), NOW)


def test_what_buys_is_only_found_under_its_name() -> None:
    buy = make_skill(
        "buy",
        action="click",
        effect="purchase",
        locators={"selector": "#buy", "by_role": {"role": "button", "name": "Buy Now", "exact": True}},
    )
    form = '<form action="/done/x"><button id="{}">{}</button></form>'
    assert apply_patch(buy, heal(buy, page(form.format("b2", "Buy now!")), NOW)).status == "trial"
    with pytest.raises(SkillError, match="Nothing"):
        heal(buy, page(form.format("buy", "Subscribe and save")), NOW)


def test_a_hidden_choice_is_found_with_the_label_that_is_pressed() -> None:
    red = make_skill(
        action="toggle",
        effect="write",
        locators={
            "selector": 'input[name="color"][value="red"]',
            "by_role": {"role": "radio", "name": "red", "exact": True},
        },
    )
    radio = (
        '<input type="radio" style="opacity:0;position:fixed;width:0" id="{0} {1}" name="{0}" value="{1}">'
        '<label for="{0} {1}">{1}</label>'
    )
    body = "".join(radio.format("colour", value) for value in ("blue", "red", "dark red"))
    mended = apply_patch(red, heal(red, page(body), NOW))
    assert mended.locators.selector == '[id="colour red"]'
    assert mended.locators.proxy == 'label[for="colour red"]'


@pytest.mark.parametrize("changes", [{"steps": ["d2"]}, {"locators": {"item_param": "asin"}}])
def test_what_is_mended_otherwise(changes: dict[str, Any]) -> None:
    with pytest.raises(SkillError, match=r"composite|for a list"):
        heal(make_skill(**changes), page("<button>Description</button>"), NOW)


def test_a_page_of_three_thousand_controls() -> None:
    body = "".join(f'<button id="b{number}">Product {number}</button>' for number in range(3_000))
    patch = heal(DESCRIPTION, page(f'{body}<button id="here">Description</button>'), NOW)
    assert apply_patch(DESCRIPTION, patch).locators.selector == "#here"


@pytest.mark.parametrize(
    ("selector", "tag", "attrs", "classes"),
    [
        ('[id="radio_fit type0"]', None, {"id": "radio_fit type0"}, set()),
        ("div.list > button#go.btn", "button", {"id": "go"}, {"btn"}),
        (r"#a\:b\31 0", None, {"id": "a:b10"}, set()),
        ('form[action="/x y"] input[name="q"][type=search]', "input", {"name": "q", "type": "search"}, set()),
        ('input[value="say \\"hi\\", ok > then"]', "input", {"value": 'say "hi", ok > then'}, set()),
        ("button", "button", {}, set()),
        ("::(", None, {}, set()),
        ('role=button[name="x"]', None, {}, set()),
    ],
)
def test_marks_of_a_selector(selector: str, tag: str | None, attrs: dict[str, str], classes: set[str]) -> None:
    sought = sought_control(make_skill(locators={"selector": selector}))
    assert (sought.tag, sought.attrs, set(sought.classes)) == (tag, attrs, classes)


@settings(deadline=None)
@given(st.text(min_size=1, max_size=100))
def test_any_selector_has_marks(selector: str) -> None:
    sought_control(make_skill(locators={"selector": selector}))


# Patches


def patched(*ops: dict[str, Any], skill: Skill | None = None) -> Skill:
    skill = skill or make_skill()
    operations = [msgspec.convert(op, Operation) for op in ops]
    return apply_patch(skill, make_patch(skill, operations, rationale="", created_at="", author="test"))


def test_operations() -> None:
    skill = patched(
        {"op": "add", "path": "/locators/selector_alt", "value": ["#a"]},
        {"op": "add", "path": "/locators/selector_alt/-", "value": "#c"},
        {"op": "add", "path": "/locators/selector_alt/1", "value": "#b"},
        {"op": "replace", "path": "/locators/selector_alt/0", "value": "#z"},
        {"op": "remove", "path": "/locators/by_role"},
        {"op": "replace", "path": "/label", "value": "New"},
        {"op": "add", "path": "/args_schema/properties/a~1b~0c", "value": {}},
    )
    assert skill.locators.selector_alt == ["#z", "#b", "#c"]
    assert skill.locators.by_role is UNSET
    assert skill.label == "New"
    assert skill.args_schema["properties"] == {"a/b~c": {}}
    assert skill.status == "trial"


REFUSED = [
    ({"op": "replace", "path": "/effect", "value": "read"}, "may not change"),
    ({"op": "add", "path": "/status", "value": "verified"}, "may not change"),
    ({"op": "add", "path": "/steps", "value": []}, "may not change"),
    ({"op": "replace", "path": "/id", "value": "x"}, "may not change"),
    ({"op": "replace", "path": "/health/health_score", "value": 1}, "may not change"),
    ({"op": "replace", "path": "/meta", "value": {}}, "may not change"),
    ({"op": "replace", "path": "/meta/version", "value": "v9.9"}, "may not change"),
    ({"op": "replace", "path": "", "value": {}}, "no JSON Pointer"),
    ({"op": "replace", "path": "label", "value": "x"}, "no JSON Pointer"),
    ({"op": "remove", "path": "/prepare"}, "has nothing"),
    ({"op": "replace", "path": "/preconditions/exists/9", "value": "x"}, "has nothing"),
    ({"op": "add", "path": "/preconditions/exists/01", "value": "x"}, "has nothing"),
    ({"op": "add", "path": "/preconditions/exists/-1", "value": "x"}, "has nothing"),
    ({"op": "add", "path": "/label/x", "value": "x"}, "has nothing"),
    ({"op": "add", "path": "/a/b/c", "value": "x"}, "has nothing"),
    ({"op": "remove", "path": "/program/code"}, "no skill"),
    ({"op": "add", "path": "/surprise", "value": 1}, "no skill"),
    ({"op": "replace", "path": "/label", "value": 7}, "no skill"),
    ({"op": "replace", "path": "/preconditions/url_matches/0", "value": "("}, "regular expression"),
]


@pytest.mark.parametrize(("operation", "message"), REFUSED)
def test_patches_that_are_refused(operation: dict[str, Any], message: str) -> None:
    with pytest.raises(SkillError, match=message):
        patched(operation)


def test_a_refused_patch_changes_nothing(library: SkillLibrary) -> None:
    skill = library.put(make_skill())
    bad = make_patch(skill, [Operation(op="remove", path="/program")], rationale="", created_at="", author="test")
    with pytest.raises(SkillError):
        library.apply("webshop", bad)
    assert library.history("webshop", "d1") == [skill]


def test_patches_as_json() -> None:
    patch = heal(make_skill(action="click"), page('<button id="tab">Description</button>'), NOW)
    assert read_patch(msgspec.to_builtins(patch)) == patch
    assert patch == heal(make_skill(action="click"), page('<button id="tab">Description</button>'), NOW)
    for bad in (7, {}, msgspec.to_builtins(patch) | {"x": 1}, msgspec.to_builtins(patch) | {"ops": [{"op": "move"}]}):
        with pytest.raises(SkillError, match="no patch"):
            read_patch(bad)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["add", "replace", "remove"]), st.text(max_size=20), st.integers()), max_size=3)
)
def test_any_patch_gives_a_skill_or_an_error(changes: list[tuple[Any, str, int]]) -> None:
    skill = make_skill()
    ops = [Operation(op=op, path=f"/{path}", value=value) for op, path, value in changes]
    patch = PatchDocument(
        patch_id="p", skill_id="d1", base_version="v0.1", ops=ops, rationale="", created_at="", author="test"
    )
    try:
        new = apply_patch(skill, patch)
    except SkillError:
        return
    assert (new.id, new.domain, new.effect, new.health) == (skill.id, skill.domain, skill.effect, skill.health)
