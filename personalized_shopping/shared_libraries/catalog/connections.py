"""Read-only connections to a store: one for each thread of each process."""

import os
import sqlite3
import threading
import weakref
from pathlib import Path

from personalized_shopping.errors import CatalogError

CACHE_KIB = 4 << 10
"""Pages of the store that one connection keeps in memory."""


class _Held:
    """A connection that is closed when nothing refers to it any more, as when its thread ends."""

    def __init__(self, address: str) -> None:
        # Closing happens in whatever thread drops the last reference.
        self.connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        self.connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
        self.pid = os.getpid()

    def close(self) -> None:
        self.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "connection"):
            self.close()


class Connections:
    """The connections of one opened store, made when a thread first asks."""

    def __init__(self, path: Path) -> None:
        """Prepare for the SQLite file at ``path``; nothing is opened yet."""
        # immutable: a finished store never changes, so SQLite need neither lock nor look for a journal,
        # and it works on a read-only file system.
        self._address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._path = path
        self._local = threading.local()
        self._all: list[weakref.ref[_Held]] = []
        self._closed = False

    def get(self) -> sqlite3.Connection:
        """Return this thread's connection; after a fork, a new one.

        Raises:
            CatalogError: where the store was closed.
            sqlite3.DatabaseError: where the file is no longer a database.
        """
        held: _Held | None = getattr(self._local, "held", None)
        if held is not None and held.pid == os.getpid() and not self._closed:
            return held.connection
        if self._closed:
            raise CatalogError(f"The catalogue at {self._path.parent} was closed. Open it again with Catalog.open.")
        held = _Held(self._address)
        # No lock, which a fork could leave held: of two threads in this line at once one is forgotten here, and its
        # connection is then closed when its thread ends.
        self._all = [each for each in self._all if each() is not None] + [weakref.ref(held)]
        self._local.held = held
        return held.connection

    def close(self) -> None:
        """Close every thread's connection; closing twice is harmless."""
        self._closed = True
        for each in self._all:
            held = each()
            if held is not None and held.pid == os.getpid():
                held.close()
        self._all = []
