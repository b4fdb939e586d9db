"""Lucene itself: the embedded engine is held to it query by query, and its own edges."""

import os
import queue
import random
import shutil
import threading
import zlib
from pathlib import Path

import pytest

from benchmarks import search_corpus
from personalized_shopping.errors import EngineUnavailable, IndexMismatch, IndexNotFound, SearchError
from personalized_shopping.shared_libraries.search_engine import Document, Hit, SearchEngine, build_index, open_index
from personalized_shopping.shared_libraries.search_engine.analysis import EnglishAnalyzer
from personalized_shopping.shared_libraries.search_engine.analysis.word_break import CLASS_OF
from personalized_shopping.shared_libraries.search_engine.lucene import jvm
from tests.search_engine import reference

pytestmark = pytest.mark.usefixtures("needs_lucene")
SAME_ORDER = 0.999
"""Share of queries whose 50 hits must be the same in the same order."""


def both(directory: Path, documents: list[Document]) -> tuple[SearchEngine, SearchEngine]:
    for engine in ("bm25", "lucene"):
        build_index(engine, documents, directory / engine, catalog_id="test")
    embedded, lucene = (open_index(engine, directory / engine, catalog_id="test") for engine in ("bm25", "lucene"))
    return embedded, lucene


@pytest.fixture
def lucene(lucene_directory: Path) -> SearchEngine:
    return open_index("lucene", lucene_directory, catalog_id="made up")


@pytest.fixture(scope="module")
def lucene_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("lucene")
    build_index("lucene", reference.made_up(600), directory, catalog_id="made up")
    return directory


def test_made_up_documents_rank_the_same(made_up_index: Path, lucene: SearchEngine) -> None:
    embedded = open_index("bm25", made_up_index, catalog_id="made up")
    for query in reference.queries(300):
        found, expected = embedded.search(query), lucene.search(query)
        assert [hit.docid for hit in found] == [hit.docid for hit in expected]
        # Pyserini's hits carry four decimals.
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=6e-5)


def test_webshops_products_rank_the_same(shared_dir: Path, tmp_path: Path) -> None:
    data = shared_dir / "data" / "webshop_1k"
    real = search_corpus.real_documents(data)
    embedded, lucene = both(tmp_path, real)
    for query in search_corpus.queries(data, 1000):
        assert [hit.docid for hit in embedded.search(query)] == [hit.docid for hit in lucene.search(query)]


def test_ten_thousand_documents_rank_the_same(tmp_path: Path) -> None:
    data = Path(os.environ.get("SHARED_DIR") or Path(__file__).parents[3] / "shared") / "data" / "webshop_1k"
    real = search_corpus.real_documents(data)
    embedded, lucene = both(tmp_path, search_corpus.mixed_documents(real, 10_000))
    queries = search_corpus.queries(data, 1000)
    same = [
        [hit.docid for hit in embedded.search(query)] == [hit.docid for hit in lucene.search(query)]
        for query in queries
    ]
    assert sum(same) >= SAME_ORDER * len(queries)


