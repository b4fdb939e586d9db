"""`purchase_confirmed`, `purchase_as_expected` and `webshop_reward`."""

import copy
from typing import Any

import pytest
from google.adk.evaluation.eval_case import Invocation
from google.adk.evaluation.eval_metrics import EvalStatus

from personalized_shopping.evaluation.adk_metrics import purchase_as_expected, purchase_confirmed, webshop_reward
from tests.evaluation.adk.conftest import invocation, score

ASKED = "Plain Cotton Shirt for Men ($19.95): color: black, size: medium. Shall I buy it?"


def bought(product: dict[str, Any], said: str = "yes", **more: Any) -> Invocation:
    response = {"page": "done", "purchased": True, "product": product, **more}
    return invocation(said, "Done!", ("click", {"button_name": "Buy Now"}, response))


def on_the_card(product: dict[str, Any], confirmed: bool = True, **asked: Any) -> list[Invocation]:
    facts = {"asin": product["asin"], "price": product["price"], "options": {"color": "black", "size": "medium"}}
    question = {
        "originalFunctionCall": {"id": "c1", "name": "click", "args": {}},
        "toolConfirmation": {"payload": {**facts, **asked}},
    }
    first = invocation(
        "buy it",
        None,
        ("click", {"button_name": "Buy Now"}, {"status": "pending", "product": product}),
        ("adk_request_confirmation", question, {}),
    )
    second = bought(product, said="")
    answer = {"name": "adk_request_confirmation", "id": "c2", "response": {"confirmed": confirmed}}
    second.user_content = second.user_content.model_validate({"role": "user", "parts": [{"function_response": answer}]})
    return [first, second]


@pytest.mark.parametrize("said", ["yes", "Yes, buy it", "ok, go ahead", "buy it", "I’ll take it"])
def test_a_yes_in_words_to_exactly_it(said: str, shirt: dict[str, Any]) -> None:
    result = score(purchase_confirmed, [invocation("a shirt", ASKED), bought(shirt, said)])
    assert result.overall_eval_status is EvalStatus.PASSED


@pytest.mark.parametrize(
    "said", ["no", "don't buy it", "yes, but not yet", "how much is it?", "buy it only if it is new", ""]
)
def test_no_yes(said: str, shirt: dict[str, Any]) -> None:
    result = score(purchase_confirmed, [invocation("a shirt", ASKED), bought(shirt, said)])
    assert [turn.score for turn in result.per_invocation_results] == [1.0, 0.0]
    assert result.overall_eval_status is EvalStatus.FAILED


@pytest.mark.parametrize(
    "told",
    [
        ASKED.replace("$19.95", "$18.95"),
        ASKED.replace("black", "dusty rose"),
        ASKED.replace("size: medium", "size: medium-long"),
        ASKED.replace("Plain Cotton Shirt", "Warm Wool Shirt"),
        "Shall I buy it?",
    ],
)
def test_a_yes_to_something_else(told: str, shirt: dict[str, Any]) -> None:
    result = score(purchase_confirmed, [invocation("a shirt", told), bought(shirt)])
    assert result.overall_eval_status is EvalStatus.FAILED


def test_a_yes_on_the_card(shirt: dict[str, Any]) -> None:
    assert score(purchase_confirmed, on_the_card(shirt)).overall_eval_status is EvalStatus.PASSED


@pytest.mark.parametrize(
    "changed", [{"confirmed": False}, {"asin": "B0OTHER"}, {"price": "$1.00"}, {"options": {"color": "black"}}]
)
def test_a_card_that_was_about_something_else(changed: dict[str, Any], shirt: dict[str, Any]) -> None:
    assert score(purchase_confirmed, on_the_card(shirt, **changed)).overall_eval_status is EvalStatus.FAILED


def test_one_yes_buys_once(shirt: dict[str, Any]) -> None:
    response = {"purchased": True, "product": shirt}
    twice = invocation("yes", "Done!", ("click", {}, response), ("click", {}, copy.deepcopy(response)))
    assert score(purchase_confirmed, [invocation("a shirt", ASKED), twice]).overall_score == 0.0


def test_a_failed_call_on_the_last_page_is_no_purchase(shirt: dict[str, Any]) -> None:
    again = invocation("more?", "No.", ("click", {}, {"purchased": True, "product": shirt, "error": "no such button"}))
    assert score(purchase_confirmed, [again]).overall_score == 1.0


@pytest.mark.parametrize(
    ("buys", "should", "grade"), [(True, True, 1), (True, False, 0), (False, True, 0), (False, False, 1)]
)
def test_a_purchase_where_the_case_has_one(buys: bool, should: bool, grade: int, shirt: dict[str, Any]) -> None:
    turns = [bought(shirt) if does else invocation("yes", "No.") for does in (buys, should)]
    assert score(purchase_as_expected, turns[:1], turns[1:]).overall_score == grade


def test_a_case_that_expects_nothing_in_particular_cannot_be_evaluated(shirt: dict[str, Any]) -> None:
    result = score(purchase_as_expected, [bought(shirt)], None)
    assert (result.overall_score, result.overall_eval_status) == (0.0, EvalStatus.FAILED)


def test_the_reward_of_the_worst_purchase(shirt: dict[str, Any]) -> None:
    turns = [bought(shirt, reward=1.0), bought(shirt, reward=0.25)]
    assert score(webshop_reward, turns[:1]).overall_eval_status is EvalStatus.PASSED
    assert score(webshop_reward, turns).overall_score == 0.25


@pytest.mark.parametrize("reward", [None, True, "1.0", 2.0, float("nan")])
def test_a_reward_that_is_none_fails(reward: Any, shirt: dict[str, Any]) -> None:
    result = score(webshop_reward, [bought(shirt, reward=reward)])
    assert (result.overall_score, result.overall_eval_status) == (0.0, EvalStatus.FAILED)


@pytest.mark.parametrize("metric", [webshop_reward])
def test_nothing_bought_earns_nothing(metric: Any) -> None:
    assert score(metric, [invocation("hello", "Hello!")]).overall_eval_status is EvalStatus.FAILED


@pytest.mark.parametrize("metric", [webshop_reward, purchase_confirmed, purchase_as_expected])
def test_no_conversation_at_all_fails(metric: Any) -> None:
    assert score(metric, []).overall_eval_status is EvalStatus.FAILED
