"""The numbers of a run and of two runs."""

from pathlib import Path

import pytest

from personalized_shopping.errors import EvaluationError, SettingError
from personalized_shopping.shared_libraries.metrics.compare import compare
from personalized_shopping.shared_libraries.metrics.cost import cost_usd, read_prices
from personalized_shopping.shared_libraries.metrics.episode import Bought, Episode
from personalized_shopping.shared_libraries.metrics.summary import summarise


def episode(name: str, score: float, product: str = "", **rest: object) -> Episode:
    made = {"bought": Bought(asin="B1"), "success": score == 1.0, "cluster": product or name} | rest
    return Episode(task_id=name, score=score, **made)  # type: ignore[arg-type]


def test_averages_per_episode_and_per_product() -> None:
    played = [episode("a", 1.0, "p"), episode("b", 1.0, "p"), episode("c", 0.0, "q", failure="wrong_item")]
    summary = summarise(played)
    assert summary.score == pytest.approx(2 / 3) and summary.success_rate == pytest.approx(2 / 3)
    assert summary.score_by_product == summary.success_rate_by_product == 0.5
    assert (summary.episodes, summary.judged, summary.products) == (3, 3, 2)
    assert summary.failures == {"wrong_item": 1}


def test_what_the_system_did_is_not_held_against_the_agent() -> None:
    broken = episode("b", 0.0, status="system_error", failure="system_error", bought=None)
    summary = summarise([episode("a", 1.0), broken])
    assert (summary.score, summary.judged, summary.episodes) == (1.0, 1, 2)
    assert summary.failures == {"system_error": 1}


def test_parts_are_of_purchases_that_have_them() -> None:
    first = episode("a", 1.0, parts={"r_type": 1.0, "r_att": 0.5, "r_price": True})
    second = episode("b", 0.0, parts={"r_type": 0.0, "r_att": 0.5, "r_option": 0.25, "r_price": False})
    assert summarise([first, second]).parts == {"r_type": 0.5, "r_att": 0.5, "r_option": 0.25, "r_price": 0.5}


def test_trials_give_pass_hat_k() -> None:
    played = [episode("a", 1.0, trial=0), episode("a", 0.0, trial=1)]
    assert summarise(played).pass_hat_k == {"1": 0.5, "2": 0.0}


def test_nothing_judged_is_no_error() -> None:
    assert summarise([episode("a", 0.0, status="system_error")]).score == 0.0


def test_two_runs_are_compared_pair_by_pair() -> None:
    a = [episode("a", 0.2), episode("b", 0.5), episode("c", 0.5), episode("only a", 1.0)]
    b = [episode("a", 0.8), episode("b", 0.5), episode("c", 0.4), episode("only b", 0.0)]
    found = compare(a, b)
    assert (found.won, found.lost, found.same, found.pairs) == (["a#0"], ["c#0"], 1, 3)
    assert (found.only_a, found.only_b) == (["only a#0"], ["only b#0"])
    assert found.score_difference == pytest.approx(0.5 / 3)


def test_runs_of_other_tasks_cannot_be_compared() -> None:
    with pytest.raises(EvaluationError, match="no judged episode in common"):
        compare([episode("a", 1.0)], [episode("b", 1.0)])


def test_a_price_table(tmp_path: Path) -> None:
    table = tmp_path / "prices.toml"
    table.write_text('["some-model"]\ninput = 2.0\noutput = 10.0\n')
    prices = read_prices(table)
    assert cost_usd(prices, "provider/some-model", 1_000_000, 500_000) == 7.0
    assert cost_usd(prices, "other", 1, 1) is None


@pytest.mark.parametrize("text", ["[m]\ninput = 1.0", "m = 3", "no toml", '[m]\ninput="x"\noutput=1.0'])
def test_a_bad_price_table_is_explained(tmp_path: Path, text: str) -> None:
    table = tmp_path / "prices.toml"
    table.write_text(text)
    with pytest.raises(SettingError, match="price table"):
        read_prices(table)
