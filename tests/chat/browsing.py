"""A chat served to a real browser, and what a person does there."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn

from personalized_shopping.chat import Chat
from tests.chat.helpers import application

Open = Callable[..., Any]


@contextlib.contextmanager
def serving(chat: Chat) -> Iterator[str]:
    """Serve a chat from a thread, and stop at the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application(chat), log_level="warning", lifespan="off", timeout_graceful_shutdown=2)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def is_own(url: str, base: str) -> bool:
    return url.startswith((base + "/", "data:"))


def answered(page: Any, turns: int) -> None:
    """Wait until the agent has answered so often."""
    page.locator("article.agent").nth(turns - 1).wait_for()
    page.locator("#send:not([hidden])").wait_for()


def say(page: Any, text: str, turns: int) -> None:
    page.get_by_label("Your message").fill(text)
    page.get_by_role("button", name="Send").click()
    answered(page, turns)
