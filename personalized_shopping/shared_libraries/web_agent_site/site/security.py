"""What every answer carries and every form must prove."""

from collections.abc import Container
from urllib.parse import urlsplit

import flask
from werkzeug.exceptions import BadRequest, Forbidden

from personalized_shopping.shared_libraries.web_agent_site.site.identity import TOKEN_FIELD, token_is_right

LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' https: data:",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not no-referrer: with it, browsers hide the origin of our own forms from us. Image servers learn nothing anyway.
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_OWN_FETCH = frozenset({"same-origin", "none"})


def check_host(allowed: Container[str]) -> None:
    """Let a request pass that was sent to this machine by a name it knows, at any port.

    Without it, another site's name that is made to point here would share an origin with this one. Werkzeug's own check
    of trusted hosts cannot express IPv6 addresses.

    Args:
        allowed: names beyond those of the machine itself, in lower case.

    Raises:
        BadRequest: for any other name.
    """
    try:
        name = urlsplit(f"//{flask.request.host}").hostname or ""
    except ValueError:
        name = ""
    if name not in LOOPBACK_HOSTS and name not in allowed:
        raise BadRequest("This shop is not reached by this host name.")


def add_headers(answer: flask.Response) -> flask.Response:
    """Give an answer the headers that confine it; pages are nobody's to keep."""
    for name, value in HEADERS.items():
        answer.headers[name] = value
    if "Cache-Control" not in answer.headers:
        answer.headers["Cache-Control"] = "no-store"
    if flask.current_app.config["SESSION_COOKIE_SECURE"] or flask.request.is_secure:
        answer.headers["Strict-Transport-Security"] = "max-age=31536000"
    return answer


def require_own_form(secret: str, session_id: str) -> None:
    """Let a form pass that a page of this session sent.

    Raises:
        Forbidden: for a form without the session's token, or from another site.
    """
    request = flask.request
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in _OWN_FETCH or not _is_own_origin():
        raise Forbidden("The form was sent by a page of another site.")
    if not token_is_right(secret, session_id, request.form.get(TOKEN_FIELD, "")):
        raise Forbidden("The form is not one of this session, or it is old. Go back, load the page again and retry.")


def _is_own_origin() -> bool:
    origin = flask.request.headers.get("Origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == flask.request.host.lower()
    except ValueError:
        return False
