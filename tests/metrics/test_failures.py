"""Each way to fail has its class and its sentence."""

from typing import Any

import pytest

from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Failure, Wanted
from personalized_shopping.shared_libraries.metrics.failures import MEANING, explain_goal

WANTED = Wanted(asin="B1", title="red shoes", attributes=["soft"], options=["red", "9"], price_limit=30.0)
FULL = {"r_type": 1.0, "r_att": 1.0, "r_option": 1.0, "r_price": True}
RIGHT = Bought(asin="B1", title="red shoes", options={"color": "red", "size": "9"}, price=20.0)
OTHER = Bought(asin="B2", title="blue shoes", options={}, price=20.0)


def explain(
    bought: Bought | None, ended: Ending = "bought", listed: tuple[str, ...] = ("B1", "B2"), **rest: Any
) -> Any:
    parts = FULL | rest.pop("parts", {})
    return explain_goal(ended, success=False, wanted=WANTED, bought=bought, parts=parts, listed=listed, **rest)


@pytest.mark.parametrize(
    ("failure", "words", "case"),
    [
        ("wrong_option", "red, 9 it chose red", {"bought": RIGHT, "parts": {"r_option": 0.5}}),
        ("over_budget", "the limit was $30.00", {"bought": RIGHT, "parts": {"r_price": False}}),
        ("wrong_item", "which was listed", {"bought": OTHER, "parts": {"r_att": 0.0}}),
        ("wrong_item", "it lacks soft", {"bought": OTHER, "parts": {"r_att": 0.0}, "lacking": ("soft",)}),
        ("search_missed", "no search listed", {"bought": OTHER, "parts": {"r_type": 0.5}, "listed": ("B2",)}),
        ("wrong_option", "it chose nothing", {"bought": OTHER, "parts": {"r_option": 0.0}, "offered": ("red", "9")}),
        ("unsolvable", "just what was wanted", {"bought": RIGHT, "parts": {"r_option": 0.5}, "solvable": False}),
        ("did_not_buy", "without buying", {"bought": None, "ended": "said"}),
        ("did_not_buy", "time was over", {"bought": None, "ended": "timeout"}),
        ("loop", "used up its steps", {"bought": None, "ended": "max_steps"}),
        ("loop", "repeated itself", {"bought": None, "ended": "loop"}),
        ("model_error", "boom", {"bought": None, "ended": "model_error", "error": "boom"}),
        ("system_error", "boom", {"bought": None, "ended": "error", "error": "boom"}),
    ],
)
def test_why(failure: Failure, words: str, case: dict[str, Any]) -> None:
    verdict = explain(case.pop("bought"), **case)
    assert verdict.failure == failure and words in verdict.why
    assert failure in MEANING


def test_a_success_needs_no_reason() -> None:
    verdict = explain_goal("bought", success=True, wanted=WANTED, bought=RIGHT, parts=FULL, listed=())
    assert verdict == (None, "")


def test_it_is_said_whether_the_product_was_seen() -> None:
    assert "was never listed" in explain(None, "said", listed=()).why
    assert "had been listed" in explain(None, "said").why
