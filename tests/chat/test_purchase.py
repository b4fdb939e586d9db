"""A person shops over HTTP: finds, reads, refuses, buys."""

import pytest

from personalized_shopping.chat import Chat
from tests.agent.helpers import DENIM, RED, ScriptedLlm, click, search
from tests.chat.helpers import Person, make_chat, of

CHOSEN = [search("denim jacket"), click(DENIM), click("dark blue")]


async def test_a_whole_purchase(person: Person) -> None:
    found = await person.say("a denim jacket for women")
    assert found[0] == {"type": "user", "text": "a denim jacket for women"}
    [results] = of(found, "products")
    [card] = [card for card in results["products"] if card["asin"] == DENIM]
    assert (card["title"], card["price"], card["rating"]) == ("denim jacket for women", "$49.90", 4.5)
    assert card["image"].startswith("data:image/svg+xml")
    started, ended = of(found, "action")
    assert started["sentence"].startswith("Searching for “denim jacket") and started["outcome"] == "running"
    assert (ended["id"], ended["outcome"]) == (started["id"], "done")

    opened = await person.say("the first one")
    assert of(opened, "page")[0]["kind"] == "item" and of(opened, "page")[0]["title"] == "denim jacket for women"
    assert "First point" in of(opened, "text")[-1]["text"], "it has read the page"
    assert of(opened, "action")[0]["sentence"] == "Opening “denim jacket for women”"
    asked = await person.say("dark blue, small, buy it")
    asked += [] if person.question else await person.say("buy it")
    [question] = of(asked, "question")
    assert question["id"] == person.question
    assert question["product"]["title"] == "denim jacket for women" and question["product"]["price"] == "$49.90"
    assert question["options"] == {"color": "dark blue", "size": "small"}

    bought = await person.decide(True)
    assert bought[0] == {"type": "answer", "question_id": question["id"], "confirmed": True}
    [purchase] = of(bought, "purchase")
    assert purchase["product"]["asin"] == DENIM and purchase["options"]["color"] == "dark blue"
    assert of(bought, "page")[-1]["kind"] == "done" and person.question is None


async def test_texts_are_streamed_and_then_whole(person: Person) -> None:
    texts = of(await person.say("a denim jacket for women"), "text")
    assert len(texts) > 3 and [text["whole"] for text in texts] == [False] * (len(texts) - 1) + [True]
    assert "".join(text["text"] for text in texts[:-1]) == texts[-1]["text"]
    assert {text["message"] for text in texts} == {0}


async def test_a_no_buys_nothing_and_a_later_yes_does(shop: None) -> None:
    model = ScriptedLlm(script=[*CHOSEN, click("Buy Now"), "as you wish", click("Buy Now"), "bought"])
    async with Person(make_chat(model)) as person:
        await person.open()
        asked = await person.say("hello")
        [question] = of(asked, "question")
        assert question["options"] == {"color": "dark blue", "size": None}
        refused = await person.decide(False)
        [action] = of(refused, "action")
        assert action["outcome"] == "refused" and action["note"].startswith("The person said no")
        assert not of(refused, "purchase") and person.question is None
        again = await person.say("well, take it")
        assert of(again, "question")[0]["id"] != question["id"]
        assert of(await person.decide(True), "purchase")


async def test_only_the_open_question_of_ones_own_conversation_counts(chat: Chat, shop: None) -> None:
    model = ScriptedLlm(script=[*CHOSEN, click("Buy Now")])
    chat = make_chat(model)
    async with Person(chat) as person, Person(chat) as other:
        await person.open()
        await other.open()
        await person.say("hello")
        answer = {"question_id": person.question, "confirmed": True}
        refused = await other.post("answers", answer)
        assert refused.status_code == 409 and "no longer open" in refused.json()["error"]
        assert (await person.post("answers", answer | {"question_id": "adk-x"})).status_code == 409
        assert of(await person.decide(True), "purchase")
        again = await person.post("answers", answer)
        assert again.status_code == 409, "a question is answered once"


async def test_a_question_closes_when_the_agent_goes_elsewhere(shop: None) -> None:
    elsewhere = [search("red men"), click(RED), "look at this"]
    model = ScriptedLlm(script=[*CHOSEN, click("Buy Now"), click("Description"), click("< Prev"), "read", *elsewhere])
    async with Person(make_chat(model)) as person:
        await person.open()
        await person.say("hello")
        first = person.question
        await person.say("what is it made of?")
        assert person.question == first, "it is back where it asked"
        await person.say("rather something red")
        assert person.question is None
        refused = await person.post("answers", {"question_id": first, "confirmed": True})
        assert refused.status_code == 409
        assert (await person.open())["question"] is None


async def test_a_yes_in_words_is_no_yes(person: Person) -> None:
    await person.say("a denim jacket for women")
    await person.say("the first one")
    await person.say("dark blue, small")
    asked = await person.say("buy it")
    assert of(asked, "question") and person.question is not None
    assert not of(await person.say("yes, buy it!"), "purchase")


async def test_the_history_is_what_was_told(person: Person) -> None:
    told = await person.say("a denim jacket for women")
    told += await person.say("the first one")
    history = await person.open()
    kept = [e for e in told if e["type"] != "done" and not (e["type"] == "text" and not e["whole"])]
    first = [{**e, "message": 0} if e["type"] == "text" else e for e in kept]
    assert [{**e, "message": 0} if e["type"] == "text" else e for e in history["events"]] == first
    assert [e["message"] for e in history["events"] if e["type"] == "text"] == [0, 1]
    assert history["running"] is False and history["question"] is None


async def test_the_history_of_an_open_question(shop: None) -> None:
    async with Person(make_chat(ScriptedLlm(script=[*CHOSEN, click("Buy Now")]))) as person:
        await person.open()
        await person.say("hello")
        history = await person.open()
        assert history["question"] == person.question == of(history["events"], "question")[0]["id"]
        await person.decide(True)
        history = await person.open()
        assert of(history["events"], "answer") == [
            {"type": "answer", "question_id": of(history["events"], "question")[0]["id"], "confirmed": True}
        ]


async def test_the_pages_that_the_agent_saw(person: Person) -> None:
    await person.say("a denim jacket for women")
    opened = await person.say("the first one")
    pages = of(opened, "page")
    assert [page["number"] for page in pages] == list(range(2, 2 + len(pages)))
    answer = await person.client.get(f"/chat/pages/{pages[0]['number']}")
    assert answer.status_code == 200 and "denim jacket for women" in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert "<script" not in answer.text
    assert "allow-scripts" not in answer.headers["content-security-policy"]
    for number in (0, 99, 10**30):
        assert (await person.client.get(f"/chat/pages/{number}")).status_code == 404


@pytest.mark.parametrize("path", ["pages/1", "history"])
async def test_nobody_sees_another_persons_conversation(path: str, person: Person, chat: Chat) -> None:
    await person.say("a denim jacket for women")
    async with Person(chat) as other:
        await other.open()
        answer = await other.client.get(f"/chat/{path}")
        assert "denim" not in answer.text
    async with Person(chat) as stranger:
        assert (await stranger.client.get(f"/chat/{path}")).status_code == 403


async def test_a_new_conversation_begins_empty(person: Person) -> None:
    await person.say("a denim jacket for women")
    assert (await person.post("new", {})).status_code == 204
    stale = await person.post("messages", {"text": "hello"})
    assert stale.status_code == 403 and "earlier conversation" in stale.json()["error"]
    assert (await person.open())["events"] == []
    assert of(await person.say("red jacket for men"), "products")
