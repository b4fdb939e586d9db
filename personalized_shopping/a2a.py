"""The agent for other agents: the Agent2Agent protocol (A2A) over HTTP, with the same plugins, guard and question.

A purchase leaves the task in the state `input-required`, with ADK's `adk_request_confirmation` as a data part. Only a
data part that answers that call is a yes; a text is none. Needs the extra ``a2a``.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from a2a.server.context import ServerCallContext
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, ListTasksRequest, ListTasksResponse
from google.adk.a2a.converters.request_converter import convert_a2a_request_to_agent_run_request
from google.adk.a2a.executor.a2a_agent_executor import A2aAgentExecutor
from google.adk.a2a.executor.config import A2aAgentExecutorConfig
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.runners import Runner
from google.genai import types
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from personalized_shopping.chat.backend import make_backend
from personalized_shopping.chat.security import allowed_hosts, host_is_ours, is_own_request
from personalized_shopping.config import A2A_MAX_BODY_BYTES
from personalized_shopping.errors import SettingError, shorten
from personalized_shopping.shared_libraries.init_env import get_shop

__all__ = ["create_a2a", "listen"]

_EXAMPLES = ["Find a denim jacket for women under 60 dollars.", "Which of these two has the better reviews?"]
_MODES = ["text/plain", "application/json"]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; port 0 takes any that is free.

    Raises:
        SettingError: where it cannot be bound.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = f"{error.strerror or error}. Choose another with --host or --port."
        raise SettingError(f"Cannot listen on {shorten(host)}, port {port}: {why}") from None


def create_a2a(url: str, app: App) -> Starlette:
    """Return the application that serves the agent's card and its JSON-RPC methods.

    Args:
        url: the address under which other agents reach it; the card names it, and requests for other hosts are
            refused, but for those on this machine and in ``ALLOWED_HOSTS``.
        app: the agent with its plugins.

    Raises:
        SettingError: for an address that is none.
    """
    name = _host_of(url)
    agent = app.root_agent
    if not isinstance(agent, BaseAgent):
        raise TypeError(f"the app {app.name} has no agent at its root")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(get_shop)
        yield

    application = to_a2a(
        agent,
        agent_card=_card(agent, url),
        runner=make_backend(app).runner,
        task_store=_Tasks(),
        lifespan=lifespan,
        agent_executor_factory=_executor,
    )
    application.add_middleware(_Door, hosts=(name, *allowed_hosts()))
    return application


def _host_of(url: str) -> str:
    try:
        parts = urlsplit(url)
        name = parts.hostname or ""
    except ValueError:
        parts, name = None, ""
    if parts is None or parts.scheme not in {"http", "https"} or not host_is_ours([name], [name]):
        raise SettingError(f"{shorten(url)} is no address. Give one such as https://shop.example/.")
    return name


def _card(agent: BaseAgent, url: str) -> AgentCard:
    return AgentCard(
        name=agent.name,
        description=agent.description,
        version=metadata.version("personalized-shopping"),
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=_MODES,
        default_output_modes=_MODES,
        skills=[
            AgentSkill(
                id="shop",
                name="Shopping",
                description="Searches the catalogue, reads products, compares them, chooses options, and buys what a "
                "person confirms.",
                tags=["shopping"],
                examples=_EXAMPLES,
            )
        ],
    )


class _Tasks(InMemoryTaskStore):
    """Tasks that are found by their id alone: a list would show every caller what the others talk about."""

    async def list(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        return ListTasksResponse()


def _executor(runner: Runner) -> A2aAgentExecutor:
    # The newer way keeps a task waiting when a text comes instead of an answer.
    config = A2aAgentExecutorConfig(request_converter=_converted)
    return A2aAgentExecutor(runner=runner, config=config, force_new_version=True)


def _converted(*request: Any) -> Any:
    """Return a request for the agent, each answer in it a plain yes or no: ADK takes `"yes"` and `1` for one too."""
    run = convert_a2a_request_to_agent_run_request(*request)
    message: types.Content = run.new_message or types.Content()
    for part in message.parts or []:
        answer = part.function_response
        if answer is not None and not isinstance((answer.response or {}).get("confirmed"), bool):
            raise ValueError('Answer a question with {"confirmed": true} or {"confirmed": false}.')
    return run


class _Door:
    """Refuses what is addressed to another host, what a page of another site sends, and what is too large.

    Args:
        app: what answers.
        hosts: the names of this server besides those of this machine.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        refused = self._refusal(request)
        body = b""
        if refused is None and request.method == "POST":
            async for chunk in request.stream():
                body += chunk
                if len(body) > A2A_MAX_BODY_BYTES:
                    refused = JSONResponse({"error": f"At most {A2A_MAX_BODY_BYTES:,} bytes are read."}, 413)
                    break
        if refused is not None:
            await refused(scope, receive, send)
            return
        told = False

        async def whole() -> Message:
            nonlocal told
            if told:
                return await receive()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, whole, send)

    def _refusal(self, request: Request) -> JSONResponse | None:
        if not host_is_ours(request.headers.getlist("host"), self._hosts):
            return JSONResponse({"error": "This server goes by another name; see ALLOWED_HOSTS."}, 400)
        if request.method != "POST":
            return None
        if not is_own_request(request.headers):
            return JSONResponse({"error": "This was sent by a page of another site."}, 403)
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return JSONResponse({"error": "JSON-RPC is sent as application/json."}, 415)
        return None
