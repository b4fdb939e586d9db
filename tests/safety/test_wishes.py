"""What the guard takes for the person's wish, when they turn round, answer, or leave the choice to others."""

import pytest

from personalized_shopping.shared_libraries.safety.rules.loops import MAX_REPEATS, one_step
from personalized_shopping.shared_libraries.safety.rules.purchase import options_as_asked, product_as_asked
from personalized_shopping.shared_libraries.safety.situation import Agreement, PastCall
from personalized_shopping.shared_libraries.safety.wishes import read_wishes
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from tests.safety.helpers import LAMP, ids, product, situation

COLOURS = ("navy", "black", "natural", "white", "mint")
COUNTS = ("20 count", "50 count", "100 count")
SIZES = ("small", "medium", "large", "x-large")


@pytest.mark.parametrize(
    ("name", "values", "messages", "wanted"),
    [
        ("size", COUNTS, ["tea", "Size 20 count.", "The bigger box: 50 count instead of 20 count."], ["50 count"]),
        ("size", COUNTS, ["tea", "Size 20 count.", "Make it 50 count"], ["50 count"]),
        ("size", COUNTS, ["tea", "20 count", "Not 20 count but 50 count"], ["50 count"]),
        ("size", COUNTS, ["tea", "20 count", "50 count, not 20 count"], ["50 count"]),
        ("size", COUNTS, ["tea", "20 count", "Rather 50 count than 20 count"], ["50 count"]),
        ("size", COUNTS, ["tea", "20 count", "Change it from 20 count to 50 count"], ["50 count"]),
        ("size", COUNTS, ["tea", "50 count instead of 20 count", "no, 20 count after all"], ["20 count"]),
        ("size", SIZES, ["a polo, size large", "x-large instead of large"], ["x-large"]),
        ("size", SIZES, ["a polo, size large", "I'd prefer medium over large"], ["medium"]),
        ("color", COLOURS, ["a polo in natural", "white rather than natural"], ["white"]),
        ("color", COLOURS, ["a polo in navy", "Wait, not navy. Make it black instead."], ["black"]),
        ("color", COLOURS, ["a polo in navy", "not navy, please"], []),
        ("color", COLOURS, ["a polo in navy", "In natural, please."], ["natural"]),
        ("color", (*COLOURS, "fine"), ["a polo in navy", "Fine, buy it."], ["navy"]),
        ("flavor", ("original", "vanilla"), ["bars", "The original flavor.", "Make it vanilla."], ["vanilla"]),
        ("flavor", ("original", "vanilla"), ["bars, original flavor", "vanilla instead of original"], ["vanilla"]),
        ("size", ("2", "7", "8"), ["shoes, size 7", "get me 2 pairs"], ["7"]),
        ("pack", ("1", "2"), ["tea", "2 pack, please"], ["2"]),
    ],
)
def test_the_latest_word_on_an_option_counts(
    name: str, values: tuple[str, ...], messages: list[str], wanted: list[str]
) -> None:
    assert read_wishes(messages).values_wanted(name, values) == wanted


def test_a_name_is_no_wish_unless_nothing_else_is_said() -> None:
    name, title = "Please buy the Onyx Black Lamp for me.", "Onyx Black Lamp, Dimmable"
    assert read_wishes(["a lamp in white", name]).values_wanted("color", COLOURS, title) == ["white"]
    assert read_wishes(["a lamp", name]).values_wanted("color", COLOURS, title) == ["black"]
    assert read_wishes(["a lamp in white", "rather in black"]).values_wanted("color", COLOURS, title) == ["black"]


@pytest.mark.parametrize(
    "answer",
    [
        "I can't decide. Pick the best match for me, please.",
        "You choose for me: the one that fits best and costs least.",
        "Just open the one that you think fits what I said best.",
        "Fine, I'd like to buy it.",
        "Fine, I'd like to buy it. In medium, please.",
        "Then I'll buy the cheaper one.",
        "Good, then buy me the better rated one.",
        "I'll take the one with the higher rating.",
        "Sounds great, I need that one by Friday.",
        "Get me two of those, please.",
        "Fine, I'd like to buy it. I don't want to spend more than $40.",
        "That's the one. Please buy it. It should cost $40 at most.",
        "I'll take it. My limit is $40.",
    ],
)
def test_an_answer_leaves_the_wish_and_its_limit_as_they_were(answer: str) -> None:
    wishes = read_wishes(["a desk lamp under $40", answer])
    assert wishes.limit_usd == 40.0 and {"desk", "lamp"} <= set(wishes.stems)
    page = Page(kind="item", product=product())
    messages = ("a desk lamp under $40", answer)
    assert ids(product_as_asked(situation("click", "Buy Now", *messages, page=page))) == []
    kettle = product("B0KETTLE03", "Aurel Kettle", description="Boils.", query="kettles", product_category="Kitchen")
    other = Page(kind="item", product=kettle)
    assert ids(product_as_asked(situation("click", "Buy Now", *messages, page=other))) == ["SHOP-ITEM"]


@pytest.mark.parametrize(
    "other", ["Now find me a kettle", "Good. Now I need a kettle.", "Instead of it I want a kettle"]
)
def test_another_thing_is_a_new_wish_without_the_old_limit(other: str) -> None:
    wishes = read_wishes(["a desk lamp under $40", other])
    assert wishes.limit_usd is None and wishes.request.words == ("kettle",)


@pytest.mark.parametrize(
    ("message", "limit"),
    [
        ("a lamp for not more than $20, but nice", 20.0),
        ("a lamp, and I'd rather pay less than 20 dollars", 20.0),
        ("a lamp, up to $30 instead of $50", 30.0),
        ("a lamp. Up to $30, that's fine.", 30.0),
    ],
)
def test_a_limit_is_never_read_away(message: str, limit: float) -> None:
    assert read_wishes([message]).limit_usd == limit


@pytest.mark.parametrize(("chosen", "found"), [("black", []), ("mint", ["SHOP-OPTIONS"]), (None, ["SHOP-OPTIONS"])])
def test_the_value_that_was_taken_back_is_not_bought(chosen: str | None, found: list[str]) -> None:
    page = Page(kind="item", product=product(options={"color": ("mint", "black")}))
    place = ShopSession(asin=LAMP, options={} if chosen is None else {"color": chosen})
    call = situation("click", "Buy Now", "a lamp in mint", "black instead of mint", page=page, place=place)
    assert ids(options_as_asked(call)) == found


def test_a_yes_after_a_no_is_no_loop() -> None:
    page = Page(kind="item", product=product())
    first = situation("click", "Buy Now", "a lamp", page=page)
    calls = (PastCall(first.action, first.state),) * MAX_REPEATS
    yes = Agreement(confirmed=True, same_facts=True)
    assert ids(one_step(situation("click", "Buy Now", "a lamp", page=page, calls=calls))) == ["SHOP-ONESTEP"]
    assert ids(one_step(situation("click", "Buy Now", "a lamp", page=page, calls=calls, agreement=yes))) == []
    changed = Agreement(confirmed=True, same_facts=False)
    assert ids(one_step(situation("click", "Buy Now", "a lamp", page=page, calls=calls, agreement=changed)))
