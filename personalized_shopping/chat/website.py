"""The shop's website beside the chat, at ``/shop/``, over the same products."""

import hashlib
import hmac
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from a2wsgi import WSGIMiddleware
from starlette.routing import Mount
from starlette.types import ASGIApp

from personalized_shopping.chat.security import allowed_hosts
from personalized_shopping.shared_libraries.init_env import get_shop_files

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_THREADS = 8
"""Requests to the website that are answered at once; further ones wait, and the chat does not wait for them."""


class Website:
    """The website, opened when it is first asked for: its goals take a moment that no chat should wait for.

    Args:
        secret: the chat's key, from which the website's own is derived.
    """

    def __init__(self, secret: str) -> None:
        self._secret = hmac.new(secret.encode(), b"website", hashlib.sha256).hexdigest()
        self._lock = threading.Lock()
        self._site: WSGIApplication | None = None

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        """Answer a request; see PEP 3333."""
        return self._opened()(environ, start_response)

    def mount(self) -> Mount:
        """Return the route that serves it."""
        return Mount("/shop", cast(ASGIApp, WSGIMiddleware(self, workers=_THREADS)))

    def _opened(self) -> "WSGIApplication":
        from personalized_shopping.shared_libraries.web_agent_site.app import create_site

        with self._lock:
            if self._site is None:
                self._site = create_site(get_shop_files(), allowed_hosts=allowed_hosts(), secret_key=self._secret)
            return self._site
