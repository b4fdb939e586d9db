"""Attributes, instructions and reviews from the files beside the items."""

import gzip
import json

import pytest

from personalized_shopping.errors import CatalogError, CatalogNotFound, RecordError
from personalized_shopping.shared_libraries.catalog import Rejected, open_source, validate_source
from personalized_shopping.shared_libraries.catalog.importers.side_files import find_beside
from tests.catalog.helpers import webshop_record, write_json

ENTRY = {"attributes": ["soft"], "instruction": "Find me soft shirts", "instruction_attributes": ["soft"]}
ASK = {"instruction": "i want a shirt.", "instruction_attributes": ["soft"], "instruction_options": ["red"], "more": 1}


def one(path, **named):
    (record,) = open_source(path, **named)
    return record.product


def test_files_beside_the_items_are_found(items):
    product = one(items(webshop_record("A"), items_ins_v2={"A": ENTRY}, items_human_ins={"A": [ASK]}))
    assert (product.attributes, product.instruction_text) == (("soft",), "Find me soft shirts")
    (ask,) = product.human_instructions
    assert (ask.instruction, ask.attributes, ask.options) == ("i want a shirt.", ("soft",), ("red",))


def test_named_files_come_before_those_beside(items, tmp_path):
    path = items(webshop_record("A"), items_ins_v2={"A": ENTRY})
    other = write_json(tmp_path / "other.json", {"A": {"attributes": []}})
    assert one(path, attributes_path=other).attributes == ()
    with pytest.raises(CatalogNotFound, match=r"missing\.json"):
        open_source(path, attributes_path=tmp_path / "missing.json")


def test_a_product_without_an_entry_is_kept(items):
    product = one(items(webshop_record("A"), items_ins_v2={"B": ENTRY, "C": {"instruction": None}}))
    assert (product.attributes, product.instruction_text) == (("DUMMY_ATTR",), None)


def test_the_same_ending_comes_first(tmp_path):
    items = write_json(tmp_path / "items_shuffle_1000.json", [])
    full = write_json(tmp_path / "items_ins_v2.json", {})
    assert find_beside(items, "attributes") == full
    small = write_json(tmp_path / "items_ins_v2_1000.json", {})
    assert find_beside(items, "attributes") == small
    assert find_beside(items, "human") is None
    assert find_beside(items, "reviews") is None


def test_several_files_that_fit_equally_are_an_error(tmp_path):
    items = write_json(tmp_path / "items_shuffle.json", [])
    only = write_json(tmp_path / "items_human_ins_a.json", {})
    assert find_beside(items, "human") == only
    write_json(tmp_path / "items_human_ins_b.json", {})
    with pytest.raises(CatalogError, match=r"items_human_ins_a\.json, items_human_ins_b\.json"):
        find_beside(items, "human")


def test_a_broken_entry_is_set_aside_and_its_product_kept(items):
    asks = [{"instruction": "no attributes"}, ASK, "text"]
    path = items(
        webshop_record("A"),
        webshop_record("B"),
        items_ins_v2={"A": {"attributes": "no list"}, "B": ENTRY},
        items_human_ins={"A": asks, "B": None},
    )
    report = validate_source(open_source(path))
    assert (report.kept, report.rejected, report.side_entries_rejected, report.human_instructions) == (2, 0, 4, 1)
    assert {item.side_file for item in report.listed} == {"items_ins_v2.json", "items_human_ins.json"}
    assert "items_ins_v2.json: record 0 (A) rejected" in report.text()
    with pytest.raises(RecordError, match="items_ins_v2"):
        list(open_source(path, strict=True))


def test_a_broken_side_file_is_an_error_that_names_it(items):
    path = items(webshop_record("A"))
    (path.parent / "items_ins_v2.json").write_text('{"A": {"attributes": [')
    with pytest.raises(CatalogError, match=r"items_ins_v2\.json is broken or cut off at byte 22"):
        list(open_source(path))


def test_reviews_are_read_only_when_asked_for(items, tmp_path):
    path = items(webshop_record("A"))
    reviews = write_json(
        tmp_path / "reviews.json",
        [
            {"asin": "A", "reviews": [{"title": "old", "score": 1}], "average_rating": 1},
            {
                "asin": "A",
                "reviews": [
                    {"title": "Good", "stars": 5, "review": "Wears well."},
                    {"title": "Fine", "score": "4.0", "body": "Ok"},
                    {"title": "Bare", "stars": 3},
                    {"title": "none"},
                    "text",
                ],
                "average_rating": 4.5,
            },
            {"asin": 5, "reviews": []},
        ],
    )
    assert (one(path).reviews, one(path).rating) == ((), "N.A.")
    record = next(item for item in open_source(path, reviews_path=reviews) if not isinstance(item, Rejected))
    assert record.product.rating == 4.5
    assert [(each.title, each.score, each.body) for each in record.product.reviews] == [
        ("Good", 5.0, "Wears well."),
        ("Fine", "4.0", "Ok"),
        ("Bare", 3.0, ""),
    ]
    assert validate_source(open_source(path, reviews_path=reviews)).side_entries_rejected == 3


def test_packed_files_are_read(items):
    path = items(webshop_record("A"))
    packed = path.with_name("items_shuffle.json.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    beside = path.with_name("items_ins_v2.json.gz")
    beside.write_bytes(gzip.compress(json.dumps({"A": ENTRY}).encode()))
    assert one(packed).attributes == ("soft",)
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(CatalogError, match="broken at byte"):
        list(open_source(packed))
