"""Keyword search behind one small interface: the embedded default, Lucene through Pyserini, and an opt-in hybrid.

An engine is a module with ``build``, ``open_engine``, ``status`` and ``install``; it is imported when it is chosen.
"""

import subprocess
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from personalized_shopping.config import choices
from personalized_shopping.errors import EngineUnavailable, shorten
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, Document, EngineStatus, Hit, SearchEngine

__all__ = [
    "ENGINES",
    "TOP_K",
    "Document",
    "EngineStatus",
    "Hit",
    "SearchEngine",
    "build_index",
    "engine_status",
    "install_engine",
    "open_index",
]

ENGINES = choices("SEARCH_ENGINE")
_MODULES = {"bm25": "bm25.engine", "lucene": "lucene.engine", "hybrid": "hybrid.engine"}


def build_index(
    engine: str,
    documents: Iterable[Document],
    directory: Path,
    *,
    catalog_id: str,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> None:
    """Write the index of some documents into an empty directory; its manifest comes last.

    Args:
        engine: one of ``ENGINES``.
        documents: read once, in catalogue order.
        directory: made if missing.
        catalog_id: of the catalogue that the documents come from.
        progress: called with the number of documents done.
        **options: the engine's own; ``lucene`` knows ``reference``.

    Raises:
        EngineUnavailable: if the engine is unknown or cannot run here.
    """
    directory.mkdir(parents=True, exist_ok=True)
    _module(engine).build(documents, directory, catalog_id=catalog_id, progress=progress, **options)


def open_index(engine: str, directory: Path, *, catalog_id: str | None) -> SearchEngine:
    """Open an index.

    Args:
        engine: one of ``ENGINES``.
        directory: where ``build_index`` built it; for ``lucene`` also an index that WebShop built.
        catalog_id: of the catalogue that it must belong to; ``None`` to trust the caller.

    Raises:
        IndexNotFound: if there is none.
        IndexMismatch: if it belongs to another catalogue or another version.
        EngineUnavailable: if the engine cannot run here. No other engine ever takes its place.
    """
    opened: SearchEngine = _module(engine).open_engine(Path(directory), catalog_id=catalog_id)
    return opened


def engine_status(engine: str) -> EngineStatus:
    """Return whether an engine can run here, without starting it."""
    status: EngineStatus = _module(engine).status()
    return status


def install_engine(engine: str, run: Callable[..., Any] = subprocess.run) -> None:
    """Install what an engine needs into the running Python's environment; ``bm25`` needs nothing.

    Args:
        engine: one of ``ENGINES``.
        run: called with each command as a list, and ``check=True``.
    """
    _module(engine).install(run)


def _module(engine: str) -> ModuleType:
    if engine not in _MODULES:
        raise EngineUnavailable(f"There is no search engine {shorten(engine)}. Use one of {', '.join(ENGINES)}.")
    return import_module(f"{__name__}.{_MODULES[engine]}")
