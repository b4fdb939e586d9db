"""``execution_trajectory.json``: a session in the layout that trajectory tools for computer-use agents read.

Its fields are described in ``docs/trajectory.md`` and in ``execution_trajectory.schema.json`` beside this module. Times
are written ``YYYYMMDD@HHMMSS`` in UTC. It is made from the logs alone, so it can be made again at any time.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.config import MAX_INLINE_TREE_CHARS
from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import layout
from personalized_shopping.shared_libraries.trajectory.blobs import write_whole
from personalized_shopping.shared_libraries.trajectory.reader import fits
from personalized_shopping.shared_libraries.trajectory.records import SCHEMA_VERSION, Decision, Failure, Usage
from personalized_shopping.shared_libraries.trajectory.session import (
    GUARDS,
    Action,
    SessionTrajectory,
    Step,
    read_session,
)

CUT_MARK = "\n…[cut; a11y_tree_ref holds "
SCHEMA_FILE = Path(__file__).with_name("execution_trajectory.schema.json")


class _ElementChanges(msgspec.Struct):
    new_elements: list[Any] = []
    removed_elements: list[Any] = []


_GIVEN_BY_MODELS: dict[str, Any] = {
    **dict.fromkeys(("semantic_delta", "long_term_impact", "risk_explanation", "optimization_guidance"), str | None),
    **dict.fromkeys(("task_alignment", "task_alignment_explanation"), str | None),
    "element_changes": _ElementChanges | None,
    "violated_policy_ids": list[str],
    "risk_score": float | None,
}
"""What the layout wants these fields to be; a guard's model may have given anything."""


def write_execution_trajectory(directory: Path) -> Path:
    """Make a session's ``execution_trajectory.json`` anew from its logs, and return where it is.

    Raises:
        TrajectoryError: when no log can be read or the file cannot be written.
    """
    document = execution_trajectory(read_session(directory))
    path = directory / layout.EXECUTION
    data = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1).encode()
    try:
        write_whole(path, data, durable=True)
    except OSError as error:
        raise TrajectoryError(f"{path} cannot be written: {error.strerror}.") from None
    return path


def execution_trajectory(session: SessionTrajectory) -> dict[str, Any]:
    """Return a session in the layout, as plain JSON types."""
    return _Builder(session).build()


