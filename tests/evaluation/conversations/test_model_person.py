"""A person played by a model: what counts as a reply, and what becomes of everything else."""

import asyncio
import json
from collections.abc import AsyncGenerator

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import Field

from personalized_shopping.evaluation.agent_session import Question
from personalized_shopping.evaluation.conversations import ConversationTask, Reply, SimulatorError, cases, play_case
from personalized_shopping.evaluation.conversations.model_person import (
    MAX_TRIES,
    ModelPerson,
    brief,
    model_person,
    read_reply,
)
from personalized_shopping.evaluation.conversations.oracle import oracle
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

QUESTION = Question(id="q", text="Buy it for $10?")


class Actor(BaseLlm):
    """Writes the replies that the test gives, one a call; the last one again and again."""

    model: str = "actor"
    replies: list[str]
    asked: list[str] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        parts = llm_request.contents[-1].parts or []
        self.asked.append("\n".join(part.text or "" for part in parts))
        reply = self.replies[min(len(self.asked), len(self.replies)) - 1]
        if reply == "raise":
            raise ConnectionError("the line is dead")
        if reply == "code":
            yield LlmResponse(error_code="429", error_message="too many requests")
            return
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=reply)]))


@pytest.mark.parametrize(
    ("written", "asked_to_buy", "reply"),
    [
        ('{"say": " In navy, please. "}', False, Reply(text="In navy, please.")),
        ('```json\n{"say": "Hi"}\n```', False, Reply(text="Hi")),
        ('{"leave": true}', False, Reply()),
        ('{"answer": "yes"}', True, Reply(yes=True)),
        ('{"answer": "no"}', True, Reply(yes=False)),
    ],
)
def test_a_reply_is_read(written: str, asked_to_buy: bool, reply: Reply) -> None:
    assert read_reply(written, asked_to_buy=asked_to_buy) == reply


@pytest.mark.parametrize(
    ("written", "asked_to_buy", "problem"),
    [
        ("Sure, navy!", False, "not the JSON object"),
        ('{"say": "Hi", "leave": true}', False, "exactly one"),
        ("{}", False, "exactly one"),
        ('{"say": ""}', False, "empty"),
        ('{"say": 5}', False, "not the JSON object"),
        ('{"mood": "good"}', False, "not the JSON object"),
        ('{"answer": "perhaps"}', True, "not the JSON object"),
        ('{"answer": "yes"}', False, "asks nothing"),
        ('{"say": "Yes"}', True, "asks whether to buy"),
    ],
)
def test_what_is_no_reply_is_refused(written: str, asked_to_buy: bool, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        read_reply(written, asked_to_buy=asked_to_buy)


def hear(person: ModelPerson, *heard: str | Question) -> list[Reply]:
    async def talk() -> list[Reply]:
        replies = [await person.hear("", None)]
        for said in heard:
            text, question = (said, None) if isinstance(said, str) else ("", said)
            replies.append(await person.hear(text, question))
        return replies

    return asyncio.run(talk())


def test_the_opening_is_the_case_and_the_rest_the_models(by_id: dict[str, ConversationTask]) -> None:
    task = by_id["find/chinos"]
    actor = Actor(replies=['{"say": "The first one."}', '{"answer": "yes"}', '{"leave": true}'])
    replies = hear(ModelPerson(task, actor), "Which one?", QUESTION, "Bought.")
    assert replies == [Reply(text=task.opening), Reply(text="The first one."), Reply(yes=True), Reply()]
    first, second = (json.loads(asked) for asked in actor.asked[:2])
    assert first["talk"] == [{"you": task.opening}, {"assistant": "Which one?"}] and "question" not in first
    assert second["question"] == QUESTION.text and "navy" in json.dumps(first["you"]["tell_when_asked"])


def test_an_unusable_reply_is_asked_for_again(by_id: dict[str, ConversationTask]) -> None:
    actor = Actor(replies=["Well...", '{"say": "Hi"}'])
    assert hear(ModelPerson(by_id["find/chinos"], actor), "Hello")[-1] == Reply(text="Hi")
    assert "could not be used" in actor.asked[1]


@pytest.mark.parametrize(
    ("reply", "why"), [("Well...", f"{MAX_TRIES} tries"), ("raise", "line is dead"), ("code", "many")]
)
def test_a_model_that_fails_is_a_simulator_error(reply: str, why: str, by_id: dict[str, ConversationTask]) -> None:
    with pytest.raises(SimulatorError, match=why):
        hear(ModelPerson(by_id["find/chinos"], Actor(replies=[reply])), "Hello")


def test_a_model_can_play_a_whole_conversation(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["find/watch"]
    actor = Actor(replies=['{"say": "I\'ll take it, in cognac."}', '{"answer": "yes"}'])
    model = oracle(task, {asin: shop.catalog.product(asin) for asin in task.asins})
    episode = asyncio.run(play_case(task, model=model, person=model_person(actor), plugins=lambda _: []))
    assert episode.success and episode.ended == "bought"
    broken = model_person(Actor(replies=["nonsense"]))
    episode = asyncio.run(play_case(task, model=model, person=broken, plugins=lambda _: []))
    assert episode.status == "simulator_error" and "tries" in episode.why


@pytest.mark.parametrize("task", cases(), ids=lambda task: task.id)
def test_a_model_learns_all_that_the_script_knows(task: ConversationTask) -> None:
    told = json.dumps(brief(task), ensure_ascii=False)
    for line in task.lines:
        assert line.words in told
    for part in task.parts:
        assert (part.words or part.value) in told
    assert task.change is None or task.change.words in told
    assert ("In the end you buy nothing" in told) is (task.outcome == "nothing")
