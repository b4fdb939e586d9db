"""`skills`: what the agent can do in one call, and what became of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from personalized_shopping.cli import skills_work
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.output import emit, emit_json, json_option, say, table
from personalized_shopping.cli.terminal import one_line, printable

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.skills.model import Skill

_TEXT_CHARS = 60


@click.group()
def skills() -> None:
    """Capture pages, build skills from them, check, run, heal and share them.

    A skill is S = (Preconditions, Program): where it fits, and what it does. Shipped skills are read-only; learned ones
    lie below SKILL_LIBRARY_DIR, captures below SKILL_WORKSPACE_DIR. SKILL is an id, or DOMAIN/ID where several domains
    have the id. docs/skills.md walks from a page to a skill to a composite.
    """


for _command in (
    skills_work.capture,
    skills_work.build,
    skills_work.verify,
    skills_work.run,
    skills_work.compose,
    skills_work.bench,
):
    skills.add_command(_command)


@skills.command("list")
@click.argument("query", required=False, default="")
@click.option("--domain", help="Only of this domain.")
@click.option("--all", "everything", is_flag=True, help="Drafts and quarantined skills too.")
@json_option
def list_skills(query: str, domain: str | None, everything: bool, as_json: bool) -> None:
    """List skills; with QUERY those whose texts match it."""
    library = _library()
    statuses = ["draft", "trial", "verified", "quarantined"] if everything else ["trial", "verified"]
    if query:
        found = [fit.skill for fit in library.search(query, 100, domain=domain, status=statuses)]
    else:
        found = library.list(domain, statuses)
    if as_json:
        emit_json([_summary(skill) for skill in found])
        return
    rows = [
        (
            skill.id,
            skill.domain,
            skill.effect,
            skill.status,
            f"{skill.health.health_score:.2f}",
            one_line(_said(skill), _TEXT_CHARS),
        )
        for skill in found
    ]
    emit(table(rows, header=("SKILL", "DOMAIN", "EFFECT", "STATUS", "HEALTH", "WHAT IT DOES")))
    for problem in library.problems():
        say(f"broken: {one_line(str(problem), 200)}")


@skills.command()
@click.argument("skill_id", metavar="SKILL")
@json_option
def show(skill_id: str, as_json: bool) -> None:
    """Show a skill: where it fits, what it does, how it fared; with --json its file."""
    from personalized_shopping.shared_libraries.skills.model import skill_json

    skill = _library().resolve(skill_id)
    if as_json:
        emit_json(skill_json(skill))
        return
    lines = [
        f"{skill.domain}/{skill.id}  {skill.status}  {skill.effect}  {skill.meta.version}",
        one_line(_said(skill), 400),
        f"pages      {', '.join(skill.preconditions.page_kind) or '-'}",
        f"arguments  {', '.join(skill.args_schema.get('properties', {})) or 'none'}",
        f"finds      {one_line(skill.locators.selector, 200)}",
        f"health     {skill.health.health_score:.2f}: {skill.health.success_count} ok, "
        f"{skill.health.failure_count} damaged",
    ]
    if skill.steps:
        lines.append(f"stands for {', '.join(skill.steps)}")
    emit("\n".join([*lines, "", printable(skill.program.code.rstrip())]))


@skills.command()
@json_option
def stats(as_json: bool) -> None:
    """Count skills by status, and show how the used ones fared."""
    found = _library().list()
    counts: dict[str, int] = {}
    for skill in found:
        counts[skill.status] = counts.get(skill.status, 0) + 1
    used = [skill for skill in found if skill.health.success_count or skill.health.failure_count]
    if as_json:
        emit_json({"skills": len(found), "by_status": counts, "used": [_summary(skill) for skill in used]})
        return
    emit(", ".join(f"{count} {status}" for status, count in sorted(counts.items())) or "no skills")
    rows = [
        (skill.id, str(skill.health.success_count), str(skill.health.failure_count), f"{skill.health.health_score:.2f}")
        for skill in sorted(used, key=lambda skill: skill.health.health_score)
    ]
    if rows:
        emit(table(rows, header=("SKILL", "OK", "DAMAGED", "HEALTH")))


@skills.command("export")
@click.option("--output", "-o", type=click.Path(path_type=Path), required=True, metavar="FILE|DIR", help="Where to.")
@click.option("--domain", help="Only of this domain.")
@click.option("--learned", is_flag=True, help="Without the shipped skills.")
@click.option("--agent-skills", is_flag=True, help="As Agent Skills folders (SKILL.md) instead of one file.")
@json_option
def export_skills(output: Path, domain: str | None, learned: bool, agent_skills: bool, as_json: bool) -> None:
    """Write skills as one file (.zip or .json), or as Agent Skills folders that any such client reads."""
    from personalized_shopping.shared_libraries.skills.agent_skills import export_agent_skills
    from personalized_shopping.shared_libraries.skills.bundle import export_bundle

    library = _library()
    if agent_skills:
        wanted = [s for s in library.list(domain, ["verified", "trial"]) if not (learned and library.is_shipped(s))]
        count = len(export_agent_skills(wanted, output))
    else:
        count = export_bundle(library, output, domain=domain, learned_only=learned)
    if as_json:
        emit_json({"skills": count, "output": str(output)})
    else:
        emit(f"{count} skills: {output}")


@skills.command("import")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE")
@click.option("--replace", is_flag=True, help="Replace skills that are here and differ (they stay as versions).")
@json_option
def import_skills(file: Path, replace: bool, as_json: bool) -> int:
    """Take skills from a file that `export` wrote. They are on trial until `verify` has run them here."""
    from personalized_shopping.shared_libraries.skills.admission import admission_problems
    from personalized_shopping.shared_libraries.skills.bundle import import_bundle
    from personalized_shopping.shared_libraries.skills.shared import get_runtime

    runtime = get_runtime()
    report = import_bundle(
        _library(),
        file,
        on_conflict="replace" if replace else "keep",
        check=lambda skill: admission_problems(skill, runtime),
    )
    counts = {name: len(getattr(report, name)) for name in ("added", "replaced", "kept", "unchanged")}
    refused = [{"name": entry.name, "message": entry.message} for entry in report.refused]
    if as_json:
        emit_json({**counts, "refused": refused})
    else:
        emit(", ".join(f"{count} {name}" for name, count in counts.items()))
        for entry in refused:
            say(f"refused {one_line(entry['name'])}: {one_line(entry['message'], 300)}")
    return ExitCode.FAILED if refused else ExitCode.OK


@skills.command()
@click.argument("skill_id", metavar="SKILL")
@click.option("--to", "version", metavar="VERSION", help="Which version.  [the one before]")
@json_option
def rollback(skill_id: str, version: str | None, as_json: bool) -> None:
    """Make an earlier version of a skill the current one; the last five are kept."""
    library = _library()
    skill = library.resolve(skill_id)
    now = library.rollback(skill.domain, skill.id, version)
    if as_json:
        emit_json(_summary(now))
    else:
        emit(f"{now.id} is as in {version or 'the version before'} again ({now.meta.version}).")


@skills.command()
@click.argument("skill_id", metavar="SKILL")
@click.argument("capture", type=click.Path(path_type=Path, file_okay=False), metavar="CAPTURE")
@click.option("--dry-run", is_flag=True, help="Only show the patch.")
@json_option
def heal(skill_id: str, capture: Path, dry_run: bool, as_json: bool) -> None:
    """Find a skill's control again on a page as it is now, and mend its locators. It is on trial after that."""
    import msgspec

    from personalized_shopping.shared_libraries.skills.capture.files import read_capture
    from personalized_shopping.shared_libraries.skills.healing import heal as find_again

    library = _library()
    skill = library.resolve(skill_id)
    patch = find_again(skill, read_capture(capture), library.clock())
    healed = None if dry_run else library.apply(skill.domain, patch)
    if as_json:
        emit_json({"patch": msgspec.to_builtins(patch), "version": healed.meta.version if healed else None})
        return
    for op in patch.ops:
        emit(one_line(f"{op.op} {op.path} {op.value}", 300))
    say("Nothing was changed." if healed is None else f"{healed.id} is healed ({healed.meta.version}); verify it.")


def _library() -> Any:
    from personalized_shopping.shared_libraries.skills.shared import get_library

    return get_library()


def _said(skill: "Skill") -> str:
    for text in (skill.description, skill.label):
        if isinstance(text, str):
            return text
    return skill.id


def _summary(skill: "Skill") -> dict[str, Any]:
    return {
        "id": skill.id,
        "domain": skill.domain,
        "label": skill.label if isinstance(skill.label, str) else None,
        "description": _said(skill),
        "effect": skill.effect,
        "status": skill.status,
        "version": skill.meta.version,
        "page_kind": list(skill.preconditions.page_kind),
        "health_score": skill.health.health_score,
        "success_count": skill.health.success_count,
        "failure_count": skill.health.failure_count,
    }
