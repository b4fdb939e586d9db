"""The hybrid engine: its parts with a stand-in for the network, and the real one where it is installed."""

import logging
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from personalized_shopping.errors import EngineUnavailable, IndexNotFound, SearchError
from personalized_shopping.shared_libraries.search_engine import (
    Document,
    build_index,
    engine_status,
    open_index,
)
from personalized_shopping.shared_libraries.search_engine.hybrid import builder, encoder, engine, searcher
from personalized_shopping.shared_libraries.search_engine.hybrid.encoder import DIMENSIONS, Encoder, Vectors
from personalized_shopping.shared_libraries.search_engine.hybrid.searcher import HybridIndex, fuse
from tests.search_engine import reference


class BagEncoder(Encoder):
    """Embeds a text as the words it has: no network, but likeness means something."""

    def __init__(self) -> None:
        super().__init__()
        self.texts = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.texts += len(texts)
        vectors = np.full((len(texts), DIMENSIONS), 1e-3, dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for word in text.encode("utf-8", "replace").split():
                row[zlib.crc32(word) % DIMENSIONS] += 1
        scaled: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return scaled


@pytest.fixture(autouse=True)
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def test_fusing_adds_reciprocal_ranks() -> None:
    hits = fuse([["A", "B", "C"], ["B", "D"]], 3)
    assert [hit.docid for hit in hits] == ["B", "A", "D"]
    assert [hit.score for hit in hits] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])


def test_fused_ties_are_ordered_by_identifier() -> None:
    assert [hit.docid for hit in fuse([["B"], ["A"]], 2)] == ["A", "B"]


def test_vectors_stand_beside_their_documents(tmp_path: Path) -> None:
    documents = reference.made_up(600)
    builder.build(documents, tmp_path, "test", encoder=BagEncoder())
    contents = {document.docid: document.contents for document in documents}
    vectors = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    assert vectors.dtype == np.float16
    expected = BagEncoder().encode([contents[docid] for docid in sorted(contents)])
    assert np.abs(vectors - expected).max() < 1e-3


def test_what_shares_no_keyword_is_found_by_its_vector(tmp_path: Path) -> None:
    documents = [Document("A", "the of"), Document("B", "lamp"), Document("C", "chair")]
    builder.build(documents, tmp_path, "test", encoder=BagEncoder())
    index = HybridIndex(tmp_path, BagEncoder())
    assert {hit.docid for hit in index.search("the of lamp")} == {"A", "B", "C"}
    assert [hit.docid for hit in index.search("the of lamp", 1)] == ["B"]


def test_a_broken_off_build_goes_on_where_it_stopped(tmp_path: Path, data_dir: Path) -> None:
    documents = reference.made_up(1000)

    def broken() -> Iterator[Document]:
        yield from documents[:600]
        raise KeyboardInterrupt

    first, second, whole = BagEncoder(), BagEncoder(), BagEncoder()
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    with pytest.raises(KeyboardInterrupt):
        builder.build(broken(), tmp_path / "one", "test", encoder=first)
    builder.build(documents, tmp_path / "two", "test", encoder=second)
    assert first.texts == 512
    assert second.texts == 1000 - 512
    builder.build(documents, tmp_path / "three", "test", encoder=whole)
    assert whole.texts == 1000
    assert (tmp_path / "two" / "vectors.npy").read_bytes() == (tmp_path / "three" / "vectors.npy").read_bytes()
    assert not list(data_dir.rglob("*.parts"))


def test_changed_documents_are_embedded_anew(tmp_path: Path) -> None:
    documents = reference.made_up(300)

    def broken() -> Iterator[Document]:
        yield from documents[:260]
        raise KeyboardInterrupt

    (tmp_path / "one").mkdir()
    with pytest.raises(KeyboardInterrupt):
        builder.build(broken(), tmp_path / "one", "test", encoder=BagEncoder())
    changed = [Document(document.docid, document.contents + " new") for document in documents]
    (tmp_path / "two").mkdir()
    counting = BagEncoder()
    builder.build(changed, tmp_path / "two", "test", encoder=counting)
    assert counting.texts == 300


def test_vectors_that_are_not_kept_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder.build(reference.made_up(300), tmp_path, "test", encoder=BagEncoder())
    queries = reference.queries(20)
    kept = HybridIndex(tmp_path, BagEncoder())
    expected = [kept.search(query) for query in queries]
    monkeypatch.setattr(searcher, "_KEPT_WIDE", 0)
    assert [HybridIndex(tmp_path, BagEncoder()).search(query) for query in queries] == expected


@pytest.mark.parametrize("query", ["", "  ", "\0\x01", "\ud800", "!?"])
def test_queries_without_a_word_find_nothing(tmp_path: Path, query: str) -> None:
    builder.build(reference.made_up(20), tmp_path, "test", encoder=BagEncoder())
    assert HybridIndex(tmp_path, BagEncoder()).search(query) == []


def test_an_index_of_nothing_finds_nothing(tmp_path: Path) -> None:
    builder.build([], tmp_path, "test", encoder=BagEncoder())
    assert HybridIndex(tmp_path, BagEncoder()).search("lamp") == []


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    builder.build(reference.made_up(20), tmp_path, "test", encoder=BagEncoder())
    index = HybridIndex(tmp_path, BagEncoder())
    index.close()
    with pytest.raises(SearchError, match="was closed"):
        index.search("lamp")


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "find_spec", lambda name: None)
    with pytest.raises(EngineUnavailable, match=r"onnxruntime.*personalized-shopping install hybrid"):
        build_index("hybrid", [], tmp_path, catalog_id="test")
    assert not engine_status("hybrid").usable


@pytest.mark.usefixtures("needs_hybrid")
class TestWithTheNetwork:
    """What needs the real weights."""

    def test_meaning_is_found_and_the_change_is_said(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        texts = ["leather sofa for the living room", "usb charging cable", "green tea bags", "running shoes for women"]
        documents = [Document(f"D{number}", text) for number, text in enumerate(texts)]
        build_index("hybrid", documents, tmp_path / "index", catalog_id="test")
        with caplog.at_level(logging.WARNING, engine.__name__):
            index = open_index("hybrid", tmp_path / "index", catalog_id="test")
        assert "changes the ranking" in caplog.text
        assert "changes the ranking" in engine_status("hybrid").detail
        for query, docid in [("couch", "D0"), ("phone charger wire", "D1"), ("hot drink", "D2"), ("sneakers", "D3")]:
            assert index.search(query)[0].docid == docid
        assert len(index.search("x" * 1_000_000)) == 4
        (tmp_path / "index" / "vectors.npy").unlink()
        with pytest.raises(IndexNotFound, match="damaged"):
            open_index("hybrid", tmp_path / "index", catalog_id="test")

    def test_vectors_do_not_depend_on_their_batch(self) -> None:
        texts = ["a", "a much longer text about garden chairs and tables " * 5, "red shoes"]
        together = Encoder().encode(texts)
        alone = np.concatenate([Encoder().encode([text]) for text in texts])
        assert np.abs(together - alone).max() < 1e-5
        assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
