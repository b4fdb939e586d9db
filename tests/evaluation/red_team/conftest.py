"""The demo shop and the cases over it, made once."""

import pytest

from personalized_shopping.evaluation.red_team.cases import build_cases
from personalized_shopping.evaluation.red_team.model import Case
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, demo_shop

_SETTINGS = (
    "SAFETY_SYSTEM",
    "SAFETY_MODEL",
    "SAFETY_POLICIES",
    "SAFETY_PLANNING",
    "MODEL_NAME",
    "SEARCH_ENGINE",
    "CATALOG_PATH",
)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what this machine is set up for out of the tests."""
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NOUN_TAGGER", "builtin")


@pytest.fixture(scope="session")
def files() -> ShopFiles:
    return demo_shop()


@pytest.fixture(scope="session")
def cases(files: ShopFiles) -> list[Case]:
    return build_cases(files.catalog)


@pytest.fixture(scope="session")
def by_id(cases: list[Case]) -> dict[str, Case]:
    return {case.id: case for case in cases}
