"""Build a directory beside its target and put it there in one step."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from personalized_shopping.errors import CatalogError
from personalized_shopping.shared_libraries.catalog.exchange import exchange

try:
    import fcntl
except ImportError:  # no such locks on Windows: two builds of one target at a time are then up to the user
    fcntl = None  # type: ignore[assignment]

_BUILDING = "building"
_REPLACED = "replaced"


@contextmanager
def staged_directory(target: Path) -> Iterator[Path]:
    """Yield an empty directory beside ``target`` that takes its place when the block ends well.

    A block that raises, or a process that dies, leaves the old directory as it was. A second process that wants
    to build the same target waits for the first. Left-overs of builds that died are cleaned away.
    """
    target = _real(target)
    with _locked(target), _staged(target) as temporary:
        yield temporary


def build_once(target: Path, build: Callable[[Path], None], is_current: Callable[[Path], bool]) -> bool:
    """Build ``target`` unless it is already there, and return whether it was built now.

    Of several processes that come at the same time, one builds, and the others wait and find it built.

    Args:
        target: the directory.
        build: fills the empty directory that it is given.
        is_current: whether an existing directory is what would be built.
    """
    target = _real(target)
    recover(target)
    if target.exists() and is_current(target):
        return False
    with _locked(target):
        if target.exists() and is_current(target):
            return False
        with _staged(target) as temporary:
            build(temporary)
    return True


def recover(target: Path) -> None:
    """Bring back the old directory if a process died in the instant between setting it aside and the new one."""
    if target.exists() or not any(_siblings(target, _REPLACED)):
        return
    with _locked(target):
        _recover(target)


def _real(target: Path) -> Path:
    """Return what a symbolic link stands for, so that the link is left as it is."""
    target = target.resolve() if target.is_symlink() else target
    if target.exists() and not target.is_dir():
        raise CatalogError(f"{target} is a file. Name a directory, or a place where there is none yet.")
    return target


@contextmanager
def _staged(target: Path) -> Iterator[Path]:
    _recover(target)
    for stale in (*_siblings(target, _BUILDING), *_siblings(target, _REPLACED)):
        shutil.rmtree(stale, ignore_errors=True)
    temporary = target.with_name(f".{target.name}.{_BUILDING}-{secrets.token_hex(4)}")
    temporary.mkdir()
    try:
        yield temporary
        _sync(temporary)
        _replace(temporary, target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _replace(new: Path, target: Path) -> None:
    if target.exists():
        if exchange(new, target):
            _sync_entry(target.parent)
            return  # ``new`` now names the old directory, and the caller removes it
        aside = target.with_name(f".{target.name}.{_REPLACED}-{secrets.token_hex(4)}")
        os.rename(target, aside)
        try:
            os.rename(new, target)
        except OSError:
            os.rename(aside, target)
            raise
        _sync_entry(target.parent)
        shutil.rmtree(aside, ignore_errors=True)
    else:
        os.rename(new, target)
        _sync_entry(target.parent)


def _recover(target: Path) -> None:
    if not target.exists():
        for aside in _siblings(target, _REPLACED):
            os.rename(aside, target)
            return


def _siblings(target: Path, kind: str) -> list[Path]:
    prefix = f".{target.name}.{kind}-"
    try:
        return sorted(path for path in target.parent.iterdir() if path.name.startswith(prefix))
    except OSError:
        return []


@contextmanager
def _locked(target: Path) -> Iterator[None]:
    """Hold the lock of a target. The file stays behind: removing it would let two processes hold two locks."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.with_name(f".{target.name}.lock").open("w")
    except OSError as error:
        raise CatalogError(f"Cannot write beside {target}: {error.strerror}. Choose another place.") from None
    with file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)  # the system lets go of it when the process dies
        yield


def _sync(directory: Path) -> None:
    """Make sure that everything in a directory is on disk."""
    for parent, _, names in os.walk(directory):
        for name in names:
            _sync_entry(Path(parent) / name)
        _sync_entry(Path(parent))


def _sync_entry(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return  # Windows opens no directories
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems refuse it for directories
    finally:
        os.close(descriptor)
