"""The engine ``bm25``: always there."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from personalized_shopping.errors import IndexNotFound
from personalized_shopping.shared_libraries.search_engine.base import Document, EngineStatus
from personalized_shopping.shared_libraries.search_engine.bm25 import FORMAT, Bm25Index
from personalized_shopping.shared_libraries.search_engine.bm25.builder import K1, B
from personalized_shopping.shared_libraries.search_engine.bm25.builder import build as build_arrays
from personalized_shopping.shared_libraries.search_engine.manifest import (
    IndexManifest,
    build_command,
    read_manifest,
    write_manifest,
)

NAME = "bm25"


def build(
    documents: Iterable[Document], directory: Path, *, catalog_id: str, progress: Callable[[int], None] | None = None
) -> None:
    """Write an index and its manifest."""
    counts = build_arrays(documents, directory, progress)
    settings = {"k1": round(float(K1), 3), "b": round(float(B), 3)}
    write_manifest(directory, IndexManifest(NAME, FORMAT, catalog_id, counts, settings, {"numpy": np.__version__}))


def open_engine(directory: Path, *, catalog_id: str | None) -> Bm25Index:
    """Open an index."""
    read_manifest(directory, NAME, FORMAT, catalog_id)
    try:
        return Bm25Index(directory)
    except (OSError, ValueError, IndexError) as error:
        mend = build_command(NAME, directory)
        raise IndexNotFound(f"The index at {directory} is damaged ({error}). {mend}") from error


def status() -> EngineStatus:
    """Return that the engine is usable."""
    return EngineStatus(NAME, True, "embedded; Lucene's ranking without Java")


def install(run: Callable[..., Any]) -> None:
    """Do nothing: the engine comes with the package."""
