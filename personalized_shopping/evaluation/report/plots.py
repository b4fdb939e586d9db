"""The plots of a run, each with the numbers that it shows."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup
from msgspec import Struct

from personalized_shopping.evaluation.report import svg
from personalized_shopping.evaluation.report.failures import FailureClass
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import PARTS, count, dollars, percent, plain, points, seconds
from personalized_shopping.shared_libraries.metrics.episode import Episode

STEP_COLUMNS = 12
TIME_COLUMNS = 12
COST_PLACES = 24
"""Into how many places the cost axis is divided; the score axis is divided into 20."""
FARTHEST = 0.99
"""An axis ends at this share of the values, so that one odd episode does not press all others together."""


class Cell(NamedTuple):
    """A cell of the table behind a plot; ``filter`` makes it a link that narrows the table of episodes."""

    text: str
    filter: str = ""


class Figure(Struct, frozen=True):
    """A plot, what it says in a sentence, and its numbers."""

    name: str
    title: str
    lead: str
    drawing: Markup
    header: list[str]
    rows: list[list[Cell]]


class _Cost(NamedTuple):
    name: str
    axis: str
    of: Callable[[Episode], float]
    said: Callable[[float], str]


def figures(run: Run) -> list[Figure]:
    """Return the plots that the run has numbers for. None of them tells how long anything took."""
    judged = run.judged
    if not judged:
        return []
    found = [
        _scores(judged),
        _parts(run.summary.get("parts") or {}),
        _steps(judged),
        _cost(judged),
        _trials(run.summary.get("pass_hat_k") or {}),
    ]
    return [figure for figure in found if figure is not None]


def _scores(judged: Sequence[Episode]) -> Figure:
    bins = Counter(score_bin(episode.score) for episode in judged)
    names = [f"{10 * place}–{10 * place + 9}" for place in range(10)] + ["100"]
    columns, rows = [], []
    for place, name in enumerate(names):
        number = bins[place]
        narrows = "min=100" if place == 10 else f"min={10 * place}&max={10 * place + 9.9}"
        said = f"Score {name}: {number:,} of {len(judged):,} ({percent(number / len(judged))})"
        label = "100" if place == 10 else str(10 * place)
        columns.append(svg.Column(label, number, said, narrows, kind="bar good" if place == 10 else "bar"))
        rows.append([Cell(name, narrows), Cell(f"{number:,}"), Cell(percent(number / len(judged)))])
    full, nothing = bins[10] / len(judged), bins[0] / len(judged)
    lead = f"{percent(full)} reached the full score; {percent(nothing)} stayed below 10."
    drawing = svg.drawing("plot-scores", "Score distribution", lead, svg.columns(columns, x_title="score, from …"))
    return Figure("scores", "Score distribution", lead, drawing, ["Score", "Episodes", "Share"], rows)


def score_bin(score: float) -> int:
    """Return which tenth a score (0 to 1) lies in; 10 is the full score alone. It rounds as the table's filter does."""
    return min(int(round(score * 100, 1) // 10), 10)


def _parts(parts: Mapping[str, float]) -> Figure | None:
    shown = {
        name: value
        for name, value in parts.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and not name.startswith("w_")
    }
    if not shown:
        return None
    titles = {name: PARTS.get(name, plain(name)) for name in shown}
    bars, height = svg.bars([svg.Column(titles[name], value, points(value)) for name, value in shown.items()])
    weakest = min(shown, key=lambda name: shown[name])
    lead = f"The mean of each part, 100 being all of it. Weakest: {titles[weakest].lower()}, {points(shown[weakest])}."
    drawing = svg.drawing("plot-parts", "Reward parts", lead, bars, height)
    rows = [[Cell(titles[name]), Cell(name), Cell(points(value))] for name, value in shown.items()]
    return Figure("parts", "Reward parts", lead, drawing, ["Part", "Name", "Mean"], rows)


def _steps(judged: Sequence[Episode]) -> Figure:
    ranges = _ranges(sorted({episode.steps for episode in judged}))
    columns, rows = [], []
    best: tuple[float, str] = (-1.0, "")
    for low, high in ranges:
        group = [episode for episode in judged if low <= episode.steps <= high]
        if not group:
            continue
        name = str(low) if low == high else f"{low}–{high}"
        rate = sum(episode.success for episode in group) / len(group)
        said = f"{name} steps: {percent(rate)} of {len(group):,} succeeded"
        columns.append(svg.Column(name, rate, said, f"steps={low}-{high}"))
        rows.append([Cell(name, f"steps={low}-{high}"), Cell(f"{len(group):,}"), Cell(percent(rate))])
        if len(group) >= max(len(judged) * 0.03, 5):
            best = max(best, (rate, name))
    lead = f"The share that succeeded, by how many steps were taken. Best at {best[1]} steps: {percent(best[0])}."
    if not best[1]:
        lead = "The share that succeeded, by how many steps were taken."
    drawing = svg.drawing("plot-steps", "Success by steps", lead, svg.columns(columns, x_title="steps", share=True))
    return Figure("steps", "Success by steps", lead, drawing, ["Steps", "Episodes", "Succeeded"], rows)


def _ranges(values: Sequence[int]) -> list[tuple[int, int]]:
    if len(values) <= STEP_COLUMNS:
        return [(value, value) for value in values]
    width = math.ceil((values[-1] - values[0] + 1) / STEP_COLUMNS)
    return [(low, low + width - 1) for low in range(values[0], values[-1] + 1, width)]


def _cost(judged: Sequence[Episode]) -> Figure | None:
    cost = _cost_of(judged)
    values = sorted(cost.of(episode) for episode in judged)
    right = svg.ticks(values[int((len(values) - 1) * FARTHEST)])[-1]
    places: Counter[tuple[int, int]] = Counter()
    for episode in judged:
        x = min(cost.of(episode) / right, 1.0)
        places[round(x * COST_PLACES), round(episode.score * 20)] += 1
    dots = []
    for (x_place, y_place), number in sorted(places.items()):
        x, y = right * x_place / COST_PLACES, y_place / 20
        dots.append(svg.Dot(x, y, number, f"{number:,} near {cost.said(x)}, score {points(y, 0)}"))
    rows = _cost_table(judged, cost)
    lead = f"Half of the episodes took at most {cost.said(values[len(values) // 2])}. A larger circle holds more."
    content = svg.bubbles(dots, right=right, x_title=cost.axis, y_title="score")
    title = f"Score against {cost.name}"
    drawing = svg.drawing("plot-cost", title, lead, content)
    header = [plain(cost.name), "Episodes", "Mean score", "Succeeded"]
    return Figure("cost", title, lead, drawing, header, rows)


def _cost_of(judged: Sequence[Episode]) -> _Cost:
    if any(episode.cost_usd for episode in judged):
        return _Cost("cost", "US dollars an episode", lambda one: one.cost_usd or 0.0, dollars)
    if any(episode.input_tokens + episode.output_tokens for episode in judged):
        of = "tokens an episode, read and written"
        return _Cost("tokens", of, lambda one: one.input_tokens + one.output_tokens, lambda n: f"{count(n)} tokens")
    return _Cost("steps", "steps an episode", lambda one: one.steps, lambda n: f"{count(n)} steps")


def _cost_table(judged: Sequence[Episode], cost: _Cost) -> list[list[Cell]]:
    """Return quarters of the episodes, the cheapest first."""
    ordered = sorted(judged, key=lambda one: (cost.of(one), one.task_id, one.trial))
    rows = []
    quarters = min(4, len(ordered))
    for place in range(quarters):
        group = ordered[len(ordered) * place // quarters : len(ordered) * (place + 1) // quarters]
        name = f"{cost.said(cost.of(group[0]))} to {cost.said(cost.of(group[-1]))}"
        score = sum(one.score for one in group) / len(group)
        rate = sum(one.success for one in group) / len(group)
        rows.append([Cell(name), Cell(f"{len(group):,}"), Cell(points(score)), Cell(percent(rate))])
    return rows


def _trials(pass_hat_k: Mapping[str, float | None]) -> Figure | None:
    known = sorted((int(k), value) for k, value in pass_hat_k.items() if value is not None)
    if len(known) < 2:
        return None
    lead = f"The chance that all of k trials succeed: {percent(known[0][1])} for one, {percent(known[-1][1])} for all."
    columns = [svg.Column(str(k), value, f"k = {k}: {percent(value)}") for k, value in known]
    drawing = svg.drawing("plot-trials", "pass^k", lead, svg.columns(columns, x_title="k, trials", share=True))
    rows = [[Cell(str(k)), Cell(percent(value))] for k, value in known]
    return Figure("trials", "pass^k: every time, or now and then", lead, drawing, ["k", "pass^k"], rows)


def failure_figures(classes: Sequence[FailureClass]) -> list[Figure]:
    """Return the classes of failure by how many episodes they hold, and by what they cost the score."""
    failed = sum(one.count for one in classes)
    lost = sum(one.lost for one in classes)
    if not failed:
        return []
    first, worst = classes[0], max(classes, key=lambda one: one.lost)
    by_count = [
        svg.Column(
            one.title,
            one.count / first.count,
            f"{one.count:,} ({percent(one.count / failed, 0)})",
            f"failure={one.name}",
            kind="bar bad",
        )
        for one in classes
    ]
    by_loss = [
        svg.Column(one.title, one.lost / worst.lost if worst.lost else 0, points(one.lost), f"failure={one.name}")
        for one in classes
    ]
    rows = [
        [
            Cell(one.title, f"failure={one.name}"),
            Cell(f"{one.count:,}"),
            Cell(percent(one.count / failed)),
            Cell(points(one.lost)),
            Cell(points(one.score)),
        ]
        for one in classes
    ]
    header = ["Class", "Episodes", "Of the failures", "Points lost", "Mean score"]
    found = []
    for name, title, lead, bars in (
        (
            "failures",
            "Failures by class",
            f"Most frequent: {first.title.lower()}, {percent(first.count / failed, 0)} of the failures.",
            by_count,
        ),
        (
            "losses",
            "Points that each class costs the score",
            f"Of the {points(lost)} points that are missing to 100, {worst.title.lower()} takes {points(worst.lost)}.",
            by_loss,
        ),
    ):
        content, height = svg.bars(bars)
        drawing = svg.drawing(f"plot-{name}", title, lead, content, height)
        found.append(Figure(name, title, lead, drawing, header, rows))
    return found


def time_figure(run: Run) -> Figure | None:
    """Return the plot of how long episodes took; ``None`` when nothing is known of it."""
    times = sorted(run.seconds.values())
    if not times:
        return None
    edges = svg.ticks(times[int((len(times) - 1) * FARTHEST)], TIME_COLUMNS)[:-1]
    bins = Counter(bisect_right(edges, time) - 1 for time in times)
    columns, rows = [], []
    for place, low in enumerate(edges):
        until = f"to {seconds(edges[place + 1])}" if place + 1 < len(edges) else "or more"
        name = f"{seconds(low)} {until}"
        columns.append(svg.Column(f"{low:g}", bins[place], f"{name}: {bins[place]:,}"))
        rows.append([Cell(name), Cell(f"{bins[place]:,}")])
    middle, slow = times[len(times) // 2], times[int((len(times) - 1) * 0.95)]
    lead = f"Half took at most {seconds(middle)}, 95 % at most {seconds(slow)}."
    content = svg.columns(columns, x_title="seconds, from …")
    drawing = svg.drawing("plot-time", "Time an episode", lead, content)
    return Figure("time", "Time an episode", lead, drawing, ["Time", "Episodes"], rows)


def standing(run_name: str, rows: Sequence[tuple[str, float, Sequence[float] | None, str]], name: str) -> Markup:
    """Return results on one scale from 0 to 100, each a dot, with its interval where it has one.

    Args:
        run_name: what the scale measures.
        rows: each a name, a share (0 to 1), its interval or ``None``, and the class of its dot.
        name: what the drawing is called in the page.
    """
    left, right, step = 190, svg.WIDTH - 56, 26
    height = 12 + step * len(rows) + 20

    def x(share: float) -> float:
        return left + (right - left) * min(max(share, 0.0), 1.0)

    content = []
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        content.append(svg.line(x(tick), 6, x(tick), height - 18))
        content.append(svg.text(x(tick), height - 4, f"{tick * 100:g}"))
    words = []
    for place, (title, value, limits, kind) in enumerate(rows):
        y = 20 + step * place
        content.append(svg.text(left - 10, y + 4, title, "name strong" if kind == "here" else "name", "end"))
        if limits:
            content.append(svg.line(x(limits[0]), y, x(limits[1]), y, "span"))
        content.append(svg.circle(x(value), y, 5.5 if kind == "here" else 4.5, f"mark {kind}"))
        content.append(svg.text(svg.WIDTH, y + 4, points(value), "value strong" if kind == "here" else "value", "end"))
        words.append(f"{title} {points(value)}")
    return svg.drawing(name, run_name, "; ".join(words), content, height)
