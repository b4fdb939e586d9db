"""The library's files: the truth, whoever writes them, and whatever becomes of a writer."""

import json
import multiprocessing
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import SkillError, SkillNotFound
from personalized_shopping.shared_libraries.skills import library_files as files
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.model import skill_bytes
from tests.skills.store_samples import NOW, make_skill, skill_value, with_status

TREE = files.TREE


def open_library(directory: Path, builtin: Path | None = None) -> SkillLibrary:
    return SkillLibrary(directory, builtin, clock=lambda: NOW)


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return open_library(tmp_path / "library")


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """Return a directory with two shipped skills, one of which is a composite of the other."""
    package = open_library(tmp_path / "package")
    package.put(make_skill("open_tab"))
    package.put(make_skill("read_tabs", label="Read", steps=["open_tab"]))
    for path in package.directory.rglob("*.json"):
        path.chmod(0o444)
    return package.directory


def write_file(library: SkillLibrary, name: str, content: bytes | str) -> Path:
    path = library.directory / TREE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_skill_lies_in_the_blueprints_tree_for_its_owner_only(library: SkillLibrary) -> None:
    library.put(make_skill("d1", domain="www.Example.com:8080"))
    path = library.directory / "skill" / "skill_library" / "example_com" / "d1.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_bytes())["domain"] == "www.Example.com:8080"
    assert [each.name for each in (library.directory / TREE / files._STAGING).iterdir()] == []


def test_what_is_put_is_got(library: SkillLibrary) -> None:
    skill = library.put(make_skill())
    assert library.get("webshop", "d1") == skill
    assert open_library(library.directory).list() == [skill]
    assert skill.meta.version == "v0.1"


@pytest.mark.parametrize(
    ("domain", "name"),
    [
        ("example.com", "example_com"),
        ("www.example.com:443", "example_com"),
        ("Sub-Domain.Example.co.uk", "sub_domain_example_co_uk"),
        ("[::1]:5000", "1"),
        ("webshop", "webshop"),
        ("..", "_"),
        ("../../etc/passwd", "etc_passwd"),
        ("名前", "_"),
    ],
)
def test_a_domain_in_a_path(domain: str, name: str) -> None:
    assert files.sanitize_domain(domain) == name