class _Builder:
    def __init__(self, session: SessionTrajectory) -> None:
        self.session = session
        self.totals = {
            "total_tokens_used": 0,
            **{f"total_{guard}_tokens_used": 0 for guard in GUARDS},
            "total_steps": 0,
            "total_actions_executed": 0,
        }
        self.history = 0

    def build(self) -> dict[str, Any]:
        session = self.session
        steps = [self._step(step) for step in session.steps]
        seconds = session.duration_s
        return {
            "schema_version": SCHEMA_VERSION,
            "task_metadata": self._task(),
            "steps": steps,
            "total_duration_seconds": round(seconds, 3),
            "total_duration_minutes": round(seconds / 60, 4),
            "cumulative_stats": dict(self.totals),
            "final_score": session.reward,
            "outcome": _outcome(session),
            "start": {
                "source": session.start.source,
                "place": session.place,
                "shop": session.shop,
                "goal": session.goal,
                "goal_kind": session.goal_kind,
            },
            "runs": [
                _present(
                    run_id=run.run_id,
                    status=run.status,
                    timestamp=stamp(run.time),
                    first_step_idx=run.first_step,
                    user_message=run.user_message.text if run.user_message else None,
                    duration_seconds=round(run.duration_s, 3),
                    error=_error(run.end_time, run.error, None) if run.error else None,
                    dropped_pages=run.dropped_pages or None,
                    # A bad line is a record that could not be written whole, or one whose number is missing.
                    lost_records=max(run.lost_records + run.missing, run.bad_lines) or None,
                )
                for run in session.runs
            ],
        }

    def _task(self) -> dict[str, Any]:
        start = self.session.start
        task = start.task
        injection = task.get("injection")
        params = {
            "platform": "webshop",
            "model": self.session.model,
            "action_space": "search[keywords] / click[button]",
            "observation_type": "text",
            "app": start.app,
            "user": start.user,
            "source": start.source,
            **start.settings,
            **start.versions,
        }
        return {
            "task_id": str(task.get("task_id") or start.session),
            "task_instruction": self.session.instruction,
            "task_params": params,
            "injection": injection if isinstance(injection, dict) else None,
            "jailbreak": bool(task.get("jailbreak", False)),
        }

    def _step(self, step: Step) -> dict[str, Any]:
        before = step.actions[0].page_before if step.actions else step.page_before
        after = step.actions[-1].page_after if step.actions else None
        tree, tree_ref = self._tree(before)
        next_tree, next_ref = self._tree(after)
        results = [self._result(action) for action in step.actions if action.outcome or action.started]
        self._count(step)
        document = _present(
            step_idx=step.index,
            timestamp=stamp(step.time),
            run_id=self.session.runs[step.run].run_id,
            response=step.response,
            reasoning=step.thought or None,
            actions=[action.text for action in step.actions],
            screenshot_file=self._screenshot(before),
            a11y_tree=tree,
            a11y_tree_ref=tree_ref,
            action_results=results or None,
            next_state_a11y_tree=next_tree if after else None,
            next_state_a11y_tree_ref=next_ref if after else None,
            next_state_screenshot_file=self._screenshot(after) if after else None,
            finish_reason=step.finish_reason,
            token_usage=_usage(step.model, step.agent_usages),
            **{f"{guard}_token_usage": _usage(_guard_model(step), step.guard_usages(guard)) for guard in GUARDS},
            step_duration_seconds=round(step.duration_s, 6),
            plan=_present(current_plan=step.plan.current_plan, plan_steps=step.plan.plan_steps) if step.plan else None,
            errors=[_error(*error) for error in step.errors] or None,
            **_safety(step),
        )
        # These the layout wants even where there is nothing to say.
        for name in ("screenshot_file", "a11y_tree"):
            document.setdefault(name, None)
        if not step.response and not step.actions:
            document["_empty_step"] = True
        document["env_state"] = {"step_number": step.index, "action_history_length": self.history}
        self.history += len(results)
        document["cumulative_stats"] = dict(self.totals)
        return document

    def _result(self, action: Action) -> dict[str, Any]:
        tree, reference = self._tree(action.page_after)
        return {
            "action": action.text,
            "call_id": action.call_id,
            "action_timestamp": stamp(action.time),
            "reward": action.reward,
            "done": action.done,
            "info": action.info if isinstance(action.info, dict) else {},
            "outcome": action.outcome or "unknown",
            **_present(
                action_duration_seconds=round(action.duration_ms / 1000, 6) if action.duration_ms is not None else None,
                next_state_a11y_tree=tree,
                next_state_a11y_tree_ref=reference,
                next_state_screenshot_file=self._screenshot(action.page_after),
                error=_error(action.error_time, action.error, action.text) if action.error else None,
                artifacts=[f"{artifact.name}@{artifact.version}" for artifact in action.artifacts] or None,
                confirmation=_confirmation(action),
                scored=action.scored,
            ),
        }

    def _count(self, step: Step) -> None:
        self.totals["total_tokens_used"] += sum(usage.total for usage in step.agent_usages)
        for guard in GUARDS:
            self.totals[f"total_{guard}_tokens_used"] += sum(usage.total for usage in step.guard_usages(guard))
        self.totals["total_steps"] += 1
        self.totals["total_actions_executed"] += sum(action.executed for action in step.actions)

    def _tree(self, page: tuple[int, int] | None) -> tuple[str | None, str | None]:
        """Return a page's accessibility tree, cut to what stands inline, and the path of the whole of it."""
        shown = self.session.pages.get(page) if page is not None else None
        if shown is None or shown.a11y is None:
            return None, None
        path = self.session.blobs.path(shown.a11y.sha256).relative_to(self.session.directory).as_posix()
        try:
            text = self.session.blobs.get(shown.a11y)
        except TrajectoryError:
            return None, None
        if len(text) > MAX_INLINE_TREE_CHARS:
            return f"{text[:MAX_INLINE_TREE_CHARS]}{CUT_MARK}all {len(text)} characters]", path
        return text, path

    def _screenshot(self, page: tuple[int, int] | None) -> str | None:
        shown = self.session.pages.get(page) if page is not None else None
        if shown is None or shown.html is None:
            return None
        path = screenshot_path(self.session.directory, shown.html.sha256)
        return path.relative_to(self.session.directory).as_posix() if path.exists() else None


