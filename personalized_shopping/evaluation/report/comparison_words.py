"""What a comparison says in words, and its Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from personalized_shopping.evaluation.report.markdown import escaped, table
from personalized_shopping.evaluation.report.pairs import Pair, class_counts, differing_settings
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import limits_of, plural, points, term

LEVEL = 0.05
"""Below this p-value, with an interval that leaves out 0, a difference is called real."""
_EXAMPLES = 5


def signed(share: float | None) -> str:
    """Return a difference (-1 to 1) on the scale to 100 with its sign."""
    if share is None:
        return "–"
    text = f"{share * 100:+.1f}".replace("-", "−")
    return "0.0" if text in ("+0.0", "−0.0") else text


def signed_interval(limits: Sequence[float | None] | None) -> str:
    """Return the limits of a difference's interval; nothing where it has none."""
    known = limits_of(limits)
    return f"{signed(known[0])} to {signed(known[1])}" if known else ""


def p_value(p: float | None) -> str:
    """Return a p-value for people."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def is_real(difference: float | None, limits: Sequence[float | None] | None, p: float | None) -> bool:
    """Return whether a difference is told from chance: by its p-value, and by its interval where it has one."""
    known = limits_of(limits)
    beyond = known is None or not known[0] <= 0 <= known[1]
    return bool(difference) and p is not None and p < LEVEL and beyond


def verdict(comparison: Mapping[str, Any]) -> tuple[str, str]:
    """Return whether B really differs from A, in words, and ``up``, ``down`` or ``same``."""
    a, b = comparison["a"]["name"], comparison["b"]["name"]
    sentences, directions = [], []
    for what, key, unit in (("score", "score", "points"), ("success rate", "success", "percentage points")):
        difference, limits = comparison[f"{key}_difference"], comparison[f"{key}_difference_interval"]
        p = comparison[f"{key}_p"]
        size = f"{abs(difference) * 100:.1f} {unit}"
        if is_real(difference, limits, p):
            more = "higher" if difference > 0 else "lower"
            directions.append("up" if difference > 0 else "down")
            sentences.append(f"The {what} of {b} is {size} {more} than that of {a}, more than chance explains")
        else:
            directions.append("same")
            spread = signed_interval(limits)
            compatible = f"; anything from {spread} would fit what was seen" if spread else ""
            sentences.append(f"The {what} shows no real difference ({signed(difference)} {unit}{compatible})")
        sentences[-1] += f" (p {p_value(p)})."
    # The score tells first; it uses more of what was measured than success alone.
    direction = directions[0] if directions[0] != "same" else directions[1]
    return " ".join(sentences), direction


def comparison_markdown(a: Run, b: Run, pairs: Sequence[Pair], comparison: Mapping[str, Any]) -> str:
    """Return the comparison as Markdown, short enough for a pull request's description."""
    names = [escaped(str(comparison[side]["name"])) for side in "ab"]
    text, _ = verdict(comparison)
    lines = [f"# {names[1]} compared with {names[0]}", "", escaped(text, longest=2_000), ""]
    rows = []
    for what, key, whole in (("score", "score", "score"), ("success rate", "success", "success_rate")):
        limits = signed_interval(comparison[f"{key}_difference_interval"]) or "–"
        values = [points(comparison[side][whole]) for side in "ab"]
        difference = signed(comparison[f"{key}_difference"])
        rows.append(
            [what, *values, f"**{difference}**", limits, f"p {p_value(comparison[f'{key}_p'])}".replace("<", "&lt;")]
        )
    lines += table(["", *names, "difference", "95 %", ""], rows)
    won, lost = comparison["won"], comparison["lost"]
    lines += ["", f"Of {plural(comparison['pairs'], 'pair')} {len(won):,} got better, {len(lost):,} got worse, "]
    lines[-1] += f"{comparison['same']:,} stayed the same."
    lines += [*_unpaired(comparison, names), "", "## Classes", ""]
    counts = [[name_of(name), f"{one:,}", f"{two:,}", f"{two - one:+,}"] for name, one, two in class_counts(pairs)]
    lines += table(["class", *names, "change"], counts)
    settings = differing_settings(a.manifest, b.manifest)
    if settings:
        cells = [[f"`{name}`", escaped(one), escaped(two)] for name, one, two in settings if "`" not in name]
        lines += ["", "## Settings that differ", "", *table(["setting", *names], cells)]
    for title, outcome in (("Got better", "better"), ("Got worse", "worse")):
        found = sorted((pair for pair in pairs if pair.outcome == outcome), key=lambda pair: -abs(pair.difference))
        if found:
            lines += ["", f"## {title}", "", *map(_example, found[:_EXAMPLES])]
    return "\n".join(lines) + "\n"


def name_of(name: str) -> str:
    """Return a class's title, ``success`` among them."""
    return "Success" if name == "success" else term(name).title


def _unpaired(comparison: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    found = [
        f"{plural(len(comparison[key]), 'episode')} only in {name}"
        for key, name in (("only_a", names[0]), ("only_b", names[1]))
        if comparison[key]
    ]
    return ["", f"Left out: {', '.join(found)}."] if found else []


def _example(pair: Pair) -> str:
    why = pair.b.why if pair.difference < 0 else pair.a.why
    before = "now" if pair.difference < 0 else "before"
    reason = f" ({before}: {escaped(why)})" if why else ""
    scores = f"{points(pair.a.score)} → {points(pair.b.score)}"
    return f"- {scores} “{escaped(pair.a.instruction)}”{reason}"
