"""What addresses say, and that no address can say anything else."""

import ast
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personalized_shopping.config import MAX_QUERY_CHARS, SITE_MAX_PATH_CHARS
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import (
    Address,
    AddressError,
    address_path,
    read_address,
    read_keywords,
    split_query,
)
from personalized_shopping.shared_libraries.web_agent_site.site.literals import (
    LiteralError,
    read_list,
    read_mapping,
    write_list,
    write_mapping,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
ROUTES = {"results": "search_results", "item": "item_page", "done": "done"}
SUB_PAGES = ("description", "features", "reviews", "attributes")


@given(st.lists(TEXT, max_size=5), st.dictionaries(TEXT, TEXT, max_size=4))
def test_what_is_written_is_read(texts: list[str], mapping: dict[str, str]) -> None:
    assert read_list(write_list(texts)) == ast.literal_eval(write_list(texts)) == texts
    for as_json in (True, False):
        written = write_mapping(mapping, as_json=as_json)
        assert read_mapping(written) == mapping
        assert "/" not in written


@given(st.text("[]{}'\",:\\ux0abn \n", max_size=30))
def test_a_literal_is_what_python_reads_or_an_error(source: str) -> None:
    for read in (read_list, read_mapping):
        try:
            found = read(source)
        except LiteralError:
            continue
        assert found == ast.literal_eval(source.strip())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "[",
        "]",
        "{}",
        "['a'",
        "['a' 'b']",
        "[a]",
        "[['a']]",
        "[1]",
        "['a',,'b']",
        "[,]",
        "['a\\q']",
        "['\\U00ffffff']",
        "__import__('os').system('id')",
        "['a']*9",
        "[" * 4_000,
        "['a'," * 4_000,
        "[" + "'a'," * 1_500 + "'b','c'" * 500 + "]",
    ],
)
def test_what_is_no_list(source: str) -> None:
    with pytest.raises(LiteralError):
        read_list(source)


@pytest.mark.parametrize("source", ["{'a'}", "{'a': }", "{'a': 1}", "{'a', 'b': 'c'}", "[]", "{'a': {'b': 'c'}}", "{"])
def test_what_is_no_mapping(source: str) -> None:
    with pytest.raises(LiteralError):
        read_mapping(source)


def test_escapes_of_both_notations() -> None:
    assert read_list(r"""['a\'b', "c\"d", 'e\/f', 'g\u002fh', '\ud83d\ude00', '\xe9', '\U0001f600', 'x\n']""") == [
        "a'b",
        'c"d',
        "e/f",
        "g/h",
        "😀",
        "é",
        "😀",
        "x\n",
    ]
    assert read_list(r"['\ud800']") == ["\ufffd"]
    assert read_mapping('{"color": "black | red", }') == {"color": "black | red"}


@given(
    st.lists(TEXT, min_size=1, max_size=4).map(tuple),
    st.integers(1, 99),
    st.dictionaries(TEXT, TEXT, max_size=3),
    st.sampled_from(["results", "item", "done", *SUB_PAGES]),
)
def test_a_path_leads_back_to_its_page(words: tuple[str, ...], number: int, options: dict[str, str], kind: str) -> None:
    address = Address(kind, words, number, "B000000001", options)
    path = address_path("s", address)
    assert path.isascii() and path.count("/") == {"results": 4, "item": 6, "done": 4}.get(kind, 7)
    _, route, _, rest = unquote(path).split("/", 3)
    found = read_address(route, rest)
    assert found.kind == kind
    if kind != "done":
        assert (found.keywords, found.page_number) == (words, number)
    if kind != "results":
        assert (found.asin, found.options) == ("B000000001", options)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("red+shoes", ("red", "shoes")),
        ("red shoes", ("red", "shoes")),
        ("['red', 'shoes']", ("red", "shoes")),
        ('["red", "shoes"]', ("red", "shoes")),
        ("[red", ("[red",)),
        ("[red]", ("[red]",)),
        ("a/b+c", ("a/b", "c")),
        ("", ("",)),
    ],
)
def test_forms_of_keywords(written: str, words: tuple[str, ...]) -> None:
    assert read_keywords(written) == words
    assert read_address("search_results", f"{written}/3")[:3] == ("results", words, 3)
    item = read_address("item_page", f"B1/{written}/3/{{'color': 'a/b'}}")
    assert item[:5] == ("item", words, 3, "B1", {"color": "a/b"})


@pytest.mark.parametrize(
    ("route", "rest", "status"),
    [
        ("search_results", "", 404),
        ("search_results", "red", 404),
        ("search_results", "red/x", 404),
        ("search_results", "red/0", 404),
        ("search_results", "red/-1", 404),
        ("search_results", "red/9999999999", 404),
        ("search_results", "red/٣", 404),
        ("search_results", f"{'x' * (MAX_QUERY_CHARS + 1)}/1", 414),
        ("search_results", "x" * (SITE_MAX_PATH_CHARS + 1), 414),
        ("item_page", "B1/red/1", 404),
        ("item_page", "B1/red/1/{", 400),
        ("item_page", "B1/red/1/{}x", 400),
        ("item_sub_page", "B1/red/1/Prices/{}", 404),
        ("done", "B1", 404),
        ("done", "B1/{'a': __import__}", 400),
    ],
)
def test_addresses_of_no_page(route: str, rest: str, status: int) -> None:
    with pytest.raises(AddressError) as caught:
        read_address(route, rest)
    assert caught.value.status == status


def test_what_was_typed() -> None:
    assert split_query("Red  SHOES") == ("red", "", "shoes")
    assert len(" ".join(split_query("İ" * 5_000))) == MAX_QUERY_CHARS
