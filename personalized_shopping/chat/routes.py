"""The chat's addresses."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from personalized_shopping import paths
from personalized_shopping.chat.conversation import Conversations
from personalized_shopping.chat.events import as_stream
from personalized_shopping.chat.guard import Guard, error_handlers, read_own_json
from personalized_shopping.chat.limits import COOKIE_AGE_S, MAX_MESSAGE_CHARS
from personalized_shopping.chat.refusals import Refusal
from personalized_shopping.chat.secret_key import secret_key
from personalized_shopping.chat.security import COOKIE, PAGE_POLICY, TOKEN_HEADER, Identity, Who
from personalized_shopping.chat.trajectory import viewer_page
from personalized_shopping.chat.turn import Turn
from personalized_shopping.chat.website import Website
from personalized_shopping.tools.plain_text import plain

STATIC_DIR = Path(__file__).parent / "static"
_STREAM_HEADERS = {"X-Accel-Buffering": "no"}
"""Some proxies collect an answer before they pass it on."""
_PAGE_HEADERS = {"Content-Security-Policy": PAGE_POLICY, "X-Frame-Options": "SAMEORIGIN"}
_VIEWER_HEADERS = {"Content-Security-Policy": "frame-ancestors 'none'"}
"""The viewer carries a policy of its own."""


class Message(msgspec.Struct, forbid_unknown_fields=True):
    """What a person says."""

    text: str


class Decision(msgspec.Struct, forbid_unknown_fields=True):
    """What a person answers to a question."""

    question_id: str
    confirmed: bool


class Nothing(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request that says all by its address."""


class OwnFiles(StaticFiles):
    """Our scripts and styles; browsers keep them, and ask each time whether they are still the same."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file; see ``StaticFiles``."""
        answer = super().file_response(*args, **kwargs)
        answer.headers["Cache-Control"] = "no-cache"
        return answer


class Chat:
    """The chat as a web application.

    Args:
        conversations: what is behind it.
        secret: signs the cookies; the configured one if it is not given.
    """

    def __init__(self, conversations: Conversations | None = None, secret: str | None = None) -> None:
        self.conversations = conversations or Conversations()
        self._secret = secret or secret_key()
        self._identity = Identity(self._secret)
        self.app = Starlette(
            routes=[
                Route("/chat", self.page),
                Route("/chat/", self.without_slash),
                Route("/chat/history", self.history),
                Route("/chat/stream", self.stream),
                Route("/chat/messages", self.message, methods=["POST"]),
                Route("/chat/answers", self.answer, methods=["POST"]),
                Route("/chat/stop", self.stop, methods=["POST"]),
                Route("/chat/new", self.new, methods=["POST"]),
                Route("/chat/pages/{number:int}", self.shop_page),
                Route("/chat/trajectory", self.trajectory),
                Mount("/chat/static", OwnFiles(directory=STATIC_DIR)),
            ],
            middleware=[Middleware(Guard)],
            exception_handlers=error_handlers(),
        )

    async def __aenter__(self) -> "Chat":
        await self.conversations.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.conversations.close()

    def add_to(self, application: FastAPI) -> None:
        """Serve the chat at ``/chat`` of an application, and the website that it points to at ``/shop/``."""
        application.router.routes.append(Route("/chat", self.app))
        application.router.routes.append(Route("/chat/{rest:path}", self.app))
        application.router.routes.append(Website(self._secret).mount())

    async def page(self, request: Request) -> Response:
        """Answer with the chat's page, and give a newcomer a cookie."""
        answer = FileResponse(STATIC_DIR / "chat.html", headers={"Cache-Control": "no-store"})
        if self._who(request) is None:
            self._remember(request, answer, self._identity.new())
        return answer

    async def without_slash(self, request: Request) -> Response:
        """Lead to the page's own address, on which its links rely."""
        return RedirectResponse("../chat", 308)

    async def history(self, request: Request) -> Response:
        """Answer with all that was said, and with what the page needs to go on."""
        who = self._known(request)
        history = await self.conversations.history(who)
        content = {
            "token": self._identity.token(who),
            "events": history.events,
            "question": history.question,
            "running": history.running,
            "recording": paths.trajectory_dir() is not None,
            "max_message_chars": MAX_MESSAGE_CHARS,
        }
        return Response(msgspec.json.encode(content), media_type="application/json")

    async def stream(self, request: Request) -> Response:
        """Answer with the turn that goes on, from its beginning."""
        turn = self.conversations.running(self._known(request))
        return Response(status_code=204) if turn is None else _streamed(turn)

    async def message(self, request: Request) -> Response:
        """Answer a message with what the agent does about it."""
        who, body = await self._sent(request, Message)
        text = plain(body.text).strip()
        if not text:
            raise Refusal("There is nothing in this message.")
        if len(text) > MAX_MESSAGE_CHARS:
            raise Refusal(f"This message has {len(text):,} characters; {MAX_MESSAGE_CHARS:,} are the most.", 413)
        return _streamed(await self.conversations.say(who, text))

    async def answer(self, request: Request) -> Response:
        """Answer a yes or no with what follows from it."""
        who, body = await self._sent(request, Decision)
        return _streamed(await self.conversations.answer(who, body.question_id, body.confirmed))

    async def stop(self, request: Request) -> Response:
        """Stop the turn that goes on; its stream says when it is over."""
        who, _ = await self._sent(request, Nothing)
        turn = self.conversations.running(who)
        if turn is not None:
            turn.stop()
        return JSONResponse({"stopped": turn is not None})

    async def new(self, request: Request) -> Response:
        """Begin a new conversation."""
        who, _ = await self._sent(request, Nothing)
        await self.conversations.leave(who)
        answer = Response(status_code=204)
        self._remember(request, answer, who.anew())
        return answer

    async def shop_page(self, request: Request) -> Response:
        """Answer with a page of the shop that the agent looked at."""
        page = await self.conversations.page(self._known(request), request.path_params["number"])
        if page is None:
            raise Refusal("This conversation has no such page.", 404)
        return HTMLResponse(page, headers=_PAGE_HEADERS)

    async def trajectory(self, request: Request) -> Response:
        """Answer with the viewer of this conversation's trajectory."""
        who = self._known(request)
        await self.conversations.open()
        app_name = self.conversations.app_name()
        if app_name is None:
            raise Refusal("Nothing is recorded of this conversation.", 404)
        return HTMLResponse(await asyncio.to_thread(viewer_page, app_name, who), headers=_VIEWER_HEADERS)

    def _who(self, request: Request) -> Who | None:
        return self._identity.read(request.cookies.get(COOKIE))

    def _known(self, request: Request) -> Who:
        who = self._who(request)
        if who is None:
            raise Refusal("The chat needs a cookie to tell conversations apart. Allow it and load the page again.", 403)
        return who

    async def _sent(self, request: Request, kind: type[Any]) -> tuple[Who, Any]:
        who = self._known(request)
        if not self._identity.knows_token(who, request.headers.get(TOKEN_HEADER, "")):
            raise Refusal("This page belongs to an earlier conversation. Load it again to go on.", 403)
        return who, await read_own_json(request, kind)

    def _remember(self, request: Request, answer: Response, who: Who) -> None:
        answer.set_cookie(
            COOKIE,
            self._identity.cookie(who),
            max_age=COOKIE_AGE_S,
            httponly=True,
            samesite="lax",
            secure=request.url.scheme == "https",
        )


def _streamed(turn: Turn) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        async for event in turn.listen():
            yield as_stream(event) if event is not None else b":\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream", headers=_STREAM_HEADERS)
