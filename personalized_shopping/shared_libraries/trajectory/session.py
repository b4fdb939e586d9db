"""A session as a whole: its runs put together into steps and actions. Every export and the viewer work on this."""

import contextlib
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from personalized_shopping.errors import TrajectoryError, TrajectoryNotFound, shorten
from personalized_shopping.shared_libraries.trajectory import layout
from personalized_shopping.shared_libraries.trajectory.blobs import BlobStore
from personalized_shopping.shared_libraries.trajectory.reader import RunLog, read_log
from personalized_shopping.shared_libraries.trajectory.records import (
    Artifact,
    Confirmation,
    Decision,
    ModelCall,
    ModelRequest,
    PageShown,
    Plan,
    Problem,
    RunStart,
    ShopEntered,
    StateChange,
    ToolCall,
    ToolEnd,
    ToolStart,
    UserMessage,
)
from personalized_shopping.shared_libraries.trajectory.steps import (
    GUARDS,
    NOT_CARRIED_OUT,
    Action,
    RunInfo,
    Step,
)

__all__ = [
    "GUARDS",
    "NOT_CARRIED_OUT",
    "Action",
    "RunInfo",
    "SessionTrajectory",
    "Step",
    "find_session",
    "read_session",
]


@dataclass
class SessionTrajectory:
    """All runs of a session, in order."""

    directory: Path
    start: RunStart
    runs: list[RunInfo] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    pages: dict[tuple[int, int], PageShown] = field(default_factory=dict)
    """By number of the run and of the page in it."""
    shop: dict[str, Any] = field(default_factory=dict)
    place: Any = None
    """The shopper's place at the beginning, as JSON; ``None`` where the shop was never used."""
    goal: Any = None
    goal_kind: str | None = None
    system: Any = None
    tools: Any = None

    @cached_property
    def blobs(self) -> BlobStore:
        """What the pages refer to."""
        return BlobStore(self.directory / layout.BLOBS)

    @property
    def actions(self) -> list[Action]:
        """The actions of all steps."""
        return [action for step in self.steps for action in step.actions]

    @property
    def instruction(self) -> str:
        """The goal's instruction, or what the person said first."""
        if isinstance(self.goal, dict) and self.goal.get("instruction_text"):
            return str(self.goal["instruction_text"])
        return next((run.user_message.text for run in self.runs if run.user_message), "")

    @property
    def model(self) -> str | None:
        """The model that answered, or the one that should have."""
        return next((step.model for step in self.steps if step.model), self.start.model)

    @property
    def status(self) -> str:
        """How the last run ended."""
        return self.runs[-1].status

    @property
    def reward(self) -> float | None:
        """The reward of the whole session; ``None`` where nothing was scored."""
        rewards = [action.reward for action in self.actions if action.reward is not None]
        return sum(rewards) if rewards else None

    @property
    def purchases(self) -> list[Action]:
        """The actions that bought something."""
        return [action for action in self.actions if action.purchase]

    @property
    def duration_s(self) -> float:
        """Seconds that the agent worked; the person's thinking between runs is not counted."""
        return sum(run.duration_s for run in self.runs)


def find_session(root: Path | None, wanted: str) -> Path:
    """Return the directory of the session that a person names: its id, its directory's name, or a path.

    Raises:
        TrajectoryNotFound: when there is none, or more than one.
    """
    path = Path(wanted)
    with contextlib.suppress(OSError):  # an id may be too long for a path
        for candidate in (path, path.parent, path.parent.parent):
            if (candidate / layout.RUNS).is_dir() and (candidate == path or path.exists()):
                return candidate
    named = [found for found in layout.session_dirs(root) if _is_named(found, wanted)] if root is not None else []
    if len(named) == 1:
        return named[0]
    if named:
        listed = ", ".join(sorted(directory.name for directory in named)[:5])
        raise TrajectoryNotFound(f"{len(named)} sessions answer to {wanted!r}. Name one of them: {listed}.")
    raise TrajectoryNotFound(
        f"There is no trajectory of {shorten(wanted)}{f' in {root}' if root is not None else ''}. "
        "`personalized-shopping trajectory list` shows what there is."
    )


def read_session(directory: Path) -> SessionTrajectory:
    """Put a session's runs together.

    Raises:
        TrajectoryNotFound: when the directory holds no run that can be read.
    """
    logs = [log for path in layout.logs_of(directory) if (log := read_log(path)).lines]
    start = next((log.start for log in logs if log.start is not None), None)
    if start is None:
        raise TrajectoryNotFound(f"{directory} holds no run whose beginning can be read.")
    found = SessionTrajectory(directory, start)
    assembly = _Assembly(found)
    for log in logs:
        assembly.add(log)
    return found


def _is_named(directory: Path, wanted: str) -> bool:
    if directory.name == wanted:
        return True
    if not directory.name.startswith(f"{layout.file_name(wanted)}-"):
        return False
    for path in layout.logs_of(directory):
        try:
            start = read_log(path).start
        except TrajectoryError:  # a later version's
            continue
        if start is not None:
            return start.session == wanted
    return False


