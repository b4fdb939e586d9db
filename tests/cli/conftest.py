"""Runs verbs in this process, on a demo shop that is made once, and apart from what the machine is set up for."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping import config
from personalized_shopping.cli.main import run
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop


@dataclass
class Outcome:
    """What one command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must be one JSON document and nothing else."""
        return json.loads(self.out)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory that holds the demo shop in its usual place."""
    directory = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATA_DIR", str(directory))
        demo_shop().catalog.close()
    return directory


@pytest.fixture(autouse=True)
def _apart(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    for setting in config.SETTINGS:
        monkeypatch.delenv(setting.name, raising=False)
    monkeypatch.delenv("NO_PROGRESS", raising=False)
    monkeypatch.delenv("GOOGLE_GENAI_USE_VERTEXAI", raising=False)
    monkeypatch.setenv("ADK_DISABLE_LOAD_DOTENV", "1")
    monkeypatch.setenv("DATA_DIR", str(data_dir))


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run a command line and return what it gave."""

    def call(*arguments: object) -> Outcome:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = capfd.readouterr()
        return Outcome(int(code), captured.out, captured.err)

    return call
