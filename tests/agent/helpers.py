"""What the agent's tests share: a scripted model, a conversation to drive it, and a few odd products."""

from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import Agent
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from pydantic import Field

from personalized_shopping.shared_libraries.catalog.schema import Product, Review, SourceRecord

APP = "personalized_shopping"
USER = "someone"
CONFIRM = "adk_request_confirmation"


def call(tool: str, **arguments: Any) -> types.Part:
    return types.Part(function_call=types.FunctionCall(name=tool, args=arguments))


def search(keywords: Any) -> types.Part:
    return call("search", keywords=keywords)


def click(button: Any) -> types.Part:
    return call("click", button_name=button)


class ScriptedLlm(BaseLlm):
    """A model that says what it was told to say, one entry a turn, and remembers what it was asked."""

    model: str = "scripted"
    script: list[Any] = Field(default_factory=list)
    requests: list[LlmRequest] = Field(default_factory=list)

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.requests.append(llm_request.model_copy(deep=True))
        turn = self.script.pop(0) if self.script else "I have nothing more to say."
        if isinstance(turn, BaseException):
            raise turn
        parts = [types.Part(text=turn)] if isinstance(turn, str) else turn if isinstance(turn, list) else [turn]
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=1, candidates_token_count=1, total_token_count=2
        )
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


class Chat:
    """One conversation with the real agent, thinking with a scripted model."""

    def __init__(
        self, *script: Any, sessions: Any = None, session_id: str = "s", state: Any = None, plugins: Any = ()
    ) -> None:
        from personalized_shopping.agent import root_agent

        self.llm = ScriptedLlm(script=list(script))
        agent: Agent = root_agent.clone(update={"model": self.llm})
        self.artifacts = InMemoryArtifactService()
        self.sessions = sessions or InMemorySessionService()
        app = App(name=APP, root_agent=agent, plugins=list(plugins))
        self.runner = Runner(app=app, session_service=self.sessions, artifact_service=self.artifacts)
        self.session_id = session_id
        self._initial = state
        self.events: list[Event] = []

    async def say(self, message: str | types.Content = "hello", *script: Any) -> list[dict[str, Any]]:
        """Send a message and return what the tools answered to the model's calls, in order."""
        self.llm.script.extend(script)
        where = {"app_name": APP, "user_id": USER, "session_id": self.session_id}
        if await self.sessions.get_session(**where) is None:
            await self.sessions.create_session(**where, state=self._initial)
        content = message
        if isinstance(message, str):
            content = types.Content(role="user", parts=[types.Part(text=message)])
        new = [
            event
            async for event in self.runner.run_async(user_id=USER, session_id=self.session_id, new_message=content)
        ]
        self.events.extend(new)
        return [r.response for event in new for r in event.get_function_responses()]

    async def decide(self, confirmed: bool, *script: Any, question: int = -1) -> list[dict[str, Any]]:
        """Answer a question about a purchase, by default the last one."""
        asked = self.questions[question]
        part = types.Part(
            function_response=types.FunctionResponse(id=asked.id, name=CONFIRM, response={"confirmed": confirmed})
        )
        return await self.say(types.Content(role="user", parts=[part]), *script)

    @property
    def questions(self) -> list[types.FunctionCall]:
        return [c for event in self.events for c in event.get_function_calls() if c.name == CONFIRM]

    async def state(self) -> dict[str, Any]:
        session = await self.sessions.get_session(app_name=APP, user_id=USER, session_id=self.session_id)
        return session.state

    async def artifact(self, name: str) -> bytes:
        part = await self.artifacts.load_artifact(app_name=APP, user_id=USER, session_id=self.session_id, filename=name)
        assert part is not None, f"no artifact {name}"
        return part.inline_data.data


NASTY = "\x00\x1b[31m<script>alert('x')</script> {{ 7*7 }} {% raw %} &amp; ]]> \u202e\ufffe end"
"""Markup, template syntax, control characters, a direction override and a character that XML forbids."""


def product(asin: str, title: str | None, price_usd: float, **more: Any) -> SourceRecord:
    fields: dict[str, Any] = {
        "description": f"About the {title}.",
        "bullets": ("First point", "Second point"),
        "category": "fashion",
        "query": "jacket",
        "product_category": "Clothing › Jackets",
        "pricing": (price_usd,),
        "price": f"${price_usd}",
        "options": {},
        "option_images": {},
        "attributes": ("cotton",),
        "images": (None,),
        "rating": 4.5,
        "instruction_text": f"Find me a {title}",
        "instruction_attributes": ("cotton",),
    }
    fields |= more
    made = Product(asin=asin, title=title, **fields)
    return SourceRecord(position=0, product=made, raw={"asin": asin, "name": title})


DENIM = "B000000001"
RED = "B000000002"
ODD = "B000000003"
TWIN = "B000000004"


def products() -> list[SourceRecord]:
    """Return the products of the tests' shop."""
    sizes = {"color": ("light blue", "dark blue"), "size": ("small", "medium", "7.5")}
    dot = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4="
    reviews = (Review("Fits well", 5, "My size exactly."), Review(NASTY, 2, NASTY * 3))
    records = [
        product(DENIM, "denim jacket for women", 49.9, options=sizes, reviews=reviews, images=(dot,)),
        product(RED, "red jacket for men", 20.0, pricing=(20.0, 35.5), price="$20.0 to $35.5", rating="N.A."),
        product(
            ODD,
            f"odd jacket {NASTY}",
            5.0,
            description=NASTY * 2,
            bullets=(NASTY, None),
            options={NASTY.lower(): (NASTY.lower(), "plain"), "color": ("buy now", "description", "< prev")},
            images=("https://example.invalid/tracker.png",),
            attributes=(NASTY,),
        ),
        product(TWIN, None, 7.0, description=None, bullets=(), category=None, options={"kind": ("lonely", "not")}),
    ]
    records += [product(f"B0000001{i:02}", f"plain jacket number {i}", 10.0 + i) for i in range(20)]
    return records
