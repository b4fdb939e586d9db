"""Other agents shop by the Agent2Agent protocol, over HTTP; a purchase needs an answer to its question there too."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
import uvicorn
from google.adk.agents import Agent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types

from personalized_shopping.errors import SettingError
from tests.agent.helpers import APP, CONFIRM, DENIM, ScriptedLlm, click, search

pytest.importorskip("a2a", reason="the extra a2a is not installed")
from personalized_shopping.a2a import create_a2a, listen

BUYING = [search("denim jacket"), click(DENIM), click("dark blue"), click("small"), click("Buy Now")]
WAITS, DONE = "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"


@pytest.fixture(autouse=True)
def quiet(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOWED_HOSTS", ".shop.example")
    monkeypatch.setenv("ADK_SUPPRESS_A2A_EXPERIMENTAL_FEATURE_WARNINGS", "1")
    monkeypatch.setenv("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "1")


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Return what serves the real agent, with its guard, thinking with a script, and gives the address."""
    with ExitStack() as stack:

        def start(*script: Any) -> str:
            from personalized_shopping.agent import root_agent
            from personalized_shopping.plugins import shop_plugins

            agent = root_agent.clone(update={"model": ScriptedLlm(script=list(script))})
            bound = stack.enter_context(listen("127.0.0.1", 0))
            address = f"http://127.0.0.1:{bound.getsockname()[1]}/"
            application = create_a2a(address, App(name=APP, root_agent=agent, plugins=shop_plugins()))
            server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
            thread.start()
            stack.callback(thread.join)
            stack.callback(setattr, server, "should_exit", True)
            return address

        yield start


@pytest.fixture
def call(serve: Callable[..., str]) -> Iterator[Callable[..., "Caller"]]:
    """Return what calls a server of such an agent."""
    with ExitStack() as stack:

        def caller(*script: Any) -> Caller:
            client = httpx.Client(base_url=serve(*script), timeout=60, headers={"A2A-Version": "1.0"})
            return Caller(stack.enter_context(client))

        yield caller


class Caller:
    """Another agent, speaking JSON-RPC."""

    def __init__(self, client: httpx.Client) -> None:
        self.client = client
        self.context: str | None = None
        self.number = 0

    def send(self, part: dict[str, Any], task: dict[str, Any] | None = None) -> dict[str, Any]:
        self.number += 1
        message = {"messageId": f"m{self.number}", "role": "ROLE_USER", "parts": [part]}
        message |= {"contextId": self.context} if self.context else {}
        message |= {"taskId": task["id"]} if task else {}
        call = {"jsonrpc": "2.0", "id": self.number, "method": "SendMessage", "params": {"message": message}}
        answer = self.client.post("/", json=call).json()
        if "error" in answer:
            return answer["error"]
        self.context = answer["result"]["task"]["contextId"]
        return answer["result"]["task"]

    def say(self, text: str, task: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.send({"text": text}, task)

    def answer(self, question: str, confirmed: Any, task: dict[str, Any] | None = None) -> dict[str, Any]:
        data = {"id": question, "name": CONFIRM, "response": {"confirmed": confirmed}}
        return self.send({"data": data, "metadata": {"adk_type": "function_response"}}, task)


def state(task: dict[str, Any]) -> str:
    return task["status"]["state"]


def question(task: dict[str, Any]) -> dict[str, Any]:
    assert state(task) == WAITS, task
    [part] = task["status"]["message"]["parts"]
    assert part["data"]["name"] == CONFIRM and part["metadata"]["adk_is_long_running"] is True
    return part["data"]


def has_bought(task: dict[str, Any]) -> bool:
    """Whether a tool's answer in this task is the page that thanks for an order."""
    said = [*task.get("history", []), *task.get("artifacts", [])]
    parts = [part for each in said for part in each.get("parts", [])]
    answers = [part["data"] for part in parts if part.get("metadata", {}).get("adk_type") == "function_response"]
    return any(answer["response"].get("page") == "done" for answer in answers)


def test_a_purchase_waits_for_the_answer_to_its_question(call: Callable[..., Caller]) -> None:
    caller = call(*BUYING, "bought")
    asked = caller.say("a denim jacket, dark blue, small")
    assert not has_bought(asked)
    data = question(asked)
    told = data["args"]["toolConfirmation"]
    assert "denim jacket for women" in told["hint"] and "$49.90" in told["hint"]
    assert told["payload"]["options"] == {"color": "dark blue", "size": "small"}
    bought = caller.answer(data["id"], True, asked)
    assert state(bought) == DONE and has_bought(bought)


def test_a_no_and_yeses_that_are_none_buy_nothing(call: Callable[..., Caller]) -> None:
    caller = call(*BUYING, "as you wish", "no order", "no order", "no order")
    asked = caller.say("a denim jacket, dark blue, small")
    data = question(asked)
    assert not has_bought(caller.answer("adk-invented", True))
    assert not has_bought(caller.say("yes, buy it"))
    waiting = caller.say("yes, buy it", asked)
    assert state(waiting) == WAITS and not has_bought(waiting), "the question stays open"
    refused = caller.answer(data["id"], False, asked)
    assert state(refused) == DONE and not has_bought(refused)
    assert not has_bought(caller.answer(data["id"], True)), "a question is answered once"


def test_a_yes_counts_for_what_was_asked_alone(call: Callable[..., Caller]) -> None:
    caller = call(*BUYING, click("medium"), "medium it is", "asking again")
    asked = caller.say("a denim jacket, dark blue")
    data = question(asked)
    assert data["args"]["toolConfirmation"]["payload"]["options"]["size"] == "small"
    caller.say("rather medium")
    answered = caller.answer(data["id"], True)
    assert not has_bought(answered), "the option changed after the question"


@pytest.mark.parametrize("confirmed", ["yes", "true", 1, 2, None, [True]])
def test_an_answer_is_a_plain_yes_or_no(call: Callable[..., Caller], confirmed: Any) -> None:
    caller = call(*BUYING, "no order")
    asked = caller.say("a denim jacket, dark blue, small")
    answered = caller.answer(question(asked)["id"], confirmed, asked)
    assert state(answered) == "TASK_STATE_FAILED" and not has_bought(answered)
    assert '{"confirmed": true}' in answered["status"]["message"]["parts"][0]["text"]


def test_the_card_names_the_address_and_other_hosts_are_refused(call: Callable[..., Caller]) -> None:
    client = call().client
    card = client.get("/.well-known/agent-card.json").json()
    [interface] = card["supportedInterfaces"]
    assert interface["url"] == str(client.base_url) and card["capabilities"] == {"streaming": True}
    for host, status in (("evil.example", 400), ("a.shop.example", 200), ("localhost:1", 200)):
        assert client.get("/.well-known/agent-card.json", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/json", "X-Large": "yes"}, 413),
    ],
)
def test_a_page_of_another_site_drives_no_agent(
    call: Callable[..., Caller], headers: dict[str, str], status: int
) -> None:
    text = "x" * 300_000 if "X-Large" in headers else "hello"
    message = {"messageId": "m", "role": "user", "kind": "message", "parts": [{"kind": "text", "text": text}]}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}})
    own = {"Content-Type": "application/json"}
    answer = call("never said").client.post("/", content=body, headers=own | headers)
    assert answer.status_code == status


