"""What the `eval` verbs share: their options, where a run lies, and what is told of it."""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, table
from personalized_shopping.config import setting

if TYPE_CHECKING:
    from personalized_shopping.evaluation.agent_setting import AgentSetting
    from personalized_shopping.evaluation.running.run import Outcome
    from personalized_shopping.evaluation.running.suite import Suite
    from personalized_shopping.shared_libraries.metrics.summary import Summary
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

GUARDS = ("off", "rules", "safepred", "harmonyguard", "reactive")
F = TypeVar("F", bound=Callable[..., Any])


def _all_of(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return what adds options to a command, in this order of its help."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


run_options = _all_of(
    click.option("--seed", type=int, help="Of goals, prices, samples, words.  [233; conversations: 0]"),
    click.option("--trials", type=click.IntRange(min=1), default=1, show_default=True, help="Plays of each."),
    click.option("--workers", type=click.IntRange(min=1), default=1, show_default=True, help="Processes."),
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="The run's directory.  [default: a new one below DATA_DIR/evaluations]",
    ),
    click.option(
        "--resume",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Go on with the run of this directory; the other options must be those that it began with.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=600.0,
        show_default=True,
        help="Seconds that an episode may take.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=2,
        show_default=True,
        help="How often an episode is played again when the system failed, not the agent.",
    ),
    click.option(
        "--trajectories",
        type=click.Choice(("all", "failed", "none")),
        help="Which episodes are recorded.  [default: all of a model, the first 200 failed ones of a policy]",
    ),
    click.option(
        "--prices",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Price table (TOML): a table a model with `input` and `output`, US dollars for a million tokens.",
    ),
    click.option(
        "--json-file",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the numbers there too: score, success_rate, both by product, episodes and more.",
    ),
    json_option,
)
"""The options that every run has."""

agent_options = _all_of(
    click.option("--model", help="Play the agent with this model: a name as in MODEL_NAME, or `offline`."),
    click.option("--skills", type=click.Choice(("on", "off")), help="The agent's skills.  [SKILLS_MODE]"),
    click.option("--guard", type=click.Choice(GUARDS), help="The agent's guard.  [SAFETY_SYSTEM]"),
)
"""The options that say which agent plays."""


def agent_setting(
    model: str, skills: str | None, guard: str | None, max_steps: int, prices: Path | None
) -> "AgentSetting":
    """Return which agent plays; what is wrong with the model shows here."""
    from personalized_shopping.evaluation.agent_setting import AgentSetting
    from personalized_shopping.models import OFFLINE_MODEL, choose_model, require_key
    from personalized_shopping.shared_libraries.metrics.cost import read_prices

    name = OFFLINE_MODEL if model == "offline" else model
    require_key(name)
    choose_model(name)  # what is wrong with the name or its key shows now, not in every episode
    modes = {"on": "tools", "off": "off", None: setting("SKILLS_MODE")}
    return AgentSetting(
        model=name,
        guard=guard or setting("SAFETY_SYSTEM"),
        skills=modes[skills],
        max_steps=max_steps,
        prices=read_prices(prices) if prices is not None else {},
    )


def open_named_shop(file_path: Path | None) -> "ShopFiles":
    """Open the shop with an index; a raw file's is built on first use, which takes seconds a thousand products."""
    from personalized_shopping.cli.shop_access import open_shop
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import open_shop_for

    if file_path is None:
        return open_shop()
    if file_path.is_file():
        say(f"Opening {file_path.name}; the first time it is indexed ...")
    return open_shop_for(file_path)


def run_directory(how: dict[str, Any], name: str, suite: str) -> Path:
    """Return the run's directory, and note in ``how`` whether a run is gone on with."""
    from personalized_shopping import paths

    out, resume = how.pop("out"), how.pop("resume")
    if out is not None and resume is not None:
        raise click.UsageError("--out names a new run and --resume one to go on with: use one of them.")
    how["resume"] = resume is not None
    if resume is not None:
        return Path(resume)
    if out is not None:
        return Path(out)
    player = "".join(letter if letter.isalnum() else "-" for letter in name)
    return paths.evaluations_dir() / f"{suite}-{player}-{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}"


