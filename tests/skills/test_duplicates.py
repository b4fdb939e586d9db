"""The key of a control's template, and the merging of near-duplicates."""

from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.duplicates import fingerprint, mask_address, merge_duplicates
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.model import Skill
from tests.skills.store_samples import NOW, make_skill


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path, clock=lambda: NOW)


def ids(library: SkillLibrary) -> list[str]:
    return [skill.id for skill in library.list()]


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("/item_page/5f2c9a1b7d/B09QGK5XHZ/red dress/1/{}", "/item_page/*/*/red dress/*/{}"),
        ("https://example.com/search?q=red&page=2", "/search?page&q"),
        ("/about", "/about"),
        ("/item_sub_page/abcdefghijklmnopqrstuvwxyz/B09QGK5XHZ/Description", "/item_sub_page/*/*/Description"),
        ("http://[", "*"),
        ("/a%20b", "/*"),
    ],
)
def test_what_varies_in_an_address_is_masked(address: str, masked: str) -> None:
    assert mask_address(address) == masked


def key(**changes: Any) -> str:
    parts: dict[str, Any] = {
        "host": "www.example.com",
        "page_kind": "results",
        "action": "navigate",
        "role": "link",
        "name": "B09QGK5XHZ",
        "address": "/item_page/5f2c9a1b7d/B09QGK5XHZ",
        "ancestors": ("div.list", "div.item"),
    }
    return fingerprint(**(parts | changes))


def test_items_of_a_list_have_one_template() -> None:
    other = {"name": "B01ABCDEFG", "address": "/item_page/5f2c9a1b7d/B01ABCDEFG"}
    assert key() != key(**other)
    assert key(repeated=True) == key(repeated=True, **other)
    assert key(host="example.com:8080") == key()
    for change in ({"page_kind": "item"}, {"action": "click"}, {"role": "button"}, {"ancestors": ("div.list",)}):
        assert key(repeated=True, **change) != key(repeated=True)


def test_the_healthier_stays_and_the_other_is_an_alias(library: SkillLibrary) -> None:
    library.put(make_skill("old", label="Show_Reviews"))
    library.put(make_skill("new", label="show reviews", locators={"selector": "#reviews"}))
    library.put(make_skill("whole", label="Read", steps=["old", "new"]))
    library.record_outcome("webshop", "new", "ok")
    assert merge_duplicates(library) == [(("webshop", "new"), ("webshop", "old"))]
    assert ids(library) == ["new", "whole"]
    assert library.get("webshop", "old").id == "new"
    assert library.resolve("old").meta.aliases == ["old"]
    assert library.get("webshop", "whole").steps == ["new", "new"]
    library.record_outcome("webshop", "old", "ok")
    assert library.get("webshop", "new").health.success_count == 2
    assert merge_duplicates(library) == []


def test_aliases_pass_on(library: SkillLibrary) -> None:
    for number in range(3):
        library.put(make_skill(f"d{number}", locators={"selector": f"#s{number}"}))
        library.record_outcomes([Outcome("webshop", f"d{number}", "ok")] * (number + 1))
        merge_duplicates(library)
    assert ids(library) == ["d2"]
    assert {library.get("webshop", f"d{number}").id for number in range(3)} == {"d2"}


def test_status_counts_before_health(library: SkillLibrary) -> None:
    library.put(make_skill("tried", status="trial", health={"health_score": 1.0, "success_count": 100}))
    library.put(make_skill("verified"))
    assert [merge.stayed.id for merge in merge_duplicates(library)] == ["verified"]


OTHERS = {
    "another kind of page": make_skill("d2", preconditions={"page_kind": ["results"]}),
    "another effect": make_skill("d2", effect="purchase"),
    "another action": make_skill("d2", action="click"),
    "other arguments": make_skill("d2", args_schema={"type": "object", "properties": {"text": {"type": "string"}}}),
    "another label": make_skill("d2", label="Features"),
    "another domain": make_skill("d2", domain="example.com"),
    "other parts": make_skill("d2", steps=["d1"]),
    "another field": make_skill("d2", locators={"selector": 'input[name="size"][value="M"]'}),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_what_is_no_duplicate(library: SkillLibrary, other: Skill) -> None:
    library.put(make_skill("d1", locators={"selector": 'input[name="color"][value="M"]'}))
    library.put(other)
    assert merge_duplicates(library) == []
    assert len(library.list()) == 2


def test_skills_without_a_label_are_left_alone(library: SkillLibrary) -> None:
    for number in range(2):
        library.put(make_skill(f"d{number}", label="—" if number else "…"))
    assert merge_duplicates(library) == []


def test_a_shipped_skill_stays(tmp_path: Path) -> None:
    package = SkillLibrary(tmp_path / "package", clock=lambda: NOW)
    package.put(make_skill("shipped"))
    library = SkillLibrary(tmp_path / "library", package.directory, clock=lambda: NOW)
    library.put(make_skill("learned", locators={"selector": "#learned"}))
    library.record_outcome("webshop", "learned", "ok")
    assert merge_duplicates(library) == [], "a better one beside it stays as well"
    library.record_outcomes([Outcome("webshop", "shipped", "ok")] * 5)
    assert merge_duplicates(library) == [(("webshop", "shipped"), ("webshop", "learned"))]
    again = SkillLibrary(tmp_path / "library", package.directory, clock=lambda: NOW)
    assert again.get("webshop", "learned").id == "shipped"
    assert again.get("webshop", "learned").health.success_count == 5
    again.record_outcome("webshop", "learned", "ok")
    assert again.get("webshop", "shipped").meta.aliases == ["learned"]


def test_broken_files_are_left_alone(library: SkillLibrary) -> None:
    library.put(make_skill("d1"))
    broken = library.directory / "skill/skill_library/webshop/d2.json"
    broken.write_text("{")
    assert merge_duplicates(library) == []
    assert broken.exists()