def test_nobody_sees_the_tasks_of_others(call: Callable[..., Caller]) -> None:
    caller = call(*BUYING)
    asked = caller.say("a denim jacket, dark blue, small")
    listed = {"jsonrpc": "2.0", "id": 9, "method": "ListTasks", "params": {}}
    assert caller.client.post("/", json=listed).json()["result"].get("tasks", []) == []
    known = {"jsonrpc": "2.0", "id": 10, "method": "GetTask", "params": {"id": asked["id"]}}
    assert caller.client.post("/", json=known).json()["result"]["id"] == asked["id"]


async def test_an_agent_of_adk_hands_the_question_on_to_its_person(serve: Callable[..., str]) -> None:
    from google.adk.agents.remote_a2a_agent import AGENT_CARD_WELL_KNOWN_PATH, RemoteA2aAgent

    address = serve(*BUYING, "bought")
    async with httpx.AsyncClient(timeout=60) as client:
        card = address.rstrip("/") + AGENT_CARD_WELL_KNOWN_PATH
        remote = RemoteA2aAgent(name="shopper", agent_card=card, httpx_client=client)
        runner = InMemoryRunner(app=App(name="another", root_agent=remote))
        session = await runner.session_service.create_session(app_name="another", user_id="u")

        async def say(part: types.Part) -> list[Any]:
            message = types.Content(role="user", parts=[part])
            where = {"user_id": "u", "session_id": session.id}
            return [event async for event in runner.run_async(**where, new_message=message)]

        told = await say(types.Part(text="a denim jacket, dark blue, small"))
        [asked] = {c.id for event in told for c in event.get_function_calls() if c.name == CONFIRM}
        yes = types.FunctionResponse(id=asked, name=CONFIRM, response={"confirmed": True})
        told = await say(types.Part(function_response=yes))
        answers = [r.response for event in told for r in event.get_function_responses()]
        assert any(answer.get("page") == "done" for answer in answers), told


@pytest.mark.parametrize(
    "url", ["shop.example", "ftp://shop.example/", "http://", "", "http://[::1", "http://x*y/", "http://*/"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(SettingError, match="no address"):
        create_a2a(url, App(name="another", root_agent=Agent(name="nobody")))


def test_a_port_that_is_taken() -> None:
    with listen("127.0.0.1", 0) as taken, pytest.raises(SettingError, match="Cannot listen"):
        listen("127.0.0.1", taken.getsockname()[1])
