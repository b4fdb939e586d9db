"""The scripted person: what they hear in anybody's words, and what they say to it."""

import asyncio
from collections.abc import Sequence

import pytest

from personalized_shopping.evaluation.agent_session import Question
from personalized_shopping.evaluation.conversations import ConversationTask, Reply, ScriptedPerson
from personalized_shopping.evaluation.conversations.hearing import (
    asked_about,
    is_named,
    names_fact,
    names_products,
    offers_to_buy,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

SUBJECTS = ("color", "size", "limit", "feature")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("What colour would you like?", ["color"]),
        ("Which size do you need, and in which shade?", ["color", "size"]),
        ("Could you tell me your budget?", ["limit"]),
        ("Please let me know your size.", ["size"]),
        ("How much would you like to spend?", ["limit"]),
        ("Is there anything particular that matters to you?", ["feature"]),
        ("You can choose:\n- color: black, navy\n- size: 8, 9\n\nWhich would you like?", ["color", "size"]),
        ("It comes in five colors and all sizes. Shall I buy it?", []),
        ("I chose the color navy.", []),
        ("Which one shall I open?", []),
    ],
)
def test_questions_are_heard(words: str, asked: list[str]) -> None:
    assert asked_about(words, SUBJECTS) == asked


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("Shall I buy it?", True),
        ("Would you like me to place the order now?", True),
        ("Say yes, and it is yours.", True),
        ("Do you want to go ahead with this one?", True),
        ("I bought it.", False),
        ("Which one shall I look into?", False),
    ],
)
def test_an_offer_to_buy_is_heard(words: str, offers: bool) -> None:
    assert offers_to_buy(words) is offers


def test_products_and_facts_are_recognised() -> None:
    assert names_products("The lamp is $12.99.") and not names_products("What are you looking for?")
    assert is_named("How about the rook & reed chinos?", "B0ZLTCD61C", "Rook & Reed")
    assert not is_named("Rooks are birds.", "B0ZLTCD61C", "Rook")
    assert names_fact("It costs $20.49.", ("20.49",)) and not names_fact("It costs $120.49.", ("20.49",))
    assert names_fact("Rated 4.7 of 5.", ("4.7",)) and not names_fact("Rated 4.75.", ("4.7",))


def talk(person: ScriptedPerson, heard: Sequence[str | Question]) -> list[Reply]:
    async def hear() -> list[Reply]:
        replies = [await person.hear("", None)]
        for said in heard:
            text, question = (said, None) if isinstance(said, str) else ("", said)
            replies.append(await person.hear(text, question))
        return replies

    return asyncio.run(hear())


def offer(asin: str, price: str = "$10.00", **options: str) -> Question:
    return Question(id="q", text=f"Buy {asin}?", asin=asin, options=options, price=price)


SHOWN = "I'd suggest the Threadwell chinos for $43.89 or the Brackenhill ones for $33.97."
CHINOS = "B036O6ES2L"


