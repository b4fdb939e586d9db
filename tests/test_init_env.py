"""The shop that the process shares."""

from pathlib import Path

import pytest

from personalized_shopping.errors import CatalogNotFound, SettingError
from personalized_shopping.shared_libraries import init_env
from personalized_shopping.shared_libraries.catalog import demo
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop, configured_shop, open_shop_for


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Configure a small catalogue and let the process forget what it shared before and after."""
    directory = tmp_path / "catalog"
    build_shop(demo.demo_source(120, 3), directory)
    monkeypatch.setenv("CATALOG_PATH", str(directory))
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))
    init_env.close_shared()
    yield directory
    init_env.close_shared()


def test_everything_shares_one_shop(configured: Path) -> None:
    assert init_env.get_shop() is init_env.get_shop()
    env = init_env.webshop_env
    assert env is init_env.webshop_env
    assert env.server.catalog is init_env.get_shop().catalog
    observation, _ = env.reset(options={"session": 0})
    assert observation == env.observation
    observation, _, _, _, info = env.step("search[shirt]")
    assert info["page"] == "results" and "Back to Search" in observation
    assert env.state["url"].startswith("http://127.0.0.1:3000/search_results/0/shirt")


def test_a_part_of_the_catalogue(configured: Path) -> None:
    env = init_env.init_env(num_products=40)
    assert len(env.server.all_products) == 40
    assert env.observation_mode == "text"
    assert len(configured_shop(10_000).catalog) == 120
    again = open_shop_for(configured, 40)
    assert again.catalog.manifest.catalog_id == env.server.catalog.manifest.catalog_id


def test_the_setting_gives_the_number_of_products(configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUM_PRODUCTS", "50")
    assert len(init_env.get_shop().catalog) == 50
    init_env.close_shared()
    monkeypatch.setenv("NUM_PRODUCTS", "many")
    with pytest.raises(SettingError, match="NUM_PRODUCTS"):
        init_env.get_shop()


def test_a_configured_but_missing_catalogue_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "nowhere"))
    init_env.close_shared()
    with pytest.raises(CatalogNotFound, match="catalog build"):
        init_env.get_shop()


def test_nothing_is_opened_by_importing() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from personalized_shopping.shared_libraries import init_env;"
        "assert not init_env._opened; assert 'google.adk' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-W", "error", "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError, match="no attribute"):
        _ = init_env.nothing_of_that_name
