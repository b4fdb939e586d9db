"""Whose session it is: ids that the server makes and the browser's signed cookie holds, and tokens for its forms."""

import contextlib
import hashlib
import hmac
import os
import re
import secrets
import tempfile
from pathlib import Path

import flask
from flask.sessions import SecureCookieSessionInterface

from personalized_shopping.errors import SettingError

COOKIE = "webshop_session"
TOKEN_FIELD = "csrf_token"
_IDS_KEPT = 8
"""Sessions of one browser, the latest; older receipts can no longer be opened."""
_SERVER_MADE = re.compile(r"[0-9a-f]{32}")
_CHOSEN = re.compile(r"[A-Za-z0-9_-]{1,64}")
RESERVED = frozenset({"static", "search_results", "item_page", "item_sub_page", "done", "start_again"})
_SECRET_BYTES = 32


class OwnCookie(SecureCookieSessionInterface):
    """Flask's signed cookie; it is for encrypted connections only wherever the request came by one."""

    def get_cookie_secure(self, app: flask.Flask) -> bool:
        """Return whether browsers may send the cookie over encrypted connections only."""
        return bool(app.config["SESSION_COOKIE_SECURE"]) or flask.request.is_secure


def new_id() -> str:
    """Return a new session id: 128 random bits."""
    return secrets.token_hex(16)


def is_server_made(session_id: str) -> bool:
    """Return whether an id has the form that only the server makes."""
    return _SERVER_MADE.fullmatch(session_id) is not None


def may_be_chosen(session_id: str) -> bool:
    """Return whether a client may choose this id, where clients may choose."""
    return _CHOSEN.fullmatch(session_id) is not None and session_id not in RESERVED and not is_server_made(session_id)


def own_ids() -> list[str]:
    """Return the sessions of the browser that sent the request, the latest last."""
    ids = flask.session.get("ids", [])
    return [known for known in ids if isinstance(known, str) and is_server_made(known)]


def start_session() -> str:
    """Make a new session id and give it to the browser that sent the request."""
    made = new_id()
    flask.session["ids"] = [*own_ids(), made][-_IDS_KEPT:]
    flask.session.permanent = True
    return made


def form_token(secret: str, session_id: str) -> str:
    """Return the token that the forms of a session carry."""
    return hmac.new(secret.encode(), f"form:{session_id}".encode(), hashlib.sha256).hexdigest()


def token_is_right(secret: str, session_id: str, token: str) -> bool:
    """Return whether a form carries its session's token."""
    return hmac.compare_digest(form_token(secret, session_id).encode(), token.encode("utf-8", "replace"))


def goal_number(session_id: str) -> int | None:
    """Return the goal that an id such as ``fixed_12`` names, or ``None`` where it names none.

    Raises:
        ValueError: for an id with ``fixed`` in it and no number at its end.
    """
    if "fixed" not in session_id:
        return None
    digits = session_id.rpartition("_")[2]
    if not digits.isascii() or not digits.isdigit():
        raise ValueError(f"{session_id} does not end in _ and the number of a goal")
    return int(digits)


def load_secret(path: Path) -> str:
    """Return the key that signs cookies, kept in a file that only its owner reads; make it where there is none.

    Raises:
        SettingError: where the file holds no such key.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=f"{path.name}.") as file:  # mode 0600
            file.write(secrets.token_hex(_SECRET_BYTES))
            file.flush()
            # A link appears whole or not at all, and of two processes only one makes it.
            with contextlib.suppress(FileExistsError):
                os.link(file.name, path)
    secret = path.read_text(encoding="ascii", errors="replace").strip()
    if len(secret) < _SECRET_BYTES:
        raise SettingError(f"{path} holds no key for signing cookies. Delete it; a new one is made.")
    return secret
