"""The shop's pages and a browser, made once for all tests of captures."""

from collections.abc import Iterator
from typing import Any

import pytest

from personalized_shopping.browsers import find_browser
from tests.skills.capture.pages import ShopPage, make_shop, shop_pages


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ShopPage]:
    """Return one page of each kind of a small demo shop."""
    return shop_pages(make_shop(tmp_path_factory.mktemp("capture") / "shop"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a real browser, or skip where there is none; closed with the module, so that other loops can run."""
    if find_browser() is None:
        pytest.skip("there is no browser on this machine")
    pytest.importorskip("playwright.sync_api")
    from tests.skills.capture.browsing import open_browser

    with open_browser() as opened:
        yield opened
