"""The shop's pages, captured once for all tests of building."""

from collections.abc import Callable
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.capture import Capture, capture_html
from personalized_shopping.shared_libraries.skills.model import Skill
from tests.skills.capture.pages import make_shop, shop_pages

NOW = "2026-01-01T00:00:00Z"
Built = Callable[..., list[Skill]]


@pytest.fixture(scope="session")
def captures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Capture]:
    """Return a capture of each kind of the shop's pages, made from its HTML."""
    pages = shop_pages(make_shop(tmp_path_factory.mktemp("build") / "shop"))
    return {kind: capture_html(page.html, url=page.url) for kind, page in pages.items()}


@pytest.fixture
def built() -> Built:
    """Return what builds the skills of a page given as HTML."""

    def build(html: str, url: str = "https://www.example.com/a/page", **more: Any) -> list[Skill]:
        capture = capture_html(f"<!doctype html><title>Page</title>{html}", url=url)
        return build_skills(capture, now=NOW, **more)

    return build
