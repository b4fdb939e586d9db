"""The summary as Markdown, short enough for a pull request's description."""

import re
from collections.abc import Iterable, Sequence

from personalized_shopping.evaluation.report.failures import FailureClass
from personalized_shopping.evaluation.report.headline import (
    Measure,
    facts,
    groups,
    in_a_sentence,
    measures,
    suite,
    title,
)
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import (
    BASELINES,
    PARTS,
    count,
    dollars,
    interval,
    percent,
    plain,
    points,
)

_SIGNS = re.compile(r"([\\`*_\[\]#|~])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"}
_LONGEST = 320


def escaped(text: str, *, longest: int = _LONGEST) -> str:
    """Return text that Markdown shows as it is: no mark-up, no HTML, no mention of a user, on one line."""
    line = " ".join(text.split())
    line = line if len(line) <= longest else f"{line[: longest - 1]}…"
    return "".join(_ENTITIES.get(sign, sign) for sign in _SIGNS.sub(r"\\\1", line))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the cells are Markdown already."""
    lines = [f"| {' | '.join(header)} |", f"|{'---|' * len(header)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows)]


def summary_markdown(run: Run, classes: Sequence[FailureClass], ours: Sequence[FailureClass]) -> str:
    """Return the summary of a run. It holds no time, so that the same run gives the same text.

    Args:
        run: the run.
        classes: the agent's failures.
        ours: errors of the system and of the simulated person.
    """
    known = [(name, value) for name, value in facts(run) if name not in ("Started", "Code")]
    lines = [f"# {escaped(title(run))}", "", in_a_sentence(run, classes), ""]
    lines += [" · ".join(f"{name}: {escaped(value)}" for name, value in known), ""]
    lines += table(["", "all episodes", "95 %", "per product", "95 %"], map(_measure, measures(run.summary)))
    if suite(run) == "webshop":
        published = "; ".join(
            f"{one.name.lower()} {points(one.score)} / {percent(one.success_rate)}" for one in BASELINES
        )
        lines += ["", f"Published, on the full set (score / success): {published}."]
    lines += _costs(run)
    parts = {name: value for name, value in (run.summary.get("parts") or {}).items() if isinstance(value, int | float)}
    if parts:
        lines += ["", "## Reward parts", ""]
        lines += table(["part", "mean"], ([escaped(PARTS.get(k, plain(k))), points(v)] for k, v in parts.items()))
    for field, name in (("by_kind", "kind"), ("by_split", "split")):
        found = groups(run.summary, field)
        if found:
            rows = [
                [escaped(plain(g.name)), f"{g.episodes:,}", points(g.score), percent(g.success_rate)] for g in found
            ]
            lines += ["", f"## By {name}", "", *table([name, "episodes", "score", "success"], rows)]
    lines += _failures(classes)
    if ours:
        errors = "; ".join(f"{one.title.lower()} {one.count:,}" for one in ours)
        lines += ["", f"Not counted against the agent: {errors}."]
    return "\n".join(lines) + "\n"


def _measure(measure: Measure) -> list[str]:
    share = percent if measure.name == "Success rate" else points
    return [
        measure.name,
        f"**{share(measure.value)}**",
        interval(measure.limits) or "–",
        share(measure.by_product),
        interval(measure.by_product_limits) or "–",
    ]


def _costs(run: Run) -> list[str]:
    reading = ("input_tokens", "tokens read"), ("output_tokens", "tokens written")
    names = ("steps", "steps"), ("model_calls", "model calls"), *reading
    known = [f"{count(run.summary[key])} {name}" for key, name in names if run.summary.get(key)]
    lines = ["", f"An episode on average: {', '.join(known)}."] if known else []
    total = run.summary.get("cost_usd")
    if total:
        lines.append(f"All episodes together: {dollars(total)}.")
    pass_hat_k = run.summary.get("pass_hat_k") or {}
    if len(pass_hat_k) > 1:
        lines += ["", "pass^k: " + ", ".join(f"{escaped(str(k))}: {percent(value)}" for k, value in pass_hat_k.items())]
    return lines


def _failures(classes: Sequence[FailureClass]) -> list[str]:
    if not classes:
        return []
    lines = ["", "## Why it failed", ""]
    rows = [
        [f"**{one.title}**", f"{one.count:,}", percent(one.share), points(one.lost), one.meaning] for one in classes
    ]
    lines += table(["class", "episodes", "share", "points lost", "what it is"], rows)
    lines += ["", "Examples:", ""]
    for one in classes:
        for example in one.examples[:1]:
            like = f" ({example.like:,} like this)" if example.like > 1 else ""
            lines.append(f"- **{one.title}**: “{escaped(example.instruction)}”: {escaped(example.why) or '–'}{like}")
    return lines
