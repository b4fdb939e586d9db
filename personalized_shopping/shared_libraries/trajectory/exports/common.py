"""What all exports say in the same way: who spoke when, how much it took, and how it ended."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from personalized_shopping.shared_libraries.trajectory.execution import screenshot_path
from personalized_shopping.shared_libraries.trajectory.records import Decision, Usage, UserMessage
from personalized_shopping.shared_libraries.trajectory.session import Action, RunInfo, SessionTrajectory, Step

SUCCESS_REWARD = 1.0
"""The reward of a purchase that is all that was asked for."""


class Tokens(NamedTuple):
    """The sums over some model calls; ``None`` where no call told."""

    calls: int
    prompt: int | None
    completion: int | None
    total: int | None
    cached: int | None
    thoughts: int | None


class Turn(NamedTuple):
    """A run: what the person said, if anything, and the agent's steps after it."""

    run: RunInfo
    message: UserMessage | None
    steps: list[Step]


def turns(session: SessionTrajectory) -> Iterator[Turn]:
    """Return a session's runs in order. Where nobody said anything, the task's instruction is the first message."""
    steps: dict[int, list[Step]] = {}
    for step in session.steps:
        steps.setdefault(step.run, []).append(step)
    silent = not any(run.user_message for run in session.runs)
    for run in session.runs:
        message = run.user_message
        if silent and run.index == 0 and session.instruction:
            message = UserMessage(text=session.instruction)
        yield Turn(run, message, steps.get(run.index, []))


def tokens(usages: Iterable[Usage]) -> Tokens:
    """Add up the tokens of model calls, as their providers counted them."""
    usages = list(usages)

    def added(name: str) -> int | None:
        known = [count for usage in usages if (count := getattr(usage, name)) is not None]
        return sum(known) if known else None

    return Tokens(
        calls=len(usages),
        prompt=added("prompt_tokens"),
        completion=added("completion_tokens"),
        total=sum(usage.total for usage in usages) if usages else None,
        cached=added("cached_tokens"),
        thoughts=added("thoughts_tokens"),
    )


def outcome(session: SessionTrajectory) -> dict[str, Any]:
    """Return how a session ended: ``{"status", "reward", "success", "purchases"}``."""
    return {
        "status": session.status,
        "reward": session.reward,
        "success": success(session),
        "purchases": [action.purchase for action in session.purchases],
    }


def success(session: SessionTrajectory) -> bool | None:
    """Return whether a session reached its goal; ``None`` where nothing was scored."""
    return None if session.reward is None else session.reward >= SUCCESS_REWARD


def verdict(decision: Decision) -> dict[str, Any]:
    """Return a decision about a tool call without the tokens that it took."""
    return present(
        decision=decision.decision,
        source=decision.source,
        status=decision.status,
        attempt=decision.attempt,
        risk_score=decision.risk_score,
        threshold=decision.threshold,
        violated_policy_ids=decision.violated_policy_ids,
        risk_explanation=decision.risk_explanation or None,
        guidance=decision.guidance,
        facts=decision.facts,
        world_model_output=decision.world_model,
        model=decision.model,
        duration_ms=decision.duration_ms,
        extra=decision.extra,
    )


def confirmation(action: Action) -> dict[str, Any] | None:
    """Return what the person was asked about a call, and their answer; ``None`` where they were not asked."""
    if not action.confirmations:
        return None
    asked = [entry for entry in action.confirmations if entry.confirmed is None]
    answers = [entry.confirmed for entry in action.confirmations if entry.confirmed is not None]
    question = asked[-1] if asked else action.confirmations[-1]
    return present(question=question.question or None, facts=question.facts, confirmed=answers[-1] if answers else None)


def page_files(session: SessionTrajectory, page: tuple[int, int] | None) -> dict[str, str]:
    """Return a page's files below the session's directory: ``html_ref``, ``a11y_ref``, ``screenshot``."""
    shown = session.pages.get(page) if page is not None else None
    if shown is None:
        return {}
    found = {}
    for name, blob in (("html_ref", shown.html), ("a11y_ref", shown.a11y)):
        if blob is not None:
            found[name] = session.blobs.path(blob.sha256).relative_to(session.directory).as_posix()
    if shown.html is not None:
        picture = screenshot_path(session.directory, shown.html.sha256)
        if picture.exists():
            found["screenshot"] = picture.relative_to(session.directory).as_posix()
    return found


def text_of(value: Any) -> str:
    """Return a value as text: a text as it is, anything else as JSON, nothing as the empty text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def arguments_of(action: Action) -> dict[str, Any]:
    """Return a call's arguments as the mapping that every format wants."""
    return action.arguments if isinstance(action.arguments, dict) else {"value": action.arguments}


def present(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not ``None``."""
    return {name: value for name, value in fields.items() if value is not None}


def storable(document: Any) -> Any:
    """Return a JSON document that every reader takes: halves of surrogate pairs become ``?``.

    The recorder writes none, but a log may hold them as escapes.
    """
    return json.loads(json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"))
