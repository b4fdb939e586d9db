"""Reads the tensors and lists of a file that `torch.save` wrote, without PyTorch and without running code from it.

Own code, because PyTorch weighs 700 MB and two small files are all that is ever read with this. The format is a zip
archive: `data.pkl` is a pickle whose tensors point at `data/N`, the raw numbers. Only the few names that tensors need
are resolved.
"""

import collections
import io
import pickle
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from personalized_shopping.errors import CatalogError

_DTYPES = {
    "FloatStorage": np.dtype("<f4"),
    "DoubleStorage": np.dtype("<f8"),
    "HalfStorage": np.dtype("<f2"),
    "LongStorage": np.dtype("<i8"),
    "IntStorage": np.dtype("<i4"),
}


class _Storage:
    """Stands for a class such as ``torch.FloatStorage``; only its name matters."""

    def __init__(self, name: str) -> None:
        self.dtype = _DTYPES[name]


def _rebuild_tensor(storage: np.ndarray, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> Any:
    """Return the array that a tensor's size and stride cut out of its storage."""
    reach = offset + sum((length - 1) * step for length, step in zip(size, stride, strict=True)) + 1
    if min((*size, *stride, offset), default=0) < 0 or (0 not in size and reach > storage.size):
        raise ValueError("a tensor reaches beyond its numbers")
    steps = tuple(step * storage.itemsize for step in stride)
    return np.lib.stride_tricks.as_strided(storage[offset:], shape=size, strides=steps).copy()


class _Unpickler(pickle.Unpickler):
    """Resolves the names that tensors and plain containers need, and refuses every other."""

    def __init__(self, archive: zipfile.ZipFile, folder: PurePosixPath) -> None:
        super().__init__(io.BytesIO(archive.read(str(folder / "data.pkl"))))
        self._archive = archive
        self._folder = folder

    def find_class(self, module: str, name: str) -> Any:
        if module == "torch" and name in _DTYPES:
            return _Storage(name)
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild_tensor
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        raise pickle.UnpicklingError(f"it asks for {module}.{name}, which is not read")

    def persistent_load(self, pid: Any) -> np.ndarray:
        kind, storage, key, _place, _count = pid
        if kind != "storage" or not str(key).isalnum():
            raise pickle.UnpicklingError("it points at something else than numbers")
        return np.frombuffer(self._archive.read(str(self._folder / "data" / key)), dtype=storage.dtype)


def load_torch_file(path: Path) -> Any:
    """Return what a `.pt` file holds, tensors as arrays.

    Raises:
        CatalogError: for a file of another or of the old (before PyTorch 1.6) format, a broken one, and one that holds
            anything but tensors, numbers, texts, lists and mappings.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            pickles = [name for name in archive.namelist() if PurePosixPath(name).name == "data.pkl"]
            if len(pickles) != 1:
                raise CatalogError(f"{path} is a zip archive, but none that torch.save wrote.")
            return _Unpickler(archive, PurePosixPath(pickles[0]).parent).load()
    except zipfile.BadZipFile:
        raise CatalogError(
            f"{path} is not in PyTorch's zip format. With PyTorch, mend it: "
            f"python -c \"import torch; torch.save(torch.load('{path.name}'), '{path.name}')\""
        ) from None
    except (pickle.UnpicklingError, ValueError, KeyError, TypeError, IndexError, EOFError, AttributeError) as error:
        raise CatalogError(f"{path} cannot be read: {error}.") from None
