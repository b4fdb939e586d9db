"""The shop of the agent's tests: a few products of their own, built once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.init_env import close_shared
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import products

_MODEL_SETTINGS = (
    "MODEL_NAME",
    "MODEL_API_BASE",
    "MODEL_API_KEY",
    "GOOGLE_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENAI_USE_ENTERPRISE",
    "GOOGLE_GENAI_USE_VERTEXAI",
    "GOOGLE_CLOUD_PROJECT",
    "ALLOW_UNCONFIRMED_PURCHASES",
)


@pytest.fixture(scope="session")
def shop_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the tests' shop."""
    directory = tmp_path_factory.mktemp("shop") / "catalog"
    build_shop(products(), directory)
    return directory


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what this machine is set up for out of the tests."""
    for name in _MODEL_SETTINGS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def shop(shop_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the tests' shop the one that the process shares."""
    monkeypatch.setenv("CATALOG_PATH", str(shop_dir))
    monkeypatch.setenv("NOUN_TAGGER", "builtin")
    close_shared()
    yield
    close_shared()
