"""The chat over the shop of the agent's tests."""

from collections.abc import AsyncIterator

import pytest

from personalized_shopping.chat import Chat
from tests.agent.conftest import no_settings, shop, shop_dir
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
