"""The episodes as CSV, a row each, safe to open in a spreadsheet."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from personalized_shopping.shared_libraries.metrics.episode import Episode

_PLAIN = (
    "task_id",
    "trial",
    "suite",
    "kind",
    "cluster",
    "goal_index",
    "split",
    "status",
    "ended",
    "score",
    "success",
    "failure",
    "why",
    "instruction",
)
_COSTS = ("steps", "model_calls", "input_tokens", "output_tokens", "cost_usd", "answer", "trajectory", "error")
_PARTS = ("r_type", "r_att", "r_option", "r_price")
HEADER = (
    *_PLAIN,
    *_PARTS,
    "wanted_asin",
    "wanted_title",
    "wanted_options",
    "price_limit",
    "bought_asin",
    "bought_title",
    "bought_options",
    "bought_price",
    *_COSTS,
    "checks_failed",
    "actions",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""A cell that begins so would be calculated, and could send data away."""


def write_csv(episodes: Iterable[Episode], path: Path) -> None:
    """Write one row an episode. Texts that a spreadsheet would take for a formula begin with an apostrophe."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for episode in episodes:
            writer.writerow([cell(value) for value in _values(episode)])


def cell(value: Any) -> Any:
    """Return a value as a cell: nothing for ``None``, ``true`` or ``false``, and no text that begins a formula."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value.lstrip(" ").startswith(_FORMULA):
        return f"'{value}"
    return value


def _values(episode: Episode) -> list[Any]:
    wanted, bought = episode.wanted, episode.bought
    return [
        *(getattr(episode, name) for name in _PLAIN),
        *(episode.parts.get(name) for name in _PARTS),
        wanted.asin,
        wanted.title,
        " | ".join(wanted.options),
        wanted.price_limit,
        bought.asin if bought else None,
        bought.title if bought else None,
        " | ".join(f"{name}: {value}" for name, value in bought.options.items()) if bought else None,
        bought.price if bought else None,
        *(getattr(episode, name) for name in _COSTS),
        " | ".join(check.name for check in episode.checks if not check.passed),
        " | ".join(episode.actions),
    ]
