"""Writing the files that people read, into the directory of a run or of a comparison."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.report.comparison_page import comparison_page
from personalized_shopping.evaluation.report.comparison_words import comparison_markdown
from personalized_shopping.evaluation.report.failures import failure_classes
from personalized_shopping.evaluation.report.markdown import summary_markdown
from personalized_shopping.evaluation.report.pairs import pairs_of
from personalized_shopping.evaluation.report.read import read_run
from personalized_shopping.evaluation.report.run_page import run_page
from personalized_shopping.evaluation.report.sessions import REPORT, session_links
from personalized_shopping.evaluation.report.spreadsheet import write_csv

SUMMARY = "summary.md"
EPISODES = "episodes.csv"
COMPARISON = "comparison.html"


def write_report(directory: Path, *, viewer: str | None = None, progress: Callable[[int], None] | None = None) -> Path:
    """Write ``report.html``, ``summary.md`` and ``episodes.csv`` into a run's directory, and return the first.

    The summary and the CSV hold no time and no setting of the machine: equal episodes give equal files.

    Args:
        directory: what the run wrote: manifest, summary, episodes, and timings where there are any.
        viewer: the address of an episode's session in a viewer that exists already, with ``{session}`` for the name of
            the session's directory; ``../viewer.html#/{session}`` for one. Without it the viewer's pages are written
            beside the report when the episodes have trajectories.
        progress: called with 1 for every session that is written.

    Raises:
        EvaluationError: when the directory holds no finished run, or a file cannot be written.
        TrajectoryError: when the viewer cannot be written.
    """
    run = read_run(directory)
    judged = run.judged
    classes = failure_classes(judged, judged=len(judged))
    ours = failure_classes([one for one in run.episodes if one.status != "finished"], judged=len(judged))
    links = session_links(directory, run.episodes, viewer, progress)
    try:
        write_csv(run.episodes, directory / EPISODES)
        _write(directory / SUMMARY, summary_markdown(run, classes, ours))
        _write(directory / REPORT, run_page(run, classes, ours, links))
    except OSError as error:
        raise EvaluationError(f"The report in {directory} cannot be written: {error.strerror or error}.") from None
    return directory / REPORT


def write_comparison(a: Path, b: Path, out: Path, comparison: Mapping[str, Any]) -> Path:
    """Write ``comparison.html``, ``.md`` and ``.json`` into a directory, and return the first.

    Args:
        a: the directory of the run that is compared with.
        b: the directory of the run that is asked about; a positive difference is in its favour.
        out: the directory; it is made.
        comparison: the paired differences, as ``metrics.compare`` gives them.

    Raises:
        EvaluationError: when one of the directories holds no finished run, or a file cannot be written.
    """
    first, second = read_run(a), read_run(b)
    pairs = pairs_of(first, second)
    shown = _told_apart(comparison)
    page = out / COMPARISON
    try:
        out.mkdir(parents=True, exist_ok=True)
        _write(page, comparison_page(first, second, pairs, shown, out=out, report=REPORT))
        _write(page.with_suffix(".md"), comparison_markdown(first, second, pairs, shown))
        encoded = msgspec.json.format(msgspec.json.encode(comparison), indent=2)
        _write(page.with_suffix(".json"), encoded.decode() + "\n")
    except OSError as error:
        raise EvaluationError(f"The comparison in {out} cannot be written: {error.strerror or error}.") from None
    return page


def _told_apart(comparison: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a comparison in which the runs have different names: two runs of one policy often have the same."""
    sides = {side: dict(comparison[side]) for side in "ab"}
    if sides["a"]["name"] == sides["b"]["name"]:
        for side, values in sides.items():
            values["name"] = f"{values['name']} ({side.upper()})"
    return {**comparison, **sides}


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
