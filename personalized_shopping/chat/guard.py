"""What stands before and behind every request to the chat: the host check, the headers, the answers to errors."""

import html
import logging
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from personalized_shopping.chat.limits import MAX_BODY_BYTES
from personalized_shopping.chat.refusals import Refusal
from personalized_shopping.chat.security import HEADERS, allowed_hosts, host_is_ours, is_own_request
from personalized_shopping.tools.plain_text import plain

logger = logging.getLogger(__name__)

_SENTENCES = {
    404: "There is no such page in the chat.",
    405: "This address cannot be used that way.",
}
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{sentence}</title><link rel="stylesheet" href="{root}/chat/static/chat.css"></head>
<body class="notice"><main><h1>That did not work</h1><p>{sentence}</p><p><a href="{root}/chat">Back to the chat</a></p>
</main></body></html>
"""


class Guard:
    """Refuses requests that are addressed to another host, and gives every answer its headers.

    Args:
        app: what answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; see the ASGI specification."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        hosts = request.headers.getlist("host")
        if host_is_ours(hosts, allowed_hosts()):
            await self._app(scope, receive, send_with_headers)
            return
        named = plain(hosts[0], limit=80, one_line=True) if hosts else ""
        sentence = f"This server does not go by the name “{named}”. Whoever runs it can add it to ALLOWED_HOSTS."
        await error_answer(request, 400, sentence)(scope, receive, send_with_headers)


def error_answer(request: Request, status: int, sentence: str) -> Response:
    """Return an error as a page for people and as JSON for our script."""
    if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("accept", ""):
        root = html.escape(str(request.scope.get("root_path", "")))
        return HTMLResponse(_PAGE.format(sentence=html.escape(sentence), root=root), status)
    return JSONResponse({"error": sentence}, status)


def error_handlers() -> dict[Any, Callable[..., Response]]:
    """Return what answers when something is raised."""
    return {Refusal: _refused, HTTPException: _http_error, Exception: _failed}


async def read_own_json(request: Request, kind: type[Any]) -> Any:
    """Return the body of a request that a page of ours sent.

    Raises:
        Refusal: for a request of another site, a body that is too large, and one that is not what is expected.
    """
    if not is_own_request(request.headers):
        raise Refusal("This was sent by a page of another site.", 403)
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Refusal("The chat expects JSON.", 415)
    too_large = Refusal("That is too much at once. Please write less.", 413)
    declared = request.headers.get("content-length", "")
    if declared.isascii() and declared.isdigit() and (len(declared) > 12 or int(declared) > MAX_BODY_BYTES):
        raise too_large
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise too_large
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Refusal("The chat did not understand this request. Load the page again.", 400) from None


def _refused(request: Request, error: Refusal) -> Response:
    answer = error_answer(request, error.status, str(error))
    if error.retry_after_s is not None:
        answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer


def _http_error(request: Request, error: HTTPException) -> Response:
    answer = error_answer(request, error.status_code, _SENTENCES.get(error.status_code, str(error.detail)))
    answer.headers.update(error.headers or {})
    return answer


def _failed(request: Request, error: Exception) -> Response:
    logger.error("the chat could not answer %s", request.url.path, exc_info=error)
    return error_answer(request, 500, "Something went wrong in the shop. Please try again.")
