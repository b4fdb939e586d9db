"""What the report says: classes of failure, numbers, differences."""

from typing import get_args

import msgspec
import pytest

from personalized_shopping.evaluation.report import plots, svg
from personalized_shopping.evaluation.report.comparison_page import difference_bin
from personalized_shopping.evaluation.report.comparison_words import is_real, p_value, signed, verdict
from personalized_shopping.evaluation.report.failures import failure_classes, sentence_kind
from personalized_shopping.evaluation.report.pairs import Pair, class_counts, differing_settings, transitions
from personalized_shopping.evaluation.report.words import ENDINGS, FAILURES, dollars, interval, seconds
from personalized_shopping.shared_libraries.metrics.compare import compare
from personalized_shopping.shared_libraries.metrics.episode import Check, Ending, Episode, Failure
from tests.evaluation.report.synthetic import episodes


def test_every_class_and_ending_has_words() -> None:
    assert set(FAILURES) == set(get_args(Failure))
    assert set(ENDINGS) == set(get_args(Ending))


def test_classes_add_up() -> None:
    judged = [one for one in episodes(400) if one.status == "finished"]
    classes = failure_classes(judged, judged=len(judged))
    assert sum(one.count for one in classes) == sum(not one.success for one in judged)
    assert [one.count for one in classes] == sorted((one.count for one in classes), reverse=True)
    mean = sum(one.score for one in judged) / len(judged)
    assert sum(one.lost for one in classes) == pytest.approx(1 - mean)
    by_key = {one.key: one for one in judged}
    for one in classes:
        assert 1 <= len(one.examples) <= 3
        assert {by_key[example.key].failure for example in one.examples} == {one.name}
        assert all(1 <= example.like <= one.count for example in one.examples)
    [largest, *_] = classes
    assert len({by_key[example.key].cluster for example in largest.examples}) == 3


def test_examples_are_of_the_most_frequent_sentences() -> None:
    def failed(number: int, why: str, score: float) -> Episode:
        return Episode(task_id=str(number), failure="wrong_item", why=why, score=score)

    rare = [failed(1, "It was “rare”.", 0.1)]
    common = [failed(10 + number, f"It bought “{number}” for ${number}.99.", number / 4) for number in range(5)]
    [found] = failure_classes([*rare, *common], judged=6)
    assert [(example.key, example.like) for example in found.examples] == [("12#0", 5), ("1#0", 1), ("11#0", 5)]


def test_what_an_episode_names_is_no_part_of_its_kind_of_sentence() -> None:
    kinds = {sentence_kind(one) for one in episodes(400) if one.failure == "wrong_option"}
    assert kinds == {"It bought … for …, but of the options … it chose …."}


def test_what_was_lacking_is_counted() -> None:
    checks = [Check(name="asked_first", passed=False), Check(name="bought", passed=True)]
    one = Episode(task_id="a", failure="wrong_item", checks=checks, parts={"r_att": 0.5, "r_price": False, "r_type": 1})
    [found] = failure_classes([one, one], judged=2)
    assert found.lacking == [("Asked first", 2), ("Attributes", 2), ("Price", 2)]


@pytest.mark.parametrize(
    ("limits", "shown"), [((0.1, 0.25), "10.0 to 25.0"), ((None, None), ""), (None, ""), ([0, 1], "0.0 to 100.0")]
)
def test_intervals(limits: tuple[float | None, float | None] | None, shown: str) -> None:
    assert interval(limits) == shown


def test_numbers_for_people() -> None:
    assert [seconds(0.25), seconds(59.94), seconds(75), seconds(7300)] == [
        "250 ms",
        "59.9 s",
        "1 min 15 s",
        "2 h 1 min",
    ]
    assert [dollars(0.0), dollars(0.00123), dollars(12.345)] == ["$0.00", "$0.0012", "$12.35"]
    assert [signed(0.1234), signed(-0.05), signed(-0.0001), signed(None)] == ["+12.3", "−5.0", "0.0", "–"]
    assert [p_value(0.0004), p_value(0.049), p_value(None)] == ["< 0.001", "= 0.049", "–"]


@pytest.mark.parametrize(
    ("score", "place"), [(0.0, 0), (0.0994, 0), (0.0996, 1), (0.1, 1), (0.899, 8), (0.95, 9), (0.9996, 10), (1.0, 10)]
)
def test_a_score_lies_in_the_tenth_that_the_filter_shows(score: float, place: int) -> None:
    assert plots.score_bin(score) == place


@pytest.mark.parametrize(
    ("difference", "place"),
    [(0.01, 1), (0.1, 1), (0.11, 2), (1.0, 10), (-0.05, -1), (-0.3, -3), (-1.0, -10)],
)
def test_a_change_lies_in_its_tenth(difference: float, place: int) -> None:
    assert difference_bin(difference) == place


@pytest.mark.parametrize(
    ("top", "ticks"),
    [(0, [0, 1]), (1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (7, [0, 2, 4, 6, 8]), (50, [0, 10, 20, 30, 40, 50])],
)
def test_ticks_are_round(top: float, ticks: list[float]) -> None:
    assert svg.ticks(top) == pytest.approx(ticks)


def test_what_is_said_in_a_plot_is_escaped() -> None:
    hostile = "<script>&\"'"
    drawing = svg.drawing(
        "n", hostile, hostile, [svg.text(0, 0, hostile), svg.box(0, 0, 1, 1, "bar", hostile, hostile)]
    )
    assert "<script>" not in drawing and drawing.count("&lt;script&gt;&amp;&#34;&#39;") == 5


@pytest.mark.parametrize(
    ("difference", "limits", "p", "real"),
    [
        (0.1, (0.05, 0.2), 0.01, True),
        (-0.1, (-0.2, -0.05), 0.01, True),
        (0.1, (-0.05, 0.2), 0.01, False),
        (0.1, (0.05, 0.2), 0.2, False),
        (0.1, (None, None), 0.01, True),
        (0.0, (0.0, 0.0), 1.0, False),
    ],
)
def test_what_counts_as_a_real_difference(
    difference: float, limits: tuple[float | None, float | None], p: float, real: bool
) -> None:
    assert is_real(difference, limits, p) is real


def test_the_verdict_in_words() -> None:
    first = episodes(200)
    for second, direction, words in (
        (episodes(200, skill=0.85), "up", "points higher than that of A"),
        (episodes(200, skill=0.2), "down", "points lower than that of A"),
        (first, "same", "shows no real difference (0.0 points"),
    ):
        text, found = verdict(msgspec.to_builtins(compare(first, second)))
        assert found == direction and words in text


def test_classes_side_by_side() -> None:
    def pair(a: Failure | None, b: Failure | None) -> Pair:
        one, two = (
            Episode(task_id="t", failure=name, success=name is None, score=float(name is None)) for name in (a, b)
        )
        return Pair(one, two)

    pairs = [pair("loop", None), pair("loop", None), pair(None, "over_budget"), pair("loop", "loop")]
    assert class_counts(pairs) == [("success", 1, 2), ("loop", 3, 1), ("over_budget", 0, 1)]
    assert transitions(pairs, 10) == [("loop", "success", 2), ("success", "over_budget", 1)]
    assert [one.outcome for one in pairs] == ["better", "better", "worse", "same"]


def test_settings_that_differ() -> None:
    a, b = (
        {"seed": 0, "inner": {"x": 1, "y": [1, 2]}, "old": None},
        {"seed": 0, "inner": {"x": 2, "y": [1, 2]}, "new": True},
    )
    assert differing_settings(a, b) == [("inner.x", "1", "2"), ("new", "–", "yes")]
