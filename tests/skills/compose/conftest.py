from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.shared import BUILTIN
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.agent.helpers import products
from tests.skills.compose.sessions import Recorder, shop_of


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return shop_of(products(), tmp_path_factory.mktemp("compose") / "shop")


@pytest.fixture(scope="session")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


@pytest.fixture
def record(shop: Shop, tmp_path: Path) -> Recorder:
    return Recorder(tmp_path / "trajectories", shop)


@pytest.fixture
def library(tmp_path: Path) -> SkillLibrary:
    return SkillLibrary(tmp_path / "skills", BUILTIN)
