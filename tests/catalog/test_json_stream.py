"""The streaming reader against ``json.load``, whole and broken."""

import io
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog.importers import json_stream
from personalized_shopping.shared_libraries.catalog.importers.json_stream import JsonStream

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def stream(text: str | bytes) -> JsonStream:
    return JsonStream(io.BytesIO(text.encode() if isinstance(text, str) else text), "file.json")


@pytest.fixture(autouse=True, scope="module")
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "CHUNK_BYTES", 7)
        yield


@given(st.lists(values, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_lists_are_read_as_json_reads_them(records, indent, ascii_only):
    text = json.dumps(records, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert list(stream(text).items()) == json.loads(text)


@given(st.dictionaries(st.text(), values, max_size=5))
def test_objects_are_read_as_json_reads_them(entries):
    assert dict(stream(json.dumps(entries)).pairs()) == entries


def test_what_only_python_reads_is_read():
    found = list(stream('[NaN, -Infinity, 123456789012345678901234567890, "\\ud83d", 1.5]').items())
    assert math.isnan(found[0])
    assert found[1:] == [-math.inf, 123456789012345678901234567890, "\ud83d", 1.5]


def test_a_byte_order_mark_is_no_text():
    assert list(stream("\ufeff[1]").items()) == [1]


def test_bytes_that_are_not_utf8_come_through():
    assert list(stream(b'["caf\xe9"]').items()) == ["caf\udce9"]


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_a_file_cut_off_anywhere_gives_what_came_before_and_the_place(cut):
    records = [{"asin": f"B{number}", "text": "é\n" * number, "list": [1, {"a": None}]} for number in range(8)]
    whole = json.dumps(records, ensure_ascii=False).encode()
    cut %= len(whole)
    read = []
    with pytest.raises(CatalogError, match=rf"file\.json.*{'empty' if cut == 0 else f'byte {cut:,}'}"):
        for record in stream(whole[:cut]).items():
            read.append(record)
    assert read == records[: len(read)]
    complete = sum(whole.index(json.dumps(each, ensure_ascii=False).encode()) for each in [records[0]])
    assert len(read) >= whole[:cut].count(b"]}") - whole[complete:cut].count(b"]}]")


@pytest.mark.parametrize(
    ("text", "at"),
    [('[{"a": 1}, {bad}, {"b": 2}]' + " " * 100, 12), ("[1 2]", 3), ("[1] x", 4), ('{"a": 1}', 0), ("[1,]", 3)],
)
def test_what_is_broken_in_the_middle_is_told_with_its_place(text, at):
    with pytest.raises(CatalogError, match=f"byte {at}:"):
        list(stream(text).items())


@pytest.mark.parametrize("text", ["[1]", '{"a" 1}', "{1: 2}", '{"a": 1, }', '{"a": 1} {'])
def test_broken_objects_are_told(text):
    with pytest.raises(CatalogError, match="byte"):
        list(stream(text).pairs())


def test_deep_nesting_is_an_error_of_the_file():
    with pytest.raises(CatalogError, match="nested"):
        list(stream("[" * 200_000).items())