@settings(deadline=None)
@given(st.text(max_size=300))
def test_a_domain_in_a_path_is_harmless_and_stays_the_same(domain: str) -> None:
    name = files.sanitize_domain(domain)
    assert name == "_" or (name.strip("_") == name and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_"))
    assert len(name) <= 100
    assert files.sanitize_domain(name) == name


@pytest.mark.parametrize("skill_id", ["", "../x", "a b", "A", "d1\n", "x" * 65, ".hidden"])
def test_an_id_that_can_be_no_file(library: SkillLibrary, skill_id: str) -> None:
    with pytest.raises(SkillError, match="no id of a skill"):
        library.get("webshop", skill_id)
    with pytest.raises(SkillError, match="no id of a skill"):
        library.put(msgspec.structs.replace(make_skill(), id=skill_id))
    assert not library.directory.exists()


def test_the_same_id_in_two_domains(library: SkillLibrary) -> None:
    one, two = library.put(make_skill(domain="a.example")), library.put(make_skill(domain="b.example"))
    assert library.get("a.example", "d1") == one
    assert library.get("b.example", "d1") == two
    assert library.resolve("b_example/d1") == two
    assert library.find("d1") == [one, two]
    with pytest.raises(SkillError, match="a_example/d1, b_example/d1"):
        library.resolve("d1")
    library.remove("a.example", "d1")
    assert library.resolve("d1") == two


def test_two_domains_that_look_alike_in_paths_do_not_overwrite_each_other(library: SkillLibrary) -> None:
    first = library.put(make_skill(domain="a-b.example"))
    with pytest.raises(SkillError, match=r"belongs to 'a-b\.example'.*another id"):
        library.put(make_skill(domain="a.b.example", label="Other"))
    assert library.list() == [first]
    assert library.put(make_skill(domain="www.a-b.example", label="Other")).meta.version == "v0.2"


def test_names_with_spaces_and_quotes(library: SkillLibrary) -> None:
    selector = '[id="radio_fit \\"type\\"0"]'
    skill = library.put(make_skill(label="A \"quoted\" 'name'", locators={"selector": selector}))
    assert open_library(library.directory).get("webshop", "d1") == skill
    assert skill.locators.selector == selector


def test_what_is_not_there(library: SkillLibrary) -> None:
    for ask in (lambda: library.get("webshop", "d1"), lambda: library.resolve("d1"), lambda: library.resolve("x/d1")):
        with pytest.raises(SkillNotFound, match=r"no skill '.*d1'"):
            ask()
    with pytest.raises(SkillNotFound):
        library.remove("webshop", "d1")
    assert library.list() == []
    assert library.problems() == []


BROKEN = {
    "unknown field": json.dumps(skill_value("bad") | {"surprise": 1}),
    "no JSON": "{",
    "no UTF-8": b"\xff\xfe",
    "empty": "",
    "deep": "[" * 200_000,
    "huge": json.dumps(skill_value("bad") | {"description": "x" * 300_000}),
    "no regular expression": json.dumps(skill_value("bad", preconditions={"url_matches": ["("]})),
    "another id": json.dumps(skill_value("other")),
    "another domain": json.dumps(skill_value("bad", domain="example.com")),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_and_stops_nobody(library: SkillLibrary, content: bytes | str) -> None:
    good = library.put(make_skill("good"))
    path = write_file(library, "webshop/bad.json", content)
    assert library.list() == [good]
    assert [problem.path for problem in library.problems()] == [path]
    assert str(path) in library.problems()[0].message
    with pytest.raises(SkillError):
        library.get("webshop", "bad")


def test_a_file_that_is_mended_is_read_again(library: SkillLibrary) -> None:
    path = write_file(library, "webshop/d1.json", "{")
    assert len(library.problems()) == 1
    path.write_bytes(skill_bytes(make_skill()))
    assert library.problems() == []
    assert library.list() == [make_skill()]


def test_putting_over_a_broken_file_keeps_what_somebody_typed(library: SkillLibrary) -> None:
    path = write_file(library, "webshop/d1.json", "{ my work")
    library.put(make_skill())
    assert path.with_suffix(".broken").read_text() == "{ my work"
    assert library.problems() == []


def test_folders_and_pipes_are_no_skills(library: SkillLibrary) -> None:
    good = library.put(make_skill("good"))
    domain = library.directory / TREE / "webshop"
    (domain / "folder.json").mkdir()
    os.mkfifo(domain / "pipe.json")
    (library.directory / TREE / "file.json").write_text("{}")
    assert library.list() == [good]
    assert library.problems() == []
    with pytest.raises(SkillNotFound):
        library.get("webshop", "pipe")


def test_what_no_file_could_hold_is_refused(library: SkillLibrary) -> None:
    with pytest.raises(SkillError, match=r"takes \d+ bytes"):
        library.put(make_skill(args_schema={"type": "object", "properties": {"x": {"description": "x" * 300_000}}}))
    with pytest.raises(SkillError, match="no skill"):
        library.put(msgspec.structs.replace(make_skill(), label="x" * 41))
    with pytest.raises(SkillError, match="become JSON"):
        library.put(msgspec.structs.replace(make_skill(), label="\ud800"))
    with pytest.raises(SkillError, match="pattern"):
        library.put(make_skill(preconditions={"url_matches": ["^(?=x)"]}))
    assert library.list() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_library_that_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(SkillError, match="SKILL_LIBRARY_DIR"):
        open_library(tmp_path / "library").put(make_skill())


def test_a_file_in_the_way_of_the_library(tmp_path: Path) -> None:
    (tmp_path / "library").write_text("")
    with pytest.raises(SkillError, match="SKILL_LIBRARY_DIR"):
        open_library(tmp_path / "library").put(make_skill())


# Health


def test_outcomes_are_kept_in_the_skills_file(library: SkillLibrary) -> None:
    library.put(make_skill())
    recorded = library.record_outcomes(
        [
            Outcome("webshop", "d1", "ok", winner="selector"),
            Outcome("webshop", "d1", "damage"),
            Outcome("x", "d9", "ok"),
        ]
    )
    health = open_library(library.directory).get("webshop", "d1").health
    assert (health.success_count, health.failure_count, health.winners) == (1, 1, {"selector": 1})
    assert recorded.unknown == [("x", "d9")]
    assert library.get("webshop", "d1").meta.version == "v0.1"


def test_a_wrong_outcome_spoils_nothing(library: SkillLibrary) -> None:
    library.put(make_skill())
    with pytest.raises(SkillError, match="no outcome"):
        library.record_outcomes([Outcome("webshop", "d1", "ok"), Outcome("webshop", "d1", "fine")])  # type: ignore[arg-type]
    assert library.get("webshop", "d1").health.success_count == 0


def test_a_quarantined_part_quarantines_what_is_made_of_it_until_it_is_healed(library: SkillLibrary) -> None:
    library.put(make_skill("part"))
    library.put(make_skill("whole", steps=["part", "gone"]))
    library.put(make_skill("larger", steps=["whole", "larger"]))
    library.record_outcome("webshop", "part", "damage")
    assert library.record_outcome("webshop", "part", "damage").quarantined == [("webshop", "part")]
    assert {skill.id: skill.status for skill in library.list()} == dict.fromkeys(
        ("part", "whole", "larger"), "quarantined"
    )
    assert library.get("webshop", "larger").status == "quarantined"
    assert library.list(status=["verified"]) == []
    library.put(library.get("webshop", "whole"))  # what was derived must not be written down
    library.put(msgspec.structs.replace(library.get("webshop", "part"), label="Mended", status="trial"), healed=True)
    assert {skill.id: skill.status for skill in library.list()} == {
        "part": "trial",
        "whole": "verified",
        "larger": "verified",
    }
    assert library.get("webshop", "part").health.health_score == 0.6


def test_quarantine_ends_by_verification_not_by_an_old_copy(library: SkillLibrary) -> None:
    copy = library.put(make_skill())
    library.record_outcomes([Outcome("webshop", "d1", "damage")] * 2)
    assert library.put(copy).status == "quarantined"
    assert library.record_outcome("webshop", "d1", "ok") == ([], [], [])
    assert library.get("webshop", "d1").status == "quarantined"
    library.set_status("webshop", "d1", "verified")
    assert library.get("webshop", "d1").status == "verified"
    assert library.record_outcome("webshop", "d1", "damage").quarantined == []


def test_putting_the_same_again_loses_no_health(library: SkillLibrary) -> None:
    library.put(make_skill(status="draft"))
    library.record_outcome("webshop", "d1", "ok")
    library.set_status("webshop", "d1", "verified")
    again = library.put(with_status(make_skill(), "draft"))
    assert (again.health.success_count, again.status, again.meta.version) == (1, "verified", "v0.1")


# Shipped skills


def test_shipped_skills_are_there_and_never_written(tmp_path: Path, shipped: Path) -> None:
    before = {path: path.read_bytes() for path in shipped.rglob("*") if path.is_file()}
    library = open_library(tmp_path / "library", shipped)
    assert [skill.id for skill in library.list()] == ["open_tab", "read_tabs"]
    library.record_outcome("webshop", "open_tab", "damage")
    library.record_outcome("webshop", "open_tab", "damage")
    assert {skill.status for skill in open_library(tmp_path / "library", shipped).list()} == {"quarantined"}
    with pytest.raises(SkillError, match="comes with the program"):
        library.remove("webshop", "open_tab")
    assert {path: path.read_bytes() for path in shipped.rglob("*") if path.is_file()} == before
    assert not (tmp_path / "library" / TREE / "webshop").exists()
    assert library.is_shipped(library.get("webshop", "open_tab"))


def test_another_release_of_a_shipped_skill_starts_anew(tmp_path: Path, shipped: Path) -> None:
    library = open_library(tmp_path / "library", shipped)
    library.record_outcomes([Outcome("webshop", "open_tab", "damage")] * 2)
    path = files.skill_path(shipped, files.Key("webshop", "open_tab"))
    path.chmod(0o644)
    path.write_bytes(skill_bytes(make_skill("open_tab", label="Mended by its author")))
    skill = open_library(tmp_path / "library", shipped).get("webshop", "open_tab")
    assert (skill.status, skill.health.failure_count) == ("verified", 0)


def test_a_learned_version_lies_over_the_shipped_one(tmp_path: Path, shipped: Path) -> None:
    library = open_library(tmp_path / "library", shipped)
    library.record_outcome("webshop", "open_tab", "ok")
    learned = library.put(make_skill("open_tab", label="Better"))
    assert (learned.meta.version, learned.health.success_count) == ("v0.2", 1)
    assert library.get("webshop", "open_tab").label == "Better"
    assert len(library.list()) == 2
    assert not library.is_shipped(learned)
    assert library.rollback("webshop", "open_tab").label == "Description"
    library.remove("webshop", "open_tab")
    assert library.get("webshop", "open_tab").label == "Description"


def test_a_broken_overlay_is_told_and_replaced(tmp_path: Path, shipped: Path) -> None:
    library = open_library(tmp_path / "library", shipped)
    library.record_outcome("webshop", "open_tab", "ok")
    path = tmp_path / "library" / "skill" / "shipped.json"
    path.write_text("{")
    assert [problem.path for problem in library.problems()] == [path]
    assert len(library.list()) == 2
    library.record_outcome("webshop", "open_tab", "ok")
    assert library.problems() == []


# Several writers


def _write_many(directory: Path, name: str, rounds: int) -> None:
    library = SkillLibrary(directory)
    for number in range(rounds):
        library.put(make_skill(f"{name}{number}"))
        library.record_outcome("webshop", "common", "ok", page_kind="item", after=f"{name}{number}")
        library.update("webshop", "counted", lambda skill: _counted(skill, name))


def _counted(skill, name):  # type: ignore[no-untyped-def]
    snippets = {"a": 0, "b": 0} | json.loads((skill.description or "{}") if skill.description else "{}")
    snippets[name] += 1
    return msgspec.structs.replace(skill, description=json.dumps(snippets))


def test_two_processes_that_write_at_once_lose_nothing(library: SkillLibrary) -> None:
    rounds = 15
    library.put(make_skill("common"))
    library.put(make_skill("counted"))
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(library.directory, name, rounds)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(library.list()) == 2 * rounds + 2
    assert library.get("webshop", "common").health.success_count == 2 * rounds
    counted = library.get("webshop", "counted")
    assert json.loads(str(counted.description)) == {"a": rounds, "b": rounds}
    assert counted.meta.version == f"v0.{2 * rounds + 1}"
    assert library.problems() == []


WRITER = """
import sys
from pathlib import Path
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from tests.skills.store_samples import make_skill
library = SkillLibrary(Path(sys.argv[1]))
number = 0
while True:
    number += 1
    library.put(make_skill("d1", description=f"{number} " + "x" * 900))
    library.record_outcome("webshop", "d1", "ok")
    if number == 3:
        print("writing", flush=True)
"""


@pytest.mark.parametrize("delay_ms", [0, 7, 23])
def test_a_writer_that_is_killed_leaves_whole_files_and_no_lock(library: SkillLibrary, delay_ms: int) -> None:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", WRITER, str(library.directory)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        time.sleep(delay_ms / 1000)
        process.kill()
    assert library.problems() == []
    before = library.get("webshop", "d1")
    after = library.put(make_skill("d1", label="After"))
    assert int(after.meta.version[3:]) > int(before.meta.version[3:])
    assert list((library.directory / TREE / files._STAGING).iterdir()) == []
    assert len(library.history("webshop", "d1")) >= 4


def test_a_failing_write_changes_nothing(library: SkillLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    skill = library.put(make_skill())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(SkillError, match="No space left"):
        library.put(make_skill(label="New"))
    monkeypatch.undo()
    assert library.list() == [skill]
    assert library.put(make_skill(label="New")).meta.version == "v0.2"


def test_the_journal_tells_what_changed_and_begins_anew_when_it_is_long(library: SkillLibrary) -> None:
    library.put(make_skill())
    path = files.journal_path(library.directory)
    name, *lines = path.read_text().splitlines()
    assert lines == ["webshop/d1"]
    with files.locked(library.directory) as writer:
        for _ in range(files.MAX_JOURNAL_BYTES // 10):
            writer.journal(files.Key("webshop", "d2"))
    assert path.stat().st_size <= files.MAX_JOURNAL_BYTES
    assert path.read_text().splitlines()[0] != name
