"""Starts ADK's own command line for our agent: `adk run` and `adk web`, quiet and without questions of its own."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

AGENT_DIR = Path(__file__).resolve().parents[1]
"""The folder that ADK loads: the installed package itself."""

QUIET = {
    # ADK warns of experimental parts on every start; the person at the terminal cannot do anything about it.
    "ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS": "true",
    # LiteLLM otherwise fetches a price list while it is imported.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PYTHONUTF8": "1",
}


def command(*arguments: str) -> list[str]:
    """Return the command line of a process of its own that runs `adk` with these arguments."""
    return [sys.executable, "-m", "personalized_shopping.cli.adk", *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment with the settings that keep ADK quiet; what the person set wins."""
    return {**QUIET, **os.environ}


def be_quiet() -> None:
    """Set in this process's environment what keeps ADK quiet, unless the person has set it."""
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)


def main() -> NoReturn:
    """Run ADK's command line in this process with the arguments after the module's name."""
    be_quiet()

    from google.adk.cli import cli_tools_click

    # At its first start on a terminal ADK asks whether it may send usage data. Nobody should be asked that before the
    # first "hello": no recorded answer counts as a no here, and a recorded one is kept.
    consent: Callable[[], bool | None] = vars(cli_tools_click)["read_telemetry_consent"]
    vars(cli_tools_click)["read_telemetry_consent"] = lambda: bool(consent())
    sys.argv[0] = "adk"
    cli_tools_click.main()
    raise SystemExit(0)


if __name__ == "__main__":
    main()
