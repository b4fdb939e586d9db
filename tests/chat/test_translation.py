"""ADK's events as the chat's."""

from typing import Any

import msgspec
import pytest
from google.adk.events import Event
from google.genai import types
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personalized_shopping.chat.cards import shown_image
from personalized_shopping.chat.events import Done, Text, as_stream
from personalized_shopping.chat.sentences import action_sentence, page_title
from personalized_shopping.chat.translation import Translator
from tests.agent.helpers import DENIM, NASTY, ODD, TWIN, ScriptedLlm, call, click, search
from tests.chat.helpers import Person, events, make_chat, of


def said(*parts: types.Part, author: str = "agent", **more: Any) -> Event:
    return Event(author=author, content=types.Content(role="model", parts=list(parts)), **more)


def test_thoughts_are_kept_to_oneself() -> None:
    parts = [types.Part(text="They want shoes.", thought=True), types.Part(text="Which size?")]
    assert Translator().translate(said(*parts)) == [Text(0, "Which size?", whole=True)]
    assert Translator().translate(said(parts[0])) == []


def test_streamed_texts_are_numbered() -> None:
    translator = Translator()
    shown = [
        *translator.translate(said(types.Part(text="One "), partial=True)),
        *translator.translate(said(types.Part(text="One moment."), partial=False)),
        *translator.translate(said(types.Part(text="Two."), partial=False)),
    ]
    assert shown == [Text(0, "One "), Text(0, "One moment.", whole=True), Text(1, "Two.", whole=True)]


def test_an_answer_cut_short_is_no_problem_and_no_answer_is_one() -> None:
    cut = Translator().translate(said(types.Part(text="So"), error_code="MAX_TOKENS"))
    assert [event.__struct_config__.tag for event in cut] == ["text"]
    [none] = Translator().translate(Event(author="agent", error_code="SAFETY", error_message="internal"))
    assert none.__struct_config__.tag == "error" and "internal" not in none.text


def test_sentences() -> None:
    titles = {DENIM: "denim jacket"}
    pressed = [
        action_sentence("click", {"button_name": name}, titles) for name in (DENIM, "b000000009", "< PREV", "red")
    ]
    assert pressed == ["Opening “denim jacket”", "Opening “b000000009”", "Going back one page", "Choosing “red”"]
    assert action_sentence("search", {}, titles) == "Searching for “”"
    assert action_sentence("use_skill", {"skill_id": "gather_facts"}, titles) == "Using the skill “gather facts”"
    assert action_sentence("other", {"name": "x"}, titles) == "Using “other”"
    assert page_title("reviews", {"product": {"title": "x"}}) == "Reviews of x"
    assert page_title("results", {"query": "x", "page_number": 2}) == "Results for “x”, page 2"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://m.example/a/b_1.jpg?x=1", True),
        ("data:image/png;base64,AAAA", True),
        ("http://m.example/a.jpg", False),
        ("javascript:alert(1)", False),
        ("data:text/html,<script>", False),
        ("https://user@m.example/a", False),
        ('https://m.example/"onerror=', False),
        ("https://m.example/" + "a" * 3_000, False),
        ("data:image/png;base64," + "A" * 100_000, False),
        ("//m.example/a", False),
        ("", False),
        (None, False),
    ],
    ids=range(12),
)
def test_images_that_may_be_shown(address: str | None, shown: bool) -> None:
    assert shown_image(address) == (address if shown else None)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(
    arguments=st.dictionaries(st.text(max_size=5), st.one_of(st.text(), st.integers(), st.none()), max_size=3),
    response=st.dictionaries(
        st.sampled_from(["page", "product", "products", "error", "status", "purchased", "query", "total_results"]),
        st.one_of(st.text(), st.integers(-5, 5), st.none(), st.lists(st.none() | st.text()), st.just({"asin": DENIM})),
    ),
)
def test_whatever_a_tool_or_a_model_writes_can_be_sent(arguments: Any, response: Any, shop: None) -> None:
    translator = Translator()
    called = types.FunctionCall(id="1", name="click", args=arguments)
    answered = types.FunctionResponse(id="1", name="click", response=response)
    asked = types.FunctionCall(id="2", name="adk_request_confirmation", args={"toolConfirmation": {"payload": None}})
    for part in (
        types.Part(function_call=called),
        types.Part(function_response=answered),
        types.Part(function_call=asked),
    ):
        for event in translator.translate(said(part)):
            [back] = events(as_stream(event).decode())
            assert back == msgspec.to_builtins(event)


def test_a_stream_holds_one_line_a_message() -> None:
    stream = as_stream(Text(0, "one\n\ntwo\r\u2028event: done")) + as_stream(Done("answered"))
    assert [event["type"] for event in events(stream.decode())] == ["text", "done"]


async def test_odd_products_and_odd_calls(shop: None) -> None:
    calls = [search("odd jacket"), click(ODD), click("Reviews"), click("< Prev"), call("use_skill", name=NASTY)]
    more = [click("7" * 3_000), [search("lonely"), click(TWIN)], click("Buy Now")]
    async with Person(make_chat(ScriptedLlm(script=[*calls, *more, NASTY]))) as person:
        await person.open()
        told = await person.say("hello")
        assert all(len(action["action"]) <= 300 for action in of(told, "action"))
        assert "\x1b" not in str(told) and "\x00" not in str(of(told, "products"))
        outcomes = [action["outcome"] for action in of(told, "action") if action["outcome"] != "running"]
        assert "failed" in outcomes and "done" in outcomes
        odd = next(card for event in of(told, "products") for card in event["products"] if card["asin"] == ODD)
        assert "<script>alert('x')</script>" in odd["title"], "it stays text; the page shows it as such"
        [question] = of(told, "question") or [None]
        assert question is None or question["product"]["title"] == TWIN
