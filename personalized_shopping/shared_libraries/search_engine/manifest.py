"""The manifest of an index: which engine built it, from which catalogue.

It is written last, so that no part of an index passes for a whole one.
"""

from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.errors import IndexMismatch, IndexNotFound

MANIFEST_NAME = "manifest.json"


class IndexManifest(msgspec.Struct, frozen=True):
    """What an index says about itself."""

    engine: str
    format: int
    catalog_id: str
    counts: dict[str, int] = {}
    settings: dict[str, Any] = {}
    versions: dict[str, str] = {}


def write_manifest(directory: Path, manifest: IndexManifest) -> None:
    """Write an index's manifest: the last file of a build."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (directory / MANIFEST_NAME).write_bytes(text + b"\n")


def read_manifest(directory: Path, engine: str, format_version: int, catalog_id: str | None) -> IndexManifest:
    """Return an index's manifest, and make sure that the index is this engine's and this catalogue's.

    Raises:
        IndexNotFound: where there is no whole index.
        IndexMismatch: where it was built by another engine or version, or from another catalogue.
    """
    mend = build_command(engine, directory)
    try:
        manifest = msgspec.json.decode((directory / MANIFEST_NAME).read_bytes(), type=IndexManifest)
    except FileNotFoundError:
        raise IndexNotFound(f"There is no index of the engine {engine} at {directory}. {mend}") from None
    except (OSError, msgspec.DecodeError) as error:
        raise IndexNotFound(f"The index at {directory} cannot be read: {error}. {mend}") from None
    if manifest.engine != engine or manifest.format != format_version:
        raise IndexMismatch(
            f"The index at {directory} is of {manifest.engine}, format {manifest.format}; "
            f"this program reads {engine}, format {format_version}. {mend}"
        )
    if catalog_id is not None and manifest.catalog_id != catalog_id:
        raise IndexMismatch(f"The index at {directory} was built from another catalogue than this one. {mend}")
    return manifest


def build_command(engine: str, directory: Path) -> str:
    """Return the sentence that tells how to build an index."""
    catalog = directory.parent.parent if directory.parent.name == "index" else "CATALOGUE"
    return f"Build it with: personalized-shopping index build --engine {engine} --catalog {catalog}"