def run_suite(
    suite: "Suite",
    directory: Path,
    *,
    name: str,
    workers: int,
    timeout: float,
    retries: int,
    resume: bool,
    json_file: Path | None,
    as_json: bool,
) -> None:
    """Carry out a run with a progress bar and tell what came of it."""
    from personalized_shopping.evaluation.running.run import How, carry_out

    how = How(workers=workers, timeout_s=timeout, retries=retries, resume=resume)
    command = " ".join(["personalized-shopping", *_without_places(sys.argv[1:])])
    try:
        with progress_bar(name, len(suite.keys), unit=" episodes") as advance:
            outcome = carry_out(suite, directory, how, name=name, command=command, told=_telling(advance))
    except KeyboardInterrupt:
        say(f"Stopped. What is done is kept; go on with the same options and --resume {directory}")
        raise
    _tell(outcome, json_file, as_json)


def _telling(advance: Callable[..., None]) -> Callable[[Any, bool], None]:
    total, played = 0.0, 0

    def told(entry: Any, earlier: bool) -> None:
        nonlocal total, played
        if entry.episode.status == "finished":
            total, played = total + entry.episode.score, played + 1
        advance(1, f"score {total / played:.3f}" if played else "")

    return told


def _tell(outcome: "Outcome", json_file: Path | None, as_json: bool) -> None:
    if json_file is not None:
        from personalized_shopping.evaluation.running.directory import write_json

        json_file.parent.mkdir(parents=True, exist_ok=True)
        write_json(json_file, outcome.summary)
    tell_summary(outcome.summary, outcome.directory, as_json)
    say(f"Report: {outcome.directory / 'report.html'}")
    if outcome.unjudged:
        first = next(episode for episode in outcome.episodes if episode.status != "finished")
        say(f"{outcome.unjudged} of {outcome.summary.episodes} episodes could not be judged. The first: {first.why}")
        raise click.exceptions.Exit(ExitCode.FAILED)


def tell_summary(summary: "Summary", directory: Path, as_json: bool) -> None:
    """Print a run's numbers."""
    import msgspec

    if as_json:
        emit_json(msgspec.to_builtins(summary) | {"directory": str(directory)})
    else:
        emit(numbers_table(summary))


def numbers_table(summary: "Summary") -> str:
    """Return a run's numbers for the terminal."""

    def shown(value: float, interval: tuple[float | None, float | None]) -> str:
        low, high = interval
        return f"{value:.1%}" if low is None or high is None else f"{value:.1%} ({low:.1%} to {high:.1%})"

    if not summary.judged:
        return "no episode could be judged"
    rows = [
        ("score", shown(summary.score, summary.score_interval)),
        ("success rate", shown(summary.success_rate, summary.success_rate_interval)),
        ("score by product", shown(summary.score_by_product, summary.score_by_product_interval)),
        ("success rate by product", shown(summary.success_rate_by_product, summary.success_rate_by_product_interval)),
        ("episodes", f"{summary.judged:,} of {summary.products:,} products"),
        ("steps", f"{summary.steps:.1f}"),
    ]
    rows += [(f"failed: {name.replace('_', ' ')}", f"{count:,}") for name, count in summary.failures.items()]
    return table(rows)


def _without_places(arguments: list[str]) -> list[str]:
    """Return the arguments without those that name places of this machine or how the run is carried out."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        if skip:
            skip = False
            continue
        name, equals, _ = argument.partition("=")
        if name in ("--out", "--resume", "--json-file", "--workers", "--timeout", "--retries"):
            skip = not equals
        elif argument != "--json":
            kept.append(Path(argument).name if Path(argument).is_absolute() else argument)
    return kept
