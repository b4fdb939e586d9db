"""The judgement: every check can fail, and the class of a failure says what went wrong."""

import msgspec
import pytest

from personalized_shopping.evaluation.agent_session import SessionCall, SessionPurchase
from personalized_shopping.evaluation.conversations import ConversationTask
from personalized_shopping.evaluation.conversations.judge import Judgement, Talk, denies, judge
from personalized_shopping.evaluation.session_watch import Place
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

CHINOS, OTHER_CHINOS, LAMP = "B036O6ES2L", "B0XJGJQQJO", "B0T20HEKOR"


def step(*places: Place, listed: str = "") -> SessionCall:
    return SessionCall(
        tool="click", argument="", action="", outcome="done", places=places, answer={"products": [{"asin": listed}]}
    )


RESULTS = step(Place("results"), listed=CHINOS)


def bought(asin: str, *, agreed: bool = True, **options: str) -> SessionPurchase:
    return SessionPurchase(asin=asin, options=options, agreed=agreed)


def judged(task: ConversationTask, shop: Shop, **talk: object) -> Judgement:
    return judge(task, Talk(**({"answers": ["Here."], "calls": [RESULTS], "purchases": []} | talk)), shop.catalog)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("purchases", "calls", "failure", "word"),
    [
        ([bought(CHINOS, color="navy")], [RESULTS], None, ""),
        ([bought(CHINOS, color="black")], [RESULTS], "wrong_option", "navy"),
        ([bought(OTHER_CHINOS, color="navy")], [RESULTS], "wrong_item", "Brackenhill"),
        ([bought(LAMP, color="navy")], [step(Place("results"), listed=LAMP)], "search_missed", "No page showed"),
        ([bought(CHINOS, agreed=False, color="navy")], [RESULTS], "bought_unasked", "without a yes"),
        ([bought(CHINOS, color="navy")] * 2, [RESULTS], "bought_unasked", "bought once"),
        ([], [RESULTS], "did_not_buy", "ended without"),
        ([], [], "search_missed", "No page showed"),
    ],
)
def test_a_purchase(
    purchases: list[SessionPurchase],
    calls: list[SessionCall],
    failure: str | None,
    word: str,
    shop: Shop,
    by_id: dict[str, ConversationTask],
) -> None:
    found = judged(by_id["find/chinos"], shop, purchases=purchases, calls=calls)
    assert found.failure == failure and word in found.why
    assert found.success is (failure is None)


def test_above_the_limit(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    found = judged(by_id["budget/headphones"], shop, purchases=[bought("B0NESUQJ5U", color="blue")])
    assert found.success
    tight = msgspec.structs.replace(by_id["budget/headphones"].wish, limit_usd=30.0)
    task = msgspec.structs.replace(by_id["budget/headphones"], wish=tight, asins=())
    found = judged(task, shop, purchases=[bought("B0NESUQJ5U", color="blue")])
    assert found.failure == "over_budget" and "$39.99 of $30" in found.why


def test_what_is_not_to_be_had_has_to_be_said(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["not_available/kayak"]
    assert judged(task, shop, answers=["I'm sorry, we do not have kayaks."]).success
    assert judged(task, shop, answers=["Here are three great kayaks."]).failure == "wrong_answer"
    assert judged(task, shop, answers=["There is none."], calls=[]).failure == "wrong_answer"
    assert judged(task, shop, answers=["There is none."], questions=1).failure == "wrong_item"
    assert judged(task, shop, answers=["There is none."], purchases=[bought(LAMP)]).failure == "bought_unasked"


def test_a_no_counts(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["refuse_purchase/mouse-no"]
    assert judged(task, shop, questions=1).success
    assert judged(task, shop, questions=0).failure == "did_not_buy"
    assert judged(task, shop, questions=2).failure == "bought_unasked"
    assert judged(by_id["refuse_purchase/lamp-look"], shop).success
    assert judged(by_id["refuse_purchase/lamp-look"], shop, questions=1).failure == "bought_unasked"


def test_both_values_of_a_comparison_have_to_be_named(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["compare/dryers-price"]
    assert judged(task, shop, answers=["Lumenne is $74.99, the other one $85.29."]).success
    found = judged(task, shop, answers=["Lumenne is $74.99 and cheaper."])
    assert found.failure == "wrong_answer" and "85.29" in found.why


def test_the_right_page_has_to_be_read_before(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["read_before_buy/slippers-reviews"]
    slippers = task.asins[0]
    purchase = [bought(slippers, color="chestnut", size="10")]
    answers = ["They praise the arch support."]
    read, done = step(Place("reviews", slippers)), step(Place("done", slippers))
    assert judged(task, shop, answers=answers, calls=[RESULTS, read, done], purchases=purchase).success
    pages = [step(Place(kind, slippers)) for kind in ("reviews", "features", "description")]
    anything = msgspec.structs.replace(task, reads=("reviews", "features", "description"))
    found = judged(anything, shop, answers=answers, calls=[RESULTS, *pages, done], purchases=purchase)
    assert found.checks[-1].detail == "description, features, reviews", "always in one order"
    other_page = step(Place("features", slippers))
    for calls in ([RESULTS, done, read], [RESULTS, step(Place("reviews", LAMP)), done], [RESULTS, other_page, done]):
        found = judged(task, shop, answers=answers, calls=calls, purchases=purchase)
        assert found.failure == "wrong_answer" and "without having read" in found.why


@pytest.mark.parametrize("ended", ["loop", "max_steps", "model_error"])
def test_an_agent_that_breaks_off_fails(ended: str, shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    talk = Talk(answers=[], calls=[RESULTS], purchases=[])
    found = judge(by_id["refuse_purchase/lamp-look"], talk, shop.catalog, ended, "no luck")  # type: ignore[arg-type]
    assert found.failure == ("model_error" if ended == "model_error" else "loop") and found.why


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("I'm sorry, nothing in the shop fits that.", True),
        ("Unfortunately there are no orange ones.", True),
        ("None of them comes in size 15.", True),
        ("I couldn't find a lawn mower.", True),
        ("We don’t sell pianos.", True),
        ("All of these are over your limit.", True),
        ("That is out of stock.", True),
        ("Here are three that fit.", False),
        ("No problem, here is one that fits.", False),
        ("Here is what I found for “that and nothing else”:", False),
        ("Don't worry, I found it.", False),
        ("Here they are:\n1. Chinos, $43.89, does not mention rain, comes in navy", False),
        ("Which color would you like?", False),
        ("Yes! The first one comes in orange.", False),
    ],
)
def test_a_denial_is_recognised(answer: str, said: bool) -> None:
    assert denies(answer) is said
