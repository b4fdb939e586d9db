"""The store: what goes in comes out, and what is not a store says so."""

import json
import os
import shutil
import sqlite3

import msgspec
import pytest

from personalized_shopping.errors import CatalogError, CatalogNotFound, CatalogVersionError, ProductNotFound
from personalized_shopping.shared_libraries.catalog import (
    Catalog,
    documents,
    open_source,
    search_text,
    write_catalog,
)
from personalized_shopping.shared_libraries.catalog.bounded_cache import BoundedCache
from personalized_shopping.shared_libraries.search_engine.base import Document
from tests.catalog.helpers import webshop_record

INS = {"A": {"attributes": ["soft", "warm", "soft"]}, "C": {"attributes": ["warm"]}}


@pytest.fixture
def catalog(built):
    opened = built(
        webshop_record("A"),
        webshop_record("B", pricing=""),
        webshop_record("bad", images=[]),
        webshop_record("C", category="beauty", query="cream", pricing="$5.00$7.50"),
        items_ins_v2=INS,
    )
    with opened:
        yield opened


def test_products_come_by_identifier_and_by_row(catalog):
    assert len(catalog) == 3
    assert [catalog.asin_at(row) for row in range(3)] == ["A", "B", "C"]
    assert [catalog.row_of(asin) for asin in ("C", "A", "bad")] == [2, 0, None]
    assert catalog.product("C") == catalog.product_at(2) == list(catalog.iter_products())[2]
    assert [product.asin for product in catalog.iter_products(start=1)] == ["B", "C"]
    assert "A" in catalog and "bad" not in catalog and 5 not in catalog


@pytest.mark.parametrize("unknown", ["Z", "", "\ud800", "a" * 10_000, "' OR 1=1 --"])
def test_unknown_products_are_an_error_of_their_own(catalog, unknown):
    with pytest.raises(ProductNotFound, match="no product"):
        catalog.product(unknown)
    with pytest.raises(KeyError):
        catalog.record(unknown)
    assert unknown not in catalog
    assert catalog.cards([unknown]) == catalog.asins_by_query(unknown) == []


@pytest.mark.parametrize("row", [-1, 3, 10**30])
def test_rows_that_do_not_exist(catalog, row):
    for get in (catalog.product_at, catalog.asin_at):
        with pytest.raises(ProductNotFound, match="has 3 products"):
            get(row)


def test_cards_keep_the_order_asked_for(catalog):
    for _ in range(2):  # from the file, then from the cache
        cards = catalog.cards(["C", "Z", "A", "C"])
        assert [card.asin for card in cards] == ["C", "A", "C"]
    card, product = cards[0], catalog.product("C")
    assert (card.title, card.price, card.image, card.pricing, card.rating) == (
        product.title,
        "$5.0 to $7.5",
        product.main_image,
        (5.0, 7.5),
        "N.A.",
    )
    assert catalog.cards([]) == []
    assert len(catalog.cards(["A"] * 2000 + [f"Z{number}" for number in range(2000)])) == 2000


def test_products_come_by_what_they_are_listed_under(catalog):
    assert catalog.asins_by_category("fashion") == ["A", "B"]
    assert catalog.asins_by_query("shirts") == ["A", "B"]
    assert catalog.asins_by_query("cream") == ["C"]
    assert catalog.asins_by_attribute("warm") == ["A", "C"]
    assert catalog.asins_by_attribute("soft") == ["A"]
    assert catalog.asins_by_attribute("DUMMY_ATTR") == ["B"]
    assert catalog.asins_by_category("nothing") == []


def test_records_go_round(catalog, tmp_path):
    records = list(catalog.iter_records())
    assert [record.position for record in records] == [0, 1, 3]
    assert [record.product for record in records] == list(catalog.iter_products())
    again = write_catalog(records, tmp_path / "again", description=catalog.manifest.source)
    assert again.catalog_id == catalog.manifest.catalog_id
    assert Catalog.open(tmp_path / "again").record("A") == catalog.record("A")
    fewer = write_catalog(records[:2], tmp_path / "fewer")
    assert (fewer.products, fewer.source) == (2, {})
    assert fewer.catalog_id != again.catalog_id


