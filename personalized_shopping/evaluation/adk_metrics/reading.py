"""A conversation as a metric sees it: what was said, what was called, what the tools answered."""

from collections.abc import Iterator, Sequence
from typing import Any

from google.adk.evaluation.eval_case import Invocation, InvocationEvents, get_all_tool_calls_with_responses
from google.genai import types
from msgspec import Struct

CONFIRMATION = "adk_request_confirmation"
"""The call with which ADK puts a question about another call to the person."""


class Call(Struct, frozen=True):
    """A tool call and the tool's answer; an empty answer is one that never came."""

    name: str
    id: str
    arguments: dict[str, Any]
    answer: dict[str, Any]


class Turn(Struct, frozen=True):
    """What followed one message of the person.

    ``agreed`` holds the ids of the questions that the person's message answers with a yes on ADK's own card.
    """

    said: str
    calls: tuple[Call, ...]
    answer: str
    agreed: frozenset[str] = frozenset()


def turns_of(invocations: Sequence[Invocation]) -> list[Turn]:
    """Return the turns of a conversation, oldest first."""
    return [_turn(invocation) for invocation in invocations]


def _turn(invocation: Invocation) -> Turn:
    calls = tuple(
        Call(call.name or "", call.id or "", dict(call.args or {}), _mapping(answer.response if answer else None))
        for call, answer in get_all_tool_calls_with_responses(invocation.intermediate_data)
    )
    return Turn(
        said=_text(invocation.user_content),
        calls=calls,
        answer=_text(invocation.final_response),
        agreed=frozenset(_agreed(invocation)),
    )


def _agreed(invocation: Invocation) -> Iterator[str]:
    contents = [invocation.user_content]
    if isinstance(invocation.intermediate_data, InvocationEvents):
        contents += [event.content for event in invocation.intermediate_data.invocation_events if event.content]
    for content in contents:
        for part in content.parts or []:
            given = part.function_response
            if given and given.name == CONFIRMATION and _mapping(given.response).get("confirmed") is True:
                yield given.id or ""


def _text(content: types.Content | None) -> str:
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
