"""The one Java virtual machine of the process, started before Pyserini could start it with options that fail."""

import os
import threading
from typing import Any

from personalized_shopping.errors import EngineUnavailable
from personalized_shopping.shared_libraries.search_engine.lucene.java import INSTALL_COMMAND, find_jar, find_java

_lock = threading.Lock()
_MAX_CLAUSES = 1 << 30


def java_class(name: str) -> Any:
    """Return a Java class, starting the machine on first use.

    Raises:
        EngineUnavailable: if the machine cannot start.
    """
    with _lock:
        jar, java = find_jar(), find_java()
        try:
            import jnius_config
        except ImportError:
            raise EngineUnavailable(f"Lucene needs pyjnius. Install it with: {INSTALL_COMMAND}") from None
        if not jnius_config.vm_running:
            os.environ["JAVA_HOME"] = str(java.home)
            jnius_config.set_classpath(str(jar))
            jnius_config.add_options(*java.options)
        from jnius import autoclass

        # A query may have more words than Lucene's default allows.
        autoclass("org.apache.lucene.search.IndexSearcher").setMaxClauseCount(_MAX_CLAUSES)
        return autoclass(name)
