"""Every rule and every edge of WebShop's loader."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalized_shopping.errors import RecordError
from personalized_shopping.shared_libraries.catalog import Rejected, open_source, validate_source
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import (
    DROPPED_KEYS,
    parse_pricing,
    prepare,
    price_tag,
)
from tests.catalog.helpers import webshop_record


@pytest.mark.parametrize(
    ("text", "pricing", "tag"),
    [
        (None, (100.0,), "$100.0"),
        ("", (100.0,), "$100.0"),
        ("$1,299.00", (1299.0,), "$1299.0"),
        ("$60.00$88.00", (60.0, 88.0), "$60.0 to $88.0"),
        ("$116.76 - $101.53", (116.76, 101.53), "$116.76 to $101.53"),
        ("$5.00$6.00$7.00", (5.0, 6.0), "$5.0 to $6.0"),
        ("$0.00", (0.0,), "$0.0"),
        ("from $12", (12.0,), "$12.0"),
    ],
)
def test_prices(text, pricing, tag):
    assert parse_pricing(text) == pricing
    assert price_tag(pricing) == tag


@pytest.mark.parametrize("text", ["10.00", "€5,00", "$", "$1.2.3", ["$1.00"], 12.99, "$" + "9" * 400])
def test_prices_that_stop_the_reference_are_rejected(text):
    with pytest.raises(RecordError, match="pricing"):
        parse_pricing(text)


@given(st.lists(st.decimals(0, 10**9, places=2), min_size=1, max_size=4))
def test_a_written_price_is_read_back(amounts):
    text = " - ".join(f"${amount:,}" for amount in amounts)
    assert parse_pricing(text) == tuple(map(float, amounts[:2]))


@given(st.text(alphabet="$0123456789., -x", max_size=20))
def test_any_text_is_a_price_or_a_record_error(text):
    parts = [re.sub(r"[^\d.]", "", part) for part in text.split("$")[1:]]
    try:
        pricing = parse_pricing(text)
    except RecordError:
        assert not parts or any(not re.fullmatch(r"\d+\.?\d*|\.\d+", part) for part in parts)
    else:
        assert pricing == (tuple(float(Decimal(part)) for part in parts[:2]) if text else (100.0,))


def test_derived_fields():
    product = prepare(webshop_record(name="T", small_description="one", query=" Red Shoes "))
    assert product.title == "T"
    assert product.bullets == ("one",)
    assert product.query == "red shoes"
    assert product.main_image == "https://example.org/B000000001.jpg"
    assert product.options == {"color": ("red", "navy | white")}
    assert product.option_images == {"red": None, "navy | white": None}
    assert (product.attributes, product.rating, product.reviews) == (("DUMMY_ATTR",), "N.A.", ())


def test_missing_text_stays_none():
    product = prepare(webshop_record(name=None, full_description=None, small_description=None, images=[None]))
    assert (product.title, product.description, product.bullets) == (None, None, (None,))
    assert product.main_image is None


@pytest.mark.parametrize("nothing", [None, "", {}, []])
def test_no_options(nothing):
    assert prepare(webshop_record(customization_options=nothing)).options == {}


def test_options_that_collide_repeat_or_are_empty():
    customization = {
        "Size": [{"value": "S"}],
        "Fit": [],
        "Scent": None,
        "SIZE": [{"value": " A/B / C ", "image": "one"}, {"value": "a/b / c", "image": "two"}],
    }
    product = prepare(webshop_record(customization_options=customization))
    assert product.options == {"size": ("a | b  |  c", "a | b  |  c"), "fit": ()}
    assert product.option_images == {"s": None, "a | b  |  c": "two"}


@pytest.mark.parametrize(
    "changes",
    [
        {"images": []},
        {"images": None},
        {"images": ...},
        {"small_description": ...},
        {"query": ...},
        {"query": None},
        {"name": ...},
        {"customization_options": ...},
        {"customization_options": {"Size": [{"value": None}]}},
        {"customization_options": {"Size": ["S"]}},
        {"customization_options": {"Size": {"value": "S"}}},
        {"customization_options": [{"value": "S"}]},
        {"pricing": "10.00"},
        {"name": 5},
        {"small_description": [5]},
        {"asin": None},
        {"asin": 12345},
        {"asin": ...},
        {"asin": ""},
    ],
    ids=str,
)
def test_a_bad_record_is_set_aside_and_the_others_are_kept(items, changes):
    path = items(webshop_record("A"), webshop_record(**{"asin": "BAD", **changes}), webshop_record("C"))
    first, bad, last = open_source(path)
    assert (first.product.asin, last.product.asin, last.position) == ("A", "C", 2)
    assert isinstance(bad, Rejected) and not bad.skipped
    assert bad.position == 1
    if "asin" not in changes:
        assert bad.asin == "BAD"
    with pytest.raises(RecordError, match="record 1"):
        list(open_source(path, strict=True))


@pytest.mark.parametrize("value", [None, 5, "text", ["list"]])
def test_records_that_are_no_objects_are_set_aside(items, value):
    report = validate_source(open_source(items(webshop_record("A"), value)))
    assert (report.kept, report.rejected, report.ok) == (1, 1, True)


def test_what_the_reference_skips_is_no_error_even_when_strict(items):
    path = items(
        webshop_record("nan"),
        webshop_record("NAN"),
        webshop_record("B" * 11),
        webshop_record("B07"),
        webshop_record("B07", name="again"),
    )
    report = validate_source(open_source(path, strict=True))
    assert (report.read, report.kept, report.skipped, report.rejected) == (5, 2, 3, 0)
    kept = [item.product for item in open_source(path) if not isinstance(item, Rejected)]
    assert [(product.asin, product.title) for product in kept] == [("NAN", "Shirt NAN"), ("B07", "Shirt B07")]


def test_a_rejected_record_leaves_its_identifier_to_the_next(items):
    path = items(webshop_record("A", pricing="free"), webshop_record("A"))
    report = validate_source(open_source(path))
    assert (report.kept, report.rejected, report.skipped) == (1, 1, 0)


def test_the_limit_counts_raw_records(items):
    path = items(webshop_record("nan"), webshop_record("A", pricing="free"), webshop_record("B"), webshop_record("C"))
    assert [item.position for item in open_source(path, limit=3)] == [0, 1, 2]
    assert validate_source(open_source(path, limit=3)).kept == 1


def test_dropped_fields_do_not_reach_the_raw_record(items):
    extra = dict.fromkeys(DROPPED_KEYS, "x") | {"model": "kept"}
    (record,) = open_source(items(webshop_record("A", **extra)))
    assert not record.raw.keys() & set(DROPPED_KEYS)
    assert record.raw["model"] == "kept"


def test_text_that_is_not_unicode_is_replaced_and_told(items):
    source = open_source(
        items(webshop_record("A", name="cut \ud83d emoji", model="\udc80"), webshop_record("B", name="😀"))
    )
    first, second = source
    assert (first.product.title, second.product.title) == ("cut \ufffd emoji", "😀")
    assert source.repaired == 1
