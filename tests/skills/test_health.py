"""What a run's outcome does to a skill's health."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import health as rules
from personalized_shopping.shared_libraries.skills.model import Health

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
outcomes = st.lists(st.sampled_from(rules.OUTCOMES), max_size=40)


def after(*kinds: rules.OutcomeKind, start: Health | None = None) -> Health:
    value = start or Health()
    for kind in kinds:
        value = rules.after_run(value, kind, NOW)
    return value


def quarantined_by(pattern: str, start: Health | None = None) -> int | None:
    """Return after which run (from 1) the skill is quarantined; D is damage, S success."""
    value = start or Health()
    for number, letter in enumerate(pattern, 1):
        new = rules.after_run(value, "damage" if letter == "D" else "ok", NOW)
        if rules.quarantines(value, new, NOW):
            return number
        value = new
    return None


def test_a_success_raises_and_a_damage_lowers() -> None:
    good, bad = after("ok"), after("damage")
    assert good.health_score == pytest.approx(0.68)
    assert (good.success_count, good.failure_count, good.last_success_at) == (1, 0, "2026-01-02T03:04:05+00:00")
    assert bad.health_score == pytest.approx(0.48)
    assert (bad.success_count, bad.failure_count, bad.consecutive_damages) == (0, 1, 1)
    assert after("damage", "ok").consecutive_damages == 0


@pytest.mark.parametrize("kind", ["mismatch", "bad_args", "cancelled"])
def test_what_is_not_the_skills_fault_changes_nothing(kind: rules.OutcomeKind) -> None:
    assert after("ok", "damage", kind) == after("ok", "damage")


def test_a_mismatch_between_two_damages_does_not_hide_that_they_follow_each_other() -> None:
    assert after("damage", "mismatch", "damage").consecutive_damages == 2


@settings(deadline=None)
@given(outcomes)
def test_the_score_stays_in_bounds_and_only_damage_lowers_it(kinds: list[rules.OutcomeKind]) -> None:
    value = Health()
    for kind in kinds:
        new = rules.after_run(value, kind, NOW)
        assert 0 <= new.health_score <= 1
        assert kind == "damage" or new.health_score >= value.health_score
        value = new


@pytest.mark.parametrize(
    ("pattern", "run"),
    [
        ("DD", 2),
        ("SSSSSSSSSSDD", 12),
        ("D", None),
        ("SDSSD", None),
        ("DSDSD", 5),
        ("SDSDSD", 6),
        ("SSSSDSSSSDSSSSDSSSSD", None),
        ("S" * 50 + "DS" * 20, 63),
    ],
)
def test_quarantine(pattern: str, run: int | None) -> None:
    assert quarantined_by(pattern) == run


def test_one_damage_after_a_long_rest_is_no_quarantine() -> None:
    veteran = after(*["ok"] * 30)
    later = NOW + timedelta(days=365)
    new = rules.after_run(veteran, "damage", later)
    assert new.health_score == pytest.approx(0.4, abs=0.01)
    assert not rules.quarantines(veteran, new, later)


def test_idle_skills_drift_towards_one_half() -> None:
    good = Health(health_score=0.9, success_count=9, last_success_at=rules.timestamp(NOW))
    poor = Health(health_score=0.1, failure_count=9, last_failure_at=rules.timestamp(NOW))
    later = NOW + timedelta(days=14)
    assert rules.decayed(good, NOW) == pytest.approx(0.9)
    assert rules.decayed(good, later) == pytest.approx(0.7)
    assert rules.decayed(poor, later) == pytest.approx(0.3)
    assert rules.decayed(good, NOW - timedelta(days=3)) == pytest.approx(0.9), "a clock that was set back"
    assert rules.decayed(Health(), later) == pytest.approx(0.6), "a skill that never ran does not age"


def test_an_unreadable_time_is_no_time() -> None:
    assert rules.decayed(Health(health_score=0.9, last_success_at="yesterday"), NOW) == pytest.approx(0.9)


def test_little_evidence_counts_against_a_skill() -> None:
    new, proven = Health(health_score=0.8), Health(health_score=0.8, success_count=24)
    assert rules.rank(new, NOW) == pytest.approx(0.3)
    assert rules.rank(proven, NOW) == pytest.approx(0.7)


def test_the_lower_bound_is_near_the_beta_distributions() -> None:
    # The exact 10 % quantiles of Beta(5, 6) and Beta(9, 3) are .267 and .585.
    assert rules.lower_bound(4 / 9, 9) == pytest.approx(0.267, abs=0.01)
    assert rules.lower_bound(0.8, 10) == pytest.approx(0.585, abs=0.02)


def test_a_heal_makes_it_as_good_as_new_at_least() -> None:
    assert rules.healed(after("damage", "damage")).health_score == rules.START
    assert rules.healed(Health(health_score=0.9)).health_score == 0.9
    assert rules.healed(after("damage", "damage")).consecutive_damages == 0
    assert quarantined_by("D", rules.healed(after("damage", "damage"))) is None


def test_winners_are_counted_and_so_is_their_streak() -> None:
    value = Health()
    for winner in ("selector", "by_role", "by_role"):
        value = rules.after_run(value, "ok", NOW, winner)
    assert value.winners == {"selector": 1, "by_role": 2}
    assert (value.last_winner, value.winner_streak) == ("by_role", 2)
    assert rules.after_run(value, "damage", NOW, "selector").winners == value.winners
    for number in range(100):
        value = rules.after_run(value, "ok", NOW, f"made up {number}")
    assert len(value.winners) == rules.MAX_WINNERS


def test_an_outcome_that_there_is_not() -> None:
    with pytest.raises(SkillError, match="no outcome 'fine'"):
        rules.after_run(Health(), "fine", NOW)  # type: ignore[arg-type]
