"""An opened Lucene index."""

from pathlib import Path
from typing import Any

from personalized_shopping.errors import IndexMismatch, IndexNotFound, SearchError
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Hit
from personalized_shopping.shared_libraries.search_engine.lucene import jvm

K1, B = 0.9, 0.4
_NO_LIMIT = 2**31 - 1
_FROM_NEWER = ("is in the future", "IndexFormatTooNew", "An SPI class of type")


class LuceneIndex:
    """A Lucene index that Pyserini's Java class searches; any number of threads may.

    Args:
        directory: the Lucene index itself (with a ``segments_N`` file), ours or WebShop's.
    """

    name = "lucene"

    def __init__(self, directory: Path) -> None:
        jvm.start()
        self._threads = jvm.AttachedThreads()
        self._searcher: Any = _open(directory)
        self._searcher.set_bm25(K1, B)
        # Lucene refuses queries of more than 1,024 different words; a shopper's text is never an error.
        jvm.java_class("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(_NO_LIMIT)

    def __len__(self) -> int:
        return int(self._opened().get_total_num_docs())

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return the best ``k`` documents.

        Raises:
            SearchError: if the index was closed.
            EngineUnavailable: in a fork of the process that opened the index.
        """
        jvm.check_process()
        searcher = self._opened()
        if k < 1 or not query.strip():
            return []
        self._threads.attach()
        hits = searcher.search(_java_text(query), k)
        return [Hit(hit.docid, hit.score) for hit in hits]

    def close(self) -> None:
        """Close the index's files; the JVM stays until the process ends."""
        searcher, self._searcher = self._searcher, None
        if searcher is not None:
            searcher.close()

    def _opened(self) -> Any:
        if self._searcher is None:
            raise SearchError("This Lucene index was closed. Open it again with open_index.")
        return self._searcher


def lucene_version() -> str:
    """Return the version of Lucene in Pyserini's jar; starts the JVM."""
    jvm.start()
    return str(jvm.java_class("org.apache.lucene.util.Version").LATEST.toString())


def _open(directory: Path) -> Any:
    from jnius import JavaException

    try:
        return jvm.java_class("io.anserini.search.SimpleSearcher")(str(directory))
    except JavaException as error:
        reason = str(error).splitlines()[0].removeprefix("JVM exception occurred: ")
        if any(sign in reason for sign in _FROM_NEWER):
            raise IndexMismatch(
                f"The index at {directory} was written by a newer Lucene than the {lucene_version()} that is installed "
                f"({reason}). Build it again with this Pyserini, or install the Pyserini that built it."
            ) from error
        if "TooOld" in reason:
            raise IndexMismatch(
                f"The index at {directory} was written by a Lucene that {lucene_version()} no longer reads ({reason}). "
                "Build it again."
            ) from error
        raise IndexNotFound(f"Lucene cannot open the index at {directory}: {reason}") from error


def _java_text(text: str) -> str:
    """Return a text that Java's strings hold; what they do not hold breaks words in either."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
