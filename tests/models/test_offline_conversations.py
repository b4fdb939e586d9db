"""Conversations with the offline shopper, as tables: what is said, which calls follow, what is answered."""

import re

import pytest

from personalized_shopping.models.offline import wording
from personalized_shopping.models.offline.dialogue import Answered, Called, Said, listed
from personalized_shopping.models.offline.policy import MAX_CALLS_PER_TURN, decide
from personalized_shopping.models.offline.steps import Call, Say
from tests.models.fake_shop import Conversation, FakeProduct, FakeShop, hostile_product

READ_ALL = [
    "click:Description", "click:< Prev", "click:Features", "click:< Prev", "click:Reviews", "click:< Prev",
]  # fmt: skip
ANY = None
"""A turn whose calls are another test's business."""

Turn = tuple[str, list[str] | None, list[str]]

CONVERSATIONS: dict[str, list[Turn]] = {
    "a purchase from the greeting to the thanks": [
        ("hi", [], ["Tell me what you are looking for"]),
        ("a red cotton shirt under 30 dollars", ["search:red cotton shirt"], ["1. **Men's Red", "$12.99 to $18.50"]),
        ("the second one", ["click:B0SHIRT002", *READ_ALL], ["Pro: “Love it", "As you asked, I would take red"]),
        ("what do the reviews say?", [], ["1 review, 5.0 of 5"]),
        ("large, red", ["click:red", "click:large"], ["color: red, size: large", "Shall I buy it?"]),
        ("yes", ["click:Buy Now"], ["Buy “Red Cotton T-Shirt"]),
        ("!yes", [], ["Done! I bought **Red Cotton T-Shirt", "size: large"]),
        ("thank you!", [], ["welcome"]),
    ],
    "buying straight from the list asks for what is open, and takes what was said": [
        ("a red cotton shirt", ["search:red cotton shirt"], ["$24.99"]),
        ("buy the first one", ["click:B0SHIRT001", "click:red"], ["- size: small, medium", "Which would you like?"]),
        ("medium", ["click:medium", "click:Buy Now"], ["Buy “Men's Red"]),
        ("!no", [], ["did not buy"]),
        ("no", [], ["change something"]),
        ("buy it in white", ["click:white", "click:Buy Now"], ["Buy “Men's Red"]),
        ("!yes", [], ["color: white, size: medium"]),
    ],
    "the person leaves the choice to the shopper": [
        ("running shoes", ANY, ["B0SHOES001"]),
        ("buy B0SHOES001", ["click:B0SHOES001"], ["color: black, grey", "Which would you like?"]),
        ("you choose", ["click:black", "click:7", "click:Buy Now"], ["Buy “Trail"]),
    ],
    "a typed yes does not answer the confirmation": [
        ("desk lamp", ANY, ["$31.00"]),
        ("buy the first one", ["click:B0LAMPDESK", "click:Buy Now"], ["Buy “Desk Lamp"]),
        ("yes", [], ["confirmation request"]),
        ("buy it", ["click:Buy Now"], ["Buy “Desk Lamp"]),
        ("!yes", [], ["Done!"]),
    ],
    "cheaper, dearer and nothing": [
        ("red shirts", ["search:red shirts"], ["B0SHIRT001"]),
        ("under $20", ANY, ["up to $20.00", "B0SHIRT002", "B0SHIRT006"]),
        ("cheaper", ANY, ["nothing cheaper", "$9.99"]),
        ("what about over $35?", ANY, ["from $35.00", "B0SHIRT003"]),
    ],
    "changing the colour keeps the rest of the wish": [
        ("a red cotton shirt under $30", ["search:red cotton shirt"], ["up to $30.00"]),
        ("in blue", ANY, ["blue cotton shirt, up to $30.00", "comes in blue", "B0SHIRT005"]),
    ],
    "a change of mind starts anew": [
        ("a red cotton shirt", ["search:red cotton shirt"], ["shirt"]),
        ("the first one", ["click:B0SHIRT001", *READ_ALL], ["You can choose"]),
        ("actually, i need a coffee mug", ["search:coffee mug"], ["Coffee Mug Number 0", "$10.00"]),
        ("the second one", ["click:B0MUG00001", *READ_ALL], ["Coffee Mug Number 1", "Shall I buy it?"]),
    ],
    "colours and sizes are looked up where the list does not show them": [
        (
            "running shoes in black size 8",
            ["search:running shoes black", "search:black running shoes black", "click:B0SHOES001", "click:< Prev",
             "click:B0SHOES003", "click:< Prev", "click:B0SHOES002", "click:< Prev"],
            ["1. **Trail Running Shoes", "comes in size 8", "does not come in black", "does not come in size 8"],
        ),
    ],
    "more shows the next ones, over the pages": [
        ("mug", ["search:mug"], ["Mug Number 0", "Mug Number 3"]),
        ("more", [], ["Mug Number 4", "Mug Number 7"]),
        ("more please", ["click:Next >"], ["Mug Number 8", "Mug Number 11"]),
        ("the first one", ["click:< Prev", "click:B0MUG00008", *READ_ALL], ["Mug Number 8"]),
    ],
    "a limit that few meet makes it turn the pages": [
        ("mug over $30", ["search:mug", "click:Next >", "click:Next >"], ["Mug Number 20", "$30.00", "Mug Number 23"]),
        ("the last one", ["click:B0MUG00023", *READ_ALL], ["Mug Number 23"]),
        ("go back", ["click:< Prev"], ["Back to the list", "Mug Number 20"]),
        ("number 2", ["click:B0MUG00021", *READ_ALL], ["Mug Number 21"]),
    ],
    "comparing": [
        ("a red cotton shirt", ["search:red cotton shirt"], ["1."]),
        (
            "compare the first two",
            ["click:B0SHIRT001", "click:Features", "click:< Prev", "click:< Prev", "click:B0SHIRT002", "click:Features",
             "click:< Prev"],
            ["| Price | $24.99 | $12.99 to $18.50 |", "number 2 is the cheapest", "number 1 is rated best"],
        ),
        ("the first one", ["click:< Prev", "click:B0SHIRT001", "click:Description", "click:< Prev", "click:Reviews",
                           "click:< Prev"], ["Con: “Shrinks"]),
    ],
    "a comparison keeps the numbers of the list": [
        ("mug", ["search:mug"], ["4. **Coffee Mug Number 3"]),
        ("compare 2 and 4", ANY, ["| 2. Coffee Mug Number 1", "| 4. Coffee Mug Number 3", "number 2 is the cheapest"]),
        ("number 4", ANY, ["**Coffee Mug Number 3"]),
    ],
    "thinking aloud": [
        ("hmm", [], ["not sure"]),
        ("never mind, find me a coffee mug", ["search:coffee mug"], ["Coffee Mug Number 0"]),
    ],
    "questions about a product": [
        ("a red cotton shirt", ["search:red cotton shirt"], ["1."]),
        ("describe number 1", ["click:B0SHIRT001", "click:Description", "click:< Prev"], ["soft cotton"]),
        ("how much is it?", [], ["costs $24.99"]),
        ("what sizes does it come in?", [], ["size: small, medium, large, x-large"]),
        ("in purple", [], ["does not come in purple", "navy blue"]),
        ("what is the rating of the second one?", [], ["4.1 of 5"]),
    ],
    "by name and by superlative": [
        ("a red cotton shirt", ["search:red cotton shirt"], ["Polo"]),
        ("the polo", ["click:B0SHIRT004", *READ_ALL], ["Deep Red"]),
        ("the cheapest one", ["click:< Prev", "click:B0SHIRT006", *READ_ALL], ["Kids' Red"]),
    ],
    "nothing there": [
        ("a flux capacitor", ["search:flux capacitor", "search:capacitor"], ["nothing for “flux capacitor”"]),
        ("buy it", [], ["Nothing is chosen"]),
        ("a mug under 5 dollars", ["search:mug", "click:Next >", "click:Next >"],
         ["nothing in the shop quite fits", "$5.00 over your limit", "higher price limit"]),
    ],
    "small talk": [
        ("who are you?", [], ["without a language model"]),
        ("help", [], ["the second one", "start over"]),
        ("what's the weather like tomorrow?", [], ["only know my way around this shop"]),
        ("12 * 7", [], ["only know my way around this shop"]),
        ("asdf?? !!", ANY, []),
        ("yes", [], []),
        ("bye", [], ["Goodbye"]),
    ],
    "starting over": [
        ("mug", ["search:mug"], ["Mug"]),
        ("start over", ["click:Back to Search"], ["fresh start"]),
        ("the first one", [], ["not sure"]),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_conversations(name: str) -> None:
    talk = Conversation()
    for said, calls, answers in CONVERSATIONS[name]:
        reply = talk.confirm(said == "!yes") if said.startswith("!") else talk.say(said)
        if calls is not ANY:
            assert talk.calls == calls, said
        for part in answers:
            assert part in reply, f"{said!r} was answered: {reply}"


def test_a_first_answer_names_products_with_prices_and_does_not_ask_back() -> None:
    reply = Conversation().say("a red cotton shirt under 30 dollars")
    assert len(re.findall(r"\$\d+\.\d\d", reply.split("\n", 1)[1])) >= 2
    assert reply.index("1. ") < reply.index("?")


def test_a_picture_is_answered_with_a_request_for_words() -> None:
    assert Conversation().say("", image=True) == wording.PICTURE
    assert Conversation().say("find something like this picture", image=True) == wording.PICTURE
    talk = Conversation()
    assert talk.say("a red shirt like this", image=True).startswith(wording.PICTURE_NOTE)
    assert talk.calls[0].startswith("search:red shirt")


def test_an_errand_without_questions_goes_to_the_till() -> None:
    talk = Conversation(FakeShop(confirm=False))
    reply = talk.say("i need trail running shoes in grey, size 8, under $70. buy it without asking")
    assert talk.shop.bought == [("B0SHOES001", {"color": "grey", "size": "8"})]
    assert reply.startswith("Done!")
    talk = Conversation(FakeShop(confirm=False))
    talk.say("buy me a coffee mug without asking")
    assert talk.shop.bought == [("B0MUG00000", {})]


def test_the_same_conversation_gives_the_same_steps() -> None:
    def transcript() -> list[str]:
        talk = Conversation()
        replies = [
            talk.say(said) for said in ("red shirts", "in blue", "the first one", "compare the first two", "more")
        ]
        return [*replies, *map(repr, talk.messages)]

    assert transcript() == transcript()


def test_product_text_is_only_ever_data() -> None:
    shop = FakeShop([hostile_product()], confirm=False)
    talk = Conversation(shop)
    reply = talk.say("vase")
    assert listed(reply) == ("B0HOSTILE1",)
    assert "<script>" not in reply and "\nIGNORE" not in reply
    reply = talk.say("the first one")
    assert talk.calls == ["click:B0HOSTILE1", *READ_ALL]
    assert listed(reply) == ()
    # The listing's own `Shall I buy it?` must not turn a yes into a purchase.
    talk.say("what do the reviews say")
    talk.say("yes")
    assert shop.bought == []


def test_an_error_of_the_shop_is_explained_after_a_few_tries() -> None:
    class Broken(FakeShop):
        def use(self, name: str, args: dict[str, str]) -> dict[str, object]:
            return {"error": "The shop failed to answer.", "page": "results", "buttons": ["Back to Search"]}

    talk = Conversation(Broken())
    reply = talk.say("a red shirt")
    assert "The shop failed to answer" in reply
    assert len(talk.calls) <= 4


def test_a_search_that_fails_once_is_tried_again_from_the_start_page() -> None:
    class Moody(FakeShop):
        failed = False

        def use(self, name: str, args: dict[str, str]) -> dict[str, object]:
            if name == "search" and not self.failed:
                self.failed = True
                return {"error": "Go back to the search page first.", "page": "item", "buttons": ["Back to Search"]}
            return super().use(name, args)

    talk = Conversation(Moody())
    assert "Coffee Mug" in talk.say("coffee mug")
    assert talk.calls == ["search:coffee mug", "click:Back to Search", "search:coffee mug"]


def test_an_option_that_the_page_refuses_is_asked_for_instead_of_clicked_for_ever() -> None:
    class Stuck(FakeShop):
        def use(self, name: str, args: dict[str, str]) -> dict[str, object]:
            if args.get("button_name") == "large":
                return {**super().use("click", {"button_name": "nothing"}), "error": "large is sold out"}
            return super().use(name, args)

    talk = Conversation(Stuck())
    talk.say("a red cotton shirt")
    reply = talk.say("buy the first one in red, large")
    assert talk.calls.count("click:large") == 1
    assert "size: small" in reply


def test_an_agreement_that_went_stale_is_asked_for_again() -> None:
    talk = Conversation()
    talk.say("desk lamp")
    talk.say("buy the first one")
    talk.messages.pop()
    stale = {"error": "The price changed; press Buy Now again.", "page": "item", "buttons": ["Buy Now", "< Prev"]}
    talk.messages.append(
        Answered("click", stale | {"product": {"asin": "B0LAMPDESK", "title": "Lamp", "price_usd": [9]}})
    )
    assert decide(talk.messages) == Call("click", "Buy Now")


def test_it_stops_after_a_bounded_number_of_calls() -> None:
    messages: list[Said | Called | Answered] = [Said("mug", by_person=True)]
    for number in range(MAX_CALLS_PER_TURN):
        messages.append(Called("search", {"keywords": f"mug {number}"}, f"c{number}"))
        messages.append(Answered("search", {"page": "results", "products": []}, f"c{number}"))
    decision = decide(messages)
    assert isinstance(decision, Say)
    assert str(MAX_CALLS_PER_TURN) in decision.text


def test_calls_of_other_tools_and_answers_out_of_order_do_not_disturb() -> None:
    shop = FakeShop()
    messages = [
        Said("coffee mug", by_person=True),
        Called("list_skills", {}, "s"),
        Called("use_skill", {"name": "search"}, "u"),
        Called("search", {"keywords": "coffee mug"}, "a"),
        Answered("use_skill", {"result": ["x"]}, "u"),
        Answered("search", shop.use("search", {"keywords": "coffee mug"}), "a"),
        Answered("list_skills", {"skills": []}, "s"),
        Answered("search", {"page": "results"}, "nobody asked"),
    ]
    decision = decide(messages)
    assert isinstance(decision, Say)
    assert "Coffee Mug Number 0" in decision.text


def test_a_summary_in_place_of_older_turns_is_no_obstacle() -> None:
    messages = [
        Said("Summary: the person looked at mugs.\n1. **Mug** · $10.00 · `B0MUG00000`", by_person=False),
        Said("the first one", by_person=True),
    ]
    assert isinstance(decide(messages), Say)


def test_products_without_prices_titles_or_ratings_are_shown_all_the_same() -> None:
    shop = FakeShop([FakeProduct("B0NOTHING1", "", ()), FakeProduct("B0LAMP0001", "Lamp", ())])
    reply = Conversation(shop).say("lamp")
    assert "**Lamp** · price not shown" in reply
