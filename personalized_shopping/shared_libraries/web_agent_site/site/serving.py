"""The website's own HTTP server: threads, bounded in number, for one machine's shoppers."""

import logging
import socket
import threading
from typing import TYPE_CHECKING, Any

from werkzeug.serving import ThreadedWSGIServer, WSGIRequestHandler

from personalized_shopping.config import SITE_MAX_CONNECTIONS, SITE_REQUEST_TIMEOUT_S
from personalized_shopping.errors import SettingError, shorten

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

_log = logging.getLogger(__name__)
_BACKLOG = 128


class _Handler(WSGIRequestHandler):
    """Answers requests; hangs up on silence, tells nothing of its versions, and notes errors only."""

    timeout = SITE_REQUEST_TIMEOUT_S

    def version_string(self) -> str:
        """Return the name in the ``Server`` header."""
        return "personalized-shopping"

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Note nothing: what shoppers do is the session log's business."""

    def log(self, type: str, message: str, *args: Any) -> None:
        """Note an error, in printable characters."""
        _log.warning("%s: %s", self.address_string(), ascii(message % args if args else message))


def _whole(site: "WSGIApplication") -> "WSGIApplication":
    """Return the application with answers that are read whole: Werkzeug leaves a file open whose reader hangs up."""

    def answer(environ: Any, start_response: Any) -> list[bytes]:
        parts = site(environ, start_response)
        try:
            return [b"".join(parts)]
        finally:
            if hasattr(parts, "close"):
                parts.close()

    return answer


class SiteServer(ThreadedWSGIServer):
    """A server that is bound and not yet serving; ``serve_forever`` serves until ``shutdown``.

    Args:
        site: the application.
        host: the address to listen on.
        port: the port; 0 for any that is free.

    Raises:
        SettingError: where it cannot listen there.
    """

    request_queue_size = _BACKLOG

    def __init__(self, site: "WSGIApplication", host: str, port: int) -> None:
        self._places = threading.BoundedSemaphore(SITE_MAX_CONNECTIONS)
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            with socket.create_server((host, port), family=family, backlog=_BACKLOG) as bound:
                super().__init__(host, bound.getsockname()[1], _whole(site), handler=_Handler, fd=bound.fileno())
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise SettingError(
                f"The website cannot listen on {shorten(host)}, port {port}: {why}. Others: --host and --port."
            ) from None

    @property
    def address(self) -> str:
        """The address to open in a browser on this machine."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        shown = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)
        return f"http://{shown}:{self.port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread of its own, once there is a place for it."""
        self._places.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection and give its place back."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()
