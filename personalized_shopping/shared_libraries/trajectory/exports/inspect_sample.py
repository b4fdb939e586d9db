"""One session as a sample of an Inspect AI log, in the JSON that such logs hold."""

from datetime import datetime
from functools import cached_property
from typing import Any

from personalized_shopping.shared_libraries.trajectory.exports.common import outcome, present, success
from personalized_shopping.shared_libraries.trajectory.exports.inspect_events import Story, model_usage
from personalized_shopping.shared_libraries.trajectory.session import RunInfo, SessionTrajectory


class InspectSample:
    """A session with its scores and its story."""

    def __init__(self, session: SessionTrajectory) -> None:
        self.session = session

    @cached_property
    def story(self) -> Story:
        """Its messages and events."""
        return Story(self.session, self.scores())

    def document(self, sample_id: str, epoch: int) -> dict[str, Any]:
        """Return the sample.

        Args:
            sample_id: what the sample is called in the log.
            epoch: the number of this try at it, from 1.
        """
        session, story = self.session, self.story
        first, last = session.runs[0], session.runs[-1]
        goal = session.goal if isinstance(session.goal, dict) else {}
        return present(
            id=sample_id,
            epoch=epoch,
            input=session.instruction,
            target=str(goal.get("asin") or ""),
            messages=story.messages,
            output=story.output,
            scores=self.scores() or None,
            metadata=self._metadata(),
            events=story.events,
            events_data={"messages": story.messages, "calls": []},
            model_usage={model: model_usage(usages) for model, usages in story.usages.items()},
            role_usage={guard: model_usage(usages) for guard, usages in story.guard_usages.items()},
            started_at=first.time,
            completed_at=last.end_time,
            total_time=_seconds_between(first.time, last.end_time),
            working_time=session.duration_s,
            uuid=session.directory.name,
            error=_sample_error(last),
            limit=self._limit(),
            turn_count=sum(step.has_model_call for step in session.steps),
        )

    def scores(self) -> dict[str, dict[str, Any]]:
        """Return the reward, and whether it is a whole one; nothing where nothing was scored."""
        reward = self.session.reward
        if reward is None:
            return {}
        infos = [action.info for action in self.session.actions if isinstance(action.info, dict)]
        parts = next((info["reward_info"] for info in reversed(infos) if info.get("reward_info")), None)
        return {
            "reward": present(value=reward, metadata={"reward_info": parts} if parts else None),
            "success": {"value": "C" if success(self.session) else "I"},
        }

    def _metadata(self) -> dict[str, Any]:
        session, start = self.session, self.session.start
        ended = outcome(session)
        return present(
            session_id=start.session,
            app=start.app,
            user=start.user,
            agent=start.agent or None,
            source=start.source,
            settings=start.settings or None,
            versions=start.versions or None,
            shop=session.shop or None,
            goal=session.goal,
            goal_kind=session.goal_kind,
            injection=start.task.get("injection"),
            jailbreak=bool(start.task.get("jailbreak", False)),
            status=ended["status"],
            purchases=ended["purchases"],
            calls=len(session.actions),
            blocked_calls=sum(action.blocked for action in session.actions),
            runs=[present(run_id=run.run_id, status=run.status, timestamp=run.time) for run in session.runs],
        )

    def _limit(self) -> dict[str, Any] | None:
        if self.session.status != "max_steps":
            return None
        most = self.session.start.settings.get("max_steps")
        return {"type": "custom", "limit": most if isinstance(most, int | float) else len(self.session.steps)}


def _sample_error(run: RunInfo) -> dict[str, str] | None:
    if run.error is not None:
        message = f"{run.error.type}: {run.error.message}"
    elif run.status in ("error", "aborted"):
        message = f"The last run ended as: {run.status}."
    else:
        return None
    return {"message": message, "traceback": "", "traceback_ansi": ""}


def _seconds_between(start: str, end: str) -> float:
    return max((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds(), 0.0)
