"""Whose conversation it is, and which requests are let in: cookie, token, host, headers."""

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from itsdangerous import BadSignature, Signer

from personalized_shopping.config import setting

COOKIE = "shopping_chat"
TOKEN_HEADER = "x-chat-token"
_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_.-]+)(:[0-9]{1,5})?", re.ASCII)
_OWN_FETCH = frozenset({"same-origin", "none"})

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: https:",
        "connect-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
PAGE_POLICY = "; ".join(
    (
        "sandbox",
        "default-src 'none'",
        "img-src data:",
        "style-src 'unsafe-inline'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
    )
)
"""For the pages of the shop: no script, no request, no way out of the frame."""
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Who(NamedTuple):
    """A person and their conversation; both ids are made here, of 128 random bits."""

    user_id: str
    session_id: str

    def anew(self) -> "Who":
        """Return the same person with a new conversation."""
        return Who(self.user_id, secrets.token_hex(16))


class Identity:
    """Makes cookies and the tokens of pages, and knows them again.

    Args:
        secret: signs them.
    """

    def __init__(self, secret: str) -> None:
        self._signer = Signer(secret, salt="shopping-chat-cookie", key_derivation="hmac", digest_method=hashlib.sha256)
        self._secret = secret.encode()

    def new(self) -> Who:
        """Return a new person with a new conversation."""
        return Who(secrets.token_hex(16), secrets.token_hex(16))

    def cookie(self, who: Who) -> str:
        """Return the cookie's value."""
        return self._signer.sign(f"{who.user_id}-{who.session_id}").decode()

    def read(self, cookie: str | None) -> Who | None:
        """Return who sent a cookie, or ``None`` for one that was not made here."""
        if not cookie or not cookie.isascii():
            return None
        try:
            user_id, _, session_id = self._signer.unsign(cookie).decode().partition("-")
        except BadSignature:
            return None
        return Who(user_id, session_id) if _ID.fullmatch(user_id) and _ID.fullmatch(session_id) else None

    def token(self, who: Who) -> str:
        """Return the token that proves that a request comes from a page of this conversation."""
        said = f"shopping-chat-token:{who.user_id}:{who.session_id}"
        return hmac.new(self._secret, said.encode(), hashlib.sha256).hexdigest()

    def knows_token(self, who: Who, token: str) -> bool:
        """Return whether a token is the conversation's."""
        return hmac.compare_digest(self.token(who).encode(), token.encode("utf-8", "replace"))


def allowed_hosts() -> tuple[str, ...]:
    """Return the names in ``ALLOWED_HOSTS``, separated by commas; one with a leading dot stands for all below it."""
    return tuple(name.strip().lower() for name in setting("ALLOWED_HOSTS").split(",") if name.strip())


def host_is_ours(hosts: Sequence[str], allowed: Sequence[str]) -> bool:
    """Return whether a request is addressed to this server.

    A page of another site can let its own name point to this machine; the name in the request gives it away.

    Args:
        hosts: the values of the request's ``Host`` headers.
        allowed: the names that pass besides those of this machine.
    """
    if len(hosts) != 1:
        return False
    match = _HOST.fullmatch(hosts[0])
    if match is None:
        return False
    name = match[1].lower().rstrip(".")
    if name == "localhost" or _is_loopback(name.strip("[]")):
        return True
    return any(name == known or (known.startswith(".") and name.endswith(known)) for known in allowed)


def is_own_request(headers: Mapping[str, str]) -> bool:
    """Return whether a request's headers say that a page of this server sent it."""
    if headers.get("sec-fetch-site", "same-origin") not in _OWN_FETCH:
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


def _is_loopback(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
