"""A session through ADK's runner: what a turn tells, and how each way of ending shows."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from personalized_shopping.evaluation.agent_session import AgentSession, Turn
from personalized_shopping.session import GOAL_KEY
from personalized_shopping.shared_libraries.init_env import close_shared, get_shop, get_shop_files


class Script(BaseLlm):
    """Does what the test says, step after step; the last step again and again."""

    model: str = "script"
    steps: list[str]
    _next: int = 0

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        step = self.steps[min(self._next, len(self.steps) - 1)]
        self._next += 1
        name, _, argument = step.partition(":")
        if name == "raise":
            raise ConnectionError(argument)
        if name == "code":
            yield LlmResponse(error_code=argument, error_message="no luck")
            return
        if name == "say":
            part = types.Part(text=argument)
        elif name == "skill":
            skill, _, tabs = argument.partition("=")
            part = types.Part.from_function_call(
                name="use_skill", args={"skill_id": skill, "args": {"tabs": tabs.split(",")}}
            )
        else:
            key = "keywords" if name == "search" else "button_name"
            part = types.Part.from_function_call(name=name, args={key: argument})
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=100, candidates_token_count=10, thoughts_token_count=1
            ),
        )


@pytest.fixture(autouse=True)
def own_shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("CATALOG_PATH", "SEARCH_ENGINE", "ALLOW_UNCONFIRMED_PURCHASES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NOUN_TAGGER", "builtin")
    close_shared()
    yield
    close_shared()


CHINOS = "B036O6ES2L"
BUYING = ["search:slim fit chinos", f"click:{CHINOS}", "click:navy", "click:Buy Now", "say:Here you are."]


def session(steps: Sequence[str], **settings: object) -> AgentSession:
    return AgentSession(Script(steps=list(steps)), [], session_id="test", **settings)  # type: ignore[arg-type]


def said(steps: Sequence[str], **settings: object) -> Turn:
    return asyncio.run(session(steps, **settings).say("hello"))


def test_a_turn_tells_calls_pages_and_what_they_cost() -> None:
    talk = session(["search:slim fit chinos", f"click:{CHINOS}", "skill:gather_product_info=Reviews", "say:Nice ones."])
    turn = asyncio.run(talk.say("chinos please"))
    assert turn.text == "Nice ones." and turn.ended == "said" and turn.question is None and not turn.broken
    assert [(call.tool, call.outcome) for call in turn.calls] == [
        ("search", "done"),
        ("click", "done"),
        ("use_skill", "done"),
    ]
    assert talk.actions == ["search[slim fit chinos]", f"click[{CHINOS}]", "click[Reviews]", "click[< Prev]"]
    assert [place.kind for place in talk.places] == ["results", "item", "reviews", "item"]
    assert (turn.model_calls, turn.input_tokens, turn.output_tokens) == (4, 400, 44)


@pytest.mark.parametrize("yes", [True, False])
def test_the_person_answers_before_anything_is_bought(yes: bool) -> None:
    async def play() -> tuple[AgentSession, Turn, Turn]:
        talk = session(BUYING)
        first = await talk.say("buy them")
        assert first.question is not None
        return talk, first, await talk.answer(first.question, yes)

    talk, first, second = asyncio.run(play())
    question = first.question
    assert question is not None and question.asin == CHINOS and question.options == {"color": "navy"}
    assert question.price.startswith("$") and "Buy" in question.text and not first.purchases
    assert bool(talk.purchases) is yes and second.ended == ("bought" if yes else "said")
    assert ("click[Buy Now]" in talk.actions) is yes
    assert [call.outcome for call in second.calls] == ["done" if yes else "refused"]
    for purchase in talk.purchases:
        assert purchase.agreed and purchase.asin == CHINOS and purchase.reward is None


def test_a_purchase_that_nobody_agreed_to_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")
    turn = said(BUYING, state={"confirm_purchases": False})
    assert [purchase.agreed for purchase in turn.purchases] == [False] and turn.ended == "bought"


def test_a_session_with_a_goal_has_a_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")
    goal = get_shop_files().goals("synthetic")[0]
    title = get_shop().catalog.product(goal.asin).title
    steps = [f"search:{title}", f"click:{goal.asin}", *(f"click:{value}" for value in goal.goal_options.values())]
    talk = session([*steps, "click:Buy Now", "say:done"], state={GOAL_KEY: 0, "confirm_purchases": False})
    asyncio.run(talk.say(goal.instruction_text))
    assert talk.reward == 1.0


@pytest.mark.parametrize(
    ("steps", "ended"),
    [
        (["raise:the line is dead"], "model_error"),
        (["code:503"], "model_error"),
        (["search:shoes", "search:boots", "search:hats", "search:gloves", "search:coats"], "max_steps"),
        (["search:shoes"], "loop"),
        (["click:nothing of that name"], "loop"),
    ],
)
def test_how_a_turn_breaks_off(steps: list[str], ended: str) -> None:
    turn = said(steps, max_model_calls=4 if ended == "max_steps" else 30)
    assert turn.ended == ended and turn.broken
    assert bool(turn.error) is (ended != "loop")


def test_reading_page_after_page_is_no_loop() -> None:
    pages = [f"click:{name}" for name in ("Description", "< Prev", "Features", "< Prev", "Reviews", "< Prev")]
    assert said(["search:slim fit chinos", f"click:{CHINOS}", *pages * 3, "say:read"]).ended == "said"


def test_two_sessions_share_nothing() -> None:
    async def both() -> list[str]:
        talks = [session([f"search:{word}", "say:ok"]) for word in ("shoes", "lamps")]
        await asyncio.gather(*(talk.say("go") for talk in talks))
        return [talk.places[-1].query for talk in talks]

    assert asyncio.run(both()) == ["shoes", "lamps"]
