"""Small WebShop files made on the spot."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.shared_libraries.catalog import Catalog, open_source, write_catalog
from tests.catalog.helpers import write_json


@pytest.fixture
def items(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes raw records as ``items_shuffle.json`` in a directory of their own."""

    def write(*records: Any, **side_files: Any) -> Path:
        directory = tmp_path / "source"
        directory.mkdir(exist_ok=True)
        for name, content in side_files.items():
            write_json(directory / f"{name}.json", content)
        return write_json(directory / "items_shuffle.json", list(records))

    return write


@pytest.fixture
def built(tmp_path: Path, items: Callable[..., Path]) -> Callable[..., Catalog]:
    """Return a function that builds and opens a catalogue of raw records."""

    def build(*records: Any, **side_files: Any) -> Catalog:
        directory = tmp_path / "catalog"
        write_catalog(open_source(items(*records, **side_files)), directory)
        return Catalog.open(directory)

    return build
