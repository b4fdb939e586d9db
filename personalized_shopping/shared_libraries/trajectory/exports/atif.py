"""ATIF, the Agent Trajectory Interchange Format, in version 1.7: what most viewers and converters read.

Its specification is Harbor's RFC 0001. It knows no fields but its own, so that all else stands in ``extra``. One action
is one tool call, with its last result; the question to the person before a purchase is no call of its own.
"""

from typing import Any

from personalized_shopping.shared_libraries.trajectory.exports.common import (
    Tokens,
    Turn,
    arguments_of,
    confirmation,
    outcome,
    page_files,
    present,
    storable,
    text_of,
    tokens,
    turns,
    verdict,
)
from personalized_shopping.shared_libraries.trajectory.exports.functions import function_definitions
from personalized_shopping.shared_libraries.trajectory.records import Failure
from personalized_shopping.shared_libraries.trajectory.session import GUARDS, Action, SessionTrajectory, Step

SCHEMA_VERSION = "ATIF-v1.7"
"""Version 1.8 adds nothing that a shopper needs, and some readers refuse it."""


def atif(session: SessionTrajectory) -> dict[str, Any]:
    """Return a session as an ATIF document, in plain JSON types.

    Token counts are those of the provider: a model's thoughts may or may not be part of its completion tokens, and
    stand apart in ``metrics.extra.reasoning_tokens``. The guard's tokens are in no step's ``metrics`` and in no total
    of the agent; they are in the ``extra`` beside them.
    """
    steps = _steps(session)
    document = present(
        schema_version=SCHEMA_VERSION,
        session_id=session.start.session,
        trajectory_id=session.directory.name,
        agent=_agent(session),
        steps=[{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        final_metrics=_final_metrics(session, len(steps)),
        extra={"task": _task(session), "outcome": outcome(session), "runs": _runs(session)},
    )
    cleaned: dict[str, Any] = storable(document)
    return cleaned


def _agent(session: SessionTrajectory) -> dict[str, Any]:
    start = session.start
    return present(
        name=start.agent or start.app,
        version=start.versions.get("package", "unknown"),
        model_name=session.model,
        tool_definitions=function_definitions(session.tools) or None,
        extra=present(
            app=start.app,
            user=start.user,
            source=start.source,
            settings=start.settings or None,
            versions=start.versions or None,
            shop=session.shop or None,
        ),
    )


def _steps(session: SessionTrajectory) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    if session.system is not None:
        steps.append({"source": "system", "message": text_of(session.system)})
    for turn in turns(session):
        if turn.message is not None:
            steps.append(_user_step(turn))
        steps.extend(_agent_step(session, step) for step in turn.steps)
    # A document must have a step, and a run may die before its first.
    return steps or [{"source": "system", "message": f"Nothing was recorded but the run's status: {session.status}."}]


def _user_step(turn: Turn) -> dict[str, Any]:
    assert turn.message is not None
    return {
        "timestamp": turn.run.time,
        "source": "user",
        "message": turn.message.text,
        "extra": present(run_id=turn.run.run_id, attachments=turn.message.attachments or None),
    }


def _agent_step(session: SessionTrajectory, step: Step) -> dict[str, Any]:
    calls = len(step.failed_calls) + step.has_model_call
    failed_model = next((call.model for call in step.failed_calls if call.model), None)
    results = [_result(session, action) for action in step.actions if action.outcome or action.started]
    return present(
        timestamp=step.time,
        source="agent",
        model_name=step.model or failed_model,
        message=step.response,
        # The format forbids both on a step that no model took.
        reasoning_content=(step.thought or None) if calls else None,
        metrics=_metrics(tokens(step.agent_usages)) if calls else None,
        tool_calls=[_tool_call(action) for action in step.actions] or None,
        observation={"results": results} if results else None,
        llm_call_count=calls,
        extra=present(
            step_idx=step.index,
            run_id=session.runs[step.run].run_id,
            finish_reason=step.finish_reason,
            latency_ms=step.latency_ms,
            duration_ms=round(step.duration_s * 1000, 3),
            guard_usage=_guard_usage(step),
            plan=_plan(step),
            errors=[_error(failure, time, action) for time, failure, action in step.errors] or None,
        ),
    )


def _tool_call(action: Action) -> dict[str, Any]:
    safety = None
    if action.decisions:
        *earlier, last = action.decisions
        safety = {**verdict(last), **present(attempts=[verdict(decision) for decision in earlier] or None)}
    return {
        "tool_call_id": action.call_id,
        "function_name": action.tool,
        "arguments": arguments_of(action),
        "extra": present(
            action=action.text,
            timestamp=action.time,
            irreversible=action.irreversible or None,
            safety=safety,
            confirmation=confirmation(action),
        ),
    }


def _result(session: SessionTrajectory, action: Action) -> dict[str, Any]:
    result = action.result
    shown = result.get("observation") if isinstance(result, dict) else None
    content = shown if isinstance(shown, str) else result
    return present(
        source_call_id=action.call_id,
        content=text_of(content) if content is not None else None,
        extra=present(
            reward=action.reward,
            done=action.done,
            outcome=action.outcome or "unknown",
            executed=action.executed,
            duration_ms=action.duration_ms,
            error=_error(action.error, action.error_time) if action.error else None,
            info=action.info or None,
            purchase=action.purchase,
            artifacts=[f"{artifact.name}@{artifact.version}" for artifact in action.artifacts] or None,
            **page_files(session, action.page_after),
        ),
    )


def _metrics(found: Tokens) -> dict[str, Any] | None:
    extra = present(
        total_tokens=found.total,
        reasoning_tokens=found.thoughts,
    )
    counts = present(
        prompt_tokens=found.prompt, completion_tokens=found.completion, cached_tokens=found.cached, extra=extra or None
    )
    return counts or None


def _guard_usage(step: Step) -> dict[str, Any] | None:
    found = {}
    for guard in GUARDS:
        spent = tokens(step.guard_usages(guard))
        if spent.calls:
            decisions = [decision for action in step.actions for decision in action.decisions]
            model = next((item.model for item in decisions if item.model and guard in item.usage), None)
            found[guard] = present(
                model=model,
                calls=spent.calls,
                prompt_tokens=spent.prompt,
                completion_tokens=spent.completion,
                total_tokens=spent.total,
            )
    return found or None


def _plan(step: Step) -> dict[str, Any] | None:
    if step.plan is None:
        return None
    return present(
        current_plan=step.plan.current_plan,
        plan_steps=step.plan.plan_steps or None,
        update_reason=step.plan.update_reason,
    )


def _final_metrics(session: SessionTrajectory, steps: int) -> dict[str, Any]:
    spent = tokens(usage for step in session.steps for usage in step.agent_usages)
    guards = tokens(usage for step in session.steps for guard in GUARDS for usage in step.guard_usages(guard))
    return present(
        total_prompt_tokens=spent.prompt,
        total_completion_tokens=spent.completion,
        total_cached_tokens=spent.cached,
        total_steps=steps,
        extra=present(
            total_tokens=spent.total,
            total_reasoning_tokens=spent.thoughts,
            total_llm_calls=sum(len(step.failed_calls) + step.has_model_call for step in session.steps),
            total_actions=len(session.actions),
            total_actions_executed=sum(action.executed for action in session.actions),
            blocked_actions=sum(action.blocked for action in session.actions),
            guard_calls=guards.calls or None,
            guard_total_prompt_tokens=guards.prompt,
            guard_total_completion_tokens=guards.completion,
            guard_total_tokens=guards.total,
            duration_seconds=round(session.duration_s, 3),
        ),
    )


def _task(session: SessionTrajectory) -> dict[str, Any]:
    task = session.start.task
    return {
        "task_id": str(task.get("task_id") or session.start.session),
        "instruction": session.instruction,
        "injection": task.get("injection"),
        "jailbreak": bool(task.get("jailbreak", False)),
        **present(goal=session.goal, goal_kind=session.goal_kind),
    }


def _runs(session: SessionTrajectory) -> list[dict[str, Any]]:
    return [
        present(
            run_id=run.run_id,
            status=run.status,
            timestamp=run.time,
            duration_ms=round(run.duration_s * 1000, 3),
            error=_error(run.error, run.end_time) if run.error else None,
            dropped_pages=run.dropped_pages or None,
            lost_records=(run.lost_records + run.missing + run.bad_lines) or None,
        )
        for run in session.runs
    ]


def _error(failure: Failure, time: str, action: str | None = None) -> dict[str, Any]:
    return present(type=failure.type, message=failure.message, timestamp=time or None, action=action)