def test_a_find_goes_from_the_opening_to_a_yes(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["find/chinos"]
    replies = talk(ScriptedPerson(task, shop.catalog), [SHOWN, "They are nice.", offer(CHINOS, color="navy")])
    opening, pick, take, answer = replies
    assert opening.text == task.opening
    assert "Threadwell" in (pick.text or "") and "navy" not in (pick.text or "")
    assert "navy" in (take.text or "").lower()
    assert answer == Reply(yes=True)


def test_a_part_is_told_when_it_is_asked_for(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    person = ScriptedPerson(by_id["budget/sneakers"], shop.catalog)
    _, first, second = talk(person, ["Which size do you wear?", "And which color?"])
    assert "8" in (first.text or "") and "coral" not in (first.text or "").lower()
    assert "coral" in (second.text or "").lower()


@pytest.mark.parametrize(
    ("question", "objection"),
    [
        (offer("B0T20HEKOR", color="navy"), "not what I asked for"),
        (offer(CHINOS, color="black"), "has to be color navy"),
        (offer(CHINOS), "has to be color navy"),
    ],
)
def test_what_does_not_fit_is_refused_and_why(
    question: Question, objection: str, shop: Shop, by_id: dict[str, ConversationTask]
) -> None:
    replies = talk(ScriptedPerson(by_id["find/chinos"], shop.catalog), [SHOWN, "Nice.", question, "What is wrong?"])
    assert replies[-2] == Reply(yes=False) and objection in (replies[-1].text or "")


def test_a_limit_holds_at_the_till(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    person = ScriptedPerson(by_id["budget/headphones"], shop.catalog)
    replies = talk(person, [offer("B03M6BFM75", price="$125.89", color="blue"), "Oh?"])
    assert replies[1] == Reply(yes=False) and "$80" in (replies[2].text or "")


def test_a_mind_changes_at_the_till(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["change_of_mind/chinos-color"]
    assert task.change is not None
    person = ScriptedPerson(task, shop.catalog)
    heard: list[str | Question] = [
        SHOWN,
        "Nice.",
        offer(CHINOS, color="navy"),
        "All right.",
        offer(CHINOS, color="black"),
    ]
    replies = talk(person, heard)
    assert [reply.yes for reply in replies] == [None, None, None, False, None, True]
    assert replies[4].text == task.change.words


def test_a_mind_changes_when_products_are_shown(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["change_of_mind/lamp-to-speaker"]
    assert task.change is not None
    replies = talk(ScriptedPerson(task, shop.catalog), ["What for?", "The Hazelbrook lamp is $42.79."])
    assert replies[1].text != task.change.words and replies[2].text == task.change.words


def test_who_does_not_buy_says_no_and_leaves(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["refuse_purchase/mouse-no"]
    shown = "The Keyfield ergonomic mouse is $28.99."
    replies = talk(ScriptedPerson(task, shop.catalog), [shown, "Nice.", offer("B0T37738D6"), "All right.", "Bye!"])
    assert replies[3] == Reply(yes=False)
    assert replies[4].text == task.lines[-1].words and replies[5] == Reply()


def test_who_says_no_at_the_till_insists_on_getting_there(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["refuse_purchase/mouse-no"]
    shown = "The Keyfield ergonomic mouse is $28.99."
    replies = talk(
        ScriptedPerson(task, shop.catalog), [shown, "Nice.", "What?", "Shall I buy it?", "Hm?", "Hm?", "Hm?"]
    )
    words = [reply.text for reply in replies]
    assert words[-2] == task.lines[-1].words and task.lines[-1].words not in words[:-2]


def test_who_is_not_served_leaves_in_the_end(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    for task in by_id.values():
        replies = talk(ScriptedPerson(task, shop.catalog), ["I do not understand."] * 12)
        assert replies[-1] == Reply(), task.id


def test_a_seed_decides_the_words(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    def words(seed: int) -> list[str | None]:
        person = ScriptedPerson(by_id["find/chinos"], shop.catalog, seed)
        return [reply.text for reply in talk(person, [SHOWN, "Nice.", "Hm."])]

    assert words(1) == words(1)
    assert len({tuple(words(seed)) for seed in range(6)}) > 1


def test_an_offer_is_answered_and_a_lost_thread_taken_up(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    heard = [SHOWN, "Nice.", "What?", "Shall I buy it?"]
    *_, lost, offered = talk(ScriptedPerson(by_id["find/chinos"], shop.catalog), heard)
    assert "Threadwell" in (lost.text or "") and "Threadwell" not in (offered.text or "")


def test_who_does_not_mind_names_a_value_when_pressed(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    shown = "The Wickford tempered glass table is $110.99."
    person = ScriptedPerson(by_id["refuse_purchase/table-no"], shop.catalog)
    *_, first, second = talk(person, [shown, "Which color?", "Please tell me a color."])
    assert first.text == "Any color is fine." and second.text == "Then walnut."