def screenshot_path(directory: Path, html_sha256: str) -> Path:
    """Return where the picture of a page lies; it is named by the hash of the HTML that it shows."""
    return directory / layout.SCREENSHOTS / f"{html_sha256}.png"


def stamp(time_utc: str) -> str:
    """Return a record's time as ``YYYYMMDD@HHMMSS``."""
    return time_utc[:19].replace("-", "").replace(":", "").replace("T", "@")


def _usage(model: str | None, usages: Iterable[Usage]) -> dict[str, Any] | None:
    usages = list(usages)
    if not usages:
        return None
    found = {
        "model": model,
        "prompt_tokens": sum(usage.prompt_tokens or 0 for usage in usages),
        "completion_tokens": sum(usage.completion_tokens or 0 for usage in usages),
        "total_tokens": sum(usage.total for usage in usages),
    }
    for name in ("cached_tokens", "thoughts_tokens", "tool_use_tokens"):
        counts = [count for usage in usages if (count := getattr(usage, name)) is not None]
        if counts:
            found[name] = sum(counts)
    return found


def _guard_model(step: Step) -> str | None:
    return next((decision.model for action in step.actions for decision in action.decisions if decision.model), None)


def _safety(step: Step) -> dict[str, Any]:
    """Return ``safety_info`` and ``world_model_output`` of a step; nothing where nothing was decided."""
    info: dict[str, Any] = {}
    prediction: Any = None
    for number, action in enumerate(step.actions):
        if not action.decisions:
            continue
        last = action.decisions[-1]
        info[f"action_{number}"] = {
            **_verdict(last),
            "attempts": [_verdict(decision) for decision in action.decisions[:-1]],
        }
        if not info[f"action_{number}"]["attempts"]:
            del info[f"action_{number}"]["attempts"]
        # The shop and the person may decide after the guard, and predict nothing.
        predictions = [_prediction(decision) for decision in action.decisions]
        prediction = next((found for found in reversed(predictions) if found is not None), prediction)
    if step.plan and step.plan.update_reason:
        info["plan_update"] = {"should_update_plan": True, "update_reason": step.plan.update_reason}
    return _present(safety_info=info or None, world_model_output=prediction)


def _verdict(decision: Decision) -> dict[str, Any]:
    extra = _well_formed(decision.extra) or {}
    return {
        **{name: value for name, value in extra.items() if name not in ("attempts", "guidance")},
        "risk_score": decision.risk_score,
        "risk_explanation": decision.risk_explanation,
        "is_safe": decision.decision in ("allow", "allow_logged"),
        "world_model_output": _prediction(decision),
        "decision": decision.decision,
        "source": decision.source,
        "status": decision.status,
        "violated_policy_ids": decision.violated_policy_ids,
        **_present(guidance=decision.guidance, facts=decision.facts),
    }


def _prediction(decision: Decision) -> dict[str, Any] | None:
    return _well_formed(decision.world_model)


def _well_formed(value: Any) -> dict[str, Any] | None:
    """Return what a model gave as the layout wants it: without the fields that hold something else."""
    if not isinstance(value, dict):
        return None
    return {name: item for name, item in value.items() if fits(item, _GIVEN_BY_MODELS.get(name, Any))}


def _confirmation(action: Action) -> dict[str, Any] | None:
    if not action.confirmations:
        return None
    answered = [entry for entry in action.confirmations if entry.confirmed is not None]
    asked = [entry for entry in action.confirmations if entry.confirmed is None]
    question = asked[-1] if asked else action.confirmations[-1]
    return {
        "asked": True,
        "question": question.question,
        "bound_to": question.facts,
        "confirmed": answered[-1].confirmed if answered else None,
    }


def _outcome(session: SessionTrajectory) -> dict[str, Any]:
    reward = session.reward
    return {
        "status": session.status,
        "bought": bool(session.purchases),
        "success": None if reward is None else reward >= 1.0,
        "purchases": [action.purchase for action in session.purchases],
        "blocked_actions": sum(action.blocked for action in session.actions),
    }


def _error(time_utc: str, error: Failure, action: str | None) -> dict[str, Any]:
    return _present(type=error.type, message=error.message, timestamp=stamp(time_utc), action=action)


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
