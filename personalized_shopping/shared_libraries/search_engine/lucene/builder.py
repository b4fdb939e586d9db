"""Build a Lucene index with Anserini's indexer, in a Java process of its own."""

import json
import subprocess
import tempfile
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from personalized_shopping.errors import SearchError
from personalized_shopping.shared_libraries.search_engine.base import Document
from personalized_shopping.shared_libraries.search_engine.lucene.java import find_jar, find_java

_PROGRESS_EVERY = 500
_LINES_OF_ERROR = 5


def build(
    documents: Iterable[Document],
    directory: Path,
    *,
    progress: Callable[[int], None] | None = None,
    reference: bool = False,
    product_of: Callable[[str], Any] | None = None,
    threads: int = 1,
) -> int:
    """Write a Lucene index.

    Args:
        documents: read once.
        directory: where the index goes; the documents lie there as a file meanwhile.
        progress: called with the number of documents handed over so far.
        reference: store positions, document vectors and raw documents too, as WebShop's own program expects. It changes
            no ranking and makes the index nine times as large.
        product_of: gives the product that a raw document carries beside its text, as WebShop's do.
        threads: of the indexer. More than one makes the index's inner order differ from run to run, never its ranking.

    Returns:
        The number of documents handed over.

    Raises:
        EngineUnavailable: if Java or Pyserini is missing.
        SearchError: if the indexer fails; with its last words.
    """
    jar, java = find_jar(), find_java()
    with tempfile.TemporaryDirectory(prefix="documents-", dir=directory) as source:
        count = _write_documents(documents, Path(source, "documents.jsonl"), progress, product_of)
        command = [
            str(java.program), "-cp", str(jar), "io.anserini.index.IndexCollection",
            "-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator",
            "-input", source, "-index", str(directory), "-threads", str(threads),
        ]  # fmt: skip
        if reference:
            command += ["-storePositions", "-storeDocvectors", "-storeRaw"]
        finished = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
        )
    if finished.returncode != 0:
        last = " | ".join(deque(finished.stdout.splitlines(), _LINES_OF_ERROR))
        raise SearchError(f"Lucene's indexer failed with exit code {finished.returncode}: {last}")
    if progress:
        progress(count)
    return count


def _write_documents(
    documents: Iterable[Document],
    path: Path,
    progress: Callable[[int], None] | None,
    product_of: Callable[[str], Any] | None,
) -> int:
    count = 0
    with path.open("w", encoding="ascii") as file:
        for count, (docid, contents) in enumerate(documents, 1):
            # Anserini drops documents whose contents are empty; a space is as empty to a searcher.
            line: dict[str, Any] = {"id": docid, "contents": contents or " "}
            if product_of is not None:
                line["product"] = product_of(docid)
            file.write(json.dumps(line) + "\n")
            if progress and not count % _PROGRESS_EVERY:
                progress(count)
    return count
