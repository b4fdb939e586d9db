"""`trajectory`: what sessions recorded."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from personalized_shopping import paths
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.options import catalog_option
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, table
from personalized_shopping.cli.terminal import one_line
from personalized_shopping.errors import SettingError, TrajectoryError

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.trajectory import SessionTrajectory
    from personalized_shopping.shared_libraries.trajectory.summary import SessionSummary

FORMATS = ("execution", "atif", "inspect", "messages", "choices")
SPLITS = ("train", "dev", "test")

directory_option = click.option(
    "--dir",
    "root",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The trajectory directory.  [default: TRAJECTORY_DIR, else below DATA_DIR]",
)
session_argument = click.argument("session", metavar="SESSION")


@click.group()
def trajectory() -> None:
    """List, show, view, import, export and replay what sessions recorded.

    Every conversation, and every episode of a recorded environment, leaves a directory below TRAJECTORY_DIR: an
    append-only log per run, the pages that were seen, and execution_trajectory.json. SESSION is a session's id, its
    directory's name, or a path to it or to a file in it. docs/trajectory.md describes every field.
    """


@trajectory.command("list")
@directory_option
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="How many to list.")
@json_option
def list_sessions(root: Path | None, limit: int, as_json: bool) -> None:
    """List sessions, newest first."""
    found = _summaries(root)
    if as_json:
        import msgspec

        emit_json([msgspec.to_builtins(summary) for summary in found[:limit]])
        return
    if not found:
        say(f"Nothing has been recorded in {_root(root)} yet.")
        return
    from personalized_shopping.cli.trajectory_text import HEADER, summary_row

    emit(table([summary_row(summary) for summary in found[:limit]], header=HEADER))
    if len(found) > limit:
        say(f"{len(found) - limit} more; --limit {len(found)} lists all.")


@trajectory.command()
@session_argument
@directory_option
@json_option
def show(session: str, root: Path | None, as_json: bool) -> None:
    """Show a session step by step; with --json, its execution trajectory."""
    from personalized_shopping.cli.trajectory_text import session_lines
    from personalized_shopping.shared_libraries.trajectory import execution_trajectory

    found = _session(session, root)
    if as_json:
        emit_json(execution_trajectory(found))
        return
    for line in session_lines(found):
        emit(line)


@trajectory.command()
@click.argument("sessions", metavar="[SESSION]...", nargs=-1)
@directory_option
@click.option("--all", "every", is_flag=True, help="Every session, the oldest first.")
@click.option("--split", type=click.Choice(SPLITS), help="Only sessions whose goal's product is in this split.")
@click.option(
    "--format", "fmt", type=click.Choice(FORMATS), default="execution", show_default=True, help="What to write."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write it.  [SESSION.FORMAT here; `sessions` for more than one]",
)
def export(
    sessions: tuple[str, ...], root: Path | None, every: bool, split: str | None, fmt: str, output: Path | None
) -> None:
    """Write sessions for other programs; inspect, messages and choices hold more than one.

    execution: the layout of execution_trajectory.json. atif: Agent Trajectory Interchange Format 1.7. inspect: an
    .eval log of Inspect AI (needs the extra `inspect`). messages: chat messages for training, a line a session.
    choices: what was seen, could be clicked and was done, a line a decision.
    """
    from personalized_shopping.evaluation.splits import split_of_product
    from personalized_shopping.shared_libraries.trajectory.exports import FORMATS as EXPORTS
    from personalized_shopping.shared_libraries.trajectory.exports import export_sessions

    if every == bool(sessions):
        raise click.UsageError("Name the sessions to export, or --all of them.")
    names = [str(_root(root) / summary.directory) for summary in reversed(_summaries(root))] if every else sessions
    found = [session for name in names if _is_in(split, session := _session(name, root))]
    stem = found[0].directory.name if len(found) == 1 and not every else "sessions"
    target = output or Path(f"{stem}.{EXPORTS[fmt].suffix}")
    export_sessions(found, fmt, target, split_of=split_of_product)
    emit(str(target))


@trajectory.command("import")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@directory_option
def import_logs(files: tuple[Path, ...], root: Path | None) -> int:
    """Keep what people did at the website as sessions: logs of `site --log`, and those that WebShop wrote.

    Lines that are no page views are named and left out.
    """
    from personalized_shopping.shared_libraries.trajectory.user_logs import import_user_log

    failed = False
    for file in files:
        try:
            emit(str(import_user_log(file, _root(root), lambda sentence: say(one_line(sentence, 400)))))
        except TrajectoryError as error:
            say(one_line(str(error), 400))
            failed = True
    return ExitCode.FAILED if failed else ExitCode.OK


@trajectory.command()
@click.argument("session", metavar="[SESSION]", required=False)
@directory_option
@json_option
def recover(session: str | None, root: Path | None, as_json: bool) -> int:
    """Make execution_trajectory.json anew from the logs, of SESSION or of every session that died without it.

    The logs themselves are never changed: what a crash tore off is left out, and the run counts as aborted.
    """
    from personalized_shopping.shared_libraries.trajectory import find_session, read_session, write_execution_trajectory
    from personalized_shopping.shared_libraries.trajectory.layout import session_dirs

    base = _root(root)
    directories = [find_session(base, session)] if session else [d for d in session_dirs(base) if _is_stale(d)]
    recovered: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    with progress_bar("recover", len(directories), " sessions") as advance:
        for directory in directories:
            try:
                path = write_execution_trajectory(directory)
                found = read_session(directory)
                recovered.append(
                    {
                        "session_id": found.start.session,
                        "file": str(path),
                        "runs": [run.status for run in found.runs],
                        "torn_lines": sum(run.bad_lines for run in found.runs),
                    }
                )
            except TrajectoryError as error:
                failed.append({"directory": str(directory), "error": str(error)})
            advance(1)
    if as_json:
        emit_json({"recovered": recovered, "failed": failed})
    else:
        for entry in recovered:
            torn = f", {entry['torn_lines']} torn lines left out" if entry["torn_lines"] else ""
            emit(f"{one_line(entry['session_id'])}: {', '.join(entry['runs'])}{torn}: {entry['file']}")
        for entry in failed:
            say(f"{entry['directory']}: {one_line(entry['error'])}")
        if not directories:
            say("Every session has its file; there is nothing to recover.")
    return ExitCode.FAILED if failed else ExitCode.OK


@trajectory.command()
@directory_option
@click.option(
    "--keep-sessions", type=click.IntRange(min=0), help="How many stay, the newest.  [TRAJECTORY_KEEP_SESSIONS]"
)
@click.option("--keep-days", type=click.IntRange(min=0), help="For how many days they stay.  [TRAJECTORY_KEEP_DAYS]")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@json_option
def prune(root: Path | None, keep_sessions: int | None, keep_days: int | None, dry_run: bool, as_json: bool) -> None:
    """Clear old sessions away. One that is being written stays.

    With one of --keep-sessions and --keep-days only that one counts; without both the settings do.
    """
    from personalized_shopping.config import limit
    from personalized_shopping.shared_libraries.trajectory.retention import prune as prune_sessions

    if keep_sessions is None and keep_days is None:
        keep_sessions, keep_days = limit("TRAJECTORY_KEEP_SESSIONS"), limit("TRAJECTORY_KEEP_DAYS")
    gone = prune_sessions(_root(root), keep_sessions=keep_sessions, keep_days=keep_days, dry_run=dry_run)
    if as_json:
        names = [directory.name for directory in gone.directories]
        emit_json({"sessions": names, "bytes": gone.bytes, "dry_run": dry_run})
        return
    for directory in gone.directories:
        emit(directory.name)
    say(f"{len(gone.directories)} sessions, {gone.bytes / 1e6:.1f} MB {'would go' if dry_run else 'cleared away'}.")


@trajectory.command()
@click.argument("session", metavar="[SESSION]", required=False)
@directory_option
@click.option(
    "--limit", type=click.IntRange(min=1), default=1_000, show_default=True, help="How many sessions it lists."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where to write the page.  [viewer.html in the trajectory directory]",
)
@click.option("--open/--no-open", "open_it", default=None, help="Open it in the browser.  [when at a terminal]")
def view(session: str | None, root: Path | None, limit: int, output: Path | None, open_it: bool | None) -> None:
    """Make one HTML page of the sessions, or of SESSION, and open it.

    The page holds everything it shows: it works from disk, asks no server, and can be sent to somebody.
    """
    import sys

    from personalized_shopping.shared_libraries.trajectory import find_session
    from personalized_shopping.shared_libraries.trajectory.viewer import write_viewer

    base = _root(root)
    if session:
        directories = [find_session(base, session)]
    else:
        directories = [base / summary.directory for summary in _summaries(root)[:limit]]
    target = output or base / "viewer.html"
    selected = directories[0].name if session else None
    with progress_bar("view", len(directories), " sessions") as advance:
        path = write_viewer(directories, target, selected=selected, progress=advance)
    emit(str(path))
    if open_it if open_it is not None else sys.stdout.isatty():
        click.launch(path.absolute().as_uri())


@trajectory.command()
@click.argument("file", metavar="FILE")
@directory_option
@catalog_option
@json_option
def replay(file: str, root: Path | None, catalog_path: Path | None, as_json: bool) -> int:
    """Take the recorded actions again in the shop, and show the first observation that differs.

    FILE is a session, or a copy of its execution_trajectory.json. What had not been carried out is left out.
    """
    from personalized_shopping.cli.shop_access import open_shop
    from personalized_shopping.cli.trajectory_text import difference_lines
    from personalized_shopping.shared_libraries.trajectory.replay import replay as play
    from personalized_shopping.shared_libraries.trajectory.replay_source import load_recorded
    from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

    recorded = load_recorded(_root_or_none(root), file)
    files = open_shop(catalog_path)
    attributes = bool(recorded.shop.get("show_attributes", False))
    with closing(files.engine()) as engine:
        result = play(recorded, Shop(files.catalog, engine, show_attributes=attributes))
    difference = result.difference
    if as_json:
        emit_json(
            {
                "session_id": recorded.name,
                "same": difference is None,
                "compared": result.compared,
                "not_compared": result.not_compared,
                "left_out": result.left_out,
                "same_catalog": result.same_catalog,
                "difference": vars(difference) if difference else None,
            }
        )
        return ExitCode.FAILED if difference else ExitCode.OK
    if not result.same_catalog:
        say("The session was recorded with another catalogue than this one.")
    if difference is None:
        emit(f"The same: {result.compared} pages compared, {result.left_out} actions left out.")
        if result.not_compared:
            say(f"{result.not_compared} pages had not been recorded and could not be compared.")
        return ExitCode.OK
    emit(f"Action {difference.action} ({one_line(difference.text) or 'the first page'}) now leads to another page:")
    for line in difference_lines(difference.recorded, difference.now):
        emit(line)
    return ExitCode.FAILED


@trajectory.command()
@click.argument("file", metavar="FILE")
@directory_option
@json_option
def rescore(file: str, root: Path | None, as_json: bool) -> int:
    """Compute the reward of the recorded purchases again, from the record alone."""
    from personalized_shopping.shared_libraries.trajectory.replay import rescore as score
    from personalized_shopping.shared_libraries.trajectory.replay_source import load_recorded

    recorded = load_recorded(_root_or_none(root), file)
    found = score(recorded)
    same = all(entry.recorded == entry.computed.total for entry in found)
    if as_json:
        purchases = [
            {
                "action": entry.action,
                "recorded": entry.recorded,
                "reward": entry.computed.total,
                "reward_info": entry.computed.info(),
            }
            for entry in found
        ]
        emit_json({"session_id": recorded.name, "same": same, "purchases": purchases})
    elif not found:
        emit("Nothing was scored in this session.")
    else:
        for entry in found:
            emit(f"action {entry.action}: recorded {entry.recorded}, computed again {entry.computed.total}")
            emit("  " + ", ".join(f"{name} {value}" for name, value in entry.computed.info().items()))
    return ExitCode.OK if same else ExitCode.FAILED


def _root(named: Path | None) -> Path:
    found = _root_or_none(named)
    if found is None:
        raise SettingError("TRAJECTORY_DIR is `off`: nothing is recorded. Name a directory with --dir.")
    return found


def _root_or_none(named: Path | None) -> Path | None:
    return named if named is not None else paths.trajectory_dir()


def _summaries(root: Path | None) -> "list[SessionSummary]":
    from personalized_shopping.shared_libraries.trajectory.summary import summaries

    return summaries(_root(root))


def _session(name: str, root: Path | None) -> "SessionTrajectory":
    from personalized_shopping.shared_libraries.trajectory import find_session, read_session

    return read_session(find_session(_root_or_none(root), name))


def _is_in(split: str | None, session: "SessionTrajectory") -> bool:
    from personalized_shopping.evaluation.splits import split_of_product

    asin = session.goal.get("asin") if isinstance(session.goal, dict) else None
    return split is None or (asin is not None and split_of_product(asin) == split)


def _is_stale(directory: Path) -> bool:
    """Return whether a session's file is missing or older than its logs."""
    from personalized_shopping.shared_libraries.trajectory.layout import EXECUTION, logs_of

    try:
        made = (directory / EXECUTION).stat().st_mtime
    except OSError:
        return True
    return any(log.stat().st_mtime > made for log in logs_of(directory))
