"""What happened in a session, as the messages and events of an Inspect AI sample, in the JSON that its logs hold."""

from typing import Any

from personalized_shopping.shared_libraries.trajectory.exports.common import (
    Turn,
    arguments_of,
    confirmation,
    page_files,
    present,
    text_of,
    tokens,
    turns,
    verdict,
)
from personalized_shopping.shared_libraries.trajectory.exports.functions import function_definitions
from personalized_shopping.shared_libraries.trajectory.exports.messages import tool_answer
from personalized_shopping.shared_libraries.trajectory.records import ModelCall, Usage
from personalized_shopping.shared_libraries.trajectory.session import GUARDS, Action, SessionTrajectory, Step

NO_MODEL = "none/none"
"""What Inspect calls the model of a task without one."""
_STOP_REASONS = {"STOP": "stop", "MAX_TOKENS": "max_tokens"}


class Story:
    """A session told as messages and events.

    The messages stand once, and a model's event refers to those that came before it by their numbers.

    Args:
        session: what is told.
        scores: the sample's scores, which the last events are.
    """

    def __init__(self, session: SessionTrajectory, scores: dict[str, dict[str, Any]]) -> None:
        self.session = session
        self.messages: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.output: dict[str, Any] = {"model": session.model or NO_MODEL}
        """The model's last answer."""
        self.usages: dict[str, list[Usage]] = {}
        """The agent's tokens by model."""
        self.guard_usages: dict[str, list[Usage]] = {}
        """The guards' tokens by guard; they are in no model's sum."""
        self._tools = [definition["function"] for definition in function_definitions(session.tools)]
        self._before_s = 0.0
        self._tell(scores)

    def _tell(self, scores: dict[str, dict[str, Any]]) -> None:
        if self.session.system is not None:
            self._message(role="system", content=text_of(self.session.system))
        for turn in turns(self.session):
            self._tell_run(turn)
            self._before_s += turn.run.duration_s
        last = self.session.runs[-1]
        for name, score in scores.items():
            self._event("score", last.end_time, self._before_s, score=score, scorer=name)

    def _tell_run(self, turn: Turn) -> None:
        if turn.message is not None:
            attachments = {"attachments": turn.message.attachments} if turn.message.attachments else None
            self._message(role="user", content=turn.message.text, source="input", metadata=attachments)
        for step in turn.steps:
            for call in step.failed_calls:
                self._failed_call(step, call)
            self._model_call(step)
            for action in step.actions:
                self._action(step, action)
            if step.plan is not None:
                plan = {"current_plan": step.plan.current_plan, "plan_steps": step.plan.plan_steps}
                self._info(step, "plan", {**plan, **present(update_reason=step.plan.update_reason)})
            told = [call.error for call in step.failed_calls] + [action.error for action in step.actions]
            for time, failure, action_text in step.errors:
                if failure not in told:
                    data = present(type=failure.type, message=failure.message, action=action_text)
                    self._info(step, "problem", data, time=time)
        if turn.run.error is not None:
            message = f"{turn.run.error.type}: {turn.run.error.message}"
            error = {"message": message, "traceback": "", "traceback_ansi": ""}
            self._event("error", turn.run.end_time, self._before_s + turn.run.duration_s, error=error)

    def _failed_call(self, step: Step, call: ModelCall) -> None:
        model = call.model or self.session.model or NO_MODEL
        message = f"{call.error.type}: {call.error.message}" if call.error else ""
        output = present(model=model, usage=self._spent(model, call.usage), error=message)
        self._model_event(step, model, output, len(self.messages), call.latency_ms, error=message)

    def _model_call(self, step: Step) -> None:
        if not step.response and not step.thought and not step.actions and not step.has_model_call:
            return
        model = step.model or self.session.model or NO_MODEL
        seen = len(self.messages)
        said = self._message(
            role="assistant",
            content=_content(step),
            source="generate",
            model=model,
            tool_calls=[_tool_call(action) for action in step.actions] or None,
        )
        if not step.has_model_call:
            return  # an episode that was played without a model
        stopped = _STOP_REASONS.get(str(step.finish_reason), "unknown")
        self.output = present(
            model=model,
            choices=[{"message": said, "stop_reason": "tool_calls" if step.actions else stopped}],
            usage=self._spent(model, step.usage),
            time=step.latency_ms / 1000 if step.latency_ms is not None else None,
        )
        self._model_event(step, model, self.output, seen, step.latency_ms)

    def _action(self, step: Step, action: Action) -> None:
        for decision in action.decisions:
            spent = {guard: model_usage([usage]) for guard, usage in decision.usage.items()}
            for guard, usage in decision.usage.items():
                if guard in GUARDS:
                    self.guard_usages.setdefault(guard, []).append(usage)
            data = {"call_id": action.call_id, "action": action.text, **verdict(decision)}
            self._info(step, "guard", {**data, **present(usage=spent or None)}, time=action.time)
        asked = confirmation(action)
        if asked is not None:
            self._info(step, "confirmation", {"call_id": action.call_id, **asked}, time=action.time)
        error = _tool_error(action)
        answer = tool_answer(action)
        message = self._message(
            role="tool", content=answer, tool_call_id=action.call_id, function=action.tool, error=error
        )
        self._event(
            "tool",
            action.time,
            self._working_s(step),
            id=action.call_id,
            function=action.tool,
            arguments=arguments_of(action),
            result=answer,
            error=error,
            failed=True if action.outcome == "failed" else None,
            working_time=action.duration_ms / 1000 if action.duration_ms is not None else None,
            message_id=message["id"],
            metadata=present(
                action=action.text,
                outcome=action.outcome or "unknown",
                executed=action.executed,
                reward=action.reward,
                done=action.done,
                info=action.info or None,
                purchase=action.purchase,
                **page_files(self.session, action.page_after),
            ),
        )

    def _spent(self, model: str, usage: Usage | None) -> dict[str, Any] | None:
        if usage is None:
            return None
        self.usages.setdefault(model, []).append(usage)
        return model_usage([usage])

    def _message(self, **fields: Any) -> dict[str, Any]:
        message = present(id=f"message-{len(self.messages)}", **fields)
        self.messages.append(message)
        return message

    def _model_event(
        self,
        step: Step,
        model: str,
        output: dict[str, Any],
        seen: int,
        latency_ms: float | None,
        error: str | None = None,
    ) -> None:
        self._event(
            "model",
            step.time,
            self._working_s(step),
            model=model,
            input=[],
            input_refs=[[0, seen]],
            tools=self._tools,
            tool_choice="auto",
            config={},
            output=output,
            error=error,
            working_time=latency_ms / 1000 if latency_ms is not None else None,
            metadata={"step_idx": step.index},
        )

    def _info(self, step: Step, source: str, data: dict[str, Any], time: str | None = None) -> None:
        self._event("info", time or step.time, self._working_s(step), source=source, data=data)

    def _event(self, kind: str, time: str, working_s: float, **fields: Any) -> None:
        number = f"{self.session.directory.name}/{len(self.events)}"
        self.events.append(present(event=kind, uuid=number, timestamp=time, working_start=working_s, **fields))

    def _working_s(self, step: Step) -> float:
        return self._before_s + step.started_ms / 1000


def model_usage(usages: list[Usage]) -> dict[str, Any]:
    """Return tokens as Inspect counts them: its input tokens are without those that came from a cache."""
    spent = tokens(usages)
    return present(
        input_tokens=(spent.prompt or 0) - (spent.cached or 0),
        output_tokens=spent.completion or 0,
        total_tokens=spent.total or 0,
        input_tokens_cache_read=spent.cached,
        reasoning_tokens=spent.thoughts,
    )


def _content(step: Step) -> Any:
    if not step.thought:
        return step.response
    reasoning = {"type": "reasoning", "reasoning": step.thought}
    return [reasoning, {"type": "text", "text": step.response}] if step.response else [reasoning]


def _tool_call(action: Action) -> dict[str, Any]:
    return {"id": action.call_id, "function": action.tool, "arguments": arguments_of(action), "type": "function"}


def _tool_error(action: Action) -> dict[str, str] | None:
    if action.blocked:
        return {"type": "approval", "message": f"The call was {action.outcome}."}
    return {"type": "unknown", "message": f"{action.error.type}: {action.error.message}"} if action.error else None
