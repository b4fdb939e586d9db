"""A library as one file, and files of strangers."""

import json
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import bundle
from personalized_shopping.shared_libraries.skills.bundle import export_bundle, import_bundle
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.model import skill_bytes
from tests.skills.store_samples import NOW, make_skill, skill_value

PLACE = "skill/skill_library/webshop"
MANIFEST = b'{"format": "skill_bundle_v1"}'


def open_library(directory: Path) -> SkillLibrary:
    return SkillLibrary(directory, clock=lambda: NOW)


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    library = open_library(tmp_path / "library")
    library.put(make_skill("d1", label='"Quoted" name'))
    library.put(make_skill("d1", domain="www.example.com:8080"))
    library.put(make_skill("d2", steps=["d1"], status="trial"))
    library.record_outcomes([Outcome("webshop", "d1", "ok")] * 3)
    return library


@pytest.fixture
def other(tmp_path: Path) -> SkillLibrary:
    return open_library(tmp_path / "other")


def zipped(path: Path, entries: Mapping[str, bytes], manifest: bytes | None = MANIFEST) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if manifest is not None:
            archive.writestr("bundle.json", manifest)
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def names(keys: list[bundle.Key]) -> list[str]:
    return [str(key) for key in keys]


@pytest.mark.parametrize("ending", ["zip", "json"])
def test_there_and_back(tmp_path: Path, library: SkillLibrary, other: SkillLibrary, ending: str) -> None:
    path = tmp_path / f"all.{ending}"
    assert export_bundle(library, path) == 3
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    report = import_bundle(other, path, trusted=True)
    assert sorted(names(report.added)) == ["example_com/d1", "webshop/d1", "webshop/d2"]
    assert other.list() == library.list()
    again = import_bundle(other, path)
    assert len(again.unchanged) == 3
    assert not (again.added or again.kept or again.replaced or again.refused)
    assert other.list() == library.list()


@pytest.mark.parametrize("ending", ["zip", "json"])
def test_the_same_skills_give_the_same_bytes(tmp_path: Path, library: SkillLibrary, ending: str) -> None:
    for name in "ab":
        export_bundle(library, tmp_path / f"{name}.{ending}")
    assert (tmp_path / f"a.{ending}").read_bytes() == (tmp_path / f"b.{ending}").read_bytes()


def test_what_a_stranger_says_of_reliability_does_not_count(
    tmp_path: Path, library: SkillLibrary, other: SkillLibrary
) -> None:
    library.put(make_skill("d3", label="Other", meta={"aliases": ["d9"]}))
    export_bundle(library, tmp_path / "all.zip")
    import_bundle(other, tmp_path / "all.zip")
    assert {skill.status for skill in other.list()} == {"trial"}
    assert {skill.health.success_count for skill in other.list()} == {0}
    assert {tuple(skill.meta.aliases) for skill in other.list()} == {()}


def test_conflicts(tmp_path: Path, library: SkillLibrary, other: SkillLibrary) -> None:
    path = tmp_path / "all.json"
    export_bundle(library, path, domain="webshop")
    mine = other.put(make_skill("d1", label="Mine"))
    report = import_bundle(other, path)
    assert (names(report.added), names(report.kept)) == (["webshop/d2"], ["webshop/d1"])
    assert other.get("webshop", "d1") == mine
    report = import_bundle(other, path, on_conflict="replace")
    assert (names(report.replaced), names(report.unchanged)) == (["webshop/d1"], ["webshop/d2"])
    theirs = other.get("webshop", "d1")
    assert (theirs.label, theirs.meta.version) == ('"Quoted" name', "v0.2")
    assert other.rollback("webshop", "d1").label == "Mine"


def test_a_broken_file_in_the_way(tmp_path: Path, library: SkillLibrary, other: SkillLibrary) -> None:
    export_bundle(library, tmp_path / "all.zip", domain="webshop")
    other.put(make_skill("d1"))
    path = other.directory / PLACE / "d1.json"
    path.write_text("{")
    assert names(import_bundle(other, tmp_path / "all.zip").kept) == ["webshop/d1"]
    assert path.read_text() == "{"
    assert names(import_bundle(other, tmp_path / "all.zip", on_conflict="replace").replaced) == ["webshop/d1"]


def test_only_what_was_learned(tmp_path: Path, library: SkillLibrary) -> None:
    over = SkillLibrary(tmp_path / "over", library.directory, clock=lambda: NOW)
    over.put(make_skill("d7"))
    assert export_bundle(over, tmp_path / "a.json") == 4
    assert export_bundle(over, tmp_path / "b.json", learned_only=True) == 1


def test_a_bad_skill_does_not_stop_the_others(tmp_path: Path, other: SkillLibrary) -> None:
    good = skill_value("good")
    skills = [good, skill_value("bad") | {"surprise": 1}, {"id": "x"}, 7, good, skill_value("evil"), skill_value("d\n")]
    path = tmp_path / "mixed.json"
    path.write_text(json.dumps({"format": "skill_bundle_v1", "skills": skills}))
    report = import_bundle(other, path, check=lambda skill: ["its program is refused"] if skill.id == "evil" else [])
    assert names(report.added) == ["webshop/good"]
    assert [refusal.name for refusal in report.refused] == [f"skills[{number}]" for number in range(1, 7)]
    messages = " ".join(refusal.message for refusal in report.refused)
    for part in ("surprise", "holds webshop/good twice", "program is refused", "no id of a skill"):
        assert part in messages
    assert len(other.list()) == 1


