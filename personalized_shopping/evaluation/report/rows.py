"""The episodes as the page's script reads them: a short row each, and what is shown when one is opened.

Rows are there at once, for filters and order. What is opened lies in compressed parts of some hundred episodes, which
the script inflates when the first of them is opened: ten thousand episodes stay a few megabytes.
"""

import base64
import gzip
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec

from personalized_shopping.evaluation.report.words import ENDINGS, failure_of
from personalized_shopping.shared_libraries.metrics.episode import Episode

PART_SIZE = 200
_LONG_ANSWER = 8_000
"""Longer answers and errors are cut in the page; the run's own files hold the whole."""

COLUMNS = (
    "key",
    "kind",
    "split",
    "failure",
    "status",
    "success",
    "score",
    "steps",
    "tokens",
    "cost",
    "instruction",
    "wanted",
    "bought",
    "why",
)
"""What a row holds, in this order."""


def short_rows(episodes: Sequence[Episode]) -> list[list[Any]]:
    """Return a row of :data:`COLUMNS` for each episode."""
    return [
        [
            episode.key,
            episode.kind,
            episode.split,
            failure_of(episode),
            episode.status,
            int(episode.success),
            round(episode.score, 4),
            episode.steps,
            episode.input_tokens + episode.output_tokens,
            episode.cost_usd,
            episode.instruction,
            episode.wanted.title,
            episode.bought.title or episode.bought.asin if episode.bought else "",
            episode.why or episode.error,
        ]
        for episode in episodes
    ]


def parts(episodes: Sequence[Episode], link: Callable[[Episode], str | None]) -> Iterator[str]:
    """Yield what is shown of opened episodes as :func:`compressed` parts."""
    return compressed([detail(episode, link(episode)) for episode in episodes])


def compressed(details: Sequence[Any]) -> Iterator[str]:
    """Yield values :data:`PART_SIZE` at a time, as compressed JSON in base64."""
    for start in range(0, len(details), PART_SIZE):
        part = msgspec.json.encode(details[start : start + PART_SIZE])
        yield base64.b64encode(gzip.compress(part, 6, mtime=0)).decode()


def detail(episode: Episode, link: str | None) -> dict[str, Any]:
    """Return what is shown of an opened episode.

    Args:
        episode: the episode.
        link: where its session is shown.
    """
    bought = episode.bought
    return {
        "wanted": msgspec.to_builtins(episode.wanted),
        "bought": msgspec.to_builtins(bought) if bought else None,
        "checks": [[check.name, check.passed, check.detail] for check in episode.checks],
        "actions": episode.actions,
        "answer": _cut(episode.answer),
        "error": _cut(episode.error),
        "parts": {name: value for name, value in episode.parts.items() if isinstance(value, int | float | str)},
        "ended": ENDINGS.get(episode.ended, episode.ended),
        "facts": {
            "model calls": episode.model_calls,
            "tokens read": episode.input_tokens,
            "tokens written": episode.output_tokens,
        },
        "cluster": episode.cluster,
        "link": link,
    }


def _cut(text: str) -> str:
    return text if len(text) <= _LONG_ANSWER else f"{text[:_LONG_ANSWER]}…"


def address(**filters: str) -> str:
    """Return what follows ``#`` in the address of a narrowed table, as the page's script reads it."""
    return urlencode(filters)
