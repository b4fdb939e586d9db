"""The agent for other agents: the Agent2Agent protocol (A2A) over HTTP, with the same plugins, guard and question.

A purchase leaves the task in the state `input-required`, with ADK's `adk_request_confirmation` as a data part. Only a
data part that answers that call is a yes; a text is none.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import metadata
from urllib.parse import urlsplit

from google.adk.agents import BaseAgent
from google.adk.apps import App
from starlette.applications import Starlette
from starlette.middleware.trustedhost import TrustedHostMiddleware

from personalized_shopping.errors import SettingError, ShoppingError, shorten
from personalized_shopping.shared_libraries.init_env import get_shop

__all__ = ["create_a2a", "listen"]

_EXAMPLES = ["Find a denim jacket for women under 60 dollars.", "Which of these two has the better reviews?"]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that is bound; port 0 takes any that is free.

    Raises:
        SettingError: where it cannot be bound.
    """
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        why = error.strerror or error
        raise SettingError(
            f"Cannot listen on {shorten(host)}, port {port}: {why}. Others: --host and --port."
        ) from None


def create_a2a(url: str, app: App) -> Starlette:
    """Return the application that serves the agent's card and its JSON-RPC methods.

    Args:
        url: the address under which other agents reach it; the card names it, and requests for other hosts are
            refused, but for those on this machine and in ``ALLOWED_HOSTS``.
        app: the agent with its plugins.

    Raises:
        SettingError: for an address that is none.
        ShoppingError: where the extra ``a2a`` is not installed.
    """
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SettingError(f"{shorten(url)} is no address. Give one such as https://shop.example/.")
    try:
        from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
        from google.adk.a2a.utils.agent_to_a2a import to_a2a
    except ImportError as error:
        raise ShoppingError("A2A needs the extra `a2a`: pip install 'personalized-shopping[a2a]'.") from error

    from personalized_shopping.chat.backend import make_backend
    from personalized_shopping.chat.security import allowed_hosts

    agent = app.root_agent
    if not isinstance(agent, BaseAgent):
        raise TypeError(f"the app {app.name} has no agent at its root")
    card = AgentCard(
        name=agent.name,
        description=agent.description,
        version=metadata.version("personalized-shopping"),
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
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

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await asyncio.to_thread(get_shop)
        yield

    application = to_a2a(agent, agent_card=card, runner=make_backend(app).runner, lifespan=lifespan)
    others = [f"*{name}" if name.startswith(".") else name for name in allowed_hosts()]
    hosts = ["localhost", "127.0.0.1", "[::1]", parts.hostname, *others]
    application.add_middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False)
    return application
