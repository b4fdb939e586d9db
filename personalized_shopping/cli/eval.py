"""`eval`: measure the agent and policies, and look at what came of it."""

from pathlib import Path
from typing import Any

import click

from personalized_shopping.cli.eval_runs import (
    agent_options,
    agent_setting,
    open_named_shop,
    run_directory,
    run_options,
    run_suite,
    tell_summary,
)
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, table

POLICIES = ("random", "rule", "oracle", "offline")
_SAME_EACH_TIME = ("rule", "oracle", "offline", "offline/shopper")
"""Players that draw no lots: another trial of a goal is the same play again."""
KINDS = (
    "find",
    "compare",
    "budget",
    "options",
    "not_available",
    "change_of_mind",
    "read_before_buy",
    "refuse_purchase",
)
run_argument = click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))


@click.group(name="eval")
def eval() -> None:
    """Measure the agent and policies, and compare runs.

    A run writes a directory: manifest.json (what was run), episodes.jsonl (one episode a line, the same for the same
    seed on any number of workers), summary.json, summary.md, episodes.csv and report.html, which says why the agent
    failed where it failed.
    """


@eval.command()
@agent_options
@click.option("--policy", type=click.Choice(POLICIES), help="Play the environment with a policy.  [offline]")
@click.option("--split", type=click.Choice(("test", "dev", "train")), help="Only these goals.  [all]")
@click.option(
    "--split-by",
    type=click.Choice(("product", "index")),
    default="product",
    show_default=True,
    help="Splits that keep products apart, or the published ones: goals 0-499, 500-1499, and the others.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Draw so many goals.  [all]")
@click.option(
    "--goals",
    type=click.Choice(("synthetic", "human")),
    default="synthetic",
    show_default=True,
    help="Instructions that were put together, or those that people wrote.",
)
@click.option(
    "--file-path",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A WebShop products file (its instruction files beside it) or a built catalogue.  [CATALOG_PATH, else demo]",
)
@click.option(
    "--asins",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Only goals of these products: a file with an ASIN a line.",
)
@click.option(
    "--max-steps", type=click.IntRange(min=1), default=100, show_default=True, help="Cut an episode off there."
)
@run_options
def webshop(
    model: str | None,
    skills: str | None,
    guard: str | None,
    policy: str | None,
    split: Any,
    split_by: Any,
    limit: int | None,
    goals: Any,
    file_path: Path | None,
    asins: Path | None,
    max_steps: int,
    seed: int | None,
    trials: int,
    trajectories: Any,
    prices: Path | None,
    **how: Any,
) -> None:
    """Play WebShop's goals and score the purchases.

    With --model the agent plays, with its tools, skills and guard; with --policy somebody plays the shop's pages
    directly: `random`, the published `rule` (search the instruction, buy the first product), the `oracle` that knows
    the goal, or the `offline` shopper that needs no key.

    For example: `eval webshop --policy offline --split test`, `eval webshop --model gemini-2.5-flash --limit 50`.
    """
    if model is not None and policy is not None:
        raise click.UsageError("--model and --policy exclude each other: either the agent plays, or a policy.")
    if model is None and (skills or guard):
        raise click.UsageError("--skills and --guard are the agent's: they need --model.")
    from personalized_shopping.evaluation.webshop.suite import WebShopSuite
    from personalized_shopping.evaluation.webshop.tasks import read_asins, select_tasks
    from personalized_shopping.shared_libraries.web_agent_site.engine.goals import DEFAULT_SEED

    seed = DEFAULT_SEED if seed is None else seed
    names = read_asins(asins) if asins is not None else None
    files = open_named_shop(file_path)
    tasks = select_tasks(
        files.goals(goals, seed),
        split=split,
        split_by=split_by,
        asins=names,
        limit=limit,
        seed=seed,
        trials=trials,
    )
    side = f"{split} (published, by index)" if split and split_by == "index" else split or "all"
    choice = {"split": side, "split_by": split_by, "limit": limit, "asins": sorted(names) if names else None}
    if trials > 1:
        choice["trials"] = trials
    directory = run_directory(how, policy or model or POLICIES[-1], "webshop")
    suite = WebShopSuite(
        shop=files.directory,
        kind=goals,
        seed=seed,
        tasks=tasks,
        choice=choice,
        policy=None if model else policy or POLICIES[-1],
        agent=agent_setting(model, skills, guard, max_steps, prices) if model else None,
        max_steps=max_steps,
        record=trajectories or ("all" if model else "failed"),
        trajectories=directory / "trajectories",
    )
    player = model or suite.policy or ""
    if trials > 1 and player in _SAME_EACH_TIME:
        say(f"{player} plays a goal the same each time: {trials} trials tell no more than one.")
    run_suite(suite, directory, name=player, **how)


