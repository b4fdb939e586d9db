"""The skills of the shop's own pages."""

import jsonschema
import pytest

from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.build.schema import SCHEMA_FILE, schema_bytes, skill_schema
from personalized_shopping.shared_libraries.skills.capture import Capture
from personalized_shopping.shared_libraries.skills.model import Skill, parse_skill, skill_bytes, skill_json
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from tests.skills.build.conftest import NOW
from tests.skills.capture.pages import KINDS

LABELS = {
    "search": ["Type_Search", "Submit_Search"],
    "results": ["Click_Back_To_Search", "Click_Next", "Navigate_Product_Link"],
    "item": [
        "Click_Back_To_Search",
        "Click_Prev",
        "Select_Color",
        "Select_Size",
        "Click_Description",
        "Click_Features",
        "Click_Reviews",
        "Click_Attributes",
        "Click_Buy_Now",
    ],
    "description": ["Click_Back_To_Search", "Click_Prev"],
    "features": ["Click_Back_To_Search", "Click_Prev"],
    "reviews": ["Click_Back_To_Search", "Click_Prev"],
    "attributes": ["Click_Back_To_Search", "Click_Prev"],
    "done": [],
}


@pytest.fixture(scope="module")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


def of(captures: dict[str, Capture], kind: str) -> dict[str, Skill]:
    return {str(skill.label): skill for skill in build_skills(captures[kind], now=NOW)}


def test_the_schema_is_the_one_of_the_types() -> None:
    assert SCHEMA_FILE.read_bytes() == schema_bytes()
    jsonschema.Draft202012Validator.check_schema(skill_schema())


@pytest.mark.parametrize("kind", KINDS)
def test_one_skill_a_template_each_of_them_sound(
    kind: str, captures: dict[str, Capture], runtime: ProgramRuntime
) -> None:
    skills = build_skills(captures[kind], now=NOW)
    assert [skill.label for skill in skills] == LABELS[kind]
    for skill in skills:
        jsonschema.validate(skill_json(skill), skill_schema())
        assert parse_skill(skill_bytes(skill)) == skill
        assert admission_problems(skill, runtime, check_types=False) == []
        assert (skill.status, skill.domain, skill.preconditions.page_kind) == ("draft", "webshop", [kind])
        assert skill.locators.unique
        assert skill.locators.selector not in skill.locators.selector_alt
        assert (skill.meta.created_at, skill.meta.generator) == (NOW, "template")
        assert str(skill.meta.source_dir).startswith("workspace/data/shop_test/")


def test_a_template_passes_the_type_checker_too(captures: dict[str, Capture], runtime: ProgramRuntime) -> None:
    for label in ("Navigate_Product_Link", "Click_Next"):
        assert admission_problems(of(captures, "results")[label], runtime) == []
    assert admission_problems(of(captures, "search")["Type_Search"], runtime) == []
    assert admission_problems(of(captures, "item")["Select_Color"], runtime) == []


def test_buttons_are_told_apart_by_their_names(captures: dict[str, Capture]) -> None:
    """The original gave four buttons one selector, so that each of the four skills pressed the first."""
    item = of(captures, "item")
    selectors = [skill.locators.selector for skill in item.values()]
    assert len(set(selectors)) == len(selectors)
    assert item["Click_Description"].locators.selector == 'role=button[name="Description"]'
    assert item["Click_Description"].postconditions.page_kind == ["description"]
    assert item["Click_Prev"].postconditions.page_kind == ["results"]


def test_the_products_of_a_list_are_one_skill(captures: dict[str, Capture]) -> None:
    skill = of(captures, "results")["Navigate_Product_Link"]
    assert skill.id.startswith("d") and len(skill.id.split("-")[1]) == 4
    assert (skill.locators.item_param, skill.locators.selector) == ("item", 'role=link[name="{item}"]')
    assert skill.locators.selector_alt == ['a.product-link[href*="{item}"]']
    assert skill.preconditions.exists == ["a.product-link", "#product-list"]
    assert skill.args_schema["required"] == ["item"]
    assert len(skill.args_schema["properties"]["item"]["examples"]) == 3
    assert skill.postconditions.page_kind == ["item"]


def test_an_option_is_one_skill_with_its_values(captures: dict[str, Capture]) -> None:
    """The original lost every option: their boxes are empty, and a label stands for them."""
    color, size = of(captures, "item")["Select_Color"], of(captures, "item")["Select_Size"]
    assert color.action == "select"
    assert color.args_schema["properties"]["value"]["enum"] == ["navy", "sand", "burgundy", "black"]
    assert color.locators.by_role.name == "color"  # type: ignore[union-attr]
    assert color.meta.fingerprint != size.meta.fingerprint


def test_buying_is_a_purchase_and_is_never_found_by_its_place(captures: dict[str, Capture]) -> None:
    buy = of(captures, "item")["Click_Buy_Now"]
    assert buy.effect == "purchase"
    assert buy.locators.selector_alt == []
    assert [name for name, skill in of(captures, "item").items() if skill.effect == "purchase"] == ["Click_Buy_Now"]


def test_searching_presses_enter_and_leads_to_results(captures: dict[str, Capture]) -> None:
    search = of(captures, "search")["Type_Search"]
    assert (search.action, search.effect, search.locators.selector) == ("type", "navigate", "#search_input")
    assert "Enter" in search.program.code
    assert search.postconditions.page_kind == ["results"]


def test_per_control_is_the_blueprints_granularity(captures: dict[str, Capture], runtime: ProgramRuntime) -> None:
    for kind in KINDS:
        capture = captures[kind]
        skills = build_skills(capture, per_control=True, now=NOW)
        assert [skill.id.split("-")[0] for skill in skills] == [node.id for node in capture.controls]
        assert len({skill.id for skill in skills}) == len(skills)
        assert all(skill.locators.unique for skill in skills)
    options = [skill for skill in build_skills(captures["item"], per_control=True, now=NOW) if skill.action == "toggle"]
    assert [skill.locators.selector for skill in options[:2]] == ["#radio_color0", "#radio_color1"]
    assert options[0].locators.proxy == 'label[for="radio_color0"]'
    assert admission_problems(options[0], runtime, check_types=False) == []


def test_ids_differ_between_the_kinds_of_page_and_stay_the_same(captures: dict[str, Capture]) -> None:
    ids = [skill.id for kind in KINDS for skill in build_skills(captures[kind], now=NOW)]
    assert len(set(ids)) == len(ids)
    assert ids == [skill.id for kind in KINDS for skill in build_skills(captures[kind], now="2030-01-01T00:00:00Z")]


def test_every_skill_fits_the_page_it_comes_from_and_no_other(captures: dict[str, Capture]) -> None:
    from personalized_shopping.shared_libraries.skills.patterns import matches

    for kind in KINDS:
        for skill in build_skills(captures[kind], now=NOW):
            fitting = [
                other
                for other in KINDS
                if any(matches(pattern, captures[other].meta["url"]) for pattern in skill.preconditions.url_matches)
            ]
            assert fitting == [kind]
