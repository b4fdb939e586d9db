"""People's own fields: mapped, guessed, and made into typed values."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalized_shopping.errors import CatalogError, RecordError
from personalized_shopping.shared_libraries.catalog import Rejected, open_source, parse_mapping
from personalized_shopping.shared_libraries.catalog.importers import field_values as values
from personalized_shopping.shared_libraries.catalog.importers import mapped_rules
from personalized_shopping.shared_libraries.catalog.importers.field_mapping import complete_mapping, look_up
from personalized_shopping.shared_libraries.catalog.importers.mapped_rules import derived_asin
from personalized_shopping.shared_libraries.catalog.schema import Review
from tests.catalog.helpers import write_json


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("name", "n"),
        ("offer.amount", 5),
        ("offer.list.1", "b"),
        ("offer.list.9", None),
        ("variants.color", ["red", "blue"]),
        ("variants.0.color", "red"),
        ("dotted.name", 7),
        ("name.more", None),
        ("nothing", None),
    ],
)
def test_dotted_paths(path, found):
    record = {
        "name": "n",
        "offer": {"amount": 5, "list": ["a", "b"]},
        "variants": [{"color": "red"}, {"color": "blue"}, {"size": 1}],
        "dotted.name": 7,
    }
    assert look_up(record, path) == found


def test_mappings_are_read_from_text():
    assert parse_mapping(["title=name", " price = offer.amount "]) == {"title": "name", "price": "offer.amount"}
    assert parse_mapping(["options.color=Farbe"]) == {"options.color": "Farbe"}


@pytest.mark.parametrize(
    ("entries", "says"), [(["title"], "title=name"), (["=x"], "OURS=THEIRS"), (["titel=name"], "not one of our fields")]
)
def test_mappings_that_make_no_sense(entries, says):
    with pytest.raises(CatalogError, match=says):
        parse_mapping(entries)


def test_usual_names_are_guessed_and_given_ones_stay():
    record = {"SKU": "1", "Product Name": "n", "sale-price": 1, "list_price": 2, "Colours": "red", "remark": "d"}
    assert complete_mapping({"description": "remark"}, [record]) == {
        "asin": "SKU",
        "title": "Product Name",
        "price": "sale-price",
        "options.color": "Colours",
        "description": "remark",
    }


def test_a_mapping_that_finds_nothing_is_an_error_with_the_fields_there_are():
    with pytest.raises(CatalogError, match=r"'nme'.*Its fields are: name, price"):
        complete_mapping({"title": "nme"}, [{"name": "n", "price": 1}])
    with pytest.raises(CatalogError, match=r"--map price=FIELD"):
        complete_mapping({}, [{"name": "n", "worth": 1}])


@pytest.mark.parametrize(
    ("value", "pricing"),
    [
        (12.99, (12.99,)),
        (12, (12.0,)),
        ("12.99", (12.99,)),
        (" $1,299.00 ", (1299.0,)),
        ("US$ 5", (5.0,)),
        ("5 USD", (5.0,)),
        ("$5.00 - $7", (5.0, 7.0)),
        ("7 to 5", (5.0, 7.0)),
        ("$5.00$7.00", (5.0, 7.0)),
        ([3, "$1", 2], (1.0, 3.0)),
        (["4", 4], (4.0,)),
        (0, (0.0,)),
    ],
)
def test_prices_are_understood(value, pricing):
    assert values.as_pricing(value) == pricing


@pytest.mark.parametrize(
    "value",
    [None, "", "n/a", "€5", "5,00", "12 EUR", "-5", -5, True, float("inf"), 10**400, {"amount": 5}, "1e3", "free"],
)
def test_what_is_no_dollar_price_is_rejected(value):
    with pytest.raises(RecordError, match="price"):
        values.as_pricing(value)


@given(st.decimals(0, 10**9, places=2), st.sampled_from(["{}", "${}", "$ {}", "{} USD", " {:,} ", "${:,}"]))
def test_every_written_amount_is_read_back(amount, form):
    assert values.as_pricing(form.format(amount)) == (float(amount),)


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.lists(st.text(max_size=5)))
def test_any_value_is_taken_or_refused_as_a_record(value):
    for make in (
        values.as_pricing,
        values.as_images,
        values.as_options,
        values.as_rating,
        values.as_reviews,
        lambda each: values.as_list(each, "f"),
        lambda each: values.as_path(each, "f"),
        lambda each: values.as_text(each, "f"),
    ):
        try:
            make(value)
        except RecordError as error:
            assert str(error)


@pytest.mark.parametrize(
    "value",
    [
        {"Color": ["Red", "Navy/White"], "Size": [7, 8]},
        {"Color": [{"value": "Red", "image": None}, {"value": "Navy/White"}], "Size": "7, 8"},
        [{"name": "Color", "values": ["Red", "Navy/White"]}, {"name": "Size", "values": "7|8"}],
        '{"Color": ["Red", "Navy/White"], "Size": ["7", "8"], "Empty": []}',
        "Color: Red | Navy/White; Size: 7, 8;",
    ],
)
def test_options_in_every_shape(value):
    options, images = values.as_options(value)
    assert options == {"color": ("red", "navy | white"), "size": ("7", "8")}
    assert set(images) == {"red", "navy | white", "7", "8"}


def test_images_in_every_shape():
    assert values.as_images("https://a/x,1.jpg | https://a/2.jpg") == ("https://a/x,1.jpg", "https://a/2.jpg")
    assert values.as_images([{"large": "b"}, "c"]) == ("b", "c")
    assert values.as_images('["d"]') == ("d",)
    assert values.as_images("data:image/svg+xml,<a|b>") == ("data:image/svg+xml,<a|b>",)
    assert values.as_images(None) == (None,)


def test_ratings_reviews_paths_and_lists():
    assert [values.as_rating(each) for each in (4, "4.5 out of 5", {"rate": 3.9}, "n/a", None)] == [
        4.0, 4.5, 3.9, "N.A.", "N.A.",
    ]  # fmt: skip
    assert values.as_reviews(120) == values.as_reviews("120") == ()
    assert values.as_reviews([{"headline": "h", "rating": 5, "text": "t"}, "plain"]) == (
        Review("h", 5.0, "t"),
        Review("", "N.A.", "plain"),
    )
    assert values.as_path("Home > Kitchen>Pans", "f") == values.as_path(["Home", "Kitchen", "Pans"], "f")
    assert values.as_path("Home > Kitchen>Pans", "f") == "Home › Kitchen › Pans"
    assert values.as_list("one | two\nthree", "f") == ("one", "two", "three")


@given(st.text(min_size=1))
def test_derived_identifiers_can_be_clicked(source_id):
    asin = derived_asin(source_id)
    assert re.fullmatch("[A-Z2-7]{10}", asin)
    assert asin == derived_asin(source_id) != derived_asin(source_id, 1)


def products(path, **options):
    return [item for item in open_source(path, **options) if not isinstance(item, Rejected)]


def test_identifiers_fit_stay_apart_and_are_kept(tmp_path, monkeypatch):
    derive = derived_asin
    # A derivation that always collides at first, and with an identifier of the source itself.
    monkeypatch.setattr(
        mapped_rules, "derived_asin", lambda text, attempt=0: derive(text, attempt) if attempt else "SAME"
    )
    rows = [{"id": name, "name": name, "price": 1} for name in ("a-1", "a-2", "SAME", "abc", "ABC", "abc", "a-2")]
    found = products(write_json(tmp_path / "shop.json", rows))
    assert [each.raw["source_id"] for each in found] == ["a-1", "a-2", "SAME", "abc", "ABC"]
    asins = [each.product.asin for each in found]
    assert asins[0] == "SAME" and asins[3] == "ABC"
    assert len(set(asins)) == 5 and all(re.fullmatch("[A-Z0-9]{1,10}", asin) for asin in asins)


def test_records_without_identifiers_get_stable_ones(tmp_path):
    rows = [{"name": "one", "price": 1}, {"name": "one", "price": 1}, {"name": "two", "price": 2}]
    first = [each.product.asin for each in products(write_json(tmp_path / "a.json", rows))]
    again = [each.product.asin for each in products(write_json(tmp_path / "b.json", rows[::-1]))]
    assert len(first) == 2 and first == again[::-1]


def test_what_a_record_leaves_open_is_filled_in(tmp_path):
    rows = [
        {"id": 7, "name": " Pan ", "price": "n/a"},
        {"id": 8, "name": "Pan", "price": 5, "categories": "Home > Pans"},
    ]
    (pan,) = products(write_json(tmp_path / "a.json", rows))
    assert (pan.position, pan.product.asin, pan.product.title, pan.product.description) == (1, "8", "Pan", "")
    assert (pan.product.query, pan.product.product_category) == ("pans", "Home › Pans")
    assert (pan.product.images, pan.product.bullets, pan.product.attributes) == ((None,), (), ())