@eval.command()
@agent_options
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only this kind; repeat it.  [all]")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Draw so many cases.  [all]")
@click.option(
    "--person",
    default="scripted",
    show_default=True,
    help="Who talks to the agent: `scripted`, or a model as in MODEL_NAME.",
)
@click.option("--max-steps", type=click.IntRange(min=1), default=60, show_default=True, help="Model calls a message.")
@run_options
def conversations(
    model: str | None,
    skills: str | None,
    guard: str | None,
    kinds: tuple[str, ...],
    limit: int | None,
    person: str,
    max_steps: int,
    seed: int | None,
    trials: int,
    trajectories: Any,
    prices: Path | None,
    **how: Any,
) -> None:
    """Talk to the agent as a customer would, and check what comes of it.

    A simulated person with a wish talks to the agent about the demo catalogue: tells some of it only when asked,
    changes their mind, refuses. Whether the agent failed, or the person or the system did, is told apart.
    """
    from personalized_shopping.evaluation.conversations.suite import ConversationSuite, select_cases
    from personalized_shopping.models import require_key

    if person != "scripted":
        require_key(person)
    seed = seed or 0
    model = model or "offline"
    names = select_cases(kinds, limit, seed)
    directory = run_directory(how, model, "conversations")
    suite = ConversationSuite(
        agent=agent_setting(model, skills, guard, max_steps, prices),
        tasks=names,
        choice={"kinds": sorted(kinds) or "all", "limit": limit, "trials": trials},
        trials=trials,
        seed=seed,
        person=person,
        record=trajectories or "all",
        trajectories=directory / "trajectories",
    )
    run_suite(suite, directory, name=model, **how)


@eval.command()
@run_argument
@json_option
def report(run: Path, as_json: bool) -> None:
    """Write the report of a run again, and print its numbers."""
    from personalized_shopping.evaluation.report import write_report
    from personalized_shopping.evaluation.running.directory import read_episodes, read_manifest
    from personalized_shopping.evaluation.running.run import summary_of

    summary = summary_of(read_manifest(run), read_episodes(run))
    written = write_report(run)
    tell_summary(summary, run, as_json)
    say(f"Report: {written}")


@eval.command()
@run_argument
@click.option(
    "--file-path",
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="The catalogue that was played in: grades episodes without a trajectory too.",
)
@click.option("--write", is_flag=True, help="Write the new scores into the run; the old ones stay beside them.")
@json_option
def rescore(run: Path, file_path: Path | None, write: bool, as_json: bool) -> int:
    """Grade the purchases of a run again, from its trajectories.

    Ends with 1 where a score is another one than before.
    """
    import msgspec

    from personalized_shopping.evaluation.rescoring import rescore_run, write_rescored
    from personalized_shopping.evaluation.running.directory import read_episodes

    files = open_named_shop(file_path) if file_path is not None else None
    with progress_bar("rescore", len(read_episodes(run)), unit=" episodes") as advance:
        found = rescore_run(run, files, advance)
    if write:
        write_rescored(run, found)
    graded = found.from_trajectories + found.from_shop
    if as_json:
        counts = {"from_trajectories": found.from_trajectories, "from_shop": found.from_shop, "kept": found.kept}
        emit_json(counts | {"changes": msgspec.to_builtins(found.changes)})
    else:
        emit(f"{graded:,} purchases graded again, {len(found.changes):,} with another score.")
        emit(table([(one.key, f"{one.before:.4f}", f"{one.now:.4f}") for one in found.changes]))
        if found.kept:
            say(f"{found.kept:,} purchases were not recorded: name the catalogue with --file-path to grade them too.")
    return ExitCode.FAILED if found.changes else ExitCode.OK


@eval.command()
@click.argument("a", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("b", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write the comparison's report there.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals' draws.")
@json_option
def compare(a: Path, b: Path, out: Path | None, seed: int, as_json: bool) -> None:
    """Compare two runs of the same tasks, episode by episode: is B better than A?

    Intervals are drawn over products, and so is the test: episodes about one product are not independent.
    """
    import msgspec

    from personalized_shopping.evaluation.report import write_comparison
    from personalized_shopping.evaluation.running.directory import read_episodes, read_manifest
    from personalized_shopping.shared_libraries.metrics.compare import compare as compared

    names = (read_manifest(a).name, read_manifest(b).name)
    if names[0] == names[1]:
        names = (a.name, b.name)
    found = compared(read_episodes(a), read_episodes(b), names, seed=seed)
    if as_json:
        emit_json(msgspec.to_builtins(found))
    else:
        low, high = found.score_difference_interval
        spread = "" if low is None or high is None else f"{low:+.1%} to {high:+.1%}"
        rows = [
            ("score", f"{found.a.score:.1%}", f"{found.b.score:.1%}", f"{found.score_difference:+.1%}"),
            (
                "success",
                f"{found.a.success_rate:.1%}",
                f"{found.b.success_rate:.1%}",
                f"{found.success_difference:+.1%}",
            ),
        ]
        emit(table(rows, header=("", found.a.name, found.b.name, "difference")))
        emit(f"Score, 95 % interval: {spread or 'unknown'}; p = {found.score_p:.4f}.")
        emit(f"Better {len(found.won)}, worse {len(found.lost)}, the same {found.same}, on {found.products} products.")
    if out is not None:
        say(f"Report: {write_comparison(a, b, out, msgspec.to_builtins(found))}")
