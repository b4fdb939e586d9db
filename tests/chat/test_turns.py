"""Turns that take time, are stopped, fail, or are too many."""

import asyncio
import logging
from pathlib import Path

import pytest
from google.adk.artifacts import InMemoryArtifactService
from google.genai import errors as genai_errors

from personalized_shopping.chat import conversation, turn
from personalized_shopping.chat.live import LiveChats
from personalized_shopping.errors import ModelError
from tests.agent.helpers import DENIM, ScriptedLlm, click, search
from tests.chat.helpers import Person, WaitingLlm, events, make_chat, of, offline_model


async def started(model: WaitingLlm, person: Person) -> "asyncio.Task[list[dict[str, object]]]":
    await person.open()
    task = asyncio.create_task(person.say("hello"))
    await asyncio.wait_for(model.thinks.wait(), 5)
    return task


async def test_one_message_at_a_time(shop: None) -> None:
    model = WaitingLlm()
    async with Person(make_chat(model)) as person:
        task = await started(model, person)
        for path, body in (("messages", {"text": "more"}), ("answers", {"question_id": "x", "confirmed": True})):
            second = await person.post(path, body)
            assert second.status_code == 409 and "still working" in second.json()["error"]
        model.go_on.set()
        assert of(await task, "text")[-1]["text"] == "I am here."
        assert of(await person.say("more"), "text")


async def test_two_at_the_same_moment_are_one(shop: None) -> None:
    async with Person(make_chat(offline_model())) as person:
        await person.open()
        answers = await asyncio.gather(*[person.post("messages", {"text": "a denim jacket"}) for _ in range(4)])
        assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]


async def test_a_reload_finds_the_turn_going_on(shop: None) -> None:
    model = WaitingLlm()
    async with Person(make_chat(model)) as person:
        assert (await person.client.get("/chat/stream")).status_code == 403
        task = await started(model, person)
        task.cancel()
        history = await person.open()
        assert history["running"] is True and history["events"] == [] and history["question"] is None
        again = asyncio.create_task(person.client.get("/chat/stream"))
        await asyncio.sleep(0)
        model.go_on.set()
        told = events((await again).text)
        assert told[0] == {"type": "user", "text": "hello"} and told[-1]["type"] == "done"
        assert "".join(text["text"] for text in of(told, "text") if not text["whole"]) == "I am here."
        assert (await person.client.get("/chat/stream")).status_code == 204
        assert [event["type"] for event in (await person.open())["events"]] == ["user", "text"]


async def test_stop(shop: None) -> None:
    model = WaitingLlm()
    async with Person(make_chat(model)) as person:
        task = await started(model, person)
        assert (await person.post("stop", {})).json() == {"stopped": True}
        told = await asyncio.wait_for(task, 5)
        assert told[-1] == {"type": "done", "reason": "stopped", "question": None}
        assert not of(told, "error")
        assert (await person.post("stop", {})).json() == {"stopped": False}
        model.go_on.set()
        assert of(await person.say("are you there?"), "text")[-1]["text"] == "I am here."


async def test_a_new_conversation_stops_the_old_one(shop: None) -> None:
    model = WaitingLlm()
    async with Person(make_chat(model)) as person:
        task = await started(model, person)
        assert (await person.post("new", {})).status_code == 204
        assert (await asyncio.wait_for(task, 5))[-1]["reason"] == "stopped"
        assert (await person.open())["events"] == []


async def test_a_stop_leaves_no_tool_half_done(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedLlm(script=[search("denim jacket"), click(DENIM), "not reached"])
    chat = make_chat(model)
    stop = turn.Turn.tell

    def tell(self: turn.Turn, event: object) -> None:
        stop(self, event)  # type: ignore[arg-type]
        if getattr(event, "outcome", None) == "running":
            self.stop()

    monkeypatch.setattr(turn.Turn, "tell", tell)
    async with Person(chat) as person:
        await person.open()
        told = await person.say("hello")
        assert [action["outcome"] for action in of(told, "action")] == ["running", "done"]
        assert of(told, "page") and told[-1]["reason"] == "stopped"
        monkeypatch.undo()
        monkeypatch.setenv("NOUN_TAGGER", "builtin")
        assert of(await person.say("go on"), "page")[-1]["kind"] == "item"


async def test_a_turn_that_takes_too_long_is_stopped(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "TURN_TIMEOUT_S", 0.05)
    async with Person(make_chat(WaitingLlm())) as person:
        await person.open()
        told = await person.say("hello")
        assert "too long" in of(told, "error")[0]["text"] and told[-1]["reason"] == "stopped"


async def test_a_silent_stream_gives_signs_of_life(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "HEARTBEAT_S", 0.01)
    model = WaitingLlm()
    async with Person(make_chat(model)) as person:
        await person.open()
        task = asyncio.create_task(person.post("messages", {"text": "hello"}))
        await asyncio.wait_for(model.thinks.wait(), 5)
        await asyncio.sleep(0.05)
        model.go_on.set()
        assert "\n\n:\n\n" in (await task).text


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("secret path /srv/x"), "Something went wrong"),
        (genai_errors.ClientError(429, {"error": {"message": "quota of project x"}}), "too much to do"),
        (genai_errors.ClientError(403, {"error": {"message": "key abc"}}), "does not accept this server's key"),
    ],
)
async def test_a_failing_model_is_one_sentence(
    error: Exception, words: str, shop: None, caplog: pytest.LogCaptureFixture
) -> None:
    async with Person(make_chat(ScriptedLlm(script=[error, "here again"]))) as person:
        await person.open()
        with caplog.at_level(logging.CRITICAL, logger="google_adk"):
            told = await person.say("hello")
        [problem] = of(told, "error")
        assert words in problem["text"] and told[-1]["reason"] == "failed"
        assert "secret" not in str(told) and "quota" not in str(told) and "abc" not in str(told)
        assert of(await person.say("again"), "text")[-1]["text"] == "here again"


