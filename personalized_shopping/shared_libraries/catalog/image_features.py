"""Image features: the published tensors converted once, then read through a memory map."""

import importlib
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from personalized_shopping.errors import CatalogError, CatalogNotFound

FEATURE_LENGTH = 512
CONVERT_COMMAND = "personalized-shopping catalog images FEAT_CONV_PT FEAT_IDS_PT --out {path}"

Features = NDArray[np.float32]


def convert_features(
    features_path: Path, ids_path: Path, out: Path, *, load: Callable[[Path], Any] | None = None
) -> int:
    """Convert WebShop's ``feat_conv.pt`` and ``feat_ids.pt`` and return the number of images.

    Writes ``out`` (float32, one row of 512 for each image) and beside it ``<out>.ids.npy``, the image addresses in
    order of the rows.

    Args:
        features_path: the tensor of features; one row for each image.
        ids_path: the list of image addresses, in the same order.
        out: where to write, ending in ``.npy``.
        load: reads one of the two files; by default PyTorch does, which nothing else here needs.

    Raises:
        CatalogError: where PyTorch is missing, or the two files do not belong together.
    """
    load = load or _torch_load
    if out.suffix != ".npy":
        raise CatalogError(f"{out.name} does not end in .npy. Name the file to write so.")
    ids = [str(each) for each in load(ids_path)]
    features: Features = np.asarray(load(features_path), dtype=np.float32)
    features = features.reshape(len(features), math.prod(features.shape[1:]))
    if features.shape != (len(ids), FEATURE_LENGTH):
        raise CatalogError(
            f"{features_path.name} holds {features.shape[0]} rows of {features.shape[1]} numbers and {ids_path.name} "
            f"{len(ids)} addresses. They should be equally many, with {FEATURE_LENGTH} numbers each."
        )
    np.save(_ids_path(out), np.asarray(ids, dtype=np.str_))
    np.save(out, features)
    return len(ids)


class ImageFeatures:
    """The features of images by their address."""

    def __init__(self, features: Features, ids: NDArray[np.str_]) -> None:
        """Serve an array of features whose rows belong to ``ids``, in that order."""
        self._features = features
        self._sorted = np.argsort(ids, kind="stable")
        self._ids = ids[self._sorted]

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a ``.npy`` of ``convert_features``, mapped into memory, or an ``.npz`` with ``features`` and ``ids``.

        Raises:
            CatalogNotFound: where the file, or the one with the addresses beside it, is missing.
            CatalogError: where they are something else.
        """
        path = Path(path)
        mend = f"Convert the published tensors with: {CONVERT_COMMAND.format(path=path.with_suffix('.npy'))}"
        try:
            if path.suffix == ".npz":
                with np.load(path, allow_pickle=False) as archive:
                    features, ids = archive["features"], archive["ids"]
            else:
                features = np.load(path, mmap_mode="r", allow_pickle=False)
                ids = np.load(_ids_path(path), allow_pickle=False)
        except FileNotFoundError as error:
            raise CatalogNotFound(f"There is no file {error.filename}. {mend}") from None
        except (OSError, ValueError, KeyError, EOFError) as error:
            raise CatalogError(f"{path} holds no image features: {error}. {mend}") from None
        if features.shape != (len(ids), FEATURE_LENGTH):
            raise CatalogError(f"{path} has the shape {features.shape}, not ({len(ids)}, {FEATURE_LENGTH}). {mend}")
        return cls(features, ids)

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self._ids)

    def get(self, image_url: str | None) -> Features:
        """Return an image's 512 features as float32; zeros where it has none."""
        if image_url is not None:
            at = int(np.searchsorted(self._ids, image_url))
            if at < len(self._ids) and self._ids[at] == image_url:
                return np.array(self._features[self._sorted[at]], dtype=np.float32)
        return np.zeros(FEATURE_LENGTH, dtype=np.float32)


def _ids_path(path: Path) -> Path:
    return path.with_suffix(".ids.npy")


def _torch_load(path: Path) -> Any:
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        raise CatalogError(
            f"{path.name} is a PyTorch file, and PyTorch is not installed. "
            "Only this conversion needs it: pip install torch"
        ) from None
    try:
        loaded = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise CatalogNotFound(f"There is no file {path}.") from None
    return loaded.numpy() if hasattr(loaded, "numpy") else loaded
