"""`guard`: the policies that the agent is held to."""

from pathlib import Path

import click

from personalized_shopping.cli.output import emit, emit_json, json_option, progress_bar, say, table
from personalized_shopping.cli.terminal import one_line
from personalized_shopping.config import setting
from personalized_shopping.errors import PolicyError

_TEXT_CHARS = 70


@click.group()
def guard() -> None:
    """Look at the purchase guard.

    SAFETY_SYSTEM chooses it, SAFETY_MODEL its model, SAFETY_POLICIES a file of policies instead of the shipped ones.
    docs/guard.md says what it holds and what it does not.
    """


@guard.group()
def policies() -> None:
    """List the policies, check a file of them, or draft one from a document."""


@policies.command("list")
@json_option
def list_policies(as_json: bool) -> None:
    """List the policies that hold now."""
    import msgspec

    from personalized_shopping.shared_libraries.safety.policies import load_policies

    configured = setting("SAFETY_POLICIES")
    loaded = load_policies(Path(configured).expanduser() if configured else None)
    if as_json:
        emit_json({**loaded.describe(), "policies": [msgspec.to_builtins(p) for p in loaded.policies.values()]})
        return
    rows = [
        (p.policy_id, p.kind, p.enforcement, f"{p.weight:g}", one_line(p.policy_description, _TEXT_CHARS))
        for p in loaded.policies.values()
    ]
    emit(table(rows, header=("POLICY", "KIND", "ENFORCEMENT", "WEIGHT", "WHAT IT SAYS")))


@policies.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False, metavar="[FILE]")
@json_option
def validate(file: Path | None, as_json: bool) -> None:
    """Check FILE, or the shipped policies. SafePred's keys are read; docs/guard.md lists ours.

    Exit code 1 with every problem named if something is wrong.
    """
    from personalized_shopping.shared_libraries.safety.policies import load_policies
    from personalized_shopping.shared_libraries.safety.rules import RULES

    loaded = load_policies(file)
    without_code = [p.policy_id for p in loaded.policies.values() if p.kind == "rule" and p.policy_id not in RULES]
    without_code = [policy_id for policy_id in without_code if policy_id != "SHOP-CLAIMS"]
    if as_json:
        emit_json(
            {"ok": True, "policies": len(loaded.policies), **loaded.describe(), "rules_without_code": without_code}
        )
        return
    emit(f"{len(loaded.policies)} policies are valid ({loaded.sha256[:12]}).")
    for policy_id in without_code:
        say(f"{one_line(policy_id)} is of kind `rule`, but no rule of this program finds it; use `llm` or `both`.")


@policies.command()
@click.argument("document", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--model", required=True, help="The language model that reads it, named as MODEL_NAME is.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file to write (JSON).")
@click.option("--alone", is_flag=True, help="Without the shipped policies, which are put before them otherwise.")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def draft(document: Path, model: str, out: Path, alone: bool, force: bool) -> None:
    """Draw policies from DOCUMENT, a text of yours such as a purchasing policy, with a language model.

    Each policy quotes the place that it stands on. The file is a draft: it does not load until somebody has read it
    and set "reviewed" to true. Then `guard policies validate FILE`, and SAFETY_POLICIES=FILE with a SAFETY_MODEL.
    """
    import json

    from personalized_shopping.models import choose_model, require_key
    from personalized_shopping.models.asking import asker
    from personalized_shopping.prompts import load_prompt
    from personalized_shopping.shared_libraries.safety import drafting
    from personalized_shopping.shared_libraries.safety.policies import load_policies

    if out.exists() and not force:
        raise click.UsageError(f"{out} exists. --force replaces it.")
    if not out.parent.is_dir() or (out.exists() and document.exists() and out.samefile(document)):
        raise click.UsageError(f"{out} cannot be written: name a file in a directory that exists, not the document.")
    text = drafting.read_document(document)
    require_key(model)
    shipped = () if alone else tuple(load_policies().policies.values())
    taken = frozenset(policy.policy_id for policy in shipped)
    with progress_bar(document.name, len(drafting.parts_of(text)), " parts") as advance:
        made = drafting.draft_policies(
            text, asker(choose_model(model)), load_prompt(drafting.PROMPT), taken=taken, progress=advance
        )
    for problem in made.problems:
        say(one_line(problem))
    if not made.policies:
        raise PolicyError(f"{document} gave no policy; nothing was written.")
    out.write_text(json.dumps(made.document(shipped), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    number = "1 policy is" if len(made.policies) == 1 else f"{len(made.policies)} policies are"
    emit(f'{number} drafted in {out}. Read the file, then set "reviewed" to true.')
