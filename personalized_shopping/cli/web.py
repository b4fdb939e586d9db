"""`web`: the conversation in ADK's browser UI."""

import os
import subprocess
from pathlib import Path

import click

from personalized_shopping.cli import adk, adk_with_sets
from personalized_shopping.cli.output import say
from personalized_shopping.cli.shop_access import use_for_agent


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on.")
@click.option(
    "--eval-sets",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Show the eval sets of this directory in the Evals tab.",
)
def web(host: str, port: int, eval_sets: Path | None) -> int:
    """Talk to the agent in a browser: starts `adk web` and tells the address to open.

    The demo catalogue is made first if no catalogue is configured. The UI is ADK's, made for developers and without any
    sign-in: keep it on this machine. For a deployment see deployment/README.md.
    """
    use_for_agent()
    say(f"Starting ADK's web UI: open http://{host}:{port} (Ctrl-C ends it).")
    # The folder itself instead of its parent: the one agent there is, whatever lies beside it.
    arguments = ["web", "--host", host, "--port", str(port), str(adk.AGENT_DIR)]
    command = adk.command(*arguments) if eval_sets is None else adk_with_sets.command(eval_sets, *arguments)
    if os.name == "posix":
        os.execve(command[0], command, adk.environment())
    return subprocess.run(command, env=adk.environment(), check=False).returncode
