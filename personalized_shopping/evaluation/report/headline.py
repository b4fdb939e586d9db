"""What was run and what came of it, as the top of every report says it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from personalized_shopping.evaluation.report.failures import FailureClass
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import limits_of, percent, plain, plural, said

_SUITES = {"webshop": "WebShop goals", "conversations": "conversations"}
_FACTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Model", ("model",)),
    ("Policy", ("policy",)),
    ("Catalogue", ("catalogue", "catalog")),
    ("Products", ("products",)),
    ("Kinds", ("kinds",)),
    ("Split", ("split",)),
    ("Goals", ("goals",)),
    ("Limit", ("limit",)),
    ("Trials", ("trials",)),
    ("Seed", ("seed",)),
    ("Skills", ("skills",)),
    ("Guard", ("guard",)),
    ("Person", ("person",)),
    ("Started", ("started_at", "started")),
    ("Code", ("git_hash", "git", "commit")),
)
"""What the headline tells of the settings, and under which names the manifest may hold it."""

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z$")


class Measure(Struct, frozen=True):
    """A number of the run with its 95 % interval, over episodes and averaged over products; all from 0 to 1."""

    name: str
    value: float | None
    limits: tuple[float, float] | None
    by_product: float | None
    by_product_limits: tuple[float, float] | None


class Group(Struct, frozen=True):
    """The episodes of one kind or split."""

    name: str
    episodes: int
    score: float
    success_rate: float


def suite(run: Run) -> str:
    """Return the suite that was played."""
    named = run.setting("suite")
    return str(named) if named else (run.episodes[0].suite if run.episodes else "")


def player(run: Run) -> str:
    """Return who played: the model or the policy."""
    model, policy = run.setting("model"), run.setting("policy")
    return str(policy or model or run.setting("name") or run.directory.name)


def title(run: Run) -> str:
    """Return the report's title."""
    return f"{player(run)} on {_SUITES.get(suite(run), plain(suite(run)) or 'episodes')}"


def facts(run: Run) -> list[tuple[str, str]]:
    """Return what was run as names and values."""
    found = [(name, _short(run.setting(*names))) for name, names in _FACTS]
    return [(name, value) for name, value in found if value]


def _short(value: Any) -> str:
    """Return a setting in a few words: of a mapping, what names it."""
    if isinstance(value, Mapping):
        names = ("name", "generator", "file", "path", "sha256")
        value = next((value[key] for key in names if value.get(key)), said(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if value is None:
        return ""
    text = said(value)
    moment = _MOMENT.match(text)
    if moment:
        return f"{moment[1]} {moment[2]} UTC"
    # A long name is told by its end, a hash by its beginning.
    if len(text) == 40 and all(sign in "0123456789abcdef" for sign in text):
        return text[:10]
    return text if len(text) <= 60 else f"…{text[-59:]}"


def measures(summary: Mapping[str, Any]) -> list[Measure]:
    """Return score and success rate with their intervals; nothing known of them where nothing was judged."""
    if summary.get("judged") == 0:
        return [Measure(name, None, None, None, None) for name in ("Success rate", "Score")]
    return [
        Measure(
            name,
            summary.get(key),
            limits_of(summary.get(f"{key}_interval")),
            summary.get(f"{key}_by_product"),
            limits_of(summary.get(f"{key}_by_product_interval")),
        )
        for name, key in (("Success rate", "success_rate"), ("Score", "score"))
    ]


def groups(summary: Mapping[str, Any], field: str) -> list[Group]:
    """Return what the summary says of kinds or splits; nothing where there is only one."""
    entries = {str(name): entry for name, entry in (summary.get(field) or {}).items()}
    if len(entries) < 2:
        return []
    return [
        Group(name, entry["episodes"], entry.get("score") or 0.0, entry.get("success_rate") or 0.0)
        for name, entry in sorted(entries.items())
    ]


def in_a_sentence(run: Run, classes: Sequence[FailureClass]) -> str:
    """Return what came of the run in words: how many succeeded, and why most of the others did not."""
    judged = run.judged
    if not judged:
        return "No episode came to an end by which the agent can be judged."
    done = sum(episode.success for episode in judged)
    text = f"{done:,} of {plural(len(judged), 'episode')} succeeded ({percent(done / len(judged))})."
    failed = sum(one.count for one in classes)
    if not failed:
        return text
    named = [f"{one.title.lower()} ({one.count:,})" for one in classes[:3]]
    listed = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    first = "The failures are" if len(classes) <= 3 else "Most of the failures are"
    return f"{text} {first} {listed}."
