"""The recorder: every run of the agent leaves a log. Whatever happens here, the conversation goes on."""

import asyncio
import functools
import logging
import sys
import time
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ParamSpec

from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext, LlmCallsLimitExceededError
from google.adk.events.event import Event
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from personalized_shopping import paths
from personalized_shopping.config import RECORD_TIMEOUT_S, flag
from personalized_shopping.plugins import adk_records
from personalized_shopping.plugins.shop_records import (
    confirmation_asked,
    enter_shop,
    own_decision,
    purchase,
    show_place,
    show_skill_steps,
)
from personalized_shopping.session import STATE_KEY, TASK_KEY
from personalized_shopping.shared_libraries.trajectory import (
    Artifact,
    Decision,
    ModelCall,
    ModelRequest,
    Plan,
    Run,
    RunStart,
    StateChange,
    ToolCall,
    ToolEnd,
    ToolStart,
    failure,
    finish_session,
    health,
)

logger = logging.getLogger(__name__)

Arguments = ParamSpec("Arguments")
RunKey = tuple[str, str, str, str]
_NOT_RECORDED = {
    "error": "The purchase cannot be recorded now, and this shop buys nothing unrecorded. Nothing was bought; "
    "tell the person, and try again later.",
    "status": "refused",
}


def never_fails(
    hook: Callable[Arguments, Awaitable[Any]],
) -> Callable[Arguments, Coroutine[Any, Any, Any]]:
    """Let a hook log its own errors instead of failing the conversation."""

    @functools.wraps(hook)
    async def guarded(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        try:
            return await hook(*args, **kwargs)
        except Exception as error:
            health.add(problem=f"{type(error).__name__}: {error}")
            logger.exception("The trajectory misses something")
            return None

    return guarded


class RunningRun:
    """A run that goes on, and what its next records depend on."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.step = -1
        """The step of the last model call that answered."""
        self.model: str | None = None
        self.called_at: float | None = None
        self.context: tuple[Any, Any] = (None, None)
        """The system prompt and the tools of the last model call."""
        self.entering: asyncio.Task[None] | None = None
        self.tool_started: dict[str, float] = {}
        self.asked: set[str] = set()
        """Calls about which the person was asked in this run."""
        self.guarded: set[str] = set()
        """Calls about which the guard has decided."""
        self.let_go: Callable[[], None] = lambda: None


class TrajectoryPlugin(BasePlugin):
    """Records runs. One instance serves all sessions of the process.

    Args:
        root: says where; as configured when it is not given.
    """

    def __init__(self, root: Callable[[], Path | None] = paths.trajectory_dir) -> None:
        super().__init__("trajectory")
        self._root = root
        self._runs: dict[RunKey, RunningRun] = {}

    @never_fails
    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> None:
        """Open the run's log with what the person said."""
        running = self._open(invocation_context)
        message = adk_records.user_message(user_message)
        if running is not None and message is not None:
            await written(running.run.write(message))

    @never_fails
    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Open the log of a run that no message began."""
        self._open(invocation_context)

    @never_fails
    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Note when the model is called, and with which prompt and tools where they changed."""
        running = self._running(callback_context)
        if running is None:
            return
        running.called_at, running.model = time.monotonic(), llm_request.model
        context = adk_records.request_context(llm_request)
        system, tools = (new if new != old else None for new, old in zip(context, running.context, strict=True))
        running.context = context
        await written(running.run.write(ModelRequest(step=running.step + 1, system=system, tools=tools)))

    @never_fails
    async def after_model_callback(self, *, callback_context: CallbackContext, llm_response: LlmResponse) -> None:
        """Record a model's answer."""
        running = self._running(callback_context)
        if running is None or llm_response.partial:
            return
        step = running.step + 1 if running.called_at is not None else max(running.step, 0)
        call = adk_records.model_call(llm_response, step, running.model, _since(running.called_at))
        running.called_at = None
        if call.error is None:
            running.step = step
        await written(running.run.write(call))

    @never_fails
    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> None:
        """Record a model call that failed."""
        running = self._running(callback_context)
        if running is None:
            return
        latency_ms, running.called_at = _since(running.called_at), None
        call = ModelCall(step=running.step + 1, model=llm_request.model, latency_ms=latency_ms, error=failure(error))
        await written(running.run.write(call))

    @never_fails
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Record what the model asks for, before anyone decides about it."""
        running = self._running(tool_context)
        if running is None:
            return
        call_id = tool_context.function_call_id or ""
        running.tool_started[call_id] = time.monotonic()
        # Before the first wait: the calls of one turn are recorded, and answered, in the model's order.
        running.run.write(
            ToolCall(
                step=max(running.step, 0),
                call_id=call_id,
                tool=tool.name,
                arguments=tool_args,
                action=adk_records.action_text(tool.name, tool_args),
                irreversible=adk_records.is_irreversible(tool.name, tool_args),
            )
        )
        if running.entering is None:
            running.entering = asyncio.ensure_future(enter_shop(running.run, tool_context))
        await asyncio.shield(running.entering)

    def decided(self, context: ToolContext, decision: Decision) -> None:
        """Record a decision of the guard; it is on the disk before the call starts."""
        running = self._running(context)
        if running is not None:
            running.guarded.add(decision.call_id)
            running.run.write(decision)

    def planned(self, context: CallbackContext | ToolContext, text: str, steps: list[str], reason: str | None) -> None:
        """Record the agent's plan from its next step on."""
        running = self._running(context)
        if running is not None:
            step = running.step + (running.called_at is not None)
            running.run.write(Plan(step=max(step, 0), current_plan=text, plan_steps=steps, update_reason=reason))

    async def starting(self, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Record that a tool runs now, on the disk if it buys; called when nobody has objected.

        Returns:
            ``None``, or the answer in the tool's place where it must not run unrecorded.
        """
        running = self._running(tool_context)
        if running is None:
            return None
        call_id = tool_context.function_call_id or ""
        irreversible = adk_records.is_irreversible(tool.name, tool_args)
        if irreversible:
            for record in own_decision(tool_context, guarded=call_id in running.guarded):
                running.run.write(record)
        recorded = await written(running.run.write(ToolStart(call_id=call_id), durable=irreversible))
        return _NOT_RECORDED if irreversible and not recorded and flag("TRAJECTORY_REQUIRED") else None

    @never_fails
    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: dict[str, Any]
    ) -> None:
        """Record what a tool gave, and the page that stands now."""
        running = self._running(tool_context)
        if running is None:
            return
        call_id = tool_context.function_call_id or ""
        how = adk_records.outcome(result)
        for name, version in tool_context.actions.artifact_delta.items():
            running.run.write(Artifact(call_id=call_id, name=name, version=version))
        asked = confirmation_asked(tool_context)
        if asked is not None:
            running.asked.add(call_id)
            running.run.write(asked)
        skill_steps = show_skill_steps(running.run, tool_context)
        bought, scored = await purchase(tool_context, result)
        reward = result.get("reward") if isinstance(result, dict) else None
        if reward is None and running.run.evaluated and how in ("done", "failed"):
            reward = 0.0
        end = ToolEnd(
            call_id=call_id,
            outcome=how,
            result=result,
            reward=reward,
            done=bought is not None,
            info={**adk_records.info_of(result), **({"skill_steps": skill_steps} if skill_steps else {})},
            error=adk_records.error_of(result, how),
            duration_ms=_since(running.tool_started.pop(call_id, None)),
            page=show_place(running.run, tool_context),
            purchase=bought,
            scored=scored,
        )
        await written(running.run.write(end))

    @never_fails
    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        """Record a tool that raised, or was cancelled."""
        running = self._running(tool_context)
        if running is None:
            return
        call_id = tool_context.function_call_id or ""
        duration_ms = _since(running.tool_started.pop(call_id, None))
        end = ToolEnd(call_id=call_id, outcome="failed", result=None, error=failure(error), duration_ms=duration_ms)
        recorded = running.run.write(end)
        if isinstance(error, Exception):  # whoever is being cancelled should not wait
            await written(recorded)

    @never_fails
    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> None:
        """Record session state that changed."""
        running = self._running(invocation_context)
        delta = {key: value for key, value in event.actions.state_delta.items() if key != STATE_KEY}
        if running is not None and delta:
            running.run.write(StateChange(author=event.author, delta=delta))

    @never_fails
    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Write the end of a run that no error ended."""
        running = self._close(invocation_context)
        if running is None:
            return
        if running.asked:
            await written(running.run.end("paused"))
        elif sys.exc_info()[0] is not None or invocation_context.is_aborted:
            # ADK calls this while whoever asked for the run turns away from it.
            running.run.end("cancelled")
        else:
            await written(running.run.end("completed"))

    @never_fails
    async def on_run_error_callback(self, *, invocation_context: InvocationContext, error: Exception) -> None:
        """Write the end of a run that an error ended."""
        running = self._close(invocation_context)
        if running is not None:
            too_many = isinstance(error, LlmCallsLimitExceededError)
            await written(running.run.end("max_steps" if too_many else "error", error))

    def _open(self, context: InvocationContext) -> RunningRun | None:
        key = _key(context.session.app_name, context.session.user_id, context.session.id, context.invocation_id)
        if key in self._runs:
            return self._runs[key]
        root = self._root()
        if root is None:
            return None
        agent = context.agent
        model = getattr(agent, "model", None)
        start = RunStart(
            app=context.session.app_name,
            user=context.session.user_id,
            session=context.session.id,
            agent=getattr(agent, "name", ""),
            model=model if isinstance(model, str) else getattr(model, "model", None),
            versions=adk_records.versions(),
            settings={"max_steps": context.run_config.max_llm_calls} if context.run_config else {},
            task=task if isinstance(task := context.session.state.get(TASK_KEY), dict) else {},
        )
        run = Run(root, start, run_id=context.invocation_id, when_over=finish_session)
        running = self._runs[key] = RunningRun(run)
        running.let_go = self._watch(key, running, context)
        return running

    def _watch(self, key: RunKey, running: RunningRun, context: InvocationContext) -> Callable[[], None]:
        """End a run as cancelled when its task is over, or its context gone, without a word from ADK.

        ADK tells plugins nothing of a cancelled run.
        """

        def vanished(_task: Any = None) -> None:
            self._runs.pop(key, None)
            running.run.end("cancelled")

        task = asyncio.current_task()
        if task is not None:
            task.add_done_callback(vanished)
        forgotten = weakref.finalize(context, vanished)

        def let_go() -> None:
            forgotten.detach()
            if task is not None:
                task.remove_done_callback(vanished)

        return let_go

    def _running(self, context: CallbackContext | ToolContext | InvocationContext) -> RunningRun | None:
        session = context.session
        return self._runs.get(_key(session.app_name, session.user_id, session.id, context.invocation_id))

    def _close(self, context: InvocationContext) -> RunningRun | None:
        session = context.session
        running = self._runs.pop(_key(session.app_name, session.user_id, session.id, context.invocation_id), None)
        if running is not None:
            running.let_go()
        return running


class ToolStartPlugin(BasePlugin):
    """Stands behind all other plugins, so that a tool counts as started only when none of them has objected.

    Args:
        recorder: the plugin that records.
    """

    def __init__(self, recorder: TrajectoryPlugin) -> None:
        super().__init__("trajectory_tool_start")
        self._recorder = recorder

    @never_fails
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Record the start; see ``TrajectoryPlugin.starting``."""
        answer: dict[str, Any] | None = await self._recorder.starting(tool, tool_args, tool_context)
        return answer


async def written(record: "Future[bool]") -> bool:
    """Wait until a record is written, and return whether it is; not for ever, a hanging disk is no reason to hang."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(record), RECORD_TIMEOUT_S)
    except TimeoutError:
        health.add(problem=f"a record was not written within {RECORD_TIMEOUT_S:g} s")
        return False


def _key(app: str, user: str, session: str, invocation: str) -> RunKey:
    return app, user, session, invocation


def _since(moment: float | None) -> float | None:
    return None if moment is None else round((time.monotonic() - moment) * 1000, 3)
