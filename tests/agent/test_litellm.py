"""LiteLLM against a server on this machine that speaks OpenAI's protocol, tool calls and all."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types

from personalized_shopping.models import choose_model
from tests.agent.helpers import APP, DENIM, USER

pytest.importorskip("google.adk.models.lite_llm", reason="LiteLLM is an extra")

# LiteLLM's own use of its dependencies, which is not ours to mend.
pytestmark = [pytest.mark.usefixtures("shop"), pytest.mark.filterwarnings("ignore")]


class OpenAiServer(BaseHTTPRequestHandler):
    """Answers with two tool calls in one turn, then with a sentence."""

    seen: ClassVar[list[dict[str, Any]]] = []
    keys: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append(body)
        self.keys.append(self.headers.get("authorization"))
        answered = any(message["role"] == "tool" for message in body["messages"])
        message: dict[str, Any] = {"role": "assistant", "content": "It is a denim jacket for $49.90."}
        if not answered:
            calls = [("search", {"keywords": "denim jacket"}), ("click", {"button_name": DENIM})]
            message = {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": f"c{i}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
                    for i, (name, arguments) in enumerate(calls)
                ],
            }
        answer = {
            "id": "x",
            "object": "chat.completion",
            "created": 1,
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop" if answered else "tool_calls"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[OpenAiServer]]:
    OpenAiServer.seen.clear()
    OpenAiServer.keys.clear()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), OpenAiServer)
    thread = threading.Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("MODEL_NAME", "openai/some-model")
    monkeypatch.setenv("MODEL_API_BASE", f"http://127.0.0.1:{listening.server_port}/v1")
    monkeypatch.setenv("MODEL_API_KEY", "the-key")
    yield OpenAiServer
    listening.shutdown()
    listening.server_close()
    thread.join()


async def test_tool_calls_go_there_and_back(server: type[OpenAiServer]) -> None:
    from personalized_shopping.agent import root_agent

    agent = root_agent.clone(update={"model": choose_model()})
    runner = InMemoryRunner(app=App(name=APP, root_agent=agent))
    session = await runner.session_service.create_session(app_name=APP, user_id=USER)
    message = types.Content(role="user", parts=[types.Part(text="a denim jacket")])
    events = [e async for e in runner.run_async(user_id=USER, session_id=session.id, new_message=message)]
    first, second = server.seen
    assert server.keys == ["Bearer the-key", "Bearer the-key"]
    assert first["model"] == "some-model"
    names = [tool["function"]["name"] for tool in first["tools"]]
    assert names == ["search", "click", "list_skills", "use_skill"]
    assert list(first["tools"][0]["function"]["parameters"]["properties"]) == ["keywords"]
    assert "You are a shopping assistant" in first["messages"][0]["content"]
    results = [json.loads(message["content"]) for message in second["messages"] if message["role"] == "tool"]
    assert [result["page"] for result in results] == ["results", "item"]
    assert events[-1].content.parts[0].text == "It is a denim jacket for $49.90."
    assert events[-1].usage_metadata.total_token_count == 10
    await runner.close()