def test_raw_records_survive_whatever_python_reads(built):
    odd = {"nan": float("nan"), "huge": 10**40, "emoji": "😀", "cut": "\ud83d", "nested": [{"a": None}]}
    record = built(webshop_record("A", **odd)).record("A")
    assert record["nan"] != record["nan"]
    assert (record["huge"], record["emoji"], record["cut"], record["nested"]) == (10**40, "😀", "\ufffd", [{"a": None}])


def test_instructions_appear_by_mode(built):
    ask = {"instruction": "i want it.", "instruction_attributes": ["a"], "instruction_options": {"color": "red"}}
    catalog = built(
        webshop_record("A"),
        items_ins_v2={"A": {"attributes": ["a"], "instruction": "Find it", "instruction_attributes": ["a"]}},
        items_human_ins={"A": [ask]},
    )
    synthetic, human = catalog.record("A"), catalog.record("A", human=True)
    assert (synthetic["instruction_text"], synthetic["instruction_attributes"]) == ("Find it", ["a"])
    assert human["instructions"] == [ask]
    assert "instructions" not in synthetic and "instruction_text" not in human


def test_the_manifest_tells_where_it_came_from(catalog):
    manifest = catalog.manifest
    assert manifest.source["file"] == "items_shuffle.json"
    assert manifest.source["side_files"] == {"attributes": "items_ins_v2.json"}
    assert manifest.counts["read"] == 4 and manifest.counts["rejected"] == 1
    assert [item.position for item in manifest.set_aside] == [2]
    assert json.loads((catalog.directory / "manifest.json").read_text())["catalog_id"] == manifest.catalog_id


