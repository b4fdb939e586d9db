"""Chat messages for training, as OpenAI writes them: one session is one line of a JSONL file.

A call is answered once, with its last result, in the place where it was asked for: where a person was asked first, the
model reads only what came of it. A tool's answer is the whole of what the model got, not the page's text alone.
"""

import json
from typing import Any

from personalized_shopping.shared_libraries.trajectory.exports.common import (
    arguments_of,
    present,
    storable,
    success,
    text_of,
    tokens,
    turns,
)
from personalized_shopping.shared_libraries.trajectory.exports.functions import function_definitions
from personalized_shopping.shared_libraries.trajectory.session import GUARDS, Action, SessionTrajectory, Step


def messages(session: SessionTrajectory) -> dict[str, Any]:
    """Return a session as chat messages, with what training on them needs, in plain JSON types.

    ``messages`` are the dialogue and ``tools`` the function definitions. ``step_rewards`` has an entry for every step,
    ``action_rewards`` one for every call; both, and ``reward``, are ``None`` where nothing was scored. Token
    counts are ``None`` where no provider told. A step without
    text and calls, which only failed calls of the model leave, is in ``step_rewards`` but no message.
    """
    rewards = [_step_reward(step) for step in session.steps]
    document = {
        "session_id": session.start.session,
        "task_id": str(session.start.task.get("task_id") or session.start.session),
        "messages": _dialogue(session),
        "tools": function_definitions(session.tools),
        "step_rewards": rewards,
        "action_rewards": [
            {"call_id": action.call_id, "reward": action.reward, "outcome": action.outcome or "unknown"}
            for action in session.actions
        ],
        "reward": session.reward,
        "success": success(session),
        "token_usage": _token_usage(session),
        "blocked_calls": sum(action.blocked for action in session.actions),
        "status": session.status,
    }
    cleaned: dict[str, Any] = storable(document)
    return cleaned


def messages_line(session: SessionTrajectory) -> bytes:
    """Return a session as one line of JSON Lines."""
    # All in ASCII: many readers take U+2028 and U+0085 for the end of a line.
    return json.dumps(messages(session), allow_nan=False).encode() + b"\n"


def tool_answer(action: Action) -> str:
    """Return what the model reads as a call's answer.

    Every call needs one. Where a tool raised, or the log ends before the answer, it is JSON that says so.
    """
    if action.result is not None:
        return text_of(action.result)
    if action.error is not None:
        return text_of({"error": f"{action.error.type}: {action.error.message}"})
    return text_of({"status": action.outcome or "unknown"})


def _dialogue(session: SessionTrajectory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if session.system is not None:
        found.append({"role": "system", "content": text_of(session.system)})
    for turn in turns(session):
        if turn.message is not None:
            found.append({"role": "user", "content": turn.message.text})
        for step in turn.steps:
            found.extend(_exchange(step))
    return found


def _exchange(step: Step) -> list[dict[str, Any]]:
    """Return the model's message of a step and the answers to its calls."""
    if not step.response and not step.actions:
        return []
    said: dict[str, Any] = {"role": "assistant", "content": step.response or None}
    if step.actions:
        said["tool_calls"] = [_call(action) for action in step.actions]
    answers = [
        {"role": "tool", "tool_call_id": action.call_id, "content": tool_answer(action)} for action in step.actions
    ]
    return [said, *answers]


def _call(action: Action) -> dict[str, Any]:
    arguments = json.dumps(arguments_of(action), ensure_ascii=False)
    return {"id": action.call_id, "type": "function", "function": {"name": action.tool, "arguments": arguments}}


def _step_reward(step: Step) -> float | None:
    rewards = [action.reward for action in step.actions if action.reward is not None]
    return sum(rewards) if rewards else None


def _token_usage(session: SessionTrajectory) -> dict[str, Any]:
    spent = tokens(usage for step in session.steps for usage in step.agent_usages)
    guards = tokens(usage for step in session.steps for guard in GUARDS for usage in step.guard_usages(guard))
    return {
        "prompt_tokens": spent.prompt,
        "completion_tokens": spent.completion,
        "total_tokens": spent.total,
        **present(cached_tokens=spent.cached, reasoning_tokens=spent.thoughts, guard_tokens=guards.total),
    }
