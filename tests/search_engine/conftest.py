"""Indexes that several tests search."""

from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.search_engine import build_index, engine_status


@pytest.fixture
def needs_lucene() -> None:
    status = engine_status("lucene")
    if not status.usable:
        pytest.skip(status.detail)


@pytest.fixture
def needs_hybrid() -> None:
    status = engine_status("hybrid")
    if not status.usable:
        pytest.skip(status.detail)


@pytest.fixture(scope="session")
def made_up_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bm25 index of the 600 documents of ``reference.made_up``."""
    from tests.search_engine.reference import made_up

    directory = tmp_path_factory.mktemp("bm25")
    build_index("bm25", made_up(600), directory, catalog_id="made up")
    return directory
