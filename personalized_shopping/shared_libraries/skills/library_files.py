"""The files of a library: where they lie, how they are written whole or not at all, and who changed what.

``<library>/skill/skill_library/<domain>/<id>.json`` is one skill. Every writer holds the library's lock, moves a
finished file into place, and then tells the journal which skill changed, so that a reader need not look at them all.
"""

import os
import re
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from personalized_shopping.errors import SkillError, shorten

try:
    import fcntl
except ImportError:  # Windows: one process at a time
    fcntl = None  # type: ignore[assignment]

TREE = Path("skill", "skill_library")
_TREE = str(TREE)
MAX_SKILL_BYTES = 256 * 1024
MAX_JOURNAL_BYTES = 16 * 1024
_STAGING = ".staging"
_ID = re.compile(r"[a-z0-9_-]{1,64}")
_threads: AbstractContextManager[object] = threading.Lock() if fcntl is None else nullcontext()
"""Where files have locks, these keep the threads of a process apart as well."""


class Key(NamedTuple):
    """What names a skill: its domain as it stands in paths, and its id."""

    domain: str
    id: str

    def __str__(self) -> str:
        return f"{self.domain}/{self.id}"


class Stamp(NamedTuple):
    """What changes when a file changes."""

    inode: int
    modified_ns: int
    size: int


class SkillFile(NamedTuple):
    """A file that should hold a skill."""

    path: Path
    stamp: Stamp


def sanitize_domain(domain: str) -> str:
    """Return a domain as it stands in paths: without port and ``www.``, ``_`` for what is no letter or digit."""
    name = re.sub(r"[^a-z0-9]+", "_", plain_host(domain)).strip("_")
    return name[:100] or "_"


def plain_host(domain: str) -> str:
    """Return a domain in lower case, without port and leading ``www.``."""
    host = domain.strip().lower()
    host = host[1:].partition("]")[0] if host.startswith("[") else re.sub(r":\d*$", "", host)
    return host.removeprefix("www.")


def skill_key(domain: str, skill_id: str) -> Key:
    """Return the key of a skill.

    Raises:
        SkillError: for an id that can be no file name.
    """
    if not _ID.fullmatch(skill_id):
        raise SkillError(f"{shorten(skill_id)} is no id of a skill: use 1 to 64 of a-z, 0-9, _ and -.")
    return Key(sanitize_domain(domain), skill_id)


def skill_path(root: Path, key: Key) -> Path:
    """Return where a skill's file lies in a library."""
    return Path(root, _TREE, key.domain, f"{key.id}.json")


def stamp_of(path: Path) -> Stamp | None:
    """Return the stamp of a file, or ``None`` if there is none; a folder or a pipe is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    if not stat.S_ISREG(state.st_mode):
        return None
    return Stamp(state.st_ino, state.st_mtime_ns, state.st_size)


def scan(root: Path) -> dict[Key, SkillFile]:
    """Return every file of a library that should hold a skill. Hidden files and the folders of versions are none."""
    found: dict[Key, SkillFile] = {}
    for domain in sorted(domain_times(root)):
        try:
            with os.scandir(Path(root, _TREE, domain)) as listing:
                entries = list(listing)
        except OSError:
            continue
        for entry in entries:
            name = entry.name
            if not name.endswith(".json") or name.startswith("."):
                continue
            try:
                if entry.is_file():
                    state = entry.stat()
                    stamp = Stamp(state.st_ino, state.st_mtime_ns, state.st_size)
                    found[Key(domain, name[:-5])] = SkillFile(Path(entry.path), stamp)
            except OSError:
                continue  # taken away between the two looks
    return found


def domain_times(root: Path) -> dict[str, int]:
    """Return when the folders of the domains changed last, in nanoseconds, by their names."""
    found = {}
    try:
        with os.scandir(Path(root, _TREE)) as entries:
            for entry in entries:
                if not entry.name.startswith("."):
                    try:
                        state = entry.stat()
                    except OSError:
                        continue
                    if stat.S_ISDIR(state.st_mode):
                        found[entry.name] = state.st_mtime_ns
    except OSError:
        return {}
    return found


def read_limited(path: Path, limit_bytes: int = MAX_SKILL_BYTES) -> bytes:
    """Return a file's bytes.

    Raises:
        SkillError: if it is too large, or cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit_bytes + 1)
    except OSError as error:
        raise SkillError(f"{path} cannot be read: {error.strerror}.") from None
    if len(data) > limit_bytes:
        raise SkillError(f"{path} is larger than {limit_bytes} bytes.")
    return data


class Writer:
    """Writes a library's files, and tells the journal. Only for the holder of the lock (``locked``)."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.staging = root / TREE / _STAGING

    def write(self, path: Path, data: bytes, *, durable: bool = True) -> None:
        """Put a file in place, whole or not at all, readable by its owner only.

        Args:
            path: the file; folders above it are made.
            data: its content.
            durable: whether it is on the disk when the call returns.

        Raises:
            SkillError: if it cannot be written.
        """
        temporary = self.staging / f"{path.name[:100]}.{secrets.token_hex(4)}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
                if durable:
                    file.flush()
                    os.fsync(file.fileno())
            os.replace(temporary, path)
        except OSError as error:
            temporary.unlink(missing_ok=True)
            raise SkillError(f"{path} cannot be written: {error.strerror}.") from None

    def journal(self, key: Key) -> None:
        """Tell the readers that a skill changed."""
        path = journal_path(self.root)
        data = f"{key}\n".encode()
        state = stamp_of(path)
        if state is None or state.size + len(data) > MAX_JOURNAL_BYTES:
            self.write(path, f"#{secrets.token_hex(8)}\n".encode() + data, durable=False)
            return
        try:
            with path.open("ab") as file:
                file.write(data)
        except OSError:
            path.unlink(missing_ok=True)  # without a journal the readers look at every file


def journal_path(root: Path) -> Path:
    """Return where the journal of a library lies. Its first line is its name; another one begins a new journal."""
    return Path(root, _TREE, ".journal")


@contextmanager
def locked(root: Path) -> Iterator[Writer]:
    """Hold the lock of a library. The lock's file stays: removing it would let two processes hold two locks.

    Raises:
        SkillError: if the library cannot be written.
    """
    writer = Writer(root)
    with _threads:
        try:
            writer.staging.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = os.open(root / TREE / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise SkillError(
                f"The library {root} cannot be written: {error.strerror}. Choose another place with SKILL_LIBRARY_DIR."
            ) from None
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)  # the system lets go of it when the process dies
            for left in writer.staging.iterdir():
                left.unlink(missing_ok=True)  # by a writer that was killed: nobody else writes now
            yield writer
        finally:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough where the process forked meanwhile
            os.close(file)
