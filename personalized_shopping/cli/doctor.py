"""`doctor`: what this machine has, what is missing, and the command that mends it."""

from pathlib import Path

import click

from personalized_shopping.cli.checks import Check, all_checks
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.options import catalog_option
from personalized_shopping.cli.output import emit, emit_json, json_option, table


@click.command()
@catalog_option
@json_option
def doctor(catalog_path: Path | None, as_json: bool) -> int:
    """Check every requirement: a tick or a cross, what it means, and the command that mends it.

    Exit code 1 if something is missing without which the chosen catalogue, engine and model cannot work; a cross at
    something optional is no failure. With no catalogue configured the demo catalogue is made first.
    """
    checks = all_checks(catalog_path)
    healthy = all(check.ok for check in checks if check.required)
    if as_json:
        emit_json({"ok": healthy, "checks": [check.as_dict() for check in checks]})
    else:
        emit(_report(checks))
        emit("\n" + _verdict(checks))
    return ExitCode.OK if healthy else ExitCode.FAILED


def _report(checks: list[Check]) -> str:
    mark = {True: "✓", False: "✗"}
    rows = []
    for check in checks:
        need = "" if check.required else " (optional)"
        rows.append((f"{mark[check.ok]} {check.name}", f"{check.detail}{need}"))
        rows.append(("", f"  {check.meaning}"))
        if not check.ok and check.fix:
            rows.append(("", f"  mend it: {check.fix}"))
    return table(rows)


def _verdict(checks: list[Check]) -> str:
    broken = [check.name for check in checks if check.required and not check.ok]
    if broken:
        return f"Something needed is missing: {', '.join(broken)}."
    absent = [check.name for check in checks if not check.ok]
    return "Everything needed is here." + (f" Not here, and optional: {', '.join(absent)}." if absent else "")
