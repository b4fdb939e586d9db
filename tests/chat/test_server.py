"""The chat and the website in the application that is served."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest
from bs4 import BeautifulSoup
from google.adk.cli import api_server

from personalized_shopping.chat import Chat
from tests.chat.helpers import HERE, application, make_chat, offline_model


@pytest.fixture
async def client(shop: None) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(application(make_chat(offline_model())))
    async with httpx.AsyncClient(transport=transport, base_url=HERE) as someone:
        yield someone


async def test_the_website_stands_beside_the_chat(client: httpx.AsyncClient) -> None:
    slash = await client.get("/shop", headers={"Accept": "text/html"})
    assert slash.status_code in {301, 307, 308} and slash.headers["location"].endswith("/shop/")
    front = await client.get("/shop/", follow_redirects=True)
    assert front.status_code == 200 and front.url.path.startswith("/shop/")
    page = BeautifulSoup(front.text, "html.parser")
    form = page.find("form", role="search") or page.find("form")
    assert form is not None and form["action"].startswith("/shop/")
    field = form.find("input", attrs={"name": "search_query"})
    assert field is not None
    found = await client.request(
        form["method"], form["action"], follow_redirects=True, **_sent(form["method"], {"search_query": "denim jacket"})
    )
    assert found.status_code == 200 and "denim jacket for women" in found.text
    for tag, name in (("link", "href"), ("script", "src")):
        for element in BeautifulSoup(found.text, "html.parser").find_all(tag, attrs={name: True}):
            assert (await client.get(element[name])).status_code == 200, element


def _sent(method: str, fields: dict[str, str]) -> dict[str, dict[str, str]]:
    return {"data": fields} if method.lower() == "post" else {"params": fields}


async def test_the_website_checks_its_hosts(client: httpx.AsyncClient) -> None:
    assert (await client.get("/shop/", headers={"Host": "evil.example"})).status_code == 400
    assert (await client.get("/shop/nope/nope/nope")).status_code == 404


@pytest.fixture
def served(shop: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[httpx.AsyncClient]:
    """Return a client of the whole server, with ADK's part of it."""
    from personalized_shopping.server import create_app

    monkeypatch.setenv("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")
    monkeypatch.setenv("SESSION_SERVICE_URI", "memory://")
    monkeypatch.setenv("ARTIFACT_SERVICE_URI", "memory://")
    yield httpx.AsyncClient(transport=httpx.ASGITransport(create_app()), base_url=HERE)


async def test_the_server_has_it_all(served: httpx.AsyncClient) -> None:
    async with served as client:
        assert (await client.get("/chat")).status_code == 200
        history = (await client.get("/chat/history")).json()
        headers = {"X-Chat-Token": history["token"], "Origin": HERE}
        told = await client.post("/chat/messages", json={"text": "a denim jacket for women"}, headers=headers)
        assert "event: products" in told.text and told.text.rstrip().splitlines()[-2] == "event: done"
        assert (await client.get("/list-apps")).json() == ["personalized_shopping"]
        assert (await client.get("/healthz")).json()["status"] == "ok"
        assert (await client.get("/shop/", follow_redirects=True)).status_code == 200
        assert (await client.get("/chat", headers={"Host": "evil.example"})).status_code in {400, 403}


async def test_the_trajectory_of_ones_own_conversation(
    served: httpx.AsyncClient, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path_factory.mktemp("trajectories")
    monkeypatch.setenv("TRAJECTORY_DIR", str(root))
    async with served as client:
        await client.get("/chat")
        history = (await client.get("/chat/history")).json()
        assert history["recording"] is True
        nothing = await client.get("/chat/trajectory", headers={"Accept": "text/html"})
        assert nothing.status_code == 404 and "Nothing is recorded" in nothing.text
        headers = {"X-Chat-Token": history["token"]}
        await client.post("/chat/messages", json={"text": "a denim jacket for women"}, headers=headers)
        viewer = await client.get("/chat/trajectory")
        assert viewer.status_code == 200 and "a denim jacket for women" in viewer.text
        assert str(root) not in viewer.text
        [recorded] = root.iterdir()
        assert recorded.name in viewer.text
        client.cookies.clear()
        assert (await client.get("/chat/trajectory")).status_code == 403
        await client.get("/chat")
        assert (await client.get("/chat/trajectory")).status_code == 404
        monkeypatch.setenv("TRAJECTORY_DIR", "off")
        assert (await client.get("/chat/history")).json()["recording"] is False


def test_a_chat_needs_no_agent_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_NAME", "offline/no-such-model")
    assert Chat(secret="x" * 32).conversations.app_name() is None


async def test_the_chat_leaves_nothing_in_the_memory_of_adks_developer_page(
    served: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[str] = []

    def export(self: object, spans: Any) -> Any:
        kept.extend(span.name for span in spans if "/" not in span.name)  # but for FastAPI's, one for each request

    monkeypatch.setattr(api_server.InMemoryExporter, "export", export)
    async with served as client:
        await client.get("/chat")
        headers = {"X-Chat-Token": (await client.get("/chat/history")).json()["token"]}
        await client.post("/chat/messages", json={"text": "a denim jacket for women"}, headers=headers)
        assert kept == []
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")
        await client.post("/chat/messages", json={"text": "the first one"}, headers=headers)
        assert any("search" in name or "click" in name for name in kept)
