"""The manifest of a store: what it holds, where it came from, and how to tell it from another."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.errors import CatalogError, CatalogNotFound, CatalogVersionError
from personalized_shopping.shared_libraries.catalog.records import Rejected

MANIFEST_NAME = "manifest.json"
KIND = "personalized-shopping catalog"
FORMAT_VERSION = 1
"""Raised whenever an older program could misread the store."""
BUILD_COMMAND = "personalized-shopping catalog build SOURCE --out {directory}"


class Manifest(msgspec.Struct, frozen=True):
    """What a built catalogue says about itself. ``catalog_id`` is the SHA-256 of its contents."""

    catalog_id: str
    products: int
    counts: dict[str, int]
    source: dict[str, Any]
    store_bytes: int
    set_aside: tuple[Rejected, ...] = ()
    package_version: str = ""
    format_version: int = FORMAT_VERSION
    kind: str = KIND


def build_command(directory: Path) -> str:
    """Return the command that builds, or builds anew, the catalogue of a directory."""
    return BUILD_COMMAND.format(directory=directory)


def package_version() -> str:
    """Return the version of this package; ``0`` where it runs without being installed."""
    try:
        return version("personalized-shopping")
    except PackageNotFoundError:
        return "0"


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Write the manifest: the last file of a build, so that a store without one is unfinished."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (directory / MANIFEST_NAME).write_bytes(text + b"\n")


def read_manifest(directory: Path) -> Manifest:
    """Return the manifest of a store.

    Raises:
        CatalogNotFound: where the directory does not exist.
        CatalogVersionError: where another version of this program built it.
        CatalogError: where it is no catalogue, or an unfinished one.
    """
    mend = f"Build it with: {build_command(directory)}"
    if not directory.exists():
        raise CatalogNotFound(f"There is no catalogue at {directory}. {mend}")
    if not directory.is_dir():
        raise CatalogError(
            f"{directory} is a file, not a built catalogue. Build one from it with: "
            f"personalized-shopping catalog build {directory} --out DIRECTORY"
        )
    try:
        data = (directory / MANIFEST_NAME).read_bytes()
    except FileNotFoundError:
        what = "holds no catalogue: it has no manifest" if any(directory.iterdir()) else "is empty"
        raise CatalogError(f"The directory {directory} {what}. {mend}") from None
    except OSError as error:
        raise CatalogError(f"The manifest of {directory} cannot be read: {error.strerror}.") from None
    try:
        head = msgspec.json.decode(data, type=dict[str, Any])
    except msgspec.DecodeError:
        raise CatalogError(f"The manifest of {directory} is broken. {mend}") from None
    if head.get("kind") != KIND:
        raise CatalogError(f"{directory} is no catalogue: its manifest is of another kind. {mend}")
    if head.get("format_version") != FORMAT_VERSION:
        raise CatalogVersionError(
            f"The catalogue at {directory} has format {head.get('format_version')!r}; this program reads "
            f"{FORMAT_VERSION}. {mend}"
        )
    try:
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.DecodeError as error:
        raise CatalogError(f"The manifest of {directory} is broken: {error}. {mend}") from None
