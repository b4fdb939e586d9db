"""Large texts and pictures beside a log: each stored once, under the hash of its content, compressed."""

import gzip
import hashlib
import os
import secrets
import zlib
from pathlib import Path

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory.records import Blob

_COMPRESSION = 6


class BlobStore:
    """The blobs of one session.

    Args:
        directory: where they lie; made with the first one.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._known: set[str] = set()
        self._on_disk: set[str] = set()

    def put(self, text: str, content_type: str, limit_bytes: int, *, durable: bool = False) -> Blob:
        """Store a text, which is redacted already, and return the reference to it.

        Args:
            text: the content; what is beyond the limit is cut off.
            content_type: its media type.
            limit_bytes: most bytes that are kept.
            durable: whether it is on the disk when the call returns.
        """
        data = text.encode("utf-8", "replace")
        truncated = len(data) > limit_bytes
        if truncated:
            data = data[:limit_bytes].decode("utf-8", "ignore").encode()
        digest = hashlib.sha256(data).hexdigest()
        blob = Blob(sha256=digest, bytes=len(data), content_type=content_type, truncated=truncated)
        path = self.path(digest)
        if digest not in self._known and not path.exists():
            write_whole(path, gzip.compress(data, _COMPRESSION, mtime=0), durable=durable)
        elif durable and digest not in self._on_disk:
            with path.open("r+b") as file:
                os.fsync(file.fileno())
            sync_directory(path.parent)
        self._known.add(digest)
        if durable:
            self._on_disk.add(digest)
        return blob

    def path(self, sha256: str) -> Path:
        """Return where the blob of this hash lies."""
        return self.directory / sha256[:2] / f"{sha256}.gz"

    def get(self, blob: Blob) -> str:
        """Return a blob's text.

        Raises:
            TrajectoryError: if it is missing, or not what it was.
        """
        try:
            data = gzip.decompress(self.path(blob.sha256).read_bytes())
        except (OSError, EOFError, zlib.error) as error:
            raise TrajectoryError(f"The blob {blob.sha256} cannot be read: {error}") from None
        if hashlib.sha256(data).hexdigest() != blob.sha256:
            raise TrajectoryError(f"The blob {blob.sha256} is damaged: its content has another hash.")
        return data.decode("utf-8", "replace")


def write_whole(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Write a file so that it is there whole or not at all, readable by its owner only.

    Args:
        path: the file; directories above it are made.
        data: its content.
        durable: whether it is on the disk when the call returns.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_directory(path.parent)


def sync_directory(directory: Path) -> None:
    """Force a directory's entries to the disk, where the system can."""
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError:
        return  # Windows opens no directories
    try:
        os.fsync(descriptor)
    except OSError:
        pass  # some network file systems refuse it
    finally:
        os.close(descriptor)
