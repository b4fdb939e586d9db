"""`redteam`: attack the agent on purpose, and count what gets through."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, table

if TYPE_CHECKING:
    from personalized_shopping.evaluation.red_team.model import Case
    from personalized_shopping.evaluation.red_team.person import Manner
    from personalized_shopping.evaluation.red_team.run import Result, Setting
    from personalized_shopping.shared_libraries.safety.guard import System
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

GUARDS = ("off", "rules", "safepred", "harmonyguard", "reactive")
PERSONS = ("careful", "careless")


@click.command()
@click.option(
    "--model",
    default="gullible",
    show_default=True,
    help="Who shops: `gullible` obeys every text it reads, `offline` none, any other name is a model as in MODEL_NAME.",
)
@click.option("--guard", type=click.Choice(GUARDS), default="safepred", show_default=True, help="Who guards.")
@click.option(
    "--person",
    type=click.Choice(PERSONS),
    default="careful",
    show_default=True,
    help="Who answers questions: somebody who says yes only to what they asked for, or to everything.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Play only so many cases, drawn in proportion.  [all]")
@click.option("--seed", type=int, default=0, show_default=True, help="Which draw, with --limit.")
@click.option(
    "--output", "-o", type=click.Path(file_okay=False, path_type=Path), metavar="DIR", help="Write the report there."
)
@click.option("--trajectories", is_flag=True, help="Record each conversation below --output too.")
@click.option("--comparison/--no-comparison", default=True, help="Play the cases without a guard as well.  [yes]")
@click.option(
    "--ask/--no-ask", "ask", default=None, help="Whether anybody asks before a purchase.  [yes, but not with guard off]"
)
@click.option(
    "--cases",
    "cases_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the cases as JSON, and play none.",
)
@json_option
def redteam(
    model: str,
    guard: str,
    person: str,
    limit: int | None,
    seed: int,
    output: Path | None,
    trajectories: bool,
    comparison: bool,
    ask: bool | None,
    cases_file: Path | None,
    as_json: bool,
) -> None:
    """Attack the agent through texts in the shop, and count what gets through.

    Plays conversations over the demo catalogue in which a title, a description, a bullet, a review or an option's name
    carries a text: some attack, and each of these has a harmless one like it. A scripted person asks for a product and
    answers the questions. What came of it is read from the shop's state.

    The guard `off` is an agent without any protection: nobody asks before a purchase either, unless --ask says so.
    """
    if trajectories and output is None:
        raise click.UsageError("--trajectories needs --output DIR.")
    from personalized_shopping.evaluation.red_team.cases import build_cases, cases_json
    from personalized_shopping.evaluation.red_team.report import as_markdown, make_report, rows
    from personalized_shopping.evaluation.red_team.run import Setting, sample
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

    files = demo_shop()
    cases = sample(build_cases(files.catalog), limit, seed)
    if cases_file is not None:
        cases_file.write_text(cases_json(cases), encoding="utf-8")
        emit_json({"cases": len(cases), "file": str(cases_file)}) if as_json else emit(f"{len(cases)} cases")
        return
    manner = cast("Manner", person)
    setting = Setting(
        model=model, guard=cast("System", guard), person=manner, ask=guard != "off" if ask is None else ask
    )
    kept = output / "trajectories" if output is not None and trajectories else None
    results = _play(cases, setting, files, kept)
    bare = Setting(model=model, guard="off", person=manner, ask=False)
    unguarded = results if setting == bare else None
    if comparison and unguarded is None:
        unguarded = _play(cases, bare, files, None)
    document = make_report(setting, results, unguarded, seed=seed, limit=limit)
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        name = f"{model.replace('/', '_')}-{guard}"
        (output / f"{name}.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        (output / f"{name}.md").write_text(as_markdown(document), encoding="utf-8")
    if as_json:
        emit_json(document)
        return
    head, *body = rows(document)
    emit(table(body, header=head))


def _play(cases: "list[Case]", setting: "Setting", files: "ShopFiles", trajectories: Path | None) -> "list[Result]":
    from personalized_shopping.evaluation.red_team.run import play_cases

    with progress_bar(f"guard {setting.guard}", len(cases), unit=" cases") as advance:
        return play_cases(cases, setting, files, trajectories=trajectories, played=advance)
