"""Versions of a skill, and the way back."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import SkillError, SkillNotFound
from personalized_shopping.shared_libraries.skills import versions
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import Key
from tests.skills.store_samples import NOW, make_skill, with_status


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path, clock=lambda: NOW)


def labels(library: SkillLibrary) -> list[tuple[str, object]]:
    return [(skill.meta.version, skill.label) for skill in library.history("webshop", "d1")]


def test_a_changed_skill_is_a_new_version(library: SkillLibrary) -> None:
    library.put(make_skill())
    new = library.put(make_skill(label="New", meta={"created_at": "2030-01-01", "version": "v7.7"}))
    assert new.meta.version == "v0.2"
    assert new.meta.created_at == make_skill().meta.created_at
    assert new.meta.updated_at == "2026-01-02T03:04:05+00:00"
    assert labels(library) == [("v0.1", "Description"), ("v0.2", "New")]
    assert (library.directory / "skill/skill_library/webshop/d1.versions/v0.1.json").is_file()


@pytest.mark.parametrize(
    "same",
    [
        make_skill(),
        with_status(make_skill(), "draft"),
        make_skill(meta={"created_at": "2030-01-01", "source_dir": "elsewhere", "aliases": ["d9"]}),
        make_skill(health={"health_score": 0.1, "failure_count": 3}),
    ],
)
def test_the_same_again_is_no_new_version(library: SkillLibrary, same) -> None:  # type: ignore[no-untyped-def]
    first = library.put(make_skill())
    assert library.put(same) == first
    assert library.history("webshop", "d1") == [first]


def test_the_last_five_are_kept(library: SkillLibrary) -> None:
    for number in range(12):
        library.put(make_skill(label=f"Label {number}"))
    assert [version for version, _ in labels(library)] == ["v0.7", "v0.8", "v0.9", "v0.10", "v0.11", "v0.12"]


def test_the_way_back_and_forth(library: SkillLibrary) -> None:
    for label in ("One", "Two", "Three"):
        library.put(make_skill(label=label))
    assert library.rollback("webshop", "d1").label == "Two"
    assert labels(library) == [("v0.1", "One"), ("v0.3", "Three"), ("v0.2", "Two")]
    assert library.rollback("webshop", "d1").label == "One"
    assert library.rollback("webshop", "d1", to="v0.3").label == "Three"
    assert library.put(make_skill(label="Four")).meta.version == "v0.4"


def test_rolling_back_to_the_oldest_of_five(library: SkillLibrary) -> None:
    for number in range(6):
        library.put(make_skill(label=f"Label {number}"))
    assert library.rollback("webshop", "d1", to="v0.1").label == "Label 0"
    assert library.put(make_skill(label="Next")).meta.version == "v0.7"


def test_where_there_is_no_way_back(library: SkillLibrary) -> None:
    with pytest.raises(SkillNotFound):
        library.rollback("webshop", "d1")
    library.put(make_skill())
    with pytest.raises(SkillError, match=r"an earlier version \(it is v0\.1 now; kept: none\)"):
        library.rollback("webshop", "d1")
    library.put(make_skill(label="New"))
    for to in ("v0.9", "../../d1", ""):
        with pytest.raises(SkillError, match=r"kept: v0\.1"):
            library.rollback("webshop", "d1", to=to)


def test_health_is_the_skills_and_the_damages_in_a_row_are_the_versions(library: SkillLibrary) -> None:
    library.put(make_skill())
    library.put(make_skill(label="New"))
    library.record_outcome("webshop", "d1", "damage")
    library.record_outcome("webshop", "d1", "damage")
    back = library.rollback("webshop", "d1")
    assert (back.status, back.health.failure_count, back.health.consecutive_damages) == ("verified", 2, 0)
    assert back.health.health_score == pytest.approx(0.384)


def test_a_quarantined_version_comes_back_on_trial(library: SkillLibrary) -> None:
    library.put(make_skill())
    library.record_outcome("webshop", "d1", "damage")
    library.record_outcome("webshop", "d1", "damage")
    library.put(make_skill(label="New"), healed=True)
    assert library.rollback("webshop", "d1").status == "trial"


def test_strange_files_among_the_versions(library: SkillLibrary) -> None:
    library.put(make_skill())
    library.put(make_skill(label="New"))
    folder = versions.versions_directory(library.directory, Key("webshop", "d1"))
    for name in ("notes.txt", "v1.json", "v0.2.json.bak", "vx.y.json"):
        (folder / name).write_text("{")
    (folder / "v0.0.json").write_text("{")
    assert labels(library) == [("v0.1", "Description"), ("v0.2", "New")]
    with pytest.raises(SkillError):
        library.rollback("webshop", "d1", to="v0.0")
    assert library.get("webshop", "d1").label == "New"


def test_a_version_that_nobody_can_count_from(library: SkillLibrary) -> None:
    assert library.put(make_skill(meta={"version": "../../evil"})).meta.version == "v0.1"
    assert library.put(make_skill("d2", meta={"version": "v3.4"})).meta.version == "v3.4"
    assert library.put(make_skill("d2", label="New")).meta.version == "v3.5"


def test_removing_forgets_the_versions(library: SkillLibrary) -> None:
    library.put(make_skill())
    library.put(make_skill(label="New"))
    library.remove("webshop", "d1")
    assert library.put(make_skill()).meta.version == "v0.1"
    assert len(library.history("webshop", "d1")) == 1


def test_a_crash_between_keeping_the_old_and_writing_the_new(library: SkillLibrary) -> None:
    skill = library.put(make_skill())
    key = Key("webshop", "d1")
    folder = versions.versions_directory(library.directory, key)
    folder.mkdir()
    (folder / "v0.1.json").write_bytes(versions.skill_bytes(skill))
    assert labels(library) == [("v0.1", "Description")]
    assert library.put(make_skill(label="New")).meta.version == "v0.2"


@settings(deadline=None)
@given(st.lists(st.from_regex(r"v[0-9]{1,5}\.[0-9]{1,6}", fullmatch=True) | st.text(max_size=10)))
def test_the_next_version_is_higher_than_all(names: list[str]) -> None:
    following = versions.number(versions.next_version(names))
    assert following is not None
    assert all((versions.number(name) or (-1, 0)) < following for name in names)


def test_what_a_definition_is() -> None:
    skill = make_skill()
    same = msgspec.structs.replace(skill, health=make_skill(health={"success_count": 2}).health, status="trial")
    assert versions.definition(skill) == versions.definition(same)
    assert versions.definition(skill) != versions.definition(msgspec.structs.replace(skill, effect="write"))