class _Assembly:
    """Takes the logs of a session one after another."""

    def __init__(self, session: SessionTrajectory) -> None:
        self.session = session
        self.by_call: dict[str, Action] = {}
        self.step_of: dict[str, Step] = {}
        self.page: tuple[int, int] | None = None

    def add(self, log: RunLog) -> None:
        """Add a run."""
        number = len(self.session.runs)
        first, last, end = log.lines[0], log.lines[-1], log.end
        self.run = RunInfo(
            index=number,
            run_id=first.run_id,
            status=log.status,
            time=first.time,
            duration_s=(end.duration_ms if end else last.offset_ms) / 1000,
            user_message=None,
            error=end.error if end else None,
            end_time=last.time,
            path=log.path,
            bad_lines=log.bad_lines,
            missing=log.missing,
            dropped_pages=end.dropped_pages if end else 0,
            lost_records=end.lost_records if end else 0,
            first_step=len(self.session.steps),
        )
        self.session.runs.append(self.run)
        self.steps: dict[int, Step] = {}
        self.time, self.offset = first.time, 0.0
        for line in log.lines:
            self.time, self.offset = line.time, line.offset_ms
            handle = getattr(self, f"_{type(line.record).__struct_config__.tag}", None)
            if handle is not None:
                handle(line.record)

    def _step(self, number: int) -> Step:
        step = self.steps.get(number)
        if step is None:
            step = Step(index=len(self.session.steps), run=self.run.index, time=self.time, page_before=self.page)
            step.started_ms = step.ended_ms = self.offset
            self.steps[number] = step
            self.session.steps.append(step)
        step.ended_ms = max(step.ended_ms, self.offset) if step.run == self.run.index else step.ended_ms
        return step

    def _shop_entered(self, record: ShopEntered) -> None:
        session = self.session
        if session.place is None:
            session.shop, session.place = record.shop, record.place
            session.goal, session.goal_kind = record.goal, record.goal_kind

    def _user_message(self, record: UserMessage) -> None:
        self.run.user_message = self.run.user_message or record

    def _model_request(self, record: ModelRequest) -> None:
        self._step(record.step)
        self.session.system = record.system or self.session.system
        self.session.tools = record.tools or self.session.tools

    def _model_call(self, record: ModelCall) -> None:
        step = self._step(record.step)
        if record.error is not None:
            step.failed_calls.append(record)
            step.errors.append((self.time, record.error, None))
            return
        # A streaming model may answer one call in several parts.
        step.has_model_call = True
        step.model = record.model or step.model
        step.response, step.thought = step.response + record.text, step.thought + record.thought
        step.finish_reason, step.usage = record.finish_reason or step.finish_reason, record.usage or step.usage
        step.latency_ms = record.latency_ms

    def _tool_call(self, record: ToolCall) -> None:
        known = self.by_call.get(record.call_id)
        if known is not None and known.outcome == "pending":  # the person has answered, and the same call runs now
            known.outcome, known.result, known.error, known.started = None, None, None, False
            return
        step = self._step(record.step)
        action = Action(
            call_id=record.call_id,
            tool=record.tool,
            arguments=record.arguments,
            text=record.action,
            time=self.time,
            irreversible=record.irreversible,
            page_before=self.page,
        )
        step.actions.append(action)
        self.by_call[record.call_id], self.step_of[record.call_id] = action, step

    def _tool_start(self, record: ToolStart) -> None:
        action = self.by_call.get(record.call_id)
        if action is not None:
            action.started = True

    def _tool_end(self, record: ToolEnd) -> None:
        action = self.by_call.get(record.call_id)
        if action is None:
            return
        action.outcome, action.result, action.error = record.outcome, record.result, record.error
        action.error_time = self.time if record.error else ""
        action.reward, action.done, action.info = record.reward, record.done, record.info
        action.purchase, action.scored = record.purchase, record.scored
        if record.duration_ms is not None:
            action.duration_ms = (action.duration_ms or 0.0) + record.duration_ms
        action.page_before = self.page
        if record.page is not None:
            self.page = (self.run.index, record.page)
        action.page_after = self.page
        step = self.step_of[record.call_id]
        if step.run == self.run.index:
            step.ended_ms = max(step.ended_ms, self.offset)
        if record.error is not None:
            step.errors.append((self.time, record.error, action.text))

    def _decision(self, record: Decision) -> None:
        self._of_call(record.call_id, "decisions", record)

    def _confirmation(self, record: Confirmation) -> None:
        self._of_call(record.call_id, "confirmations", record)

    def _artifact(self, record: Artifact) -> None:
        self._of_call(record.call_id, "artifacts", record)

    def _of_call(self, call_id: str, kind: str, record: Any) -> None:
        action = self.by_call.get(call_id)
        if action is not None:
            getattr(action, kind).append(record)

    def _state(self, record: StateChange) -> None:
        self.run.state.append(record)

    def _plan(self, record: Plan) -> None:
        self._step(record.step).plan = record

    def _problem(self, record: Problem) -> None:
        if record.step is not None:
            self._step(record.step).errors.append((self.time, record.error, None))

    def _page(self, record: PageShown) -> None:
        self.session.pages[self.run.index, record.page] = record
        if self.page is None or (self.page[0] != self.run.index and record.page == 0):
            self.page = (self.run.index, record.page)
