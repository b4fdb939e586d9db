"""The verbs of `skills` that do the work: capture, build, verify, run, compose, bench."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from personalized_shopping import paths
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.options import catalog_option
from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, table
from personalized_shopping.cli.terminal import one_line, printable
from personalized_shopping.errors import SkillError, shorten

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.skills.capture.model import Capture
    from personalized_shopping.shared_libraries.skills.model import Skill
    from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

_RESULT_CHARS = 2_000


@click.command()
@click.argument("url", required=False)
@click.option("--shop", is_flag=True, help="Capture every kind of page of the shop instead.")
@click.option("--browser", is_flag=True, help="Look with a real browser: boxes, what covers what, what is visible.")
@catalog_option
@json_option
def capture(url: str | None, shop: bool, browser: bool, catalog_path: Path | None, as_json: bool) -> None:
    """Capture the page at URL (http, https, or a file), or every page kind of the shop with --shop.

    Nothing is pressed, and neither cookies nor passwords are stored. Without --browser the HTML alone is read.
    """
    from personalized_shopping.shared_libraries.skills.capture.files import write_capture
    from personalized_shopping.shared_libraries.skills.pages import capture_shop, capture_url

    if bool(url) == shop:
        raise click.UsageError("name one URL, or --shop.")
    root = paths.skill_workspace_dir()
    captures = capture_shop(_shop(catalog_path)) if shop else [capture_url(str(url), browser=browser)]
    written = [
        {
            "page_kind": found.meta.get("page_kind"),
            "url": found.meta.get("url"),
            "directory": str(write_capture(found, root)),
        }
        for found in captures
    ]
    if as_json:
        emit_json(written)
        return
    for entry in written:
        emit(f"{entry['page_kind'] or 'page'}: {entry['directory']}")


@click.command()
@click.argument(
    "captures", nargs=-1, required=True, type=click.Path(path_type=Path, file_okay=False), metavar="CAPTURE..."
)
@click.option("--per-control", is_flag=True, help="One skill a control instead of one a template.")
@click.option("--model", help="A language model that refines what was built, named as MODEL_NAME is.")
@click.option("--dry-run", is_flag=True, help="Only say what would be built.")
@json_option
def build(captures: tuple[Path, ...], per_control: bool, model: str | None, dry_run: bool, as_json: bool) -> None:
    """Build skills from captures and keep them as drafts; `verify` runs them before the agent may use them.

    With --model, five tasks go to a language model: locators, preconditions, program, preparation, name. Its replies
    are checked, code runs before it counts, and where a reply is no good the template's result stands.
    """
    from personalized_shopping.shared_libraries.skills.build import build_skills, domain_of
    from personalized_shopping.shared_libraries.skills.capture.files import read_capture
    from personalized_shopping.shared_libraries.skills.health import timestamp
    from personalized_shopping.shared_libraries.skills.shared import get_library

    library = get_library()
    built: list[Skill] = []
    for directory in captures:
        page = read_capture(directory)
        known = {skill.id: skill.meta.fingerprint for skill in library.list(domain_of(page))}
        taken = {skill_id: str(mark) for skill_id, mark in known.items() if isinstance(mark, str)}
        now = timestamp(library.clock())
        made = build_skills(page, per_control=per_control, now=now, taken=taken, source_dir=_source(directory))
        if model is not None:
            made = [_refined(skill, page, model) for skill in made]
        built += made if dry_run else [library.put(skill) for skill in made]
    if as_json:
        emit_json([{"id": s.id, "domain": s.domain, "action": s.action, "effect": s.effect} for s in built])
        return
    rows = [(s.id, s.domain, s.action, s.effect, one_line(s.locators.selector, 60)) for s in built]
    emit(table(rows, header=("SKILL", "DOMAIN", "ACTION", "EFFECT", "SELECTOR")))


@click.command()
@click.argument("skill_ids", nargs=-1, metavar="[SKILL...]")
@click.option("--browser", is_flag=True, help="Against the website in a real browser, not in this process.")
@catalog_option
@json_option
def verify(skill_ids: tuple[str, ...], browser: bool, catalog_path: Path | None, as_json: bool) -> int:
    """Run skills of the shop on fresh pages and hold them to their postconditions; all of them without SKILL.

    A skill that buys is checked up to the press and not beyond. Exit code 1 if any failed.
    """
    from personalized_shopping.shared_libraries.skills.shared import get_library, get_runtime
    from personalized_shopping.shared_libraries.skills.verify import verify_in_browser, verify_in_shop

    library = get_library()
    chosen = [library.resolve(name) for name in skill_ids] or library.list("webshop")
    check = verify_in_browser if browser else verify_in_shop
    shop = _shop(catalog_path)
    results: list[dict[str, Any]] = []
    with progress_bar("verify", len(chosen), " skills") as advance:
        for skill, found in zip(chosen, check(chosen, shop, get_runtime()), strict=True):
            results.append({"id": skill.id, "status": found.status, **({"why": found.why} if found.why else {})})
            if not library.is_shipped(skill) and skill.status in ("draft", "trial") and found.status == "verified":
                library.set_status(skill.domain, skill.id, "verified")
            advance(1)
    failed = sum(entry["status"] != "verified" for entry in results)
    if as_json:
        emit_json({"skills": results, "failed": failed})
    else:
        for entry in results:
            emit(f"{entry['status']:9} {entry['id']}  {one_line(entry.get('why', ''), 200)}".rstrip())
        say(f"{len(results) - failed} of {len(results)} verified.")
    return ExitCode.FAILED if failed else ExitCode.OK


@click.command()
@click.argument("skill_id", metavar="SKILL")
@click.option("--args", "args_text", default="{}", metavar="JSON", help="The skill's arguments.")
@click.option(
    "--at", "walk", multiple=True, metavar="ACTION", help="First go here, as in `search[red shirt]`; repeat it."
)
@catalog_option
@json_option
def run(skill_id: str, args_text: str, walk: tuple[str, ...], catalog_path: Path | None, as_json: bool) -> int:
    """Run a skill of the shop, from the search page or from where --at leads. Nothing is ever bought.

    \b
    Example:
      personalized-shopping skills run gather_product_info --at 'search[red shirt]' --at 'click[B0…]'
    """
    from personalized_shopping.shared_libraries.skills.runner import run_skill
    from personalized_shopping.shared_libraries.skills.shared import get_library, get_runtime
    from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
    from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action

    try:
        args = json.loads(args_text)
    except ValueError as error:
        raise click.UsageError(f"--args is no JSON: {error}.") from None
    if not isinstance(args, dict):
        raise click.UsageError('--args is a JSON object, such as \'{"query": "red shirt"}\'.')
    skill = get_library().resolve(skill_id)
    shop = _shop(catalog_path)
    place = shop.start()
    for text in walk:
        action, problem = read_action(text)
        if action is None:
            raise click.UsageError(f"--at: {problem}")
        step = shop.step(place, action)
        if step.error is not None or step.purchase is not None:
            raise SkillError(step.error or f"{shorten(text)} would buy; a skill is not run from there.")
        place = step.session
    steps: list[str] = []
    world = ShopWorld(shop, place, on_step=lambda text, *_: steps.append(text))
    found = run_skill(skill, world, args, runtime=get_runtime())
    if as_json:
        emit_json({**found.to_json(), "steps": steps})
    else:
        emit(f"{found.outcome}: {one_line(found.message, 500)}")
        for text in steps:
            emit(f"  {one_line(text, 200)}")
        if found.evidence:
            emit(printable(json.dumps(found.evidence, indent=1, ensure_ascii=False))[:_RESULT_CHARS])
    return ExitCode.OK if found.ok else ExitCode.FAILED


@click.command()
@click.option(
    "--min-support", type=click.IntRange(min=2), default=3, show_default=True, help="Sessions that repeat it."
)
@click.option("--limit", type=click.IntRange(min=1), default=500, show_default=True, help="Newest sessions to read.")
@catalog_option
@json_option
def compose(min_support: int, limit: int, catalog_path: Path | None, as_json: bool) -> None:
    """Learn composites from recorded sessions: repeated steps become one skill, kept only if replays agree."""
    from personalized_shopping.errors import TrajectoryError
    from personalized_shopping.shared_libraries.skills.compose import compose as learn
    from personalized_shopping.shared_libraries.skills.health import timestamp
    from personalized_shopping.shared_libraries.skills.shared import get_library, get_runtime
    from personalized_shopping.shared_libraries.trajectory import read_session
    from personalized_shopping.shared_libraries.trajectory.summary import summaries

    root = paths.trajectory_dir()
    if root is None:
        raise SkillError("TRAJECTORY_DIR is `off`, so there are no recorded sessions to learn from.")
    sessions = []
    for summary in summaries(root)[:limit]:
        try:
            sessions.append(read_session(root / summary.directory))
        except TrajectoryError as error:
            say(f"left out: {one_line(str(error), 200)}")
    library = get_library()
    shop = _shop(catalog_path)
    now = timestamp(library.clock())
    report = learn(sessions, shop, library, get_runtime(), min_support=min_support, now=now)
    if as_json:
        emit_json(
            {
                "sessions": len(sessions),
                "mined": report.mined,
                "admitted": [skill.id for skill in report.admitted],
                "rejected": [{"steps": list(entry.steps), "why": entry.why} for entry in report.rejected],
            }
        )
        return
    for skill in report.admitted:
        emit(f"{skill.id}: {one_line(str(skill.description), 200)}")
    for entry in report.rejected:
        say(f"not kept: {one_line(' > '.join(entry.steps), 120)}: {one_line(entry.why, 200)}")
    say(f"{len(report.admitted)} learned from {len(sessions)} sessions.")


@click.command()
@json_option
def bench(as_json: bool) -> None:
    """Count model calls and input tokens of two errands, with skills and without.

    The reference errand: search, open a product, read its three sub-pages, choose two options, buy. The other: compare
    three products. The real agent runs them; tokens are estimated at four characters each.
    """
    from personalized_shopping.evaluation.skills_bench import bench as measure

    found = measure()
    if as_json:
        emit_json(found)
        return
    rows = []
    for name, entry in found.items():
        without, with_them = entry["model_calls_without_skills"], entry["model_calls_with_skills"]
        tokens = entry["input_tokens_without_skills"], entry["input_tokens_with_skills"]
        same = "same outcome" if entry["same_outcome"] else "OTHER OUTCOME"
        fewer = f"-{1 - with_them / without:.0%}", f"-{1 - tokens[1] / tokens[0]:.0%}"
        rows.append((name, f"{without} -> {with_them}", fewer[0], f"{tokens[0]} -> {tokens[1]}", fewer[1], same))
    emit(table(rows, header=("ERRAND", "MODEL CALLS", "", "INPUT TOKENS", "", "")))


def _source(directory: Path) -> str:
    """Return where a capture lies as skills name it: from the workspace on, without this machine's path."""
    whole, workspace = directory.absolute(), paths.skill_workspace_dir()
    return f"workspace/{whole.relative_to(workspace).as_posix()}" if whole.is_relative_to(workspace) else whole.name


def _refined(skill: "Skill", page: "Capture", model: str) -> "Skill":
    """Return a skill as a language model has refined it, and say what was not taken."""
    from personalized_shopping.models import choose_model
    from personalized_shopping.models.asking import asker
    from personalized_shopping.prompts import load_prompt
    from personalized_shopping.shared_libraries.skills.shared import get_runtime
    from personalized_shopping.shared_libraries.skills.tasks import refine
    from personalized_shopping.shared_libraries.skills.verify import verify_in_shop

    runtime = get_runtime()

    def trial(tried: "Skill") -> list[str]:
        [found] = verify_in_shop([tried], _shop(None), runtime)
        return [] if found.status == "verified" else [found.why or "It did not do what it is for."]

    refined = refine(skill, page, asker(choose_model(model)), load_prompt, runtime=runtime, trial=trial)
    for task, problems in refined.problems.items():
        say(f"{skill.id}, {task}: {one_line('; '.join(problems), 300)}")
    return refined.skill


def _shop(catalog_path: Path | None) -> "Shop":
    from personalized_shopping.cli.shop_access import open_shop
    from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

    files = open_shop(catalog_path)
    return Shop(files.catalog, files.engine())
