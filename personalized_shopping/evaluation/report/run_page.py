"""The page of one run."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from personalized_shopping.evaluation.report import headline, plots, rows, svg
from personalized_shopping.evaluation.report.failures import FailureClass
from personalized_shopping.evaluation.report.page import make_page
from personalized_shopping.evaluation.report.pairs import flat
from personalized_shopping.evaluation.report.read import Run
from personalized_shopping.evaluation.report.words import (
    BASELINES,
    FAILURES,
    OTHER,
    count,
    dollars,
    interval,
    percent,
    plain,
    plural,
    points,
)

_SCRIPTS = ("dom.js", "table.js", "detail.js", "report.js")


def run_page(run: Run, classes: Sequence[FailureClass], ours: Sequence[FailureClass], links: Mapping[str, str]) -> str:
    """Return the report as HTML.

    Args:
        run: the run.
        classes: the agent's failures.
        ours: errors of the system and of the simulated person.
        links: where episodes' sessions are shown, by the episode's key.
    """
    published = headline.suite(run) == "webshop"
    return make_page(
        "report.html",
        _SCRIPTS,
        title=headline.title(run),
        sentence=headline.in_a_sentence(run, classes),
        facts=headline.facts(run),
        measures=[
            _measure(one, best, published)
            for one, best in zip(headline.measures(run.summary), _best(run.summary), strict=True)
        ],
        published=published,
        costs=_costs(run.summary),
        failed_sentence=_failed_sentence(run, classes),
        classes=[_class(one) for one in classes],
        ours=ours,
        overview=plots.failure_figures(classes),
        figures=plots.figures(run),
        groupings=list(_groupings(run)),
        times=plots.time_figure(run),
        settings=list(flat(run.manifest)),
        data={
            "columns": rows.COLUMNS,
            "rows": rows.short_rows(run.episodes),
            "part_size": rows.PART_SIZE,
            "failures": {**{name: term.title for name, term in FAILURES.items()}, "other": OTHER.title},
        },
        parts=rows.parts(run.episodes, lambda episode: links.get(episode.key)),
        time_data=[run.seconds.get(one.key) for one in run.episodes] if run.seconds else None,
    )


def _best(summary: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return the success rate and the score of buying just what was wanted, where the rules give less than all."""
    ceiling, solvable, judged = summary.get("ceiling"), summary.get("solvable"), summary.get("judged")
    if ceiling is None or solvable is None or not judged or solvable >= judged:
        return None, None
    return solvable / judged, ceiling


def _measure(measure: headline.Measure, best: float | None, published: bool) -> dict[str, Any]:
    rate = measure.name == "Success rate"
    share = percent if rate else points
    standing: list[tuple[str, float, tuple[float, float] | None, str]] = []
    if measure.value is not None:
        standing.append(("This run", measure.value, measure.limits, "here"))
    if measure.by_product is not None:
        standing.append(("Each product once", measure.by_product, measure.by_product_limits, "product"))
    if best is not None:
        standing.append(("Best possible", best, None, "other"))
    if published:
        standing += [
            (f"{one.name}, published", one.success_rate if rate else one.score, None, "other") for one in BASELINES
        ]
    return {
        "name": measure.name,
        "text": share(measure.value),
        "limits": interval(measure.limits),
        "by_product": share(measure.by_product),
        "by_product_limits": interval(measure.by_product_limits),
        "drawing": plots.standing(measure.name, standing, f"standing-{'success' if rate else 'score'}"),
    }


def _costs(summary: Mapping[str, Any]) -> str:
    known = [
        f"{count(summary[name])} {what}"
        for name, what in (
            ("steps", "steps"),
            ("model_calls", "model calls"),
            ("input_tokens", "tokens read"),
            ("output_tokens", "tokens written"),
        )
        if summary.get(name)
    ]
    text = f"An episode took {', '.join(known)} on average." if known else ""
    if _best(summary)[0] is not None:
        text = f"Best possible: what buying just the wanted product earns by the rules of the score. {text}"
    total = summary.get("cost_usd")
    return f"{text} All together cost {dollars(total)}." if total else text


def _failed_sentence(run: Run, classes: Sequence[FailureClass]) -> str:
    failed = sum(one.count for one in classes)
    return f"{failed:,} of {plural(len(run.judged), 'judged episode')} did not fully succeed."


def _class(one: FailureClass) -> dict[str, Any]:
    width = 100 * one.share
    bar = Markup(
        '<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="track" width="100" height="6"/><rect class="bad" width="{:.2f}" height="6"/></svg>'
    ).format(width)
    return {
        "name": one.name,
        "title": one.title,
        "meaning": one.meaning,
        "count": one.count,
        "share_text": percent(one.share),
        "lost_text": points(one.lost),
        "bar": bar,
        "lacking": one.lacking,
        "examples": [
            {
                "key": example.key,
                "why": example.why,
                "instruction": example.instruction,
                "like": example.like,
                "score_text": points(example.score),
                "link": rows.address(failure=one.name, open=example.key),
            }
            for example in one.examples
        ],
    }


def _groupings(run: Run) -> Iterator[plots.Figure]:
    for field, column, title in (("by_kind", "kind", "By kind of task"), ("by_split", "split", "By split")):
        groups = headline.groups(run.summary, field)
        if not groups:
            continue
        bars = [
            svg.Column(plain(one.name), one.success_rate, percent(one.success_rate), rows.address(**{column: one.name}))
            for one in groups
        ]
        weakest = min(groups, key=lambda one: one.success_rate)
        lead = "The share that succeeded."
        if any(one.success_rate > weakest.success_rate for one in groups):
            lead += f" Weakest: {plain(weakest.name).lower()}, {percent(weakest.success_rate)}."
        content, height = svg.bars(bars)
        yield plots.Figure(
            name=field,
            title=title,
            lead=lead,
            drawing=svg.drawing(f"plot-{field}", title, lead, content, height),
            header=[column.capitalize(), "Episodes", "Score", "Succeeded"],
            rows=[
                [
                    plots.Cell(plain(one.name), rows.address(**{column: one.name})),
                    plots.Cell(f"{one.episodes:,}"),
                    plots.Cell(points(one.score)),
                    plots.Cell(percent(one.success_rate)),
                ]
                for one in groups
            ],
        )
