"""How reliable a skill is: what a run's outcome does to its health, and when it is kept from use.

Only damage lowers health: a page that does not fit, wrong arguments and a cancelled run say nothing about the skill.
Times are UTC and always passed in.
"""

import math
from datetime import UTC, datetime
from typing import Literal, get_args

import msgspec
from msgspec import UNSET

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.model import Health

OutcomeKind = Literal["ok", "mismatch", "bad_args", "cancelled", "damage"]
OUTCOMES: tuple[OutcomeKind, ...] = get_args(OutcomeKind)

SMOOTHING = 0.2
"""The weight of the newest run in the moving average."""
START = 0.6
NEUTRAL = 0.5
HALF_LIFE_S = 14 * 86_400.0
MAX_DAMAGES_IN_A_ROW = 2
MIN_LOWER_BOUND = 0.3
MIN_EVIDENCE_RUNS = 5.0
"""The bound of a skill that hardly ran is low because nothing is known; fewer runs than these prove no damage."""
MEMORY_RUNS = (2 - SMOOTHING) / SMOOTHING
"""As many runs as the moving average remembers: its effective sample."""
BOUND_Z = 1.2816
"""The normal distribution's 90 % quantile, for a one-sided bound."""
MAX_WINNERS = 16
"""As many locators as a chain can have; other names are not kept."""


def utc_now() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def timestamp(now: datetime) -> str:
    """Return a time as it stands in a skill's file."""
    return now.astimezone(UTC).isoformat(timespec="seconds")


def runs(health: Health) -> int:
    """Return how many runs told something about the skill."""
    return health.success_count + health.failure_count


def last_run_s(health: Health) -> float | None:
    """Return when the skill last succeeded or did damage, in seconds of Unix time; ``None`` if it never did."""
    moments = [_seconds(at) for at in (health.last_success_at, health.last_failure_at) if isinstance(at, str)]
    return max((moment for moment in moments if moment is not None), default=None)


def _seconds(text: str) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _kept(health: Health, now: datetime) -> float:
    """Return what share of the old evidence still counts."""
    last = last_run_s(health)
    idle_s = 0.0 if last is None else max(0.0, now.timestamp() - last)
    return float(2.0 ** (-idle_s / HALF_LIFE_S))


def decayed(health: Health, now: datetime) -> float:
    """Return the score, drawn towards .5 by the time that the skill was not used."""
    return NEUTRAL + (health.health_score - NEUTRAL) * _kept(health, now)


def rank(health: Health, now: datetime) -> float:
    """Return the score by which skills are ordered: little evidence counts against a skill."""
    return decayed(health, now) - 0.5 / math.sqrt(runs(health) + 1)


def lower_bound(score: float, evidence_runs: float) -> float:
    """Return the lower 10 % bound of the success rate, by the normal approximation of its Beta distribution.

    Args:
        score: the mean of the runs, 0 to 1.
        evidence_runs: how many runs the mean stands for.
    """
    good, bad = 1 + score * evidence_runs, 1 + (1 - score) * evidence_runs
    total = good + bad
    return good / total - BOUND_Z * math.sqrt(good * bad / (total * total * (total + 1)))


def after_run(health: Health, outcome: OutcomeKind, now: datetime, winner: str | None = None) -> Health:
    """Return the health after a run.

    Args:
        health: before the run.
        outcome: how it ended.
        now: when it ended.
        winner: the locator that found the control (``selector``, ``by_role``, ``selector_alt[0]`` ...), if one did.

    Raises:
        SkillError: for an outcome that there is not.
    """
    if outcome not in OUTCOMES:
        raise SkillError(f"There is no outcome {shorten(outcome)}. Choose one of: {', '.join(OUTCOMES)}.")
    if winner and outcome == "ok":
        health = _with_winner(health, winner)
    score = decayed(health, now)
    if outcome == "ok":
        return msgspec.structs.replace(
            health,
            health_score=_clamped(score + SMOOTHING * (1 - score)),
            success_count=health.success_count + 1,
            last_success_at=timestamp(now),
            consecutive_damages=0,
        )
    if outcome == "damage":
        return msgspec.structs.replace(
            health,
            health_score=_clamped(score - SMOOTHING * score),
            failure_count=health.failure_count + 1,
            last_failure_at=timestamp(now),
            consecutive_damages=health.consecutive_damages + 1,
        )
    return health


def quarantines(before: Health, after: Health, now: datetime) -> bool:
    """Return whether the damage that turned one health into the other must keep the skill from use.

    Args:
        before: the health before the damage.
        after: the health after it.
        now: when it happened.
    """
    if after.failure_count <= before.failure_count:
        return False
    if after.consecutive_damages >= MAX_DAMAGES_IN_A_ROW:
        return True
    evidence_runs = min(float(runs(before)), MEMORY_RUNS - 1) * _kept(before, now) + 1
    return evidence_runs >= MIN_EVIDENCE_RUNS and lower_bound(after.health_score, evidence_runs) < MIN_LOWER_BOUND


def healed(health: Health) -> Health:
    """Return the health of a skill that was mended: as good as new at least."""
    return msgspec.structs.replace(new_version(health), health_score=max(health.health_score, START))


def new_version(health: Health) -> Health:
    """Return the health that a changed skill starts with: the damages and winners in a row were its predecessor's."""
    return msgspec.structs.replace(health, consecutive_damages=0, winners={}, last_winner=UNSET, winner_streak=0)


def _with_winner(health: Health, winner: str) -> Health:
    if winner not in health.winners and len(health.winners) >= MAX_WINNERS:
        return health
    winners = {**health.winners, winner: health.winners.get(winner, 0) + 1}
    streak = health.winner_streak + 1 if health.last_winner == winner else 1
    return msgspec.structs.replace(health, winners=winners, last_winner=winner, winner_streak=streak)


def _clamped(score: float) -> float:
    return round(min(1.0, max(0.0, score)), 6)
