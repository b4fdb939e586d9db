"""Writing the files that people read, into the directory of a run or of a comparison."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from personalized_shopping.evaluation.report.read import read_run

REPORT = "report.html"
COMPARISON = "comparison.html"


def write_report(directory: Path, *, viewer: str | None = None, progress: Callable[[int], None] | None = None) -> Path:
    """Write ``report.html``, ``summary.md`` and ``episodes.csv`` into a run's directory, and return the first.

    Args:
        directory: what the run wrote: manifest, summary, episodes, and timings where there are any.
        viewer: the address of an episode's session in a viewer that exists already, with ``{session}`` for the name of
            the session's directory; ``../viewer.html#/{session}`` for one. Without it the viewer's pages are written
            beside the report when the episodes have trajectories.
        progress: called with 1 for every session that is written.

    Raises:
        EvaluationError: when the directory holds no finished run.
        TrajectoryError: when the viewer cannot be written.
    """
    read_run(directory)
    raise NotImplementedError


def write_comparison(a: Path, b: Path, out: Path, comparison: Mapping[str, Any]) -> Path:
    """Write ``comparison.html``, ``.md`` and ``.json`` into a directory, and return the first.

    Args:
        a: the directory of the run that is compared with.
        b: the directory of the run that is asked about; a positive difference is in its favour.
        out: the directory; it is made.
        comparison: the paired differences, as ``metrics.compare`` gives them.

    Raises:
        EvaluationError: when one of the directories holds no finished run.
    """
    raise NotImplementedError
