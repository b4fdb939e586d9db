"""JSON, JSON Lines, CSV and YAML: each container, whole and damaged."""

import gzip
import json

import pytest

from personalized_shopping.errors import CatalogError, CatalogNotFound
from personalized_shopping.shared_libraries.catalog import Rejected, open_source, validate_source
from tests.catalog.helpers import webshop_record, write_json

ROWS = [{"id": str(number), "name": f"Item {number}", "price": f"{number}.50"} for number in range(1, 4)]


def titles(path, **options):
    return [item.product.title for item in open_source(path, **options) if not isinstance(item, Rejected)]


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(params=["json", "jsonl", "csv", "semicolon", "tsv", "yaml", "jsonl-called-json", "gz"])
def shop(request, tmp_path):
    lines = "\n\n".join(map(json.dumps, ROWS))
    table = [list(ROWS[0]), *(list(row.values()) for row in ROWS)]
    match request.param:
        case "json":
            return write_json(tmp_path / "a.json", ROWS)
        case "jsonl":
            return write(tmp_path / "a.jsonl", "\ufeff" + lines)
        case "jsonl-called-json":
            return write(tmp_path / "a.json", lines)
        case "yaml":
            form = "- {{id: {id}, name: {name}, price: {price}}}\n"
            return write(tmp_path / "a.yml", "".join(form.format(**row) for row in ROWS))
        case "gz":
            (tmp_path / "a.csv.gz").write_bytes(gzip.compress("\n".join(map(",".join, table)).encode()))
            return tmp_path / "a.csv.gz"
        case other:
            mark = {"csv": ",", "semicolon": ";", "tsv": "\t"}[other]
            return write(tmp_path / f"a.{'tsv' if other == 'tsv' else 'csv'}", "\r\n".join(map(mark.join, table)))


def test_every_container_gives_the_same_products(shop):
    found = [item.product for item in open_source(shop)]
    assert [(each.asin, each.title, each.pricing) for each in found] == [
        (str(number), f"Item {number}", (number + 0.5,)) for number in range(1, 4)
    ]
    assert titles(shop, mapping={"description": "name"}, limit=2) == ["Item 1", "Item 2"]


def test_a_quote_that_is_never_closed_is_told(tmp_path):
    csv = write(tmp_path / "a.csv", 'id,name,price\n1,a,1\n2,"b,1\n3,c,1\n4,d,1\n')
    assert titles(csv) == ["a"]
    [rejected] = [item.reason for item in open_source(csv) if isinstance(item, Rejected)]
    assert "a quote is never closed" in rejected


def test_csv_cells_hold_lists_quotes_and_lines(tmp_path):
    path = write(
        tmp_path / "a.csv",
        "SKU,Title,Price,Bullet Points,Color,Images,Tags\n"
        '1,"A ""red"" shirt, soft","$1,299.00","one\ntwo|three",Red|Blue,https://a/1.jpg|https://a/2.jpg,"Soft, New"\n',
    )
    (record,) = open_source(path)
    product = record.product
    assert product.title == 'A "red" shirt, soft'
    assert (product.pricing, product.bullets) == ((1299.0,), ("one", "two", "three"))
    assert product.options == {"color": ("red", "blue")}
    assert product.images == ("https://a/1.jpg", "https://a/2.jpg")
    assert product.attributes == ("soft", "new")


