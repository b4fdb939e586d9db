"""A run's manifest: what was run on what, so that somebody else can run it again."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from msgspec import Struct

from personalized_shopping.config import setting
from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.catalog.manifest import package_version
from personalized_shopping.shared_libraries.search_engine.manifest import MANIFEST_NAME as INDEX_MANIFEST
from personalized_shopping.shared_libraries.web_agent_site.shop_files import INDEX, ShopFiles

FORMAT = 1
"""Raised whenever an older program could misread a run."""
_PACKAGES = ("google-adk", "google-genai", "gymnasium", "litellm", "msgspec", "numpy", "thefuzz")


class RunManifest(Struct, frozen=True, kw_only=True):
    """What a run says about itself.

    ``settings`` and ``shop`` (catalogue, index, noun tagger) and ``tasks`` (how many, and a hash of their names) decide
    the results; a run is only gone on with where they are the same. The other fields do not: times are in UTC,
    ``seconds`` are those of the last part of the run.
    """

    suite: str
    name: str
    command: str
    settings: dict[str, Any]
    shop: dict[str, Any]
    tasks: dict[str, Any]
    versions: dict[str, str | None]
    git_hash: str | None
    git_changed: bool
    machine: dict[str, Any]
    started_at: str
    workers: int
    timeout_s: float
    retries: int
    ended_at: str | None = None
    seconds: float | None = None
    format: int = FORMAT


def now_utc() -> str:
    """Return the time as the manifest writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def versions() -> dict[str, str | None]:
    """Return the versions of Python, of this package and of what decides results; ``None`` for what is missing."""
    found: dict[str, str | None] = {"python": platform.python_version(), "personalized-shopping": package_version()}
    return found | {name: _version(name) for name in _PACKAGES}


def machine() -> dict[str, Any]:
    """Return what the run ran on, without names that tell whose machine it is."""
    return {"system": platform.system(), "machine": platform.machine(), "processors": os.cpu_count()}


def shop_facts(files: ShopFiles) -> dict[str, Any]:
    """Return which catalogue and which index of it is played in."""
    catalog = files.catalog.manifest
    engine = setting("SEARCH_ENGINE")
    index = files.directory / INDEX / engine / INDEX_MANIFEST
    return {
        "catalogue": catalog.source,
        "catalog_id": catalog.catalog_id,
        "products": catalog.products,
        "search_engine": engine,
        "index_sha256": hashlib.sha256(index.read_bytes()).hexdigest() if index.exists() else None,
    }


def task_facts(keys: Sequence[str]) -> dict[str, Any]:
    """Return how many episodes are played, and a hash of their names."""
    return {"episodes": len(keys), "sha256": hashlib.sha256("\n".join(keys).encode()).hexdigest()}


def git_state() -> tuple[str | None, bool]:
    """Return the commit of the source that runs, and whether the package was changed; ``None`` where there is none."""
    here = Path(__file__).resolve().parents[2]
    commit = _git(here, "rev-parse", "HEAD")
    if commit is None or _git(here, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None, False
    changed = _git(here, "status", "--porcelain", ".")
    return commit, bool(changed)


def differences(old: RunManifest, new: RunManifest) -> list[str]:
    """Return sentences on what keeps a run from being gone on with: other settings, another shop, other tasks."""
    found: list[str] = []
    for part in ("suite", "settings", "shop", "tasks"):
        if found:
            break  # other settings make other tasks, which nobody needs to be told
        before, now = getattr(old, part), getattr(new, part)
        if isinstance(before, dict):
            names: Iterable[str] = sorted(before.keys() | now.keys())
            found += [
                f"{name} was {shorten(before.get(name))} and is {shorten(now.get(name))}"
                for name in names
                if before.get(name) != now.get(name)
            ]
        elif before != now:
            found.append(f"{part} was {before!r} and is {now!r}")
    return found


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _git(where: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=where, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
