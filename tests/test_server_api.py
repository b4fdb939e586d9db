"""The server's own routes, the health check and the chat, called with whatever fits their description."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from starlette.testclient import TestClient

from tests.agent.conftest import no_settings, shop, shop_dir

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
__all__ = ["no_settings", "shop", "shop_dir"]
HERE = "http://localhost"
ANYTHING: dict[str, Any] = {}
BODIES = {
    "/chat/messages": {"text": {"anyOf": [{"type": "string", "maxLength": 0}, {"not": {"type": "string"}}]}},
    "/chat/answers": {"question_id": {"type": "string", "maxLength": 40}, "confirmed": {"type": "boolean"}},
    "/chat/stop": {},
    "/chat/new": {},
}


def operation(body: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return an operation that may be answered in any way but by a failure."""
    described: dict[str, Any] = {"responses": {"default": {"description": "an answer"}}}
    if body is not None:
        right = {"type": "object", "properties": body, "required": list(body)}
        described["requestBody"] = {"content": {"application/json": {"schema": {"anyOf": [right, ANYTHING]}}}}
    return described


def chat_description() -> dict[str, Any]:
    number = {"name": "number", "in": "path", "required": True, "schema": {"type": ["integer", "string"]}}
    rest = {"name": "rest", "in": "path", "required": True, "schema": {"type": "string"}}
    paths: dict[str, Any] = {path: {"post": operation(body)} for path, body in BODIES.items()}
    paths |= {
        path: {"get": operation()} for path in ("/chat", "/chat/", "/chat/history", "/chat/stream", "/chat/trajectory")
    }
    paths["/chat/pages/{number}"] = {"get": operation() | {"parameters": [number]}}
    paths["/chat/{rest}"] = {
        "get": operation() | {"parameters": [rest]},
        "post": operation(ANYTHING) | {"parameters": [rest]},
    }
    paths["/chat/static/{rest}"] = {"get": operation() | {"parameters": [rest]}}
    return {"openapi": "3.1.0", "info": {"title": "The chat", "version": "1"}, "paths": paths}


@pytest.fixture
def client(shop: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Return somebody at the whole server, who has opened the chat."""
    from personalized_shopping.server import create_app

    for name in ("ALLOWED_HOSTS", "CHAT_SECRET_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")
    monkeypatch.setenv("SESSION_SERVICE_URI", "memory://")
    monkeypatch.setenv("ARTIFACT_SERVICE_URI", "memory://")
    application = create_app()
    with TestClient(application, base_url=HERE, raise_server_exceptions=False, follow_redirects=False) as someone:
        assert someone.get("/chat").status_code == 200
        someone.headers["X-Chat-Token"] = someone.get("/chat/history").json()["token"]
        yield someone


def answers(client: TestClient, cases: Any) -> Counter[int]:
    """Make calls, none of which may fail, and count the statuses of their answers."""
    found = Counter[int]()

    @settings(max_examples=15, deadline=None)
    @given(case=cases)
    def call(case: Any) -> None:
        sent = case.as_transport_kwargs(base_url=HERE)
        sent.pop("cookies", None)
        if "data" in sent:
            sent["content"] = sent.pop("data")
        answer = client.request(**sent)
        found[answer.status_code] += 1
        case.validate_response(answer, checks=[schemathesis.checks.not_a_server_error])
        assert "Traceback" not in answer.text

    call()
    return found


def test_no_call_fails(client: TestClient) -> None:
    interface = schemathesis.openapi.from_dict(chat_description())
    for result in interface.get_all_operations():
        made = result.ok()
        assert answers(client, made.as_strategy()).total() >= 1


@pytest.mark.parametrize("path", ["/chat/pages/日本", "/chat/\U0001f600", "/dev-ui/日本", "/日本", "/shop/日本"])
def test_paths_in_any_script_are_read(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in {404, 405}


def test_a_search_in_japanese(client: TestClient) -> None:
    front = client.get("/shop/").headers["Location"]
    found = client.get(front, params={"search_query": "日本 denim"}, follow_redirects=True)
    assert found.status_code == 200 and "日本 denim" in found.text


@pytest.mark.filterwarnings("ignore:Duplicate Operation ID")  # of ADK's own routes
def test_the_health_check_is_described(client: TestClient) -> None:
    interface = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    found = answers(client, interface["/healthz"]["GET"].as_strategy())
    assert set(found) == {200}
