"""The chat over the shop of the agent's tests."""

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from personalized_shopping.chat import Chat
from tests.agent.conftest import no_settings, shop, shop_dir
from tests.chat.browsing import Open, is_own, serving
from tests.chat.helpers import Person, make_chat, offline_model

__all__ = ["no_settings", "shop", "shop_dir"]


@pytest.fixture
def chat(shop: None) -> Chat:
    """Return a chat whose agent is the offline shopper."""
    return make_chat(offline_model())


@pytest.fixture
async def person(chat: Chat) -> AsyncIterator[Person]:
    """Return somebody who has opened the chat's page."""
    async with Person(chat) as someone:
        await someone.open()
        yield someone


@pytest.fixture(autouse=True)
def no_chat_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what this machine is set up for out of the tests."""
    for name in ("ALLOWED_HOSTS", "CHAT_SECRET_KEY", "SESSION_SERVICE_URI", "ARTIFACT_SERVICE_URI"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def open_chat(browser: Any, shop: None) -> Iterator[Open]:
    """Open chats; afterwards none may have complained, run a product's script, or asked anybody else for anything."""
    complaints: list[str] = []
    with contextlib.ExitStack() as stack:

        def open_page(chat: Chat, width: int = 1400, **options: Any) -> Any:
            base = stack.enter_context(serving(chat))
            context = stack.enter_context(
                contextlib.closing(browser.new_context(viewport={"width": width, "height": 900}, **options))
            )
            context.set_default_timeout(60_000)
            page = context.new_page()
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("request", lambda request: None if is_own(request.url, base) else complaints.append(request.url))
            page.goto(f"{base}/chat")
            page.wait_for_function("document.readyState === 'complete'")
            page.wait_for_timeout(100)
            stack.callback(lambda: complaints.extend(["stolen"] if page.evaluate("window.stolen") else []))
            return page

        yield open_page
    assert not complaints
