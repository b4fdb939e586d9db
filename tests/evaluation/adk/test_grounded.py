"""`grounded_facts`: what no page bears out is found, and what one does is left alone."""

from typing import Any

import pytest
from google.adk.evaluation.eval_metrics import EvalStatus

from personalized_shopping.evaluation.adk_metrics import grounded_facts
from tests.evaluation.adk.conftest import invocation, score

HAT = {"asin": "B0HAT00002", "title": "Wide Straw Hat for Women", "price_usd": [12.0], "rating": 3.0}


def judged(answer: str, shirt: dict[str, Any], said: str = "a shirt under 25 dollars") -> tuple[float, EvalStatus]:
    reviews = [{"score": 5.0, "body": "Soft."}, {"score": 4.0, "body": "Paid $4.50 for postage."}]
    turn = invocation(
        said,
        answer,
        ("search", {"keywords": "shirt"}, {"page": "results", "query": "teal shirt $7.77", "products": [HAT]}),
        ("click", {"button_name": "B0SHIRT001"}, {"page": "reviews", "product": shirt, "content": reviews}),
    )
    result = score(grounded_facts, [turn])
    return result.overall_score, result.overall_eval_status


@pytest.mark.parametrize(
    "answer",
    [
        "Plain Cotton Shirt · $19.95 · rated 4.6 of 5 · `B0SHIRT001`",
        "2 reviews, 4.5 of 5 on average.",
        "It is within your limit of $25.00, and $5.05 under it.",
        "Both together are $31.95.",
        "You can choose:\n- color: black, dusty rose\n- size: medium, x-large",
        "Chosen: color: black, size: medium.",
        "| | Shirt | Hat |\n|---|---|---|\n| Price | $19.95 | $12.00 |\n| Rating | 4.6 of 5 | 3 of 5 |",
        "Sorry, the shop has nothing like that.",
        "You can also say “in teal”.",
        "It costs about $20.",
        "A review says: Paid $4.50 for postage.",
    ],
)
def test_what_a_page_bears_out(answer: str, shirt: dict[str, Any]) -> None:
    assert judged(answer, shirt) == (1.0, EvalStatus.PASSED)


@pytest.mark.parametrize(
    "answer",
    [
        "It costs $18.00.",
        "It costs $7.77.",
        "Plain Cotton Shirt · $12.00",
        "It is rated 4.9 of 5.",
        "Plain Cotton Shirt: 3 stars",
        "Color: teal",
        "It comes in black and purple.",
        "Size: small",
        "Take the 3x-large.",
        "Try `B0NOTREAD9` instead.",
        "Shipping is free above $35.",
    ],
)
def test_what_no_page_bears_out(answer: str, shirt: dict[str, Any]) -> None:
    grade, status = judged(answer, shirt)
    assert grade < 1.0
    assert status is EvalStatus.FAILED


def test_the_score_is_the_share_of_the_facts_that_stand(shirt: dict[str, Any]) -> None:
    assert judged("It costs $19.95.\nIt costs $18.00.", shirt)[0] == pytest.approx(0.5)


def test_a_later_page_does_not_excuse_an_earlier_answer(shirt: dict[str, Any]) -> None:
    early = invocation("a shirt", "There is one for $19.95.")
    late = invocation("show it", "It costs $19.95.", ("click", {}, {"product": shirt}))
    result = score(grounded_facts, [early, late])
    assert [turn.score for turn in result.per_invocation_results] == [0.0, 1.0]
    assert result.overall_eval_status is EvalStatus.FAILED


def test_what_the_person_said_is_known(shirt: dict[str, Any]) -> None:
    assert judged("There is none in teal.", shirt, said="in teal, please")[0] == 1.0
    assert judged("There is none in teal.", shirt)[0] == 0.0


def test_no_answer_claims_nothing() -> None:
    assert score(grounded_facts, [invocation("hello", None)]).overall_score == 1.0
