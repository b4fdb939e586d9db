"""The key that signs the chat's cookies: configured, or kept in a file, or made for this process."""

import contextlib
import logging
import os
import secrets
import tempfile
from pathlib import Path

from personalized_shopping.errors import SettingError
from personalized_shopping.paths import data_dir

logger = logging.getLogger(__name__)

SETTING = "CHAT_SECRET_KEY"
_FILE = "chat-secret-key"
_LEAST_CHARS = 32


def secret_key() -> str:
    """Return the key: ``CHAT_SECRET_KEY``, or the one in the data directory, which is made on first use.

    Where no file can be written the key lasts as long as the process, and so do the conversations' cookies.

    Raises:
        SettingError: for a key that is too short.
    """
    configured = os.environ.get(SETTING, "").strip()
    if configured:
        if len(configured) < _LEAST_CHARS:
            raise SettingError(f"{SETTING} has {len(configured)} characters. Use {_LEAST_CHARS} or more random ones.")
        return configured
    path = data_dir() / _FILE
    try:
        return _kept(path)
    except OSError as error:
        logger.warning("%s cannot be used (%s); a restart will begin new conversations. Set %s.", path, error, SETTING)
        return secrets.token_hex(_LEAST_CHARS)


def _kept(path: Path) -> str:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f".{path.name}.", encoding="ascii") as file:
            file.write(secrets.token_hex(_LEAST_CHARS))
            file.flush()
            # A link appears whole or not at all; of two processes that start together one makes it.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    key = path.read_text(encoding="ascii", errors="replace").strip()
    if len(key) < _LEAST_CHARS:
        raise SettingError(f"{path} holds no key. Delete it; a new one is made.")
    return key
