"""The shipped skills: the files are what the command makes, and what it makes was run."""

from pathlib import Path

import jsonschema
import pytest

from personalized_shopping.shared_libraries.skills.build.schema import skill_schema
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.model import Skill, parse_skill, skill_json
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.shipped import making
from personalized_shopping.shared_libraries.skills.shipped.composites import shipped_composites
from personalized_shopping.shared_libraries.skills.verify_places import Places, ShopPlaces
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

PRIMITIVES = {
    "attributes",
    "back_to_search",
    "description",
    "features",
    "next",
    "open_product",
    "prev",
    "reviews",
    "search",
    "select_option",
}
FILES = sorted(making.LIBRARY.rglob("*.json"))


@pytest.fixture(scope="module")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


@pytest.fixture(scope="module")
def skills() -> dict[str, Skill]:
    return {path.stem: parse_skill(path.read_bytes()) for path in FILES}


def test_the_files_are_what_the_command_makes(runtime: ProgramRuntime) -> None:
    """Where this fails, run ``python -m personalized_shopping.shared_libraries.skills.shipped``."""
    made = {making.LIBRARY / path: data for path, data in making.shipped_files(runtime)}
    assert sorted(made) == FILES
    for path, data in made.items():
        assert path.read_bytes() == data, f"{path.name} is not what is made now"


def test_writing_them_again_changes_nothing_and_removes_what_is_left_over(
    tmp_path: Path, runtime: ProgramRuntime
) -> None:
    assert len(making.write_shipped(runtime, tmp_path)) == len(FILES)
    assert making.write_shipped(runtime, tmp_path) == []
    old = tmp_path / "skill" / "skill_library" / "webshop" / "old.json"
    old.write_text("{}")
    assert making.write_shipped(runtime, tmp_path) == [old]
    assert not old.exists()


def test_every_one_is_sound(skills: dict[str, Skill]) -> None:
    assert set(skills) == PRIMITIVES | {skill.id for skill in shipped_composites()}
    for name, skill in skills.items():
        jsonschema.validate(skill_json(skill), skill_schema())
        assert (skill.id, skill.domain, skill.status) == (name, "webshop", "verified")
        assert set(skill.steps) <= set(skills)


def test_only_one_buys_and_it_is_part_of_no_other(skills: dict[str, Skill]) -> None:
    buying = [name for name, skill in skills.items() if skill.effect == "purchase"]
    assert buying == ["buy_now"]
    assert not any(
        "buy_now" in skill.steps or "Buy Now" in skill.program.code
        for skill in skills.values()
        if skill.id != "buy_now"
    )


def test_primitives_name_no_product_no_session_and_no_place(skills: dict[str, Skill]) -> None:
    for name in PRIMITIVES:
        skill = skills[name]
        told = " ".join([skill.locators.selector, *skill.locators.selector_alt, *skill.preconditions.exists])
        assert "nth-of-type" not in told and "href=" not in told
        assert skill.preconditions.url_matches == ["^https?://[^/]+/"]
        assert skill.preconditions.page_kind
    assert skills["prev"].preconditions.page_kind == [
        "results",
        "item",
        "description",
        "features",
        "reviews",
        "attributes",
    ]
    assert skills["search"].args_schema["required"] == ["query"]
    assert skills["open_product"].args_schema["required"] == ["asin"]
    assert skills["select_option"].args_schema["required"] == ["name", "value"]


def test_a_library_has_them(tmp_path: Path, skills: dict[str, Skill]) -> None:
    library = SkillLibrary(tmp_path, making.LIBRARY)
    assert {skill.id for skill in library.list("webshop", ["verified"])} == set(skills)
    library.close()


def test_a_skill_that_does_not_work_is_not_shipped(runtime: ProgramRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec.structs import replace

    def broken(shop: Shop) -> list[Skill]:
        (first, *_) = shipped_composites()
        return [replace(first, id="broken", postconditions=replace(first.postconditions, page_kind=["done"]))]

    monkeypatch.setattr(making, "shipped_primitives", broken)
    with pytest.raises(Exception, match=r"Some shipped skills do not work. broken: search: damage"):
        making.shipped_skills(runtime)


def test_verifying_buy_now_buys_nothing(runtime: ProgramRuntime, skills: dict[str, Skill]) -> None:
    from personalized_shopping.shared_libraries.skills.shipped.primitives import demo_shop
    from personalized_shopping.shared_libraries.skills.verify import verify

    with demo_shop() as shop:
        places: Places = ShopPlaces(shop)
        found = verify(skills["buy_now"], places, runtime)
        assert found.is_green
        (tried,) = found.tried
        assert tried.run is not None
        assert (tried.run.calls, tried.run.stands.page_kind) == ((), "item")  # type: ignore[union-attr]
