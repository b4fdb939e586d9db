"""Requests as people phrase them, and what the offline shopper makes of them."""

import json
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.shared_libraries.requests.options import Option, best_values, named_values
from personalized_shopping.shared_libraries.requests.prices import Budget, money, price_range, split_price
from personalized_shopping.shared_libraries.requests.understanding import MAX_QUERY_WORDS, refine, understand


@pytest.mark.parametrize(
    ("message", "words", "thing"),
    [
        ("a red cotton shirt under 30 dollars", "red cotton shirt", "shirt"),
        ("Help me look for women's denim jeans, only return the search results.", "women's denim jeans", "jeans"),
        ("can you please find me a pair of brown leather boots?", "brown leather boots", "boots"),
        ("i am looking for a water resistant bluetooth headset", "water resistant bluetooth headset", "headset"),
        ("i'd like some gluten free rice flour", "gluten free rice flour", "flour"),
        ("hello, I need a desk lamp please", "desk lamp", "lamp"),
        ("I am looking for shoes that are a size 10.5", "shoes", "shoes"),
        ("large jar candles of soy wax", "jar candles soy wax", "candles"),
        ("non slip shoes", "non slip shoes", "shoes"),
        ("no show socks", "show socks", "socks"),
        ("an easy to clean hair brush", "easy clean hair brush", "brush"),
        ("xylophone", "xylophone", "xylophone"),
        ("Größere Schuhe für Übungen", "größere schuhe für übungen", "übungen"),
    ],
)
def test_the_thing_and_the_words_worth_searching_for(message: str, words: str, thing: str) -> None:
    request = understand(message)
    found = [word for word in request.words if word not in {"return", "search", "results"}]
    assert " ".join(found) == words
    assert request.thing == thing


@pytest.mark.parametrize(
    ("message", "low", "high"),
    [
        ("shirt under 30 dollars", None, 30.0),
        ("shirt less than $30", None, 30.0),
        ("shirt, and price lower than 20.00 dollars", None, 20.0),
        ("a desk below $1,299.50", None, 1299.5),
        ("mug for no more than 12 bucks", None, 12.0),
        ("a lamp, max 40 usd", None, 40.0),
        ("a lamp that doesn't cost more than $25", None, 25.0),
        ("a lamp, $25 or less", None, 25.0),
        ("headphones up to fifty dollars", None, 50.0),
        ("my budget is $80, running shoes", None, 80.0),
        ("shoes between 10 and 20 dollars", 10.0, 20.0),
        ("shoes between $20 and $10", 10.0, 20.0),
        ("shoes from $10 to $20", 10.0, 20.0),
        ("shoes $10-$20", 10.0, 20.0),
        ("a watch over $100", 100.0, None),
        ("a watch of at least 100 dollars", 100.0, None),
        ("a gift around $20", 15.0, 25.0),
        ("under 30", None, 30.0),
        ("a desk under 30 inches", None, None),
        ("at least 50 by 60 inches throw", None, None),
        ("shoes for 8 year olds", None, None),
        ("a tent for 4 people", None, None),
        ("something with less than 5g of sugar", None, None),
        ("a 10-20 count box", None, None),
    ],
)
def test_prices(message: str, low: float | None, high: float | None) -> None:
    assert understand(message).budget == Budget(low, high)


def test_a_price_leaves_the_search_words() -> None:
    assert understand("a mug, price below $12.50, blue").words == ("mug", "blue")


def test_cheap_is_a_wish_about_the_price_and_no_word_to_search_for() -> None:
    request = understand("cheap wireless headphones")
    assert request.budget.cheap
    assert request.words == ("wireless", "headphones")


@pytest.mark.parametrize(
    ("message", "kind", "values"),
    [
        ("a red shirt", "colour", ["red"]),
        ("a dark blue throw", "colour", ["dark blue"]),
        ("a case in rose gold", "colour", ["rose gold"]),
        ("dark chocolate bars", "colour", []),
        ("a gold necklace", "colour", []),
        ("a necklace in gold", "colour", ["gold"]),
        ("a shirt in color z08", "colour", ["z08"]),
        ("shoes size 7.5", "size", ["7.5"]),
        ("shoes in size seven and a half", "size", ["7.5"]),
        ("a shirt in extra large", "size", ["x-large"]),
        ("a 3xl polo", "size", ["3x-large"]),
        ("pants, 33w x 32l", "size", ["33w x 32l"]),
        ("a rug 5 x 7 ft", "size", ["5 x 7 ft"]),
        ("a queen size mattress", "size", ["queen"]),
        ("a pack of 3 toothbrushes", "count", ["3"]),
        ("twenty-four pack of bars", "count", ["24"]),
        ("a strawberry flavored milk", "flavour", ["strawberry"]),
    ],
)
def test_wishes(message: str, kind: str, values: list[str]) -> None:
    found = [wish.value for wish in understand(message).wishes if wish.kind == kind]
    assert found == values