def test_every_class_of_character_is_lucenes() -> None:
    jvm.start()
    analyzers = jvm.java_class("io.anserini.analysis.AnalyzerUtils")
    english = jvm.java_class("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
    analyze = EnglishAnalyzer().analyze
    CLASS_OF[0]  # the table is read on first use
    edges = {code + step for code in CLASS_OF._starts for step in (-1, 0)} | {last for last, _ in CLASS_OF._ranges}
    codes = sorted(code for code in edges if code > 32 and not 0xD800 <= code < 0xE000)
    contexts = [
        "{}",
        "a{}b:{}",
        "1{}2,{}",
        "\u30a2{}\u30a2",
        "\u05d0{}\u05d0",
        "\u0e01{}",
        "\U0001f600\u200d{}",
        "{}\u20e3",
    ]
    for start in range(0, len(codes), 200):
        part = "\n".join(
            context.replace("{}", chr(code)) for code in codes[start : start + 200] for context in contexts
        )
        assert analyze(part) == list(analyzers.analyze(english, part)), f"near U+{codes[start]:04X}"


def test_any_mixture_of_characters_is_split_as_lucene_does() -> None:
    jvm.start()
    analyzers = jvm.java_class("io.anserini.analysis.AnalyzerUtils")
    english = jvm.java_class("io.anserini.analysis.DefaultEnglishAnalyzer").newDefaultInstance()
    analyze = EnglishAnalyzer().analyze
    draw = random.Random(2)
    letters = (
        "ab1 2_'.:,;\"#*-\u00e9\u05d0\u30a2\u4e2d\u304b\u0e01\u0e31\u0301\u200d\ufe0f\ufe0e\u20e3"
        "\U0001f600\U0001f469\U0001f3fd\U0001f1e9\u2122"
    )
    for _ in range(2000):
        text = "".join(draw.choices(letters, k=30))
        assert analyze(text) == list(analyzers.analyze(english, text)), ascii(text)
    endings = ["s", "es", "ed", "ing", "ational", "izer", "bli", "logi", "ement", "ion", "ness", "ly", "e", "ll", "'s"]
    for _ in range(500):
        words = "".join(
            "".join(draw.choices("bcdlmnrstvwxyaeiouy", k=draw.randint(1, 6))) + draw.choice(endings) + " "
            for _ in range(40)
        )
        assert analyze(words) == list(analyzers.analyze(english, words)), words


@pytest.mark.parametrize("query", ["", "  ", "the of", "unknownword", "\0\x01", "\ud800", "[](){}^~*?:\\/", "AND OR"])
def test_queries_without_a_known_word_find_nothing(lucene: SearchEngine, query: str) -> None:
    assert lucene.search(query) == []


def test_a_query_of_a_megabyte_is_answered(lucene: SearchEngine) -> None:
    different = " ".join(f"word{number}" for number in range(100_000))
    assert lucene.search(f"{different} lamp") == lucene.search("lamp")


def test_what_java_cannot_hold_changes_nothing(lucene: SearchEngine) -> None:
    assert lucene.search("red\0lamp\ud800chair \U0001f600") == lucene.search("red lamp chair")


def test_threads_may_search_and_end(lucene: SearchEngine) -> None:
    expected = lucene.search("red lamp")
    for _ in range(3):
        found: queue.SimpleQueue[list[Hit]] = queue.SimpleQueue()

        def search(results: queue.SimpleQueue[list[Hit]] = found) -> None:
            results.put(lucene.search("red lamp"))

        threads = [threading.Thread(target=search) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [found.get_nowait() for _ in threads] == [expected] * 6


def test_a_closed_index_says_so(lucene: SearchEngine) -> None:
    lucene.close()
    lucene.close()
    with pytest.raises(SearchError, match="was closed"):
        lucene.search("lamp")


def test_a_fork_is_told_to_open_its_own(lucene: SearchEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jvm, "_started_by", os.getpid() + 1)
    with pytest.raises(EngineUnavailable, match="does not survive a fork"):
        lucene.search("lamp")


def test_webshops_own_index_opens_without_a_manifest(lucene_directory: Path, tmp_path: Path) -> None:
    external = shutil.copytree(lucene_directory, tmp_path / "indexes_1k")
    (external / "manifest.json").unlink()
    assert open_index("lucene", external, catalog_id=None).search("lamp")
    with pytest.raises(IndexNotFound, match="personalized-shopping index build --engine lucene"):
        open_index("lucene", external, catalog_id="made up")


def test_a_directory_without_an_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound, match="no file segments_N"):
        open_index("lucene", tmp_path, catalog_id=None)


def test_a_damaged_index(lucene_directory: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(lucene_directory, tmp_path / "index")
    path = next(damaged.glob("segments_*"))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(IndexNotFound, match="Lucene cannot open"):
        open_index("lucene", damaged, catalog_id="made up")


def test_an_index_of_a_newer_lucene_is_refused(lucene_directory: Path, tmp_path: Path) -> None:
    newer = shutil.copytree(lucene_directory, tmp_path / "index")
    path = next(newer.glob("segments_*"))
    data = bytearray(path.read_bytes()[:-8])
    # Magic (4 bytes), the name "segments" and its length (9), version (4), identity (16), the suffix and its length;
    # then the three parts of Lucene's version and the major version that created the index.
    version = 34 + data[33]
    data[version] += 20
    data[version + 3] += 20
    path.write_bytes(bytes(data) + zlib.crc32(data).to_bytes(8, "big"))
    with pytest.raises(IndexMismatch, match="written by a newer Lucene"):
        open_index("lucene", newer, catalog_id="made up")


def test_the_reference_option_stores_what_webshops_program_reads(tmp_path: Path) -> None:
    build_index("lucene", [Document("B1", "red lamp")], tmp_path, catalog_id="test", reference=True)
    open_index("lucene", tmp_path, catalog_id="test")
    searcher = jvm.java_class("io.anserini.search.SimpleSearcher")(str(tmp_path))
    assert '"B1"' in searcher.doc("B1").get("raw")
    searcher.close()


def test_documents_may_hold_anything(tmp_path: Path) -> None:
    documents = [
        Document("A", ""),
        Document("B", "\ud800 lone"),
        Document("C", "\0nul\n\u2028"),
        Document("D", "x" * 99_999),
    ]
    build_index("lucene", documents, tmp_path, catalog_id="test")
    engine = open_index("lucene", tmp_path, catalog_id="test")
    assert [hit.docid for hit in engine.search("lone nul")] == ["B", "C"]


def test_an_index_of_nothing_finds_nothing(tmp_path: Path) -> None:
    build_index("lucene", [], tmp_path, catalog_id="test")
    assert open_index("lucene", tmp_path, catalog_id="test").search("lamp") == []
