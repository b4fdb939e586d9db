"""What ADK's events do not tell about a session: the pages that each call led to, and whether the model failed."""

from typing import Any

import msgspec
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.session import SKILL_STEPS_KEY, STATE_KEY
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession


class Place(msgspec.Struct, frozen=True):
    """A page where a session stood. ``action`` is the step that led there, where a skill took it."""

    kind: str
    asin: str = ""
    options: dict[str, str] = {}
    query: str = ""
    page_number: int = 1
    reward: float | None = None
    action: str = ""


class SessionWatch(BasePlugin):
    """Notes the pages of each tool call and the failures of the model. It decides nothing; it serves one session."""

    def __init__(self) -> None:
        super().__init__("session_watch")
        self.places: dict[str, list[Place]] = {}
        """Where each call has led, by its id."""
        self.model_failed = False

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> None:
        """Note where a call has led."""
        delta = tool_context.actions.state_delta
        steps = delta.get(SKILL_STEPS_KEY) or []
        found = [place_of([step["place"]], step["action"]) for step in steps] or [place_of(delta.get(STATE_KEY))]
        self.places[tool_context.function_call_id or ""] = [place for place in found if place is not None]

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """Note that it was the model that failed."""
        self.model_failed = True


def place_of(stored: Any, action: str = "") -> Place | None:
    """Return the place that a session's state holds, or ``None`` where it holds none."""
    if not isinstance(stored, list) or not stored:
        return None
    try:
        session = ShopSession.from_json(stored[0])
    except (ValueError, TypeError):
        return None
    return Place(
        kind=session.kind,
        asin=session.asin or "",
        options=session.options,
        query=" ".join(session.keywords or ()),
        page_number=session.page_number,
        reward=session.reward,
        action=action,
    )