@pytest.mark.parametrize(
    ("message", "excluded"),
    [
        ("headphones but not pink", ("pink",)),
        ("a wallet without leather", ("leather",)),
        ("a bag, no wool or silk", ("wool", "silk")),
        ("i don't want polyester sheets", ("polyester",)),
        ("tea with no sugar", ()),
        ("not only for men", ()),
    ],
)
def test_what_is_ruled_out(message: str, excluded: tuple[str, ...]) -> None:
    request = understand(message)
    assert request.excluded == excluded
    assert not set(excluded) & set(request.words)


def test_a_new_colour_takes_the_place_of_the_old_one() -> None:
    request = refine(understand("a red cotton shirt under $30"), understand("in blue"))
    assert request.words == ("blue", "cotton", "shirt")
    assert request.wished("colour") == ["blue"]
    assert request.budget.max_usd == 30.0
    assert "red" not in request.text


def test_a_new_price_takes_the_place_of_the_old_one_and_words_join() -> None:
    request = refine(understand("a shirt under $30"), understand("with pockets under $50"))
    assert request.budget.max_usd == 50.0
    assert request.words == ("shirt", "pockets")


@pytest.mark.parametrize(
    ("wanted", "values", "found"),
    [
        ("xl", ["large", "x-large"], ["x-large"]),
        ("extra large", ["large", "X Large"], ["X Large"]),
        ("blue", ["navy blue", "red"], ["navy blue"]),
        ("blue", ["navy blue", "sky blue"], ["navy blue", "sky blue"]),
        ("grey", ["Heather Gray"], ["Heather Gray"]),
        ("8", ["8", "8 wide"], ["8"]),
        ("8", ["18"], []),
        ("3", ["3 pack", "6 pack"], ["3 pack"]),
    ],
)
def test_option_values(wanted: str, values: list[str], found: list[str]) -> None:
    assert best_values(wanted, values) == found


def test_a_short_answer_is_read_against_all_options() -> None:
    options = [
        Option("color", ("red", "navy blue")),
        Option("size", ("large", "x-large")),
        Option("pack", ("pack of 3",)),
    ]
    meant, rest = named_values("the navy one in x-large, pack of 3 and sparkly", options)
    assert meant == {"color": ["navy blue"], "size": ["x-large"], "pack": ["pack of 3"]}
    assert rest == ["sparkly"]


def test_money_is_written_as_people_read_it() -> None:
    assert money(1299) == "$1,299.00"
    assert price_range(10.99, 20.5) == "$10.99 to $20.50"
    assert price_range(5, 5) == "$5.00"


WORDS = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=9), max_size=12).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=300), WORDS))
def test_any_text_is_understood_within_bounds(text: str) -> None:
    request = understand(text)
    assert len(request.words) <= MAX_QUERY_WORDS
    assert all(word == word.lower() and not any(mark.isspace() for mark in word) for word in request.words)
    assert len(set(request.words)) == len(request.words)
    assert request.detail <= set(request.words)
    assert not request.thing or request.thing in request.words
    assert understand(text) == request


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 99_999).map(lambda cents: cents / 100), st.sampled_from(["under", "less than", "up to", "below"]))
def test_every_limit_is_found_and_taken_out(limit: float, word: str) -> None:
    rest, budget = split_price(f"a lamp {word} ${limit:.2f} for my desk")
    assert budget.max_usd == pytest.approx(limit)
    assert "$" not in rest and "lamp" in rest and "desk" in rest


def test_real_requests_leave_something_to_search_for(shared_dir: Path) -> None:
    goals = json.loads((shared_dir / "data/webshop_1k/human_goals.json").read_text(encoding="utf-8"))[::7]
    understood = [understand(goal) for goal in goals]
    empty = [request.text for request in understood if request.empty]
    # One word in a thousand requests names no thing at all; longer ones always do.
    assert len(empty) <= len(goals) / 500, empty[:10]
    # None of these requests states a limit, apart from a handful that talk about prices.
    priced = [request.text for request in understood if request.budget.bounded]
    assert len(priced) <= len(goals) / 200, priced[:10]
    said_back = [len(request.words) / max(len(request.text.split()), 1) for request in understood]
    assert 0.3 < sum(said_back) / len(said_back) < 0.7


def test_a_megabyte_is_read_in_no_time() -> None:
    request = understand("shirt " + "x" * 1_000_000 + " (" * 1000)
    assert request.words[0] == "shirt"
    assert understand("a " * 500_000).empty
    assert len(understand("under 30 " * 100_000).words) <= MAX_QUERY_WORDS
