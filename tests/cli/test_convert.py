"""`convert`: WebShop's documents and indexes for its four sizes; `catalog images`: its image features."""

import io
import json
import pickle
import sys
import types
import zipfile

import numpy as np
import pytest

from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.torch_file import load_torch_file
from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.search_engine import engine_status, open_index


def test_each_size_has_documents_and_an_index(cli, tmp_path):
    outcome = cli("convert", "--out", tmp_path, "--sizes", "100,1k,10k", "--json")
    assert outcome.code == 0, outcome.err
    assert [entry["products"] for entry in outcome.json["sizes"]] == [100, 1000, 1200]
    assert "10k: the catalogue holds 1,200 products" in outcome.err
    lines = (tmp_path / "resources_100" / "documents.jsonl").read_text().splitlines()
    documents = [json.loads(line) for line in lines]
    assert len(documents) == 100
    assert set(documents[0]) == {"id", "contents", "product"}
    product = documents[0]["product"]
    assert product["asin"] == documents[0]["id"]
    assert documents[0]["contents"].startswith(product["Title"].lower())
    assert not list(tmp_path.glob(".*convert*")), "scratch files are left"
    engine = open_index("bm25", tmp_path / "indexes_100", catalog_id=None)
    hits = engine.search(product["Title"])
    engine.close()
    assert hits[0].docid == product["asin"]


def test_a_source_is_converted_directly(cli, tmp_path):
    (tmp_path / "mugs.csv").write_text("asin,title,price,description\nMUG1,Blue mug,9.50,Holds tea\n")
    outcome = cli("convert", tmp_path / "mugs.csv", "--out", tmp_path / "out", "--sizes", "100")
    assert outcome.code == 0, outcome.err
    assert json.loads((tmp_path / "out" / "resources_100" / "documents.jsonl").read_text())["id"] == "MUG1"
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if not path.name.startswith(".")) == [
        "indexes_100",
        "resources_100",
    ]


def test_source_and_catalogue_together_are_refused(cli, tmp_path):
    assert cli("convert", "x.json", "--catalog", tmp_path, "--out", tmp_path / "out").code == ExitCode.USAGE


# --- a file as torch.save writes it, made without PyTorch ---


class FloatStorage:
    """Stands for PyTorch's class of this name."""


class Numbers:
    """Stands for a storage: pickled as a pointer to the archive's numbers."""

    def __init__(self, key, count):
        self.pid = ("storage", FloatStorage, key, "cpu", count)


class TensorPickler(pickle.Pickler):
    def persistent_id(self, obj):
        return obj.pid if isinstance(obj, Numbers) else None


class Tensor:
    def __init__(self, rows, columns, stride=None, offset=0):
        self.arguments = (Numbers("0", rows * columns), offset, (rows, columns), stride or (columns, 1), False, {})

    def __reduce__(self):
        return sys.modules["torch._utils"]._rebuild_tensor_v2, self.arguments


@pytest.fixture
def write_torch(monkeypatch, tmp_path):
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2(*_):
        raise AssertionError("only its name is pickled")

    _rebuild_tensor_v2.__module__ = "torch._utils"
    _rebuild_tensor_v2.__qualname__ = "_rebuild_tensor_v2"
    monkeypatch.setattr(FloatStorage, "__module__", "torch")
    torch.FloatStorage = FloatStorage
    utils._rebuild_tensor_v2 = _rebuild_tensor_v2
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch._utils", utils)

    def write(name, value, numbers=None):
        path, pickled = tmp_path / name, io.BytesIO()
        TensorPickler(pickled, protocol=2).dump(value)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("feat/data.pkl", pickled.getvalue())
            if numbers is not None:
                archive.writestr("feat/data/0", np.asarray(numbers, dtype="<f4").tobytes())
        return path

    return write


def test_published_tensors_become_numpy_files(cli, write_torch, tmp_path):
    numbers = np.arange(2 * 512, dtype=np.float32).reshape(2, 512)
    features = write_torch("feat_conv.pt", Tensor(2, 512), numbers)
    ids = write_torch("feat_ids.pt", ["https://example.org/a.jpg", "https://example.org/b.jpg"])
    outcome = cli("catalog", "images", features, ids, "--out", tmp_path / "feat.npy", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["images"] == 2
    assert np.array_equal(np.load(tmp_path / "feat.npy"), numbers)
    assert np.load(tmp_path / "feat.ids.npy").tolist()[1] == "https://example.org/b.jpg"


def test_files_that_do_not_belong_together(cli, write_torch, tmp_path):
    features = write_torch("feat_conv.pt", Tensor(2, 512), np.zeros((2, 512)))
    ids = write_torch("feat_ids.pt", ["only one"])
    outcome = cli("catalog", "images", features, ids, "--out", tmp_path / "feat.npy")
    assert outcome.code == ExitCode.FAILED
    assert not (tmp_path / "feat.npy").exists()


def test_strides_and_offsets_are_kept(write_torch):
    numbers = np.arange(12, dtype=np.float32)
    transposed = load_torch_file(write_torch("t.pt", Tensor(3, 4, stride=(1, 3)), numbers))
    assert np.array_equal(transposed, numbers.reshape(4, 3).T)
    part = load_torch_file(write_torch("p.pt", Tensor(1, 4, offset=8), numbers))
    assert part.tolist() == [[8, 9, 10, 11]]


def test_a_tensor_never_reaches_beyond_its_numbers(write_torch):
    path = write_torch("evil.pt", Tensor(10_000, 512), np.zeros(4))
    with pytest.raises(CatalogError, match="reaches beyond"):
        load_torch_file(path)


def test_code_in_a_file_is_not_run(write_torch, tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "pwned"), "w"))

    path = write_torch("evil.pt", Evil())
    with pytest.raises(CatalogError, match="which is not read"):
        load_torch_file(path)
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("content", [b"", b"\x80\x02old format", b"PK\x03\x04cut"])
def test_another_format_is_refused(tmp_path, content):
    path = tmp_path / "feat.pt"
    path.write_bytes(content)
    with pytest.raises(CatalogError, match=r"feat\.pt"):
        load_torch_file(path)


def test_an_archive_of_something_else_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.pt", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(CatalogError, match=r"none that torch\.save wrote"):
        load_torch_file(tmp_path / "x.pt")


def test_the_reference_index_keeps_the_whole_document(cli, tmp_path):
    """WebShop's program reads `raw` of a hit and takes the product from it."""
    if not engine_status("lucene").usable:
        pytest.skip("Lucene is not installed: personalized-shopping install lucene")
    from personalized_shopping.shared_libraries.search_engine.lucene.jvm import java_class, start

    outcome = cli("convert", "--out", tmp_path, "--sizes", "100", "--engine", "lucene", "--reference")
    assert outcome.code == 0, outcome.err
    first = json.loads((tmp_path / "resources_100" / "documents.jsonl").read_text().splitlines()[0])
    start()
    searcher = java_class("io.anserini.search.SimpleSearcher")(str(tmp_path / "indexes_100"))
    raw = json.loads(searcher.doc_raw(first["id"]))
    searcher.close()
    assert raw == first
