"""The document files of WebShop's own indexer."""

import json

import pytest

from personalized_shopping.shared_libraries.catalog import search_text
from personalized_shopping.shared_libraries.catalog.webshop_files import write_documents
from tests.catalog.helpers import webshop_record


@pytest.fixture
def catalog(built):
    records = [webshop_record("nan"), *(webshop_record(f"A{number}") for number in range(150))]
    ask = {"instruction": "i want it", "instruction_attributes": ["a"], "instruction_options": []}
    with built(*records, items_human_ins={"A0": [ask]}) as opened:
        yield opened


def test_the_four_files_hold_the_first_prepared_products(catalog, tmp_path):
    seen: list[int] = []
    written = write_documents(catalog, tmp_path, progress=seen.append)
    assert [(each.size, each.documents, each.complete) for each in written] == [
        ("100", 100, True),
        ("1k", 150, False),
        ("10k", 150, False),
        ("50k", 150, False),
    ]
    assert sum(seen) == 150
    assert "all there are" in written[1].text() and "all there are" not in written[0].text()
    for each in written:
        assert each.path == tmp_path / f"resources_{each.size}" / "documents.jsonl"
        lines = [json.loads(line) for line in each.path.read_text().splitlines()]
        assert [line["id"] for line in lines] == [f"A{number}" for number in range(each.documents)]
    assert list(lines[0]) == ["id", "contents", "product"]
    assert lines[0]["contents"] == search_text(catalog.product("A0"))
    assert lines[0]["product"] == catalog.record("A0", human=True)


def test_some_sizes_only(catalog, tmp_path):
    (written,) = write_documents(catalog, tmp_path, sizes=["100"], human=False)
    assert [path.name for path in tmp_path.glob("resources_*")] == ["resources_100"]
    assert "instruction_text" in json.loads(written.path.read_text().splitlines()[0])["product"]
