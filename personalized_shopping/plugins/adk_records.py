"""What ADK says about a run, as the records of its log."""

import platform
from typing import Any

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.version import __version__ as adk_version
from google.genai import types

from personalized_shopping.shared_libraries.catalog.manifest import package_version
from personalized_shopping.shared_libraries.trajectory import Failure, ModelCall, Outcome, Usage, UserMessage
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW
from personalized_shopping.tools.plain_text import plain
from personalized_shopping.tools.skills import buys

BLOCKED = "blocked_by_policy"
"""The ``status`` of a tool's answer that the guard gave in the tool's place."""
_OUTCOMES: dict[str, Outcome] = {"pending": "pending", "refused": "refused", BLOCKED: "blocked"}


def versions() -> dict[str, str]:
    """Return the versions of what a run depends on."""
    return {"package": package_version(), "google_adk": adk_version, "python": platform.python_version()}


def user_message(content: types.Content) -> UserMessage | None:
    """Return a person's message; ``None`` for one that only answers a question of the shop."""
    parts = content.parts or []
    text = "\n".join(part.text for part in parts if part.text)
    attachments = [
        (part.inline_data or part.file_data).mime_type or "unknown"  # type: ignore[union-attr]
        for part in parts
        if part.inline_data or part.file_data
    ]
    return UserMessage(text=text, attachments=attachments) if text or attachments else None


def model_call(response: LlmResponse, step: int, asked_model: str | None, latency_ms: float | None) -> ModelCall:
    """Return a model's answer. An answer that is only an error is a failed call."""
    parts = (response.content.parts if response.content else None) or []
    failed = response.error_code is not None and not parts
    calls = [part.function_call for part in parts if part.function_call]
    return ModelCall(
        step=step,
        model=response.model_version or asked_model,
        text="".join(part.text for part in parts if part.text and not part.thought),
        thought="".join(part.text for part in parts if part.text and part.thought),
        calls=[{"name": call.name, "arguments": call.args or {}} for call in calls],
        finish_reason=response.finish_reason.value if response.finish_reason else None,
        usage=usage_of(response.usage_metadata),
        latency_ms=latency_ms,
        error=Failure(type=str(response.error_code), message=response.error_message or "") if failed else None,
    )


def request_context(request: LlmRequest) -> tuple[Any, Any]:
    """Return the system prompt and the declarations of the tools that a model call is made with."""
    config = request.config
    system = config.system_instruction
    if isinstance(system, types.Content):
        system = "\n".join(part.text for part in system.parts or [] if part.text)
    tools = [
        declaration.model_dump(mode="json", exclude_none=True)
        for tool in config.tools or []
        if isinstance(tool, types.Tool)
        for declaration in tool.function_declarations or []
    ]
    return system or None, tools or None


def action_text(tool: str, arguments: dict[str, Any]) -> str:
    """Return a tool call as WebShop writes actions: ``search[words]``, ``click[button]``, ``tool[arguments]``."""
    known = {"search": "keywords", "click": "button_name"}.get(tool)
    if known is not None:
        return f"{tool}[{plain(str(arguments.get(known, '')), one_line=True)}]"
    inner = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
    return f"{tool}[{plain(inner, limit=2_000, one_line=True)}]"


def is_irreversible(tool: str, arguments: dict[str, Any]) -> bool:
    """Return whether a call would buy something."""
    if tool == "use_skill":
        return buys(str(arguments.get("skill_id", "")))
    return tool == "click" and plain(str(arguments.get("button_name", "")), one_line=True).lower() == BUY_NOW.lower()


def outcome(result: Any) -> Outcome:
    """Return how a tool call ended, as its answer says."""
    if not isinstance(result, dict):
        return "done"
    return _OUTCOMES.get(str(result.get("status")), "failed" if result.get("error") else "done")


def error_of(result: Any, how: Outcome) -> Failure | None:
    """Return the error of a tool call that failed, as its answer says."""
    if how != "failed" or not isinstance(result, dict):
        return None
    return Failure(type="ToolError", message=str(result["error"]))


def info_of(result: Any) -> dict[str, Any]:
    """Return what an environment's ``info`` would hold: where the call led, and the parts of a reward."""
    if not isinstance(result, dict):
        return {}
    names = ("page", "page_number", "total_results", "status", "purchased", "reward_info", "skill", "steps", "outcome")
    return {name: result[name] for name in names if result.get(name) is not None}


def usage_of(metadata: types.GenerateContentResponseUsageMetadata | None) -> Usage | None:
    """Return a model's token counts."""
    if metadata is None:
        return None
    return Usage(
        prompt_tokens=metadata.prompt_token_count,
        completion_tokens=metadata.candidates_token_count,
        total_tokens=metadata.total_token_count,
        cached_tokens=metadata.cached_content_token_count,
        thoughts_tokens=metadata.thoughts_token_count,
        tool_use_tokens=metadata.tool_use_prompt_token_count,
    )
