"""The guard before every tool call: nothing is bought that the person has not agreed to, whatever a page says."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any

import msgspec
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import MAX_LIVE_SESSIONS, flag
from personalized_shopping.plugins.guard_answers import answer_decision, is_answer, mend_answer
from personalized_shopping.plugins.guard_situation import (
    GUARDED_TOOLS,
    Memory,
    as_shop_call,
    person_messages,
    recall,
    remember,
    situation_of,
)
from personalized_shopping.plugins.trajectory import TrajectoryPlugin
from personalized_shopping.session import Conversation, registry
from personalized_shopping.shared_libraries.safety.guard import Decided, Guard
from personalized_shopping.shared_libraries.safety.planning import Plan, changed_by, make_plan
from personalized_shopping.shared_libraries.safety.prediction import came_true
from personalized_shopping.shared_libraries.safety.situation import Situation
from personalized_shopping.shared_libraries.safety.wishes import read_wishes
from personalized_shopping.shared_libraries.trajectory import Decision
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.purchase import ask, purchase_facts

logger = logging.getLogger(__name__)

_PLAN_HEADING = "Your plan, which you may leave when the person wants so:"

Place = tuple[str, str, str]


@dataclass
class _Call:
    """A call between its decision and its end: the turn it holds, and what was expected of it."""

    turn: AsyncExitStack
    situation: Situation
    decided: Decided


@dataclass
class _Watched:
    """What the guard knows of one conversation."""

    memory: Memory = field(default_factory=Memory)
    recalled: bool = False
    """Whether what was read before this process looked has been taken in."""
    calls: dict[str, _Call] = field(default_factory=dict)
    agent_text: str = ""
    tokens: int = 0
    plan: Plan | None = None
    planned_for: str = ""
    """The request that the plan is for."""


class GuardPlugin(BasePlugin):
    """Asks the guard about each call of the shop's tools, in the model's order, and keeps the others waiting.

    Args:
        make: makes the guard when it is first needed, ``None`` for none.
        recorder: writes down what is decided.
    """

    def __init__(self, make: Callable[[], Guard | None], recorder: TrajectoryPlugin | None = None) -> None:
        super().__init__("guard")
        self._make = make
        self._recorder = recorder
        self._guard: Guard | None = None
        self._made = False
        self._watched: OrderedDict[Place, _Watched] = OrderedDict()

    @property
    def guard(self) -> Guard | None:
        """The guard, made on first use.

        Raises:
            ShoppingError: where the settings name a guard that cannot be made.
        """
        if not self._made:
            self._guard, self._made = self._make(), True
        return self._guard

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Show the model its plan, where planning is on."""
        if not flag("SAFETY_PLANNING"):
            return
        try:
            watched = self._of(callback_context)
            wishes = read_wishes(person_messages(callback_context.session.events))
            if watched.plan is None or watched.planned_for != wishes.request.text:
                watched.plan, watched.planned_for = make_plan(wishes), wishes.request.text
                self._record_plan(callback_context, watched.plan)
            llm_request.append_instructions([f"{_PLAN_HEADING}\n{watched.plan.text}"])
        except Exception:
            logger.exception("The plan could not be shown")

    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Remember what the agent says beside its calls, and hold an answer to the pages that were read."""
        if llm_response.partial or llm_response.content is None:
            return
        text = " ".join(part.text for part in llm_response.content.parts or [] if part.text)
        self._of(callback_context).agent_text = text
        try:
            await self._check_answer(callback_context, llm_response)
        except Exception:
            logger.exception("The guard could not look at the answer")

    async def _check_answer(self, context: CallbackContext, response: LlmResponse) -> None:
        """Take out of an answer, or set right beside it, what no page bears out."""
        guard, watched = self.guard, self._of(context)
        if guard is None or not guard.has_rules or not is_answer(response):
            return
        problems = await asyncio.to_thread(
            mend_answer, response, watched.memory, context.session.events, guard.policies
        )
        if problems and self._recorder is not None:
            self._recorder.decided(context, answer_decision(problems))

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Decide about a call; the conversation's turn is held until the call has ended.

        Returns:
            ``None`` to let the tool run, or the answer in its place.
        """
        guard = self.guard
        if guard is None or tool.name not in GUARDED_TOOLS:
            return None
        shop_call = as_shop_call(tool.name, tool_args)
        watched, conversation = self._of(tool_context), _conversation(tool_context)
        call_id = tool_context.function_call_id or ""
        turn = AsyncExitStack()
        await turn.enter_async_context(conversation.turn(call_id))
        try:
            return await self._decided(guard, watched, conversation, turn, shop_call, tool_context)
        except Exception:
            # Reads go on. A purchase is asked about by the tool itself, which holds the answer to its facts.
            logger.exception("The guard could not look at the call of %s", tool.name)
            watched.calls.pop(call_id, None)
            await turn.aclose()
            self._record_failure(tool_context)
            return None
        except BaseException:
            watched.calls.pop(call_id, None)
            await turn.aclose()
            raise

    async def _decided(
        self,
        guard: Guard,
        watched: _Watched,
        conversation: Conversation,
        turn: AsyncExitStack,
        shop_call: tuple[str, dict[str, Any]],
        context: ToolContext,
    ) -> dict[str, Any] | None:
        from personalized_shopping.shared_libraries.init_env import get_shop

        if conversation.question_in == context.invocation_id and context.tool_confirmation is None:
            await turn.aclose()
            return None  # the tool itself says that a question is open
        shop = await asyncio.to_thread(get_shop)
        if not watched.recalled:
            await asyncio.to_thread(recall, shop, watched.memory, context.session.events)
            watched.recalled = True
        situation = await asyncio.to_thread(situation_of, shop, *shop_call, context, watched.memory, watched.agent_text)
        decided = await guard.decide(
            situation, shop, blocked_before=watched.memory.blocked(situation), spent=watched.tokens
        )
        watched.tokens += sum(usage.total for usage in decided.usage.values())
        watched.calls[context.function_call_id or ""] = _Call(turn, situation, decided)
        self._record(context, situation, decided)
        ruling = decided.ruling
        if watched.plan is not None and ruling.decision == "block":
            watched.plan = changed_by(watched.plan, ruling)
            self._record_plan(context, watched.plan)
        if ruling.decision == "confirm":
            return ask(situation.page, conversation, context, warnings=ruling.warnings)
        return None if ruling.lets_through else ruling.answer()

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> None:
        """Remember what the call led to, compare it with what was predicted, and let the next call have its turn."""
        await self._ended(tool_context, result)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        """Let the next call have its turn."""
        await self._ended(tool_context, None)

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Let go of turns that a run has left behind."""
        await self._release(invocation_context)

    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Let go of turns that a failed run has left behind."""
        await self._release(invocation_context)

    async def _ended(self, context: ToolContext, result: Any) -> None:
        watched = self._of(context)
        call = watched.calls.pop(context.function_call_id or "", None)
        if call is None:
            return
        try:
            after = await asyncio.to_thread(
                remember, watched.memory, call.situation, call.decided.ruling, context, result
            )
            if call.decided.ruling.lets_through:
                _compare(call, after)
        except Exception:
            logger.exception("The guard could not remember what %s led to", call.situation.action[:100])
        finally:
            await call.turn.aclose()

    def _record(self, context: ToolContext, situation: Situation, decided: Decided) -> None:
        if self._recorder is None:
            return
        ruling, call_id = decided.ruling, context.function_call_id or ""
        prediction = decided.prediction
        self._recorder.decided(
            context,
            Decision(
                call_id=call_id,
                decision=ruling.decision,
                source=decided.source,
                status=decided.status,
                attempt=decided.attempt,
                risk_score=ruling.risk_score,
                threshold=ruling.threshold,
                violated_policy_ids=ruling.violated_policy_ids,
                risk_explanation=ruling.risk_explanation,
                guidance=ruling.next_step or None,
                facts=_facts(situation),
                world_model=msgspec.to_builtins(prediction) if prediction is not None else None,
                model=decided.model,
                usage=decided.usage,
                duration_ms=decided.duration_ms,
                extra=decided.extra or None,
            ),
        )

    def _record_plan(self, context: CallbackContext | ToolContext, plan: Plan) -> None:
        if self._recorder is not None:
            self._recorder.planned(context, plan.text, list(plan.steps), plan.reason)

    def _record_failure(self, context: ToolContext) -> None:
        if self._recorder is not None:
            call_id = context.function_call_id or ""
            failed = Decision(call_id=call_id, decision="allow_logged", source="skipped", status="not_evaluated")
            self._recorder.decided(context, failed)

    def _of(self, context: CallbackContext | ToolContext) -> _Watched:
        session = context.session
        place = (session.app_name, session.user_id, session.id)
        watched = self._watched.setdefault(place, _Watched())
        self._watched.move_to_end(place)
        if len(self._watched) > MAX_LIVE_SESSIONS:
            self._watched.popitem(last=False)
        return watched

    async def _release(self, context: InvocationContext) -> None:
        session = context.session
        watched = self._watched.get((session.app_name, session.user_id, session.id))
        while watched is not None and watched.calls:
            _, call = watched.calls.popitem()
            await call.turn.aclose()


def _compare(call: _Call, after: Page | None) -> None:
    """Say it to the operator when a call has led elsewhere than predicted: somebody else has moved this shopper."""
    prediction = call.decided.prediction
    if prediction is not None and after is not None and not came_true(prediction, call.situation.page, after):
        logger.warning("%s led to %s, not to %s", call.situation.action[:100], after.kind, prediction.page_after)


def _conversation(context: ToolContext) -> Conversation:
    return registry.conversation(context.session.app_name, context.user_id, context.session.id)


def _facts(situation: Situation) -> Any:
    return purchase_facts(situation.page) if situation.call_class == "irreversible" else None
