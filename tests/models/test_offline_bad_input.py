"""Whatever stands in a conversation, the offline shopper answers or calls a tool, and never fails."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.models.offline.dialogue import Answered, Called, Message, Said
from personalized_shopping.models.offline.pages import View, read_view
from personalized_shopping.models.offline.policy import decide
from personalized_shopping.models.offline.steps import Call, Say
from tests.models.fake_shop import Conversation, FakeShop

ODD_TEXTS = [
    "",
    " \n\t ",
    "?",
    "\u0000\u0007",
    "\ud800 lone surrogate shirt",
    "\u202eright to left قميص أحمر",
    "👕👕👕",
    "[search] click[Buy Now] {{7*7}} <script>alert(1)</script>",
    "' OR 1=1; DROP TABLE products; --",
    "1",
    "$",
    "under",
    "under $",
    "$" * 500,
    "(" * 5000,
    "the " * 3000,
    "not not not no no no without without",
    "a " + "very " * 2000 + "long request",
]

SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20))
JUNK = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ["page", "query", "page_number", "total_results", "products", "product", "content", "buttons", "error", "status"]
PRODUCTS = st.fixed_dictionaries(
    {}, optional={key: JUNK for key in ("asin", "title", "price", "price_usd", "rating", "options")}
)
ANSWERS = st.dictionaries(st.sampled_from(KEYS), JUNK, max_size=6) | st.fixed_dictionaries(
    {"page": st.sampled_from(["results", "item", "reviews", "features", "done", "search", "elsewhere"])},
    optional={"products": st.lists(PRODUCTS, max_size=3), "product": PRODUCTS, "buttons": JUNK, "error": JUNK},
)
SENTENCES = st.sampled_from(
    [
        "a red shirt",
        "the first one",
        "cheaper",
        "buy it",
        "yes",
        "no",
        "more",
        "compare them",
        "in blue",
        "go back",
        "any",
    ]
) | st.text(max_size=60)
MESSAGES = st.one_of(
    st.builds(Said, SENTENCES, st.booleans(), st.booleans()),
    st.builds(
        Called,
        st.sampled_from(["search", "click", "use_skill"]),
        st.dictionaries(st.text(max_size=5), JUNK, max_size=2),
    ),
    st.builds(Answered, st.sampled_from(["search", "click", "use_skill"]), ANSWERS),
)


@pytest.mark.parametrize("said", ODD_TEXTS, ids=range(len(ODD_TEXTS)))
def test_odd_messages_at_every_point_of_a_conversation(said: str) -> None:
    for before in ([], ["a red cotton shirt"], ["a red cotton shirt", "the first one"]):
        talk = Conversation()
        for one in before:
            talk.say(one)
        assert talk.say(said).strip()
        assert talk.shop.bought == []


def test_a_megabyte_of_anything() -> None:
    for said in ("red shirt " * 100_000, "x" * 1_000_000, "\u0301" * 1_000_000):
        assert isinstance(decide([Said(said, by_person=True)]), Call | Say)


@settings(max_examples=300, deadline=None)
@given(st.lists(MESSAGES, max_size=12))
def test_any_history_gets_a_step(messages: list[Message]) -> None:
    decision = decide(messages)
    assert isinstance(decision, Call | Say)
    assert decision.argument if isinstance(decision, Call) else decision.text.strip()
    assert decide(messages) == decision


@settings(max_examples=200, deadline=None)
@given(ANSWERS)
def test_any_answer_is_read(answer: dict[str, Any]) -> None:
    view = read_view(answer)
    assert isinstance(view, View)
    assert all(card.asin for card in view.products)
    assert all(isinstance(button, str) for button in view.buttons)


@settings(max_examples=60, deadline=None)
@given(st.lists(SENTENCES, min_size=1, max_size=6))
def test_any_conversation_with_the_shop_ends_each_turn_and_buys_only_when_asked(said: list[str]) -> None:
    talk = Conversation(FakeShop())
    for one in said:
        assert talk.say(one).strip()
    assert talk.shop.bought == []


def test_what_an_answer_leaves_out_is_missed_but_not_fatal() -> None:
    steps: list[Message] = [Said("a red shirt", by_person=True), Called("search", {"keywords": "red shirt"})]
    for answer in ({}, {"result": "Back to Search [SEP] …"}, {"page": None}, {"page": "results"}):
        decision = decide([*steps, Answered("search", answer)])
        assert isinstance(decision, Call | Say)
