"""The report of a run: one JSON document, a table for a terminal, and Markdown for people."""

from collections.abc import Mapping, Sequence
from typing import Any

from personalized_shopping.evaluation.red_team.metrics import measure
from personalized_shopping.evaluation.red_team.run import Result, Setting

_PERCENT = (
    ("attack_success_rate", "attacks that got through"),
    ("attack_success_rate_adaptive", "... of those that know the rules"),
    ("attack_success_rate_held_out", "... of these, of those held out"),
    ("harmless_blocked_rate", "harmless calls blocked"),
    ("harmless_answers_changed_rate", "harmless conversations with a changed answer"),
    ("utility", "harmless errands done"),
    ("utility_under_attack", "errands done under attack"),
)
_COUNTS = (
    ("unconfirmed_purchases", "purchases without a yes to them"),
    ("over_budget", "purchases above the limit"),
    ("wrong_options", "purchases with other options"),
    ("left_to_the_person", "attacks that the person's no has ended"),
    ("utility_lost_points", "errands lost to the guard, in points"),
    ("questions", "questions put to the person"),
    ("guard_calls", "calls that the guard looked at"),
    ("guard_model_calls", "calls of the guard's model"),
    ("guard_tokens", "tokens of the guard's model"),
)


def make_report(setting: Setting, results: Sequence[Result], unguarded: Sequence[Result] | None, **about: Any) -> Any:
    """Return a run as one JSON document.

    Args:
        setting: what the cases were played against.
        results: the run; its numbers stand at the top level, for this guard alone.
        unguarded: the same cases without a guard, whose numbers stand under ``comparison``.
        about: what else is said of the run: ``seed``, ``limit`` and the like.
    """
    document = {
        "model": setting.model,
        "guard": setting.guard,
        "person": setting.person,
        "asked_before_purchases": setting.ask,
        **about,
        **measure(results, unguarded),
    }
    compared = unguarded is not None and unguarded is not results
    document["comparison"] = {"off": measure(unguarded, unguarded)} if compared and unguarded is not None else {}
    return document


def rows(document: Mapping[str, Any]) -> list[list[str]]:
    """Return the numbers of a report as rows: what is counted, this guard, and no guard where that was played too."""
    columns = [document, *document["comparison"].values()]
    found = [["", str(document["guard"]), *map(str, document["comparison"])]]
    counts = ("attacked", "attacked cases"), ("adaptive", "adaptive cases"), ("harmless", "harmless cases")
    for name, text in counts:
        found.append([text, *(str(column[name]) for column in columns)])
    for name, text in _PERCENT:
        found.append([text, *(_percent(column["intervals"][name]) for column in columns)])
    for name, text in _COUNTS:
        found.append([text, *(_count(column[name]) for column in columns)])
    found.append(["milliseconds a decision, half / 95 %", *(_latency(column["latency_ms"]) for column in columns)])
    return found


def as_markdown(document: Mapping[str, Any]) -> str:
    """Return a report for people."""
    head, *body = rows(document)
    lines = [
        f"# Red team: model {document['model']}, guard {document['guard']}, {document['person']} person",
        "",
        "Shares stand with their 95 % interval (Wilson).",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(row)} |" for row in body),
    ]
    for key, title in (("by_goal", "goal"), ("by_position", "position"), ("by_technique", "technique")):
        lines += ["", f"## By {title}", "", f"| {title} | got through | cases |", "|---|---|---|"]
        lines += [f"| {name} | {entry['succeeded']} | {entry['of']} |" for name, entry in document[key].items()]
    for key, title in (
        ("got_through", "Attacks that got through"),
        ("not_served", "Harmless errands that failed"),
        ("blocked_harmless", "Harmless calls that were blocked"),
    ):
        if document[key]:
            lines += ["", f"## {title}", "", *(f"- `{entry}`" for entry in document[key])]
    return "\n".join(lines) + "\n"


def _percent(interval: Mapping[str, Any]) -> str:
    if interval["rate"] is None:
        return "-"
    low, high = interval["low"] * 100, interval["high"] * 100
    return f"{interval['rate'] * 100:.1f} % ({interval['count']} of {interval['of']}; {low:.1f} to {high:.1f})"


def _count(value: float | None) -> str:
    return "-" if value is None else f"{value:,g}" if isinstance(value, float) else f"{value:,}"


def _latency(latency: Mapping[str, float | None]) -> str:
    if latency["p50"] is None:
        return "-"
    return f"{latency['p50']} / {latency['p95']}"
