"""A build that fails, dies or meets another one leaves a whole catalogue."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog import Catalog, build_once, staged_directory, staging
from tests.catalog.helpers import webshop_record

DYING_BUILD = """
import json, os, sys
from pathlib import Path
from personalized_shopping.shared_libraries.catalog import open_source, staged_directory, write_catalog

def dying():
    for item in open_source(sys.argv[1]):
        yield item
        os.kill(os.getpid(), 9)

with staged_directory(Path(sys.argv[2])) as directory:
    write_catalog(dying(), directory)
"""


def put(target: Path, text: str) -> None:
    with staged_directory(target) as directory:
        (directory / "sub").mkdir()
        (directory / "sub" / "file").write_text(text)


def content(target: Path) -> str:
    return (target / "sub" / "file").read_text()


def left_overs(target: Path) -> list[str]:
    return [path.name for path in target.parent.iterdir() if path.name not in (target.name, f".{target.name}.lock")]


@pytest.fixture(params=["swapped", "renamed twice"])
def target(request, tmp_path, monkeypatch):
    if request.param == "renamed twice":  # as on systems that cannot swap two names
        monkeypatch.setattr(staging, "exchange", lambda one, other: False)
    return tmp_path / "deep" / "target"


def test_a_directory_takes_its_place_and_replaces_the_old_one(target):
    for text in ("one", "two"):
        put(target, text)
        assert content(target) == text
        assert left_overs(target) == []


def test_a_block_that_raises_leaves_the_old_one(target):
    put(target, "old")
    with pytest.raises(RuntimeError), staged_directory(target) as directory:
        (directory / "file").write_text("half")
        raise RuntimeError
    assert content(target) == "old"
    assert left_overs(target) == []


def test_a_process_that_dies_leaves_the_old_catalogue(target, built, items):
    with built(webshop_record("OLD")) as catalog:
        target.parent.mkdir()
        catalog.directory.rename(target)
    source = items(webshop_record("NEW"), webshop_record("NEW2"))
    died = subprocess.run([sys.executable, "-c", DYING_BUILD, source, target], cwd=Path.cwd(), check=False)
    assert died.returncode == -signal.SIGKILL
    assert any("building" in name for name in left_overs(target))
    with Catalog.open(target) as still:
        assert still.asin_at(0) == "OLD"
    put(target, "next build")
    assert content(target) == "next build"
    assert left_overs(target) == [], "what the dead build left is cleaned away"


def test_death_between_two_renames_is_mended(target):
    put(target, "old")
    os.rename(target, target.with_name(f".{target.name}.replaced-1234"))
    staging.recover(target)
    assert content(target) == "old"
    os.rename(target, target.with_name(f".{target.name}.replaced-1234"))
    with pytest.raises(CatalogError, match="no manifest"):
        Catalog.open(target)
    assert content(target) == "old", "opening mends it, too"


def test_a_failing_last_rename_brings_the_old_one_back(target, monkeypatch):
    put(target, "old")
    monkeypatch.setattr(staging, "exchange", lambda one, other: False)
    rename = os.rename

    def fail(source, destination):
        if "building" in Path(source).name:
            raise OSError(28, "no space left")
        rename(source, destination)

    monkeypatch.setattr(staging.os, "rename", fail)
    with pytest.raises(OSError, match="no space"):
        put(target, "new")
    assert content(target) == "old"


def test_build_once_builds_once(target):
    def build(directory):
        built.append(directory)
        (directory / "file").write_text("x")

    built: list[Path] = []
    assert build_once(target, build, lambda path: (path / "file").exists())
    assert not build_once(target, build, lambda path: (path / "file").exists())
    assert build_once(target, build, lambda path: False), "what is not current is built anew"
    assert len(built) == 2


def _build_once(target, barrier, answers):
    def build(directory):
        (directory / "file").write_text(str(os.getpid()))

    barrier.wait(30)
    answers.put((build_once(target, build, Path.is_dir), (target / "file").read_text()))


def test_of_several_processes_one_builds_and_the_others_find_it(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, answers = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_build_once, args=(tmp_path / "target", barrier, answers)) for _ in range(3)]
    for worker in workers:
        worker.start()
    found = [answers.get(timeout=300) for _ in workers]
    for worker in workers:
        worker.join(60)
    assert sorted(built for built, _ in found) == [False, False, True]
    assert len({text for _, text in found}) == 1


def test_a_second_build_waits_for_the_first(tmp_path):
    target = tmp_path / "target"
    order = []
    inside = threading.Event()

    def second():
        inside.wait(30)
        put(target, "second")
        order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with staged_directory(target) as directory:
        inside.set()
        (directory / "sub").mkdir()
        (directory / "sub" / "file").write_text("first")
        thread.join(0.2)
        assert thread.is_alive(), "it must wait"
        order.append("first")
    thread.join(30)
    assert order == ["first", "second"]
    assert content(target) == "second"


def test_a_link_keeps_pointing_to_what_is_replaced(tmp_path):
    put(tmp_path / "v1", "old")
    (tmp_path / "current").symlink_to("v1")
    put(tmp_path / "current", "new")
    assert (tmp_path / "current").is_symlink()
    assert content(tmp_path / "v1") == "new"


def test_places_that_cannot_be_built_in_say_so(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(CatalogError, match="is a file"):
        put(tmp_path / "file", "new")
    with pytest.raises(CatalogError, match="Cannot write beside"):
        put(tmp_path / "file" / "below", "new")
    assert (tmp_path / "file").read_text() == "x"
