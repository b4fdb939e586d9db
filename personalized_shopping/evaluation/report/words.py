"""What the report's terms mean, and its numbers in words."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from personalized_shopping.shared_libraries.metrics.episode import Episode, Failure
from personalized_shopping.shared_libraries.metrics.failures import MEANING


class Term(NamedTuple):
    """A class's name for people, and one sentence that says what belongs to it."""

    title: str
    meaning: str


_TITLES: Mapping[Failure, str] = {
    "search_missed": "Search missed",
    "wrong_item": "Wrong item",
    "wrong_option": "Wrong option",
    "over_budget": "Over budget",
    "did_not_buy": "Did not buy",
    "bought_unasked": "Bought unasked",
    "wrong_answer": "Wrong answer",
    "unsolvable": "Unsolvable",
    "loop": "Loop",
    "model_error": "Model error",
    "system_error": "System error",
    "simulator_error": "Simulator error",
}
FAILURES: Mapping[str, Term] = {name: Term(title, MEANING[name]) for name, title in _TITLES.items()}
OTHER = Term("No class", "The episode did not fully succeed, and no class of failure was recorded.")
"""Of an episode without success that names no failure."""

ENDINGS: Mapping[str, str] = {
    "bought": "bought",
    "said": "answered without buying",
    "max_steps": "used up its steps",
    "loop": "went round in circles",
    "timeout": "ran out of time",
    "model_error": "the model failed",
    "error": "an error",
}

PARTS: Mapping[str, str] = {
    "r_type": "Kind of product",
    "r_att": "Attributes",
    "r_option": "Options",
    "r_price": "Price",
    "query_match": "Same search query",
    "category_match": "Same category",
    "title_score": "Title",
}


class Baseline(NamedTuple):
    """A published result: who, and the score and success rate, both from 0 to 1."""

    name: str
    score: float
    success_rate: float


BASELINES = (
    Baseline("Rule", 0.456, 0.096),
    Baseline("Average person", 0.755, 0.50),
    Baseline("Expert", 0.821, 0.596),
)
"""WebShop's published results on the full set of 1.18 million products (Yao et al., 2022)."""


def failure_of(episode: Episode) -> str:
    """Return the class of an episode's failure; ``""`` where it succeeded, ``other`` where none is recorded."""
    if episode.failure is not None:
        return episode.failure
    return "" if episode.success and episode.status == "finished" else "other"


def term(failure: str) -> Term:
    """Return what a class of failure is called and means."""
    return FAILURES.get(failure, OTHER)


def percent(share: float | None, digits: int = 1) -> str:
    """Return a share (0 to 1) as a percentage; a dash for none."""
    return "–" if share is None else f"{share * 100:.{digits}f} %"


def points(share: float | None, digits: int = 1) -> str:
    """Return a score (0 to 1) on the scale to 100, as WebShop's numbers are published; a dash for none."""
    return "–" if share is None else f"{share * 100:.{digits}f}"


def limits_of(limits: Sequence[float | None] | None) -> tuple[float, float] | None:
    """Return an interval's limits; ``None`` where it has none, which is told as nothing or as two of nothing."""
    if not limits or limits[0] is None or limits[1] is None:
        return None
    return limits[0], limits[1]


def interval(limits: Sequence[float | None] | None, digits: int = 1) -> str:
    """Return an interval's limits (0 to 1) on the scale to 100; nothing for none."""
    known = limits_of(limits)
    return f"{known[0] * 100:.{digits}f} to {known[1] * 100:.{digits}f}" if known else ""


def count(number: float) -> str:
    """Return a number with thousands set apart, and decimals only where they say something."""
    if isinstance(number, int) or abs(number) >= 100 or float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.1f}"


def plural(number: int, word: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def dollars(amount: float) -> str:
    """Return US dollars; amounts below ten cents with the digits that count."""
    return f"${amount:,.2f}" if amount == 0 or abs(amount) >= 0.1 else f"${amount:.4f}"


def seconds(time: float) -> str:
    """Return a duration in seconds for people."""
    if time < 1:
        return f"{time * 1000:.0f} ms"
    if time < 60:
        return f"{time:.1f} s"
    whole = round(time)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def plain(name: str) -> str:
    """Return a name of the data as words: underscores and hyphens as spaces, the first letter large."""
    text = name.replace("_", " ").replace("-", " ").strip()
    return text[:1].upper() + text[1:]


def said(value: Any) -> str:
    """Return any value of a manifest as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(said, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {said(inner)}" for key, inner in value.items())
    return "–" if value is None else str(value)
