"""`python -m personalized_shopping.evaluation.adk_metrics [FILE...]`: eval sets, where nothing passes unnoticed."""

import asyncio
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from personalized_shopping.errors import ShoppingError

if TYPE_CHECKING:
    from personalized_shopping.evaluation.adk_metrics.checked_run import CaseResult

_NEEDS = "google-adk[eval] is not installed, and evaluation needs it: pip install 'personalized-shopping[eval]'"


@click.command()
@click.argument("files", nargs=-1, required=True)
@click.option("--config", type=click.Path(path_type=Path), help="Config instead of the one that lies beside each set.")
@click.option("--verbose", is_flag=True, help="Show ADK's log too.")
def main(files: Sequence[str], config: Path | None, verbose: bool) -> None:
    """Run eval sets with the configured model, and end with 0 only if every metric of every case passed.

    FILES are eval sets, each with `:case,case` behind it for some of its cases. A set's config is `<name>.config.json`
    beside it, or the folder's `test_config.json`.
    """
    os.environ.setdefault("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    # Nobody can answer a question about a purchase here; a case says in its state that it may buy without.
    os.environ.setdefault("ALLOW_UNCONFIRMED_PURCHASES", "1")
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, format="%(message)s", stream=sys.stderr)
    if not verbose:
        logging.getLogger("google_adk").setLevel(logging.ERROR)
    try:
        failed = asyncio.run(_run(files, config))
    except ShoppingError as error:
        raise click.ClickException(str(error)) from error
    raise SystemExit(1 if failed else 0)


async def _run(files: Sequence[str], config: Path | None) -> int:
    """Run all sets, print a line for each case, and return how many cases failed."""
    try:
        from personalized_shopping.evaluation.adk_metrics import checked_run
    except ModuleNotFoundError as error:
        raise click.ClickException(_NEEDS) from error
    from personalized_shopping.agent import app, root_agent

    sets = []
    for file in files:
        name, _, cases = file.partition(".json:")
        path = Path(name if name == file else f"{name}.json")
        chosen = config or checked_run.config_of(path)
        sets.append(
            (checked_run.load_eval_set(path), checked_run.load_config(chosen), cases.split(",") if cases else [])
        )
    passed = failed = 0
    for eval_set, eval_config, wanted in sets:
        for case in await checked_run.run_eval_set(eval_set, eval_config, root_agent, app, wanted):
            _print(case)
            passed, failed = passed + case.passed, failed + (not case.passed)
    click.echo(f"{passed} passed, {failed} failed")
    return failed + (passed == 0)


def _print(case: "CaseResult") -> None:
    scores = ", ".join(
        f"{metric.metric} {'-' if metric.score is None else f'{metric.score:.2f}'}" for metric in case.metrics
    )
    click.echo(f"{'passed' if case.passed else 'FAILED'}  {case.eval_set}/{case.case}  {scores}")
    for problem in [case.problem, *(f"{metric.metric}: {metric.problem}" for metric in case.metrics if metric.problem)]:
        if problem:
            click.echo(f"        {problem}")


if __name__ == "__main__":
    main()
