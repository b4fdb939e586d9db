"""Repair what a model says before it is stored: half of a surrogate pair would stop the session from being saved."""

from typing import Any

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_response import LlmResponse


def clean_model_output(callback_context: CallbackContext, llm_response: LlmResponse) -> LlmResponse | None:
    """Replace lone surrogates in a model's text and tool arguments, as an ``after_model_callback``.

    A model can write the escape of half an emoji. Python keeps it, but no JSON writer does, and ADK would fail while it
    stores the event, far from any tool that could answer.

    Returns:
        The repaired response, or ``None`` where nothing had to be changed.
    """
    changed = False
    for part in (llm_response.content.parts if llm_response.content else None) or []:
        if part.text is not None and (text := repair(part.text)) != part.text:
            part.text, changed = text, True
        call = part.function_call
        if call is not None and call.args is not None and (args := repair(call.args)) != call.args:
            call.args, changed = args, True
    return llm_response if changed else None


def repair(value: Any) -> Any:
    """Return a JSON-like value with every lone surrogate replaced by a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {repair(key): repair(item) for key, item in value.items()}
    if isinstance(value, list):
        return [repair(item) for item in value]
    return value