def test_one_product_more_is_another_catalogue(items, tmp_path):
    ids = [
        write_catalog(open_source(items(*records)), tmp_path / str(number)).catalog_id
        for number, records in enumerate(
            (
                [webshop_record("A")],
                [webshop_record("A")],
                [webshop_record("A"), webshop_record("B")],
                [webshop_record("A", model="raw field only")],
            )
        )
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 3


def test_search_text_is_webshops(built):
    catalog = built(
        webshop_record("A", name="Red <b>Shirt</b>", full_description='"Soft"'),
        webshop_record("B", name=None, full_description=None, small_description=[], customization_options=None),
    )
    first, second = documents(catalog)
    assert first == Document("A", 'red <b>shirt</b> "soft" cotton color: red, navy | white')
    assert second == Document("B", "   ")
    assert search_text(catalog.product("A")) == first.contents


def test_nothing_to_keep_is_an_error(items, tmp_path):
    with pytest.raises(CatalogError, match=r"no product.*1 rejected"):
        write_catalog(open_source(items(webshop_record("A", images=[]))), tmp_path / "c")
    assert not (tmp_path / "c" / "manifest.json").exists()
    with pytest.raises(CatalogError, match="not empty"):
        write_catalog([], tmp_path)


def test_one_identifier_twice_is_an_error(items, tmp_path):
    (record,) = open_source(items(webshop_record("A")))
    with pytest.raises(CatalogError, match="one identifier"):
        write_catalog([record, record], tmp_path / "c")


def test_a_directory_without_a_catalogue_names_the_command(tmp_path):
    def message(directory, kind=CatalogError):
        with pytest.raises(kind) as caught:
            Catalog.open(directory)
        assert "personalized-shopping catalog build" in str(caught.value)
        assert type(caught.value) is kind
        return str(caught.value)

    assert "no catalogue at" in message(tmp_path / "nowhere", CatalogNotFound)
    (tmp_path / "empty").mkdir()
    assert "is empty" in message(tmp_path / "empty")
    (tmp_path / "file.json").write_text("[]")
    assert "is a file" in message(tmp_path / "file.json")
    assert "holds no catalogue" in message(tmp_path)
    manifest = tmp_path / "manifest.json"
    for text, says in (("{", "broken"), ('{"kind": "index"}', "another kind")):
        manifest.write_text(text)
        assert says in message(tmp_path)
    manifest.write_text('{"kind": "personalized-shopping catalog", "format_version": 99}')
    assert "format 99" in message(tmp_path, CatalogVersionError)
    manifest.write_text('{"kind": "personalized-shopping catalog", "format_version": 1}')
    assert "broken" in message(tmp_path)


def test_a_damaged_store_says_so(catalog):
    store = catalog.directory / "products.sqlite"
    whole = store.read_bytes()
    damages = {
        "has lost its": None,
        "bytes, not": whole[:-1],
        "is no database": b"x" * len(whole),
        "is damaged": whole[:4096] + b"\xff" * (len(whole) - 4096),
    }
    for says, content in damages.items():
        store.unlink(missing_ok=True)
        if content is not None:
            store.write_bytes(content)
        with pytest.raises(CatalogError, match=says) as caught:
            Catalog.open(catalog.directory).product("A")
        assert "catalog build" in str(caught.value)


def test_a_product_of_another_shape_is_damage(catalog):
    with sqlite3.connect(catalog.directory / "products.sqlite") as db:
        db.execute("UPDATE details SET product = ?", (msgspec.msgpack.encode({"asin": 5}),))
    db.close()
    with pytest.raises(CatalogError, match="is damaged"):
        Catalog.open(catalog.directory).product("A")


def test_a_read_only_catalogue_opens_and_is_not_written_to(catalog):
    before = {path.name for path in catalog.directory.iterdir()}
    for path in catalog.directory.iterdir():
        path.chmod(0o444)
    catalog.directory.chmod(0o555)
    try:
        with Catalog.open(catalog.directory) as opened:
            assert opened.product("A").asin == "A"
            with pytest.raises(sqlite3.OperationalError, match="readonly"):
                opened._connections.get().execute("DELETE FROM products")
        assert {path.name for path in catalog.directory.iterdir()} == before
    finally:
        catalog.directory.chmod(0o755)


def test_odd_directory_names_are_no_obstacle(catalog, tmp_path):
    odd = tmp_path / "a?mode=rw&b#c %41 ü"
    shutil.copytree(catalog.directory, odd)
    assert Catalog.open(odd).product("A").asin == "A"


def test_a_closed_catalogue_says_so(catalog):
    catalog.close()
    catalog.close()
    with pytest.raises(CatalogError, match="was closed"):
        catalog.product("A")


def test_opening_reads_the_manifest_and_no_product(catalog, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("a database was opened")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    assert len(Catalog.open(catalog.directory)) == 3


def test_a_cache_stays_as_small_as_it_may():
    cache: BoundedCache[int] = BoundedCache(4)
    for number in range(10):
        cache.put(str(number), number)
        assert cache.get("0") == 0, "what is asked for stays"
        assert len(cache) <= 4
    assert cache.get("9") == 9
    assert cache.get("5") is None
    cache.put("9", 90)
    assert cache.get("9") == 90
    cache.clear()
    assert (len(cache), cache.get("9")) == (0, None)


def test_caches_do_not_hold_the_catalogue(built, monkeypatch):
    monkeypatch.setattr("personalized_shopping.shared_libraries.catalog.store.CARD_CACHE_SIZE", 4)
    monkeypatch.setattr("personalized_shopping.shared_libraries.catalog.store.PRODUCT_CACHE_SIZE", 2)
    catalog = built(*(webshop_record(f"A{number}") for number in range(9)))
    asins = [f"A{number}" for number in range(9)]
    assert [card.asin for card in catalog.cards(asins)] == [catalog.product(asin).asin for asin in asins] == asins
    assert 0 < len(catalog._cards) <= 4 and 0 < len(catalog._products) <= 2


def test_no_process_keeps_files_open_after_closing(catalog):
    catalog.product("A")
    fds = f"/proc/{os.getpid()}/fd"
    if not os.path.isdir(fds):
        pytest.skip("this system does not list open files")

    def opened():
        store = str(catalog.directory / "products.sqlite")
        return [fd for fd in os.listdir(fds) if os.path.realpath(f"{fds}/{fd}") == store]

    assert opened()
    catalog.close()
    assert not opened()
