"""Image features, converted and read."""

import sys

import numpy as np
import pytest

from personalized_shopping.errors import CatalogError, CatalogNotFound
from personalized_shopping.shared_libraries.catalog.image_features import ImageFeatures, convert_features

IDS = ["https://e/z.jpg", "https://e/a.jpg", "https://e/m.jpg"]
ROWS = np.arange(3 * 512, dtype=np.float64).reshape(3, 512, 1, 1)


def convert(tmp_path, ids=IDS, rows=ROWS, out="features.npy"):
    files = {tmp_path / "conv.pt": rows, tmp_path / "ids.pt": ids}
    return convert_features(tmp_path / "conv.pt", tmp_path / "ids.pt", tmp_path / out, load=files.__getitem__)


def test_features_come_back_by_address(tmp_path):
    assert convert(tmp_path) == 3
    features = ImageFeatures.open(tmp_path / "features.npy")
    assert len(features) == 3
    assert isinstance(features._features, np.memmap)
    for number, address in enumerate(IDS):
        found = features.get(address)
        assert (found.shape, found.dtype) == ((512,), np.float32)
        assert found[0] == number * 512
    for unknown in ("https://e/b.jpg", "zzz", "", None):
        assert not features.get(unknown).any() and features.get(unknown).shape == (512,)


def test_what_was_given_out_can_be_changed_without_harm(tmp_path):
    convert(tmp_path)
    features = ImageFeatures.open(tmp_path / "features.npy")
    features.get(IDS[0])[:] = -1
    assert features.get(IDS[0])[1] == 1


def test_archives_are_read_too(tmp_path):
    np.savez(tmp_path / "f.npz", features=ROWS.reshape(3, 512), ids=np.array(IDS))
    assert ImageFeatures.open(tmp_path / "f.npz").get(IDS[2])[0] == 1024


def test_what_does_not_belong_together_is_refused(tmp_path):
    with pytest.raises(CatalogError, match=r"3 rows of 512 numbers and ids\.pt 2 addresses"):
        convert(tmp_path, ids=IDS[:2])
    with pytest.raises(CatalogError, match="100 numbers"):
        convert(tmp_path, rows=np.zeros((3, 100)))
    with pytest.raises(CatalogError, match=r"\.npy"):
        convert(tmp_path, out="features.bin")


def test_missing_and_broken_files_name_the_command(tmp_path):
    with pytest.raises(CatalogNotFound, match="personalized-shopping catalog images"):
        ImageFeatures.open(tmp_path / "features.npy")
    convert(tmp_path)
    (tmp_path / "features.npy").write_bytes(b"no array")
    with pytest.raises(CatalogError, match="personalized-shopping catalog images"):
        ImageFeatures.open(tmp_path / "features.npy")
    np.save(tmp_path / "features.npy", np.zeros((2, 512)))
    with pytest.raises(CatalogError, match="shape"):
        ImageFeatures.open(tmp_path / "features.npy")


def test_without_pytorch_the_published_files_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CatalogError, match="pip install torch"):
        convert_features(tmp_path / "a.pt", tmp_path / "b.pt", tmp_path / "c.npy")
