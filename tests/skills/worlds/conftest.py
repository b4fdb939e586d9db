"""Shops for the tests of worlds."""

import pytest

from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles
from tests.skills.worlds import shops


@pytest.fixture(scope="session")
def skill_shop_files(tmp_path_factory: pytest.TempPathFactory) -> ShopFiles:
    return shops.demo_files(tmp_path_factory.mktemp("skills"))


@pytest.fixture(scope="session")
def shop(skill_shop_files: ShopFiles) -> Shop:
    return shops.demo_shop(skill_shop_files)
