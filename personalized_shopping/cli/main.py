"""The command itself: finds the verb, and turns every error into one line and an exit code."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from personalized_shopping.cli.exit_codes import MEANING, ExitCode, code_of
from personalized_shopping.cli.output import emit_json, say
from personalized_shopping.errors import ShoppingError, shorten

VERBS = {
    # verb: (module, one line of help); a verb's module is imported when the verb is used, so that --help is instant
    "chat": ("chat", "Talk to the shopping agent, or ask it one thing."),
    "web": ("web", "Talk to it in a browser (ADK's developer UI)."),
    "site": ("site", "Open the shop as a website for people."),
    "a2a": ("a2a", "Serve the agent to other agents (Agent2Agent protocol)."),
    "trajectory": ("trajectory", "List, show, view, export and replay what sessions recorded."),
    "skills": ("skills", "Capture pages, build, check, run and share skills."),
    "guard": ("guard", "List, check and draft the purchase guard's policies."),
    "eval": ("eval", "Measure the agent and policies, and compare runs."),
    "redteam": ("redteam", "Attack the agent through the shop's texts, and count."),
    "doctor": ("doctor", "Check what this machine has and what is missing."),
    "catalog": ("catalog", "Build, make, check and describe catalogues."),
    "search": ("search", "Search the catalogue as the agent does."),
    "index": ("index", "Build a search engine's index for a catalogue."),
    "convert": ("convert", "Write WebShop's documents and indexes for its four sizes."),
    "install": ("install", "Install an optional part: lucene, hybrid, spacy."),
    "settings": ("settings", "List every setting and its value."),
}

EPILOG = "\b\nExit codes:\n" + "\n".join(f"  {int(code):>3}  {text}" for code, text in MEANING.items())


class _Verbs(click.Group):
    """A group that knows its verbs by name and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"personalized_shopping.cli.{VERBS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Verbs"):
            formatter.write_dl([(name, line) for name, (_, line) in VERBS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            ctx.fail(f"there is no verb {shorten(args[0])}. There are: {', '.join(VERBS)}.")
        return super().resolve_command(ctx, args)


@click.group(cls=_Verbs, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="personalized-shopping", message="%(prog)s %(version)s")
def shopping() -> None:
    """Shop with an agent on a real catalogue.

    Without any setting the verbs work on a demo catalogue, which is made the first time it is needed, and without a key
    the agent is a rule-based shopper that needs no network. `personalized-shopping settings` lists what can be changed.

    Answers go to standard output; progress, notes and logs to standard error. With --json, standard output is one
    JSON document, an error included. --debug shows the traceback of an error.
    """


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command and end the process with its exit code.

    Args:
        args: the arguments after the program's name; those of the process if not given.
    """
    sys.exit(run(sys.argv[1:] if args is None else args))


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; no exception leaves this function."""
    ours, separator, rest = _split(list(args))
    debug = "--debug" in ours
    ours = [argument for argument in ours if argument != "--debug"]
    as_json = "--json" in ours
    try:
        _load_dotenv()
        result = shopping.main([*ours, *separator, *rest], prog_name="personalized-shopping", standalone_mode=False)
        return int(result) if isinstance(result, int) else ExitCode.OK
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        say("Interrupted.")
        return ExitCode.INTERRUPTED
    except SystemExit as end:  # click's answer to a reader (`| head`) that has seen enough
        return end.code if isinstance(end.code, int) else ExitCode.FAILED
    except Exception as error:
        if debug:
            traceback.print_exc()
        return _report(error, as_json=as_json)


def _report(error: Exception, *, as_json: bool) -> ExitCode:
    if isinstance(error, click.UsageError):
        code, message = ExitCode.USAGE, error.format_message()
        if error.ctx is not None:
            message += f" (`{error.ctx.command_path} --help` tells more.)"
    elif isinstance(error, click.ClickException):
        code, message = ExitCode.USAGE, error.format_message()
    elif isinstance(error, ShoppingError):
        code, message = code_of(error), str(error)
    elif isinstance(error, OSError):
        code, message = ExitCode.FAILED, _describe_os_error(error)
    else:
        code, message = ExitCode.UNEXPECTED, f"{type(error).__name__}: {error} (--debug shows where)"
    say(f"Error: {message}")
    if as_json:
        emit_json({"error": message, "kind": type(error).__name__, "exit_code": int(code)})
    return code


def _describe_os_error(error: OSError) -> str:
    where = f": {shorten(os.fspath(error.filename))}" if isinstance(error.filename, (str, os.PathLike)) else ""
    return f"{error.strerror or error}{where}"


def _split(args: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Part the arguments at ``--``: what follows it is the person's text, whatever it looks like."""
    if "--" not in args:
        return args, [], []
    at = args.index("--")
    return args[:at], ["--"], args[at + 1 :]


def _load_dotenv() -> None:
    """Read the `.env` that ADK would read, so that every verb sees the agent's settings; the environment wins."""
    if os.environ.get("ADK_DISABLE_LOAD_DOTENV", "").lower() in {"1", "true"}:
        return
    from pathlib import Path

    from dotenv import load_dotenv

    here = Path.cwd()
    package = Path(__file__).resolve().parents[1]
    for folder in dict.fromkeys([here, *here.parents, package, *package.parents]):
        if (folder / ".env").is_file():
            load_dotenv(folder / ".env", override=False)
            return
