"""The server: ADK's routes and page for this one agent, the chat and the shop for people, and a health check.

``uvicorn personalized_shopping.server:app`` or ``python -m personalized_shopping.server`` starts it. It has no
authentication of its own: whoever reaches it may read and continue every conversation. People find the chat at
``/chat`` and the shop at ``/shop/``.
"""

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from personalized_shopping.config import check_settings, setting
from personalized_shopping.errors import SettingError, ShoppingError, shorten
from personalized_shopping.shared_libraries.init_env import get_shop
from personalized_shopping.shared_libraries.trajectory import health

__all__ = ["create_app", "main"]

logger = logging.getLogger(__name__)

_PACKAGE_DIR = Path(__file__).resolve().parent


def create_app() -> FastAPI:
    """Return the FastAPI application; its settings come from the environment.

    ADK is given the package's own directory, which holds an agent and is therefore served alone, whatever else lies
    beside it.

    Raises:
        SettingError: for settings that cannot be used.
    """
    from google.adk.cli.fast_api import get_fast_api_app

    from personalized_shopping.chat import Chat

    check_settings()
    chat = Chat()

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        # The first shopper should not wait for it, and a catalogue that is missing should stop the start.
        await asyncio.to_thread(get_shop)
        async with chat:
            yield

    application = get_fast_api_app(
        agents_dir=str(_PACKAGE_DIR),
        web=True,
        session_service_uri=setting("SESSION_SERVICE_URI") or None,
        artifact_service_uri=setting("ARTIFACT_SERVICE_URI") or None,
        bind_host=setting("HOST"),
        lifespan=lifespan,
    )
    chat.add_to(application)
    application.add_middleware(_AnyPath)

    @application.get("/healthz")
    def healthz() -> dict[str, Any]:
        recorder = health.as_dict()
        if recorder["status"] == "ok":
            return {"status": "ok"}
        # Why recording fails is in the log; whoever may ask this need not know the machine's paths.
        told = {name: recorder[name] for name in ("status", "lost_records", "dropped_pages")}
        return {"status": "ok", "trajectory": told}

    return application


class _AnyPath:
    """Let requests pass whose path has letters beyond Latin-1, such as a search in Japanese.

    ADK writes each path back as Latin-1 where the server tells its undecoded form too, and fails over such a letter.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if any(ord(letter) > 255 for letter in scope.get("path", "")):
            scope = {name: value for name, value in scope.items() if name != "raw_path"}
        await self._app(scope, receive, send)


def main() -> int:
    """Serve until interrupted.

    Returns:
        The exit code: 0 after an orderly stop, 1 where the settings or the catalogue cannot be used.
    """
    if not any(name.startswith("OTEL_EXPORTER_") for name in os.environ):
        # Nobody asks for traces, and ADK's server would keep every one in memory.
        os.environ.setdefault("OTEL_SDK_DISABLED", "true")
    import uvicorn

    try:
        port = _port()
        get_shop()
        application = create_app()
    except ShoppingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    name = "localhost" if setting("HOST") in {"127.0.0.1", "0.0.0.0", "::", "::1"} else setting("HOST")
    sys.stderr.write(f"The chat: http://{name}:{port}/chat, the shop: http://{name}:{port}/shop/ (Ctrl-C ends both).\n")
    uvicorn.run(application, host=setting("HOST"), port=port)
    return 0


def _port() -> int:
    value = setting("PORT")
    if not value.isascii() or not value.isdigit() or int(value) > 65_535:
        raise SettingError(f"PORT is {shorten(value)}. Set it to a number from 1 to 65535, such as 8080.")
    return int(value)


def __getattr__(name: str) -> Any:
    """Make ``app`` on first use, so that importing this module builds no server."""
    if name == "app":
        globals()["app"] = application = create_app()
        return application
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if __name__ == "__main__":
    raise SystemExit(main())
