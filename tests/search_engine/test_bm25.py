"""The embedded engine: its ranking against the formula, and everything that must not break it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from personalized_shopping.errors import SearchError
from personalized_shopping.shared_libraries.search_engine import Document, Hit, SearchEngine, build_index, open_index
from personalized_shopping.shared_libraries.search_engine.bm25.norms import byte_to_length, length_to_byte
from tests.search_engine import reference


@pytest.fixture
def engine(made_up_index: Path) -> SearchEngine:
    return open_index("bm25", made_up_index, catalog_id="made up")


def build(directory: Path, *documents: Document) -> SearchEngine:
    build_index("bm25", documents, directory / "index", catalog_id="test")
    return open_index("bm25", directory / "index", catalog_id="test")


@pytest.mark.parametrize("k", [1, 10, 50, 600])
def test_hits_scores_and_order_are_those_of_the_formula(engine: SearchEngine, k: int) -> None:
    documents = reference.made_up(600)
    for query in reference.queries(12, seed=k):
        assert engine.search(query, k) == reference.rank(documents, query, k)


def test_equal_scores_are_ordered_by_identifier(tmp_path: Path) -> None:
    engine = build(tmp_path, *(Document(docid, "red lamp") for docid in ["B3", "B10", "B1", "B2"]))
    assert [hit.docid for hit in engine.search("lamp")] == ["B1", "B10", "B2", "B3"]


def test_few_hits_among_many_documents(tmp_path: Path) -> None:
    documents = [Document(f"D{number:05d}", "lamp" if number else "unique lamp") for number in range(3000)]
    engine = build(tmp_path, *documents)
    assert [hit.docid for hit in engine.search("unique")] == ["D00000"]
    assert len(engine.search("lamp")) == 50


def test_a_word_said_twice_weighs_twice(tmp_path: Path) -> None:
    engine = build(tmp_path, Document("A", "red lamp"), Document("B", "blue table"))
    assert engine.search("lamp lamp")[0].score == pytest.approx(2 * engine.search("lamp")[0].score)


@pytest.mark.parametrize(
    ("length", "kept"), [(0, 0), (23, 23), (40, 40), (41, 40), (60, 60), (100, 96), (250, 248), (1000, 984)]
)
def test_lengths_are_kept_in_one_byte(length: int, kept: int) -> None:
    assert byte_to_length(length_to_byte(length)) == kept == reference.kept_length(length)


def test_bytes_of_lengths_ascend() -> None:
    lengths = [byte_to_length(code) for code in range(256)]
    assert lengths == sorted(set(lengths))
    assert [length_to_byte(length) for length in lengths] == list(range(256))


@pytest.mark.parametrize(
    "query",
    ["", "   ", "the of and", "unknownword", "\0\x01\x1b", "\ud800", "!!!", "[]{}()\\", "_" * 1000, "\u202e\u200f"],
)
def test_queries_without_a_known_word_find_nothing(engine: SearchEngine, query: str) -> None:
    assert engine.search(query) == []


def test_a_query_of_a_megabyte_is_answered(engine: SearchEngine) -> None:
    assert engine.search("lamp " * 200_000) == engine.search("lamp " * 200_000)
    assert [hit.docid for hit in engine.search("x" * 1_000_000 + " lamp")] == [h.docid for h in engine.search("lamp")]


def test_other_characters_in_a_query_change_nothing(engine: SearchEngine) -> None:
    assert engine.search("red\0lamp\ud800\n\t[chair]") == engine.search("red lamp chair")


@pytest.mark.parametrize("k", [0, -1])
def test_no_hits_wanted_none_given(engine: SearchEngine, k: int) -> None:
    assert engine.search("lamp", k) == []


def test_documents_may_hold_anything(tmp_path: Path) -> None:
    odd = ["", "\ud800 lone", "\0nul", "a" * 100_000, "lamp\n" * 3000, "\u202eright to left", "<b>bold</b> {{ x }}"]
    engine = build(tmp_path, *(Document(f"id\ud800{n}\0 \U0001f600", text) for n, text in enumerate(odd)))
    for query, number in [("lone", 1), ("nul", 2), ("lamp", 4), ("bold", 6)]:
        assert [hit.docid for hit in engine.search(query)] == [f"id\ud800{number}\0 \U0001f600"]


def test_an_index_of_nothing_finds_nothing(tmp_path: Path) -> None:
    assert build(tmp_path).search("lamp") == []


def test_an_index_of_wordless_documents_finds_nothing(tmp_path: Path) -> None:
    assert build(tmp_path, Document("A", ""), Document("B", "the")).search("the lamp") == []


def test_threads_do_not_disturb_each_other(engine: SearchEngine) -> None:
    queries = reference.queries(60, seed=9)
    expected = [engine.search(query) for query in queries]
    found: dict[int, list[list[Hit]]] = {}

    def search_all(number: int) -> None:
        order = queries[number:] + queries[:number]
        results = [engine.search(query) for query in order]
        found[number] = results[len(queries) - number :] + results[: len(queries) - number]

    threads = [threading.Thread(target=search_all, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[number] for number in range(8)] == [expected] * 8


def test_a_closed_index_says_so(made_up_index: Path) -> None:
    engine = open_index("bm25", made_up_index, catalog_id=None)
    engine.close()
    engine.close()
    with pytest.raises(SearchError, match="was closed"):
        engine.search("lamp")


def test_the_same_documents_in_any_order_give_the_same_ranking(tmp_path: Path, engine: SearchEngine) -> None:
    turned = build(tmp_path, *reversed(reference.made_up(600)))
    for query in reference.queries(20):
        assert turned.search(query) == engine.search(query)


def test_progress_counts_documents(tmp_path: Path) -> None:
    told: list[int] = []
    documents: Iterator[Document] = (Document(str(number), "lamp") for number in range(1200))
    build_index("bm25", documents, tmp_path, catalog_id="test", progress=told.append)
    assert told == [500, 1000, 1200]


def test_blocks_of_documents_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: SearchEngine) -> None:
    monkeypatch.setattr("personalized_shopping.shared_libraries.search_engine.bm25.builder._BLOCK", 7)
    monkeypatch.setattr("personalized_shopping.shared_libraries.search_engine.bm25.builder._TOKENS_KEPT", 5)
    pieced = build(tmp_path, *reference.made_up(600))
    for query in reference.queries(20):
        assert pieced.search(query) == engine.search(query)
