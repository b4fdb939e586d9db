"""A small shop with goals, once for all tests of this room."""

from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.catalog.demo import demo_source
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, build_shop


@pytest.fixture(scope="session")
def small_shop(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    return build_shop(demo_source(120, 11), tmp_path_factory.mktemp("evaluated") / "shop")


@pytest.fixture
def asins_file(tmp_path: Path) -> Path:
    return tmp_path / "asins.txt"
