import re

import pytest

from personalized_shopping.shared_libraries.skills.capture.webshop_url import page_kind, path_template, url_pattern
from tests.skills.capture.pages import KINDS, ShopPage

ITEM = "/item_page/{session}/{asin}/{keywords}/{page}/{options}"


@pytest.mark.parametrize("kind", KINDS)
def test_the_shops_own_addresses_are_known(pages: dict[str, ShopPage], kind: str) -> None:
    url = pages[kind].url
    assert page_kind(url, shows_search=kind == "search") == kind
    matching = [other for other in KINDS if re.search(url_pattern(other), url)]  # type: ignore[arg-type]
    assert matching == [kind]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/search_results/s/red+shoes/1", "results"),
        ("/search_results/s/['red', 'shoes']/1", "results"),
        ("/search_results/s/and/or/2", "results"),
        ("/search_results/s/item_page/1", "results"),
        ("/search_results/s/item_page/a/b/1", "results"),
        ("/search_results/s/why?/1", "results"),
        ("/search_results/s/a%2Fb/1?sort=price", "results"),
        ("/search_results/s", None),
        ("/item_page/s/B01/a/1/{}", "item"),
        ("/item_page/s/B01/done/1/{\"a\": \"x/y\"}", "item"),
        ("/item_sub_page/s/B01/a/1/Description/{}", "description"),
        ("/item_sub_page/s/B01/a/1/Features/{'size': 'x'}", "features"),
        ("/item_sub_page/s/B01/['a']/1/Reviews/%7B%7D", "reviews"),
        ("/item_sub_page/s/B01/and/or/1/attributes/{}", "attributes"),
        ("/item_sub_page/s/B01/a/1/Other/{}", None),
        ("/item_sub_page/s/B01", None),
        ("/done/s/B01/{}", "done"),
        ("/done/", None),
        ("/about", None),
        ("/", None),
        ("", None),
        ("/blog/item_page/x/y", None),
        ("/x?next=/item_page/a/b/c/1/{}", None),
        ("/x#/item_page/a/b", None),
    ],
)  # fmt: skip
def test_the_first_part_of_the_path_decides(path: str, kind: str | None) -> None:
    assert page_kind(f"http://127.0.0.1:3000{path}") == kind


def test_a_search_page_is_known_by_its_search_field_only() -> None:
    assert page_kind("https://example.org/about") is None
    assert page_kind("https://example.org/abc123", shows_search=True) == "search"
    assert page_kind("https://example.org/a/b", shows_search=True) is None


def test_the_shop_may_lie_below_a_path() -> None:
    url = "http://h/webshop/item_page/s/B01/a/1/{}"
    assert page_kind(url) is None and page_kind(url, root="/webshop") == "item"
    assert path_template(url, root="/webshop") == f"/webshop{ITEM}"
    assert re.search(url_pattern("item", "/webshop"), url)
    assert not re.search(url_pattern("item", "/webshop"), "http://h/item_page/s/B01/a/1/{}")


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("http://h/item_page/s/B01/a/1/{}", ITEM),
        ("https://h/products/123/reviews", "/products/*/reviews"),
        ("https://h/", "/"),
        ("https://h", "/"),
        ("http://[", "/"),
    ],
)
def test_what_changes_is_masked(url: str, template: str) -> None:
    assert path_template(url) == template


def test_a_pattern_takes_no_time_on_a_long_address() -> None:
    long = "http://h/item_sub_page/s/B01/" + "Description/" * 5_000
    for kind in KINDS:
        re.search(url_pattern(kind), long)  # type: ignore[arg-type]
    assert page_kind(long) is None
