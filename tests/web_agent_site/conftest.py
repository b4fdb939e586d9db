"""Shops that the tests of WebShop share."""

from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.catalog import demo, open_source
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, build_shop


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    """Return a small demo shop."""
    return build_shop(demo.demo_source(300, 7), tmp_path_factory.mktemp("demo") / "shop")


@pytest.fixture
def demo_server(demo_files: ShopFiles) -> SimServer:
    """Return a server over the small demo shop."""
    return SimServer(files=demo_files)


@pytest.fixture
def demo_shop(demo_files: ShopFiles) -> Shop:
    """Return the small demo shop, with attribute pages."""
    return Shop(demo_files.catalog, demo_files.engine(), show_attributes=True)


@pytest.fixture(scope="session")
def reference_files(shared_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    """Return the shop of the reference's 32 records."""
    source = open_source(shared_dir / "conformance" / "items_shuffle.json", fmt="webshop")
    return build_shop(source, tmp_path_factory.mktemp("reference") / "shop")
