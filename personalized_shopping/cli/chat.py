"""`chat`: the conversation in a terminal, or one question and its answer."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import click

from personalized_shopping.cli import adk
from personalized_shopping.cli.exit_codes import ExitCode
from personalized_shopping.cli.output import emit, emit_json, json_option, say
from personalized_shopping.cli.shop_access import use_for_agent
from personalized_shopping.errors import ShoppingError

CONFIRMATION = "adk_request_confirmation"
"""The name under which ADK asks the person to confirm a tool call."""


@click.command()
@click.argument("query", required=False)
@click.option(
    "--session",
    "session_id",
    metavar="ID",
    help="Go on with an earlier conversation (its ID is told where a question waits, and with --json).",
)
@json_option
def chat(query: str | None, session_id: str | None, as_json: bool) -> int:
    """Talk to the shopping agent; with a QUERY, get one answer and end.

    Starts `adk run` on the agent. The answer to a QUERY goes alone to standard output; what the agent presses on the
    way goes to standard error. If the agent asks you to confirm a purchase the exit code is 5: answer with
    `personalized-shopping chat --session ID yes`.

    \b
    Examples:
      personalized-shopping chat
      personalized-shopping chat "a red cotton shirt under 30 dollars"
    """
    if query is not None and not query.strip():
        raise click.UsageError("QUERY is empty. Leave it out for a conversation, or say what you are looking for.")
    if query is None and as_json:
        raise click.UsageError("--json needs a QUERY: a conversation is not one document.")
    use_for_agent()
    if query is None:
        return _converse(session_id)
    return _ask_once(query, session_id, as_json=as_json)


def _converse(session_id: str | None) -> int:
    if session_id is not None:
        raise click.UsageError("--session needs a QUERY: ADK continues an earlier conversation one message at a time.")
    arguments = adk.command("run", str(adk.AGENT_DIR))
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(arguments[0], arguments, adk.environment())
    return subprocess.run(arguments, env=adk.environment(), check=False).returncode


def _ask_once(query: str, session_id: str | None, *, as_json: bool) -> int:
    session = ["--session_id", session_id] if session_id else []
    # The empty query makes `adk run` read its one message from standard input, which may be of any length and content.
    arguments = adk.command("run", "--jsonl", *session, str(adk.AGENT_DIR), "")
    process = subprocess.Popen(arguments, env=adk.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError), process.stdin:
            process.stdin.write(query.encode("utf-8", "replace"))
        with io.TextIOWrapper(process.stdout, encoding="utf-8", errors="replace") as lines:
            answer = _read_answer(lines)
    if process.returncode not in (0, 2):
        raise ShoppingError(f"The agent ended with exit code {process.returncode}; its message stands above.")
    if answer.error:
        raise ShoppingError(answer.error)
    if as_json:
        emit_json(
            {"answer": answer.text, "session": answer.session_id, "waiting": answer.waiting, "tools": answer.calls}
        )
    else:
        emit(answer.text)
    if not answer.waiting:
        return ExitCode.OK
    say(f"To answer: personalized-shopping chat --session {answer.session_id} yes")
    return ExitCode.WAITING


class _Answer:
    """What one run of the agent said and did, gathered from its events."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.calls: list[dict[str, Any]] = []
        self.session_id = ""
        self.waiting = False
        self.error = ""

    @property
    def text(self) -> str:
        """Everything said, in order."""
        return "\n\n".join(self.texts)

    def add(self, event: dict[str, Any]) -> None:
        """Take in one event as ADK prints it."""
        self.session_id = event.get("session_id") or self.session_id
        if event.get("errorCode") or event.get("errorMessage"):
            self.error = f"The model answered with an error: {event.get('errorMessage') or event.get('errorCode')}"
        content = event.get("content") or {}
        if event.get("partial") or content.get("role") == "user":
            return
        parts = content.get("parts") or []
        said = "".join(part.get("text") or "" for part in parts if not part.get("thought")).strip()
        if said:
            self.texts.append(said)
        for part in parts:
            call = part.get("functionCall")
            if call and call.get("name") == CONFIRMATION:
                confirmation = (call.get("args") or {}).get("toolConfirmation") or {}
                self.waiting = True
                if question := str(confirmation.get("hint") or ""):
                    self.texts.append(question)
            elif call:
                self.calls.append({"name": call.get("name"), "args": call.get("args") or {}})
                say(f"  {call.get('name')}({', '.join(str(value) for value in (call.get('args') or {}).values())})")


def _read_answer(lines: Iterable[str]) -> _Answer:
    answer = _Answer()
    for line in lines:
        # ADK's first lines on standard output are about its log file, not about the conversation.
        if not line.startswith("{"):
            continue
        try:
            answer.add(json.loads(line))
        except (ValueError, AttributeError):
            say(line.rstrip())
    return answer
