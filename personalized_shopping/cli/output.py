"""What a verb prints: its answer on standard output, everything else on standard error."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import click

Advance = Callable[..., None]
"""Moves a progress bar on by a count; a second argument is a note that stands behind the bar."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")


def say(message: str) -> None:
    """Print a note for the person at the terminal, on standard error."""
    click.echo(message, err=True)


def emit(text: str) -> None:
    """Print (a part of) the verb's answer on standard output; a lone surrogate cannot stop it."""
    click.echo(text.encode("utf-8", "replace").decode("utf-8"))


def emit_json(document: Any) -> None:
    """Print the verb's answer as the one JSON document of standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=True, default=str))


def table(rows: Iterable[Sequence[str]], *, header: Sequence[str] | None = None, gap: str = "  ") -> str:
    """Lay out rows in columns that are as wide as their widest cell; the last column runs free."""
    lines = [list(row) for row in rows]
    if header is not None:
        lines.insert(0, list(header))
    if not lines:
        return ""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]) - 1)]
    return "\n".join(
        gap.join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]).rstrip()
        for line in lines
    )


@contextmanager
def progress_bar(what: str, total: int | None = None, unit: str = " products") -> Iterator[Advance]:
    """Show a progress bar on standard error while the block runs, and yield the function that moves it on by a count.

    Anything but a terminal gets one line, and a further one every half minute, instead of a bar that redraws itself.
    With the variable ``NO_PROGRESS`` there is nothing.
    """
    from tqdm import tqdm

    silent, interactive = bool(os.environ.get("NO_PROGRESS")), sys.stderr.isatty()
    if not silent and not interactive:
        say(f"{what} ...")
    with tqdm(
        total=total,
        desc=what,
        unit=unit,
        unit_scale=unit == "B",
        file=sys.stderr,
        mininterval=0.1 if interactive else 30,
        delay=0 if interactive else 30,
        disable=silent,
    ) as bar:

        def advance(count: int, note: str = "") -> None:
            if note:
                bar.set_postfix_str(note, refresh=False)
            bar.update(count)

        yield advance


@contextmanager
def stage_bars(what: str) -> Iterator[Callable[[str, int, int | None], None]]:
    """Yield a function that is told a stage, how much of it is done and how much there is; each stage gets a bar.

    Nothing is shown while nothing is told: what is up to date needs no bar.
    """
    with ExitStack() as bars:
        state: dict[str, tuple[Callable[[int], None], int]] = {}

        def tell(stage: str, done: int, total: int | None) -> None:
            if stage not in state:
                bars.close()
                state[stage] = (bars.enter_context(progress_bar(f"{what}: {stage}", total)), 0)
            advance, before = state[stage]
            advance(done - before)
            state[stage] = (advance, done)

        yield tell