async def test_a_shopper_that_runs_in_circles_is_stopped(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "MAX_MODEL_CALLS", 3)
    async with Person(make_chat(ScriptedLlm(script=[search("denim") for _ in range(9)]))) as person:
        await person.open()
        told = await person.say("hello")
        assert "too many steps" in of(told, "error")[0]["text"]
        assert len(of(told, "page")) == 3


async def test_a_model_that_cannot_be_used_is_said_to_be_so(shop: None, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> conversation.Backend:
        raise ModelError("MODEL_NAME is 'x/y', which needs LiteLLM")

    chat = make_chat(offline_model())
    chat.conversations = conversation.Conversations(broken)
    async with Person(chat) as person:
        await person.client.get("/chat")
        refused = await person.client.get("/chat/history")
        assert refused.status_code == 503 and "MODEL_NAME" not in refused.text and refused.headers["retry-after"]
        assert "MODEL_NAME" in caplog.text
        page = await person.client.get("/chat/trajectory", headers={"Accept": "text/html"})
        assert page.status_code == 404


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_full_house_asks_to_wait_and_forgets_the_idle(shop: None) -> None:
    clock = Clock()
    live = LiveChats(capacity=2, idle_after_s=100.0, clock=clock)
    model = WaitingLlm()
    chat = make_chat(model, live=live)
    async with Person(chat) as first, Person(chat) as second, Person(chat) as third:
        task = await started(model, first)
        clock.now = 10.0
        await second.open()
        await third.open()
        assert len(live) == 1, "whoever only looks takes no place"
        model.go_on.set()
        await task
        await second.say("hello")
        clock.now = 30.0
        refused = await third.post("messages", {"text": "hello"})
        assert refused.status_code == 503 and refused.headers["retry-after"] == "81"
        assert "Too many people" in refused.json()["error"]
        clock.now = 115.0
        await third.say("hello")
        assert len(live) == 2
        assert (await first.open())["events"] == [], "the first one was idle for longest"
        assert (await second.open())["events"] != []


async def test_whoever_is_busy_keeps_the_place(shop: None) -> None:
    clock = Clock()
    model = WaitingLlm()
    chat = make_chat(model, live=LiveChats(capacity=1, idle_after_s=100.0, clock=clock))
    async with Person(chat) as first, Person(chat) as second:
        task = await started(model, first)
        clock.now = 1_000.0
        await second.open()
        assert (await second.post("messages", {"text": "hello"})).status_code == 503
        model.go_on.set()
        assert of(await task, "text")


async def test_a_conversation_does_not_grow_for_ever(shop: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "MAX_MESSAGES", 2)
    async with Person(make_chat(ScriptedLlm())) as person:
        await person.open()
        await person.say("one")
        await person.say("two")
        refused = await person.post("messages", {"text": "three"})
        assert refused.status_code == 409 and "very long" in refused.json()["error"]


async def test_pages_do_not_pile_up_in_memory(person: Person) -> None:
    await person.say("a denim jacket for women")
    backend = await person.chat.conversations._opened()
    assert isinstance(backend.artifacts, InMemoryArtifactService) and not backend.artifacts.artifacts
    assert (await person.client.get("/chat/pages/1")).status_code == 200


async def test_closing_stops_what_goes_on(shop: None) -> None:
    model = WaitingLlm()
    chat = make_chat(model)
    async with chat, Person(chat) as person:
        task = await started(model, person)
        await chat.conversations.close()
        assert (await asyncio.wait_for(task, 5))[-1]["reason"] == "stopped"


async def test_a_restart_goes_on_where_it_was(shop: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSION_SERVICE_URI", f"sqlite:///{tmp_path}/sessions.db")
    monkeypatch.setenv("ARTIFACT_SERVICE_URI", f"file://{tmp_path}/artifacts")
    async with Person(make_chat(offline_model())) as person:
        await person.open()
        for text in ("a denim jacket for women", "the first one", "dark blue, small", "buy it"):
            await person.say(text)
        before, cookies = await person.open(), person.client.cookies
        assert before["question"] == person.question is not None
    async with Person(make_chat(offline_model()), cookies) as person:
        after = await person.open()
        assert after == before
        assert "denim jacket" in (await person.client.get("/chat/pages/1")).text
        person.question = after["question"]
        assert of(await person.decide(True), "purchase")
    assert list((tmp_path / "artifacts").rglob("page.svg*"))
    async with Person(make_chat(offline_model(), secret="another secret of the tests, long")) as stranger:
        assert (await stranger.client.get("/chat/history", headers={"Cookie": str(cookies)})).status_code == 403
