"""The parts of a session: runs, steps and actions.

A step is one turn of the model, its actions are the tool calls that it asked for. A call for which a person was asked
is one action, though it is started twice: before the question, and after the answer, in the run that the answer began.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from personalized_shopping.shared_libraries.trajectory.records import (
    Artifact,
    Confirmation,
    Decision,
    Failure,
    ModelCall,
    Outcome,
    Plan,
    StateChange,
    Usage,
    UserMessage,
)

NOT_CARRIED_OUT: frozenset[str] = frozenset({"pending", "refused", "blocked"})
GUARDS = ("world_model", "harmonyguard", "reactive")


@dataclass
class Action:
    """One tool call: what was asked for, what was decided, and what came of it.

    ``outcome`` is ``None`` where the log does not tell: the run died before the tool (``started`` is false) or in it.
    ``page_before`` and ``page_after`` are keys of ``SessionTrajectory.pages``.
    """

    call_id: str
    tool: str
    arguments: Any
    text: str
    time: str
    irreversible: bool = False
    started: bool = False
    outcome: Outcome | None = None
    result: Any = None
    reward: float | None = None
    done: bool = False
    info: Any = None
    error: Failure | None = None
    error_time: str = ""
    duration_ms: float | None = None
    purchase: Any = None
    scored: Any = None
    page_before: tuple[int, int] | None = None
    page_after: tuple[int, int] | None = None
    decisions: list[Decision] = field(default_factory=list)
    confirmations: list[Confirmation] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)

    @property
    def executed(self) -> bool:
        """Whether the tool was run for what it was asked to do, well or not."""
        return self.outcome not in NOT_CARRIED_OUT if self.outcome is not None else self.started

    @property
    def blocked(self) -> bool:
        """Whether the guard, or the person who was asked, kept it from running."""
        return self.outcome in ("blocked", "refused")


@dataclass
class Step:
    """One turn of the model. ``failed_calls`` are calls of the model that gave nothing and were made again."""

    index: int
    run: int
    time: str
    model: str | None = None
    response: str = ""
    thought: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    latency_ms: float | None = None
    has_model_call: bool = False
    failed_calls: list[ModelCall] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    plan: Plan | None = None
    errors: list[tuple[str, Failure, str | None]] = field(default_factory=list)
    """Time, error, and the action it belongs to."""
    started_ms: float = 0.0
    ended_ms: float = 0.0
    page_before: tuple[int, int] | None = None

    @property
    def duration_s(self) -> float:
        """Seconds from the step's first to its last record."""
        return max(self.ended_ms - self.started_ms, 0.0) / 1000

    @property
    def agent_usages(self) -> list[Usage]:
        """The tokens of every call of the agent's model, the failed ones included."""
        calls = [call.usage for call in self.failed_calls]
        return [usage for usage in [*calls, self.usage] if usage is not None]

    def guard_usages(self, guard: str) -> list[Usage]:
        """Return the tokens that a guard (one of ``GUARDS``) took to decide about this step's actions."""
        decisions = [decision for action in self.actions for decision in action.decisions]
        return [decision.usage[guard] for decision in decisions if guard in decision.usage]


@dataclass
class RunInfo:
    """One run: the person's message and how it ended."""

    index: int
    run_id: str
    status: str
    time: str
    duration_s: float
    user_message: UserMessage | None
    error: Failure | None
    end_time: str
    path: Path
    bad_lines: int
    missing: int
    dropped_pages: int
    lost_records: int
    first_step: int
    state: list[StateChange] = field(default_factory=list)
