"""What every test may ask for."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.browsers import find_browser

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """Return the directory of the conformance and development data, or skip where it is absent."""
    directory = Path(os.environ.get("SHARED_DIR") or ROOT.parent / "shared")
    if not (directory / "conformance").is_dir():
        pytest.skip("the conformance data is not on this machine (SHARED_DIR names its directory)")
    return directory


@pytest.fixture(scope="session", autouse=True)
def own_data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests' catalogues and caches apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATA_DIR", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a running browser, or skip where there is none; closed with the module, so that other loops can run."""
    program = find_browser()
    if program is None:
        pytest.skip("there is no browser on this machine")
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program)
        yield running
        running.close()
