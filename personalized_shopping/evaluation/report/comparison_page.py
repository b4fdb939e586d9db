"""The page that compares two runs."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from personalized_shopping.evaluation.report import rows, svg
from personalized_shopping.evaluation.report.comparison_words import (
    is_real,
    name_of,
    p_value,
    signed,
    signed_interval,
    verdict,
)
from personalized_shopping.evaluation.report.page import make_page
from personalized_shopping.evaluation.report.pairs import (
    Pair,
    class_counts,
    class_of,
    differing_settings,
    transitions,
)
from personalized_shopping.evaluation.report.plots import Cell, Figure
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import FAILURES, OTHER, percent, plural, points

_SCRIPTS = ("dom.js", "table.js", "detail.js", "comparison.js")
_TRANSITIONS = 10
_COLUMNS = ("key", "kind", "split", "outcome", "score_a", "score_b", "steps", "instruction", "a", "b", "why_a", "why_b")


def comparison_page(
    a: Run, b: Run, pairs: Sequence[Pair], comparison: Mapping[str, Any], *, out: Path, report: str
) -> str:
    """Return the comparison as HTML.

    Args:
        a: the run that is compared with.
        b: the run that is asked about.
        pairs: the episodes that both have judged.
        comparison: the paired differences.
        out: the directory that the page is written to, from which it links to the runs' reports.
        report: the file name of a run's report.
    """
    names = tuple(str(comparison[side]["name"]) for side in "ab")
    sentence, direction = verdict(comparison)
    return make_page(
        "comparison.html",
        _SCRIPTS,
        names=names,
        reports=[_report_link(run.directory, out, report) for run in (a, b)],
        sentence=sentence,
        direction=direction,
        measures=[_measure(comparison, *keys) for keys in _MEASURES],
        counts=_counts(comparison, names),
        figures=[_differences(pairs), _scatter(pairs, names), _classes(pairs, names), _transitions(pairs, names)],
        settings=differing_settings(a.manifest, b.manifest),
        data={
            "columns": _COLUMNS,
            "rows": [_row(pair) for pair in pairs],
            "part_size": rows.PART_SIZE,
            "failures": {
                "success": "Success",
                **{name: term.title for name, term in FAILURES.items()},
                "other": OTHER.title,
            },
            "names": names,
            "reports": [_report_link(run.directory, out, report) for run in (a, b)],
        },
        parts=rows.compressed([[rows.detail(pair.a, None), rows.detail(pair.b, None)] for pair in pairs]),
        time_data=None,
    )


_MEASURES = (("Score", "score", "score", points), ("Success rate", "success", "success_rate", percent))


def _measure(comparison: Mapping[str, Any], title: str, key: str, whole: str, said: Any) -> dict[str, Any]:
    difference, limits = comparison[f"{key}_difference"], comparison[f"{key}_difference_interval"]
    p = comparison[f"{key}_p"]
    return {
        "title": title,
        "difference": signed(difference),
        "interval": signed_interval(limits),
        "p": p_value(p),
        "real": is_real(difference, limits, p),
        "a": said(comparison["a"][whole]),
        "b": said(comparison["b"][whole]),
    }


def _counts(comparison: Mapping[str, Any], names: Sequence[str]) -> str:
    won, lost = comparison["won"], comparison["lost"]
    text = f"Of {plural(comparison['pairs'], 'episode')} that both runs played, {len(won):,} got better, "
    text += f"{len(lost):,} got worse and {comparison['same']:,} kept their score."
    for key, name in (("only_a", names[0]), ("only_b", names[1])):
        if comparison[key]:
            text += f" {plural(len(comparison[key]), 'episode')} only in {name} are left out."
    return text


def _report_link(directory: Path, out: Path, report: str) -> str | None:
    """Return the relative address of a run's report, where there is one that can be reached."""
    if not (directory / report).exists():
        return None
    try:
        return quote(Path(os.path.relpath(directory.resolve() / report, out.resolve())).as_posix())
    except ValueError:  # on another drive
        return None


def _row(pair: Pair) -> list[Any]:
    a, b = pair.a, pair.b
    scores = round(a.score, 4), round(b.score, 4)
    whys = a.why or a.error, b.why or b.error
    classes = class_of(a), class_of(b)
    return [a.key, a.kind, a.split, pair.outcome, *scores, b.steps, a.instruction or b.instruction, *classes, *whys]