NAMES = [
    "../d1.json",
    "/etc/passwd",
    f"{PLACE}/../../../d1.json",
    f"{PLACE}/..\\d1.json",
    "C:\\d1.json",
    f"{PLACE}/d1.json/x",
    f"{PLACE}/d1.exe",
    f"{PLACE}/",
    f"{PLACE}/A.json",
    f"{PLACE}/{'x' * 65}.json",
    f"{PLACE}/d1.versions/v0.1.json",
    "skill/skill_library/.lock",
    "scripts/run.py",
    f"{PLACE}/d1.json\n",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_elsewhere(tmp_path: Path, other: SkillLibrary, name: str) -> None:
    path = zipped(tmp_path / "bad.zip", {name: skill_bytes(make_skill()), f"{PLACE}/d2.json": b"{}"})
    with pytest.raises(SkillError, match="where no skill lies"):
        import_bundle(other, path)
    assert not other.directory.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["bad.zip"]


def test_a_name_with_a_hidden_end(tmp_path: Path, other: SkillLibrary) -> None:
    path = zipped(tmp_path / "bad.zip", {f"{PLACE}/d1.jsonX": skill_bytes(make_skill())})
    path.write_bytes(path.read_bytes().replace(b"d1.jsonX", b"d1.json\0"))
    with pytest.raises(SkillError, match=r"no plain name|damaged"):
        import_bundle(other, path)


def test_a_skill_in_anothers_place(tmp_path: Path, other: SkillLibrary) -> None:
    path = zipped(tmp_path / "bad.zip", {f"{PLACE}/d2.json": skill_bytes(make_skill("d1"))})
    assert "is webshop/d1" in import_bundle(other, path).refused[0].message
    assert other.list() == []


def test_a_link(tmp_path: Path, other: SkillLibrary) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bundle.json", MANIFEST)
        info = zipfile.ZipInfo(f"{PLACE}/d1.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    with pytest.raises(SkillError, match="link"):
        import_bundle(other, path)


def test_a_bomb(tmp_path: Path, other: SkillLibrary) -> None:
    path = zipped(tmp_path / "bomb.zip", {f"{PLACE}/d1.json": b" " * (40 << 20)})
    assert path.stat().st_size < 100_000
    with pytest.raises(SkillError, match="larger than"):
        import_bundle(other, path)


def test_a_bomb_that_lies_about_its_size(tmp_path: Path, other: SkillLibrary) -> None:
    path = zipped(tmp_path / "bomb.zip", {f"{PLACE}/d1.json": b" " * (40 << 20)})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<I", 40 << 20), struct.pack("<I", 100)))
    with pytest.raises(SkillError):
        import_bundle(other, path)


def test_many_small_files_are_too_much_together(
    tmp_path: Path, other: SkillLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "bomb.zip", {f"{PLACE}/d{number}.json": b" " * 2_000 for number in range(10)})
    monkeypatch.setattr(bundle, "MAX_UNPACKED_BYTES", 10_000)
    with pytest.raises(SkillError, match="unpacks to more"):
        import_bundle(other, path)
    monkeypatch.setattr(bundle, "MAX_SKILLS", 5)
    with pytest.raises(SkillError, match="more than 5 entries"):
        import_bundle(other, path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing(tmp_path: Path, other: SkillLibrary, method: int) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("bundle.json", MANIFEST)
    with pytest.raises(SkillError, match="packed in a way"):
        import_bundle(other, path)


FILES = {
    "empty": b"",
    "no bundle": b"[]",
    "deep": b"[" * 200_000,
    "another format": b'{"format": "v9", "skills": []}',
    "unknown field": b'{"format": "skill_bundle_v1", "skills": [], "x": 1}',
    "half an archive": b"PK\x03\x04" + b"\0" * 50,
    "no UTF-8": b"\xff\xfe{}",
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_what_is_no_bundle(tmp_path: Path, other: SkillLibrary, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(SkillError, match=r"file\b"):
        import_bundle(other, path)
    assert not other.directory.exists()


def test_an_archive_without_a_manifest_or_with_a_damaged_file(tmp_path: Path, other: SkillLibrary) -> None:
    entries = {f"{PLACE}/d1.json": skill_bytes(make_skill())}
    with pytest.raises(SkillError, match=r"no bundle\.json"):
        import_bundle(other, zipped(tmp_path / "a.zip", entries, manifest=None))
    with pytest.raises(SkillError, match="format"):
        import_bundle(other, zipped(tmp_path / "b.zip", entries, manifest=b'{"format": "v9"}'))
    path = zipped(tmp_path / "c.zip", entries)
    data = bytearray(path.read_bytes())
    start = data.index(b"d1.json") + 20
    data[start : start + 40] = b"\0" * 40
    path.write_bytes(data)
    with pytest.raises(SkillError, match="damaged"):
        import_bundle(other, path)
    assert not other.directory.exists()


def test_files_that_cannot_be(tmp_path: Path, library: SkillLibrary) -> None:
    with pytest.raises(SkillError, match="no file"):
        import_bundle(library, tmp_path / "absent.zip")
    with pytest.raises(SkillError, match="no file"):
        import_bundle(library, tmp_path)
    with pytest.raises(SkillError, match=r"\.zip or \.json"):
        export_bundle(library, tmp_path / "all.tar")
    with pytest.raises(SkillError, match="cannot be written"):
        export_bundle(library, tmp_path / "absent" / "all.zip")
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(bundle.MAX_BUNDLE_BYTES + 1)
    with pytest.raises(SkillError, match="larger than"):
        import_bundle(library, huge)
