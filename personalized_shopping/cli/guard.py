"""`guard`: the policies that the agent is held to."""

from pathlib import Path

import click

from personalized_shopping.cli.output import emit, emit_json, json_option, say, table
from personalized_shopping.cli.terminal import one_line
from personalized_shopping.config import setting

_TEXT_CHARS = 70


@click.group()
def guard() -> None:
    """Look at the purchase guard.

    SAFETY_SYSTEM chooses it, SAFETY_MODEL its model, SAFETY_POLICIES a file of policies instead of the shipped ones.
    docs/guard.md says what it holds and what it does not.
    """


@guard.group()
def policies() -> None:
    """List the policies, or check a file of them."""


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