def test_bad_rows_lines_and_items_are_set_aside_alone(tmp_path):
    csv = write(tmp_path / "a.csv", "id,name,price\n1,a,1\n2,b,1,extra\n3,c\n" + '4,"' + "x" * 140_000 + '",1\n5,e,1\n')
    assert titles(csv) == ["a", "e"]
    assert [item.reason for item in open_source(csv) if isinstance(item, Rejected)][:2] == [
        "has 4 cells; the header has 3",
        "has no price",
    ]
    good = '{"id": %d, "name": "%s", "price": 1}\n'
    lines = write(tmp_path / "a.jsonl", good % (1, "a") + '{"id": 2,\n[]\n' + good % (3, "c"))
    assert titles(lines) == ["a", "c"]
    yaml = write(
        tmp_path / "a.yaml",
        "- &anchor {id: 1, name: a, price: 1, made: 2024-01-02}\n- *anchor\n- {id: 2, name: !odd b, price: 1}\n"
        "- {id: 3, name: [&x [], *x], price: 1}\n- just text\n- {id: 4, 5: 6, name: d, price: 1}\n",
    )
    assert titles(yaml) == ["a", "d"]
    assert validate_source(open_source(yaml)).rejected == 4


def test_bytes_that_are_not_utf8_are_replaced(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,name,price,caf\xe9\n1,caf\xe9,2,x\n")
    source = open_source(path)
    assert [item.product.title for item in source] == ["caf\ufffd"]
    assert source.repaired == 1


def test_one_schema_is_told_from_the_other(tmp_path):
    ours = [webshop_record("A"), webshop_record("B" * 11)]
    path = write_json(tmp_path / "items.json", [5, {}, *ours])
    assert open_source(path).description["schema"] == "webshop"
    lines = write(tmp_path / "items.jsonl", "\n".join(map(json.dumps, ours)))
    assert titles(lines) == ["Shirt A"]
    mapped = open_source(path, mapping={"title": "name", "price": "pricing"})
    assert mapped.description["schema"] == "mapped"
    assert len([item for item in mapped if not isinstance(item, Rejected)]) == 2, "long identifiers are made to fit"
    assert titles(write_json(tmp_path / "shop.json", ROWS), fmt="webshop") == []


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.json", "", "is empty"),
        ("a.json", '{"a":\n 1}', "a list of records"),
        ("a.json", "[", "byte 1"),
        ("a.csv", "", "is empty"),
        ("a.yaml", "", "no YAML sequence"),
        ("a.yaml", "a: 1", "no YAML sequence"),
        ("a.yaml", "- {id: 1, name: a, price: 1}\n- {id: 2", "broken or cut off"),
    ],
)
def test_files_that_are_broken_say_so(tmp_path, name, text, says):
    report = validate_source(open_source(write(tmp_path / name, text)))
    assert not report.ok
    assert says in (report.failure or "") and name in (report.failure or "")
    assert "Reading stopped" in report.text()


def test_files_that_are_missing_or_of_no_known_kind(tmp_path):
    with pytest.raises(CatalogNotFound, match=r"no file .*nowhere\.json"):
        open_source(tmp_path / "nowhere.json")
    with pytest.raises(CatalogError, match="--format"):
        open_source(write(tmp_path / "a.txt", "x"))
    with pytest.raises(CatalogError, match="'xml' is no format"):
        open_source(tmp_path / "a.txt", fmt="xml")


def test_progress_and_hash_tell_the_whole_file(tmp_path):
    path = write_json(tmp_path / "a.json", ROWS)
    seen: list[int] = []
    source = open_source(path, progress=seen.append)
    assert source.description["sha256"] is None
    assert len(list(source)) == len(list(source)) == 3, "a source may be read again"
    assert sum(seen) == 2 * path.stat().st_size == 2 * source.total_bytes
    assert len(source.description["sha256"]) == 64


def test_a_report_counts_and_lists(tmp_path):
    rows = [*ROWS, *({"id": f"bad-{number}", "name": "b", "price": "free"} for number in range(150)), ROWS[0]]
    report = validate_source(open_source(write_json(tmp_path / "a.json", rows)))
    assert report.counts() | {"read": 154, "kept": 3, "rejected": 150, "skipped": 1} == report.counts()
    assert len(report.listed) == 100
    text = report.text(limit=2)
    assert text.startswith("154 records read: 3 kept, 1 skipped, 150 rejected")
    assert "record 3 (bad-0) rejected: price 'free'" in text and "… and 149 more" in text
