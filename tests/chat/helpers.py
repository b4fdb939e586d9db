"""What the chat's tests share: a chat over any model, and a person who uses it over HTTP."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

import httpx
from fastapi import FastAPI
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from personalized_shopping.chat import Chat
from personalized_shopping.chat.backend import make_backend
from personalized_shopping.chat.conversation import Conversations
from personalized_shopping.chat.live import LiveChats

SECRET = "a secret of the tests, long enough"
HERE = "http://localhost:8080"


def offline_model() -> BaseLlm:
    from personalized_shopping.models.offline import OfflineShopper

    return OfflineShopper(model="offline/shopper")


def make_chat(model: BaseLlm, *, live: LiveChats | None = None, plugins: Any = (), secret: str = SECRET) -> Chat:
    """Return a chat with the real agent, thinking with any model."""
    from personalized_shopping.agent import root_agent

    def backend() -> Any:
        agent = root_agent.clone(update={"model": model})
        return make_backend(App(name="personalized_shopping", root_agent=agent, plugins=list(plugins)))

    return Chat(Conversations(backend, live), secret)


def application(chat: Chat) -> FastAPI:
    """Return the chat as a part of an application, as in the server."""
    made = FastAPI()
    chat.add_to(made)
    return made


class Person:
    """Somebody with a browser: keeps the cookie, sends the token."""

    def __init__(self, chat: Chat, cookies: httpx.Cookies | None = None) -> None:
        self.chat = chat
        transport = httpx.ASGITransport(application(chat))
        self.client = httpx.AsyncClient(transport=transport, base_url=HERE, cookies=cookies)
        self.token = ""
        self.question: str | None = None

    async def __aenter__(self) -> "Person":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.aclose()

    async def open(self) -> dict[str, Any]:
        """Load the page, and return the history that its script asks for."""
        page = await self.client.get("/chat")
        assert page.status_code == 200
        history = (await self.client.get("/chat/history")).json()
        self.token = history["token"]
        return history

    async def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        return await self.client.post(f"/chat/{path}", json=body, headers={"X-Chat-Token": self.token} | headers)

    async def say(self, text: str) -> list[dict[str, Any]]:
        """Send a message, and return the events of the answer."""
        return self._events(await self.post("messages", {"text": text}))

    async def decide(self, confirmed: bool) -> list[dict[str, Any]]:
        """Answer the question that is open."""
        return self._events(await self.post("answers", {"question_id": self.question, "confirmed": confirmed}))

    def _events(self, answer: httpx.Response) -> list[dict[str, Any]]:
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        found = events(answer.text)
        assert found[-1]["type"] == "done"
        self.question = found[-1]["question"]
        return found


def events(stream: str) -> list[dict[str, Any]]:
    """Return the events of a stream, whose names are those of their data."""
    found = []
    for block in stream.strip().split("\n\n"):
        if block.startswith(":"):
            continue
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        found.append(event)
    return found


def of(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Return the events of one type."""
    return [event for event in found if event["type"] == kind]


class WaitingLlm(BaseLlm):
    """A model that says half a sentence and waits until it is let go on."""

    model: str = "waiting"
    _go_on: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _thinks: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities()

    @property
    def go_on(self) -> asyncio.Event:
        return self._go_on

    @property
    def thinks(self) -> asyncio.Event:
        return self._thinks

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        def said(text: str, partial: bool) -> LlmResponse:
            return LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]), partial=partial)

        yield said("I am ", True)
        self._thinks.set()
        await self._go_on.wait()
        yield said("here.", True)
        yield said("I am here.", False)
