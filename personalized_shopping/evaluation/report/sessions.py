"""Where an episode's session can be looked at: a viewer that exists, or pages of it beside the report."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.trajectory.layout import logs_of
from personalized_shopping.shared_libraries.trajectory.viewer import write_viewer

SESSIONS_A_PAGE = 200
"""A page of the viewer holds its sessions whole; more in one would open slowly."""
VIEWER = "viewer.html"
REPORT = "report.html"


def session_links(
    directory: Path,
    episodes: Sequence[Episode],
    viewer: str | None,
    progress: Callable[[int], None] | None = None,
) -> Mapping[str, str]:
    """Return where each episode's session is shown, by the episode's key; those without one are left out.

    Args:
        directory: the run's.
        episodes: all of them.
        viewer: an address with ``{session}`` in it; without one the viewer's pages are written into the directory.
        progress: called with 1 for every session that is written.

    Raises:
        TrajectoryError: when the viewer cannot be written.
    """
    recorded = [episode for episode in episodes if episode.trajectory]
    if viewer is not None:
        return {one.key: viewer.replace("{session}", quote(_name(one), safe="")) for one in recorded}
    sessions = {one.trajectory: directory / one.trajectory for one in recorded if one.trajectory}
    there = [(name, path) for name, path in sorted(sessions.items()) if _inside(name) and logs_of(path)]
    pages: dict[str, str] = {}
    for start in range(0, len(there), SESSIONS_A_PAGE):
        page = VIEWER if start == 0 else f"viewer-{start // SESSIONS_A_PAGE + 1}.html"
        part = there[start : start + SESSIONS_A_PAGE]
        write_viewer([path for _, path in part], directory / page, report=REPORT, progress=progress)
        pages |= {name: page for name, _ in part}
    return {
        one.key: f"{pages[name]}#/{quote(_name(one), safe='')}" for one in recorded if (name := one.trajectory) in pages
    }


def _name(episode: Episode) -> str:
    return PurePosixPath(episode.trajectory or "").name


def _inside(trajectory: str) -> bool:
    """Return whether a session's path stays in the run's directory."""
    path = PurePosixPath(trajectory)
    return not path.is_absolute() and ".." not in path.parts
