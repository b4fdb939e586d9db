"""Nothing is bought before a person has agreed to this product, these options and this price."""

import pytest

from tests.agent.helpers import DENIM, RED, Chat, click, search

pytestmark = pytest.mark.usefixtures("shop")

CHOSEN = [search("denim jacket"), click(DENIM), click("dark blue")]


async def asked() -> Chat:
    chat = Chat(*CHOSEN, click("Buy Now"), "not said")
    await chat.say()
    assert chat.llm.script == ["not said"], "the model must not be asked while the person is"
    chat.llm.script.clear()
    return chat


async def test_the_question_names_product_options_and_price() -> None:
    chat = await asked()
    [question] = chat.questions
    assert question.args["toolConfirmation"]["hint"] == (
        f"Buy “denim jacket for women” (color: dark blue; size: not chosen; {DENIM}) for $49.90?"
    )
    [pending] = [r.response for event in chat.events for r in event.get_function_responses()][-1:]
    assert pending["status"] == "pending" and pending["question"].startswith("Buy “denim jacket")
    assert pending["product"]["asin"] == DENIM
    assert (await chat.state())["shop"][0]["kind"] == "item"


async def test_a_yes_buys_it() -> None:
    chat = await asked()
    [bought] = await chat.decide(True)
    assert bought["page"] == "done" and bought["purchased"] is True
    assert bought["product"]["asin"] == DENIM
    assert bought["product"]["options"][0]["chosen"] == "dark blue"
    assert "MTurk" not in str(bought) and "score" not in str(bought).lower() and "reward" not in bought
    drawn = (await chat.artifact("page.html")) + (await chat.artifact("page.svg"))
    assert b"MTurk" not in drawn and b"core" not in drawn.split(b"</style>")[-1]


async def test_a_no_is_kept() -> None:
    chat = await asked()
    [answer] = await chat.decide(False, "as you wish")
    assert answer["error"].startswith("The person said no")
    assert answer["page"] == "item"
    assert (await chat.state())["shop"][0].get("done") is not True
    [again] = await chat.say("press on", click("Buy Now"))
    assert again["status"] == "pending" and len(chat.questions) == 2


async def test_a_changed_option_buys_nothing_until_asked_again() -> None:
    chat = await asked()
    await chat.say("rather the other one", click("light blue"), "done")
    changed, pending = await chat.decide(True, click("Buy Now"))
    assert "nothing was bought" in changed["error"]
    assert "color: light blue" in pending["question"]
    assert len(chat.questions) == 2
    assert (await chat.state())["shop"][0]["kind"] == "item"
    [bought] = await chat.decide(True)
    assert bought["purchased"] is True
    assert bought["product"]["options"][0]["chosen"] == "light blue"


async def test_another_product_is_not_bought() -> None:
    chat = await asked()
    await chat.say("or that one", search("red men"), click(RED), "opened")
    [answer] = await chat.decide(True)
    assert "nothing was bought" in answer["error"] and answer["product"]["asin"] == RED


async def test_an_old_yes_does_not_buy_what_was_asked_about_later() -> None:
    chat = await asked()
    await chat.say("rather the other one", click("light blue"), click("Buy Now"))
    assert len(chat.questions) == 2
    [answer] = await chat.decide(True, question=0)
    assert "nothing was bought" in answer["error"]
    assert (await chat.state())["shop"][0]["kind"] == "item"


async def test_a_yes_on_another_page_buys_nothing() -> None:
    chat = await asked()
    await chat.say("let me look around", click("Back to Search"), "there")
    [answer] = await chat.decide(True, "hm")
    assert "error" in answer and answer["page"] == "search"


async def test_a_yes_that_carries_other_facts_is_held_to_what_was_asked() -> None:
    from google.genai import types

    chat = await asked()
    await chat.say("rather the other one", click("light blue"), "done")
    facts = {"asin": DENIM, "title": "x", "options": {"color": "light blue"}, "price": "$49.90"}
    response = {"confirmed": True, "payload": facts}
    part = types.Part(
        function_response=types.FunctionResponse(
            id=chat.questions[0].id, name="adk_request_confirmation", response=response
        )
    )
    [answer] = await chat.say(types.Content(role="user", parts=[part]))
    assert "nothing was bought" in answer["error"]


async def test_a_yes_in_the_chat_is_no_confirmation() -> None:
    chat = await asked()
    assert await chat.say("yes, buy it!", "please answer the question above") == []
    assert (await chat.state())["shop"][0]["kind"] == "item"


async def test_calls_made_beside_the_purchase_wait_for_the_person() -> None:
    chat = Chat(*CHOSEN, [click("Buy Now"), click("Back to Search"), click("Buy Now")])
    *_, pending, refused, second = await chat.say()
    assert pending["status"] == "pending"
    assert "being asked" in refused["error"] and "being asked" in second["error"]
    assert len(chat.questions) == 1
    [bought] = await chat.decide(True)
    assert bought["purchased"] is True


async def test_after_a_purchase_a_search_starts_the_next() -> None:
    chat = await asked()
    await chat.decide(True, "bought")
    pressed, found = await chat.say("more", click("Buy Now"), search("red"))
    assert pressed["error"].startswith("The purchase is made")
    assert found["page"] == "results"


async def test_state_alone_does_not_switch_the_question_off() -> None:
    chat = Chat(*CHOSEN, click("Buy Now"), state={"confirm_purchases": False})
    assert (await chat.say())[-1]["status"] == "pending"


async def test_an_evaluating_process_may_switch_it_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")
    chat = Chat(*CHOSEN, click("Buy Now"), state={"confirm_purchases": False})
    assert (await chat.say())[-1]["purchased"] is True
    still_asked = Chat(*CHOSEN, click("Buy Now"))
    assert (await still_asked.say())[-1]["status"] == "pending"


async def test_an_evaluated_conversation_has_its_goal_and_its_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALLOW_UNCONFIRMED_PURCHASES", "1")
    state = {"confirm_purchases": False, "goal_index": 0}
    chat = Chat(click("x"), *CHOSEN, click("Buy Now"), state=state)
    answers = await chat.say()
    task = answers[0]["observation"].split(" [SEP] ")[2]
    assert task.lower().startswith("find me")
    assert 0.0 <= answers[-1]["reward"] <= 1.0
    assert answers[-1]["reward_info"]["w_price"] > 0
    assert (await chat.state())["shop"][0]["instruction"].strip().startswith(task[:20])


@pytest.mark.parametrize("state", [{"goal_index": 10**6}, {"goal_index": "1"}, {"goal_index": 0, "goal_kind": "x"}])
async def test_a_goal_that_does_not_exist_is_an_answer_not_a_crash(state: dict[str, object]) -> None:
    [answer] = await Chat(search("denim"), state=state).say()
    assert "goal" in answer["error"]
