"""The loader against the reference's own results."""

import json
from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.catalog import Catalog, open_source, write_catalog


@pytest.fixture(scope="module")
def golden(shared_dir, tmp_path_factory) -> tuple[Catalog, dict]:
    directory = tmp_path_factory.mktemp("golden") / "catalog"
    write_catalog(open_source(shared_dir / "conformance" / "items_shuffle.json"), directory)
    return Catalog.open(directory), json.loads((shared_dir / "conformance" / "golden_env.json").read_text())


@pytest.mark.parametrize("mode", ["human", "synthetic"])
def test_prepared_products_equal_the_references(golden, mode):
    catalog, expected = golden
    prepared = expected[mode]["prepared"]
    assert [product.asin for product in catalog.iter_products()] == list(prepared)
    assert len(catalog) == 29
    for asin, fields in prepared.items():
        record = catalog.record(asin, human=mode == "human")
        ours = {name: record[name] for name in fields}
        assert ours == fields
        assert json.dumps(ours) == json.dumps(fields), "the same JSON types, too"


def test_records_that_the_reference_skips_are_counted_apart(golden):
    counts = golden[0].manifest.counts
    assert (counts["read"], counts["kept"], counts["skipped"], counts["rejected"]) == (32, 29, 3, 0)
    assert [item.position for item in golden[0].manifest.set_aside] == [6, 7, 8]


def test_raw_fields_are_kept_and_the_dropped_ones_dropped(golden, shared_dir):
    raw = json.loads((shared_dir / "conformance" / "items_shuffle.json").read_text())[0]
    record = golden[0].record(raw["asin"])
    assert record["extra_kept"] == "yes"
    assert record["customization_options"] == raw["customization_options"]
    assert not {"brand", "list_price", "product_information", "small_description_old"} & record.keys()


def test_webshops_thousand_products_come_in_whole(shared_dir, tmp_path: Path):
    manifest = write_catalog(open_source(shared_dir / "data/webshop_1k/items_shuffle_1000.json"), tmp_path / "c")
    assert manifest.products == 1000
    assert manifest.counts["synthetic_instructions"] == 237
    assert manifest.source["side_files"]["attributes"] == "items_ins_v2_1000.json"
    with Catalog.open(tmp_path / "c") as catalog:
        products = list(catalog.iter_products())
    assert sum(bool(product.options) for product in products) == 423
    assert {product.rating for product in products} == {"N.A."}


def test_the_retail_store_comes_in_without_a_mapping(shared_dir, tmp_path: Path):
    source = open_source(shared_dir / "data/catalogs/retail_demo_store.yaml")
    manifest = write_catalog(source, tmp_path / "c")
    assert manifest.counts["kept"] == manifest.counts["read"] == 2465
    with Catalog.open(tmp_path / "c") as catalog:
        first = catalog.product_at(0)
        assert (first.title, first.price) == ("Adventure-Ready Expedition Backpack", "$129.99")
        assert (first.category, first.query) == ("accessories", "backpack")
        assert len(first.asin) == 10 and first.asin == first.asin.upper()
        assert catalog.record(first.asin)["source_id"] == "6579c22f-be2b-444c-a52b-0116dd82df6c"