def _differences(pairs: Sequence[Pair]) -> Figure:
    bins = Counter(difference_bin(pair.difference) for pair in pairs if pair.outcome != "same")
    same = sum(pair.outcome == "same" for pair in pairs)
    columns, table = [], []
    # Equal scores would tower over all others; they stand in the sentence and in the table.
    for place in (*range(-10, 0), *range(1, 11)):
        low, high = (10 * place - 10, 10 * place) if place > 0 else (10 * place, 10 * place + 10)
        name = f"{_sign(low)} to {_sign(high)}"
        kind = "bar good" if place > 0 else "bar bad"
        columns.append(svg.Column(_sign(low), bins[place], f"{name} points: {bins[place]:,}", "", kind=kind))
        table.append([Cell(name), Cell(f"{bins[place]:,}")])
    table.insert(10, [Cell("0", "outcome=same"), Cell(f"{same:,}")])
    lead = f"By how many points an episode's score changed; {plural(same, 'episode')} with no change left out."
    content = svg.columns(columns, x_title="points, from …")
    drawing = svg.drawing("plot-differences", "Changes of the score", lead, content)
    return Figure("differences", "Changes of the score", lead, drawing, ["Points", "Episodes"], table)


def difference_bin(difference: float) -> int:
    """Return which tenth a changed score lies in: 1 for up to 10 points more, -1 for up to 10 points less."""
    tenths = -int(-abs(round(difference, 6)) * 10 // 1) or 1
    return tenths if difference > 0 else -tenths


def _sign(number: int) -> str:
    return f"+{number}" if number > 0 else str(number).replace("-", "−")


def _scatter(pairs: Sequence[Pair], names: Sequence[str]) -> Figure:
    places = Counter((round(pair.a.score * 20), round(pair.b.score * 20)) for pair in pairs)
    dots = []
    for (x, y), number in sorted(places.items()):
        kind = "dot" if x == y else "dot up" if y > x else "dot down"
        said = f"{number:,}: {names[0]} near {5 * x}, {names[1]} near {5 * y}"
        dots.append(svg.Dot(5.0 * x, y / 20, number, said, kind))
    lead = "Every episode by its two scores; above the line it got better. A larger circle holds more."
    axes = {"x_title": f"score of {_cut(names[0])}", "y_title": f"score of {_cut(names[1])}"}
    content = svg.bubbles(dots, right=100, diagonal=True, **axes)
    drawing = svg.drawing("plot-scatter", "Score against score", lead, content)
    outcomes = Counter(pair.outcome for pair in pairs)
    table = [
        [Cell(name.capitalize(), f"outcome={name}"), Cell(f"{outcomes[name]:,}")]
        for name in ("better", "worse", "same")
    ]
    return Figure("scatter", "Score against score", lead, drawing, ["Outcome", "Episodes"], table)


def _cut(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:39]}…"


def _classes(pairs: Sequence[Pair], names: Sequence[str]) -> Figure:
    counts = class_counts(pairs)
    failures = [entry for entry in counts if entry[0] != "success"]
    most = max((max(one, two) for _, one, two in failures), default=0) or 1
    bars, table = [], []
    for name, one, two in failures:
        change = f"{two - one:+,}".replace("-", "−") if two != one else "0"
        bars.append(svg.Column(f"{name_of(name)}, A", one / most, f"{one:,}", f"a={name}"))
        kind = "bar" if two == one else "bar good" if two < one else "bar bad"
        bars.append(svg.Column("B", two / most, f"{two:,} ({change})", f"b={name}", kind=kind))
    for name, one, two in counts:
        cells = [Cell(f"{one:,}", f"a={name}"), Cell(f"{two:,}", f"b={name}"), Cell(f"{two - one:+,}")]
        table.append([Cell(name_of(name)), *cells])
    lead = "How often each class of failure occurs in A and in B; green where B has fewer."
    content, height = svg.bars(bars)
    drawing = svg.drawing("plot-classes", "Failures by class", lead, content, height)
    header = ["Class", f"A: {names[0]}", f"B: {names[1]}", "Change"]
    return Figure("classes", "Failures by class", lead, drawing, header, table)


def _transitions(pairs: Sequence[Pair], names: Sequence[str]) -> Figure:
    found = transitions(pairs, _TRANSITIONS)
    most = found[0][2] if found else 1
    bars, table = [], []
    for start, end, number in found:
        narrows = rows.address(a=start, b=end)
        kind = "bar good" if end == "success" else "bar bad" if start == "success" else "bar"
        bars.append(svg.Column(f"{name_of(start)} → {name_of(end)}", number / most, f"{number:,}", narrows, kind=kind))
        table.append([Cell(name_of(start)), Cell(name_of(end)), Cell(f"{number:,}", narrows)])
    lead = "What became of episodes whose class changed from A to B." if found else "No episode changed its class."
    content, height = svg.bars(bars)
    drawing = svg.drawing("plot-transitions", "From class to class", lead, content, height)
    header = [f"A: {names[0]}", f"B: {names[1]}", "Episodes"]
    return Figure("transitions", "From class to class", lead, drawing, header, table)
