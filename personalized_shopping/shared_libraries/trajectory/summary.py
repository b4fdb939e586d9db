"""What a list of sessions says about each, read without opening what lies beside the logs."""

from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.trajectory.layout import logs_of, session_dirs
from personalized_shopping.shared_libraries.trajectory.log import is_being_written
from personalized_shopping.shared_libraries.trajectory.records import Usage


class SessionSummary(msgspec.Struct, frozen=True):
    """One line of a list of sessions. Times are UTC; ``tokens`` are the agent's and the guard's together."""

    session_id: str
    directory: str
    app: str
    user: str
    source: str
    model: str | None
    instruction: str
    started: str
    ended: str
    status: str
    runs: int
    steps: int
    actions: int
    blocked: int
    bought: list[str]
    reward: float | None
    tokens: int
    duration_seconds: float


class _Line(msgspec.Struct):
    """The fields of any record that a summary is made of; the others are skipped unread."""

    type: str
    time: str = ""
    offset_ms: float = 0.0
    session: str = ""
    app: str = ""
    user: str = ""
    source: str = "adk"
    model: str | None = None
    step: int | None = None
    text: msgspec.Raw = msgspec.Raw(b'""')
    call_id: str = ""
    outcome: str = ""
    reward: float | None = None
    purchase: msgspec.Raw = msgspec.Raw(b"null")
    goal: msgspec.Raw = msgspec.Raw(b"null")
    usage: msgspec.Raw = msgspec.Raw(b"null")
    status: str = ""
    error: msgspec.Raw = msgspec.Raw(b"null")


_decoder = msgspec.json.Decoder(_Line)


def summaries(root: Path) -> list[SessionSummary]:
    """Return a summary of every session that can be read, newest first."""
    found = [summary for directory in session_dirs(root) if (summary := summarize(directory)) is not None]
    return sorted(found, key=lambda summary: summary.ended, reverse=True)


def summarize(directory: Path) -> SessionSummary | None:
    """Return a session's summary; ``None`` where no run's beginning can be read."""
    gathered = _Gathered(directory)
    for path in logs_of(directory):
        gathered.add(path)
    return gathered.summary()


class _Gathered:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.start: _Line | None = None
        self.started = self.ended = self.status = self.first_text = self.goal_text = ""
        self.model: str | None = None
        self.runs = self.steps = self.tokens = 0
        self.duration_ms = 0.0
        self.outcomes: dict[str, str] = {}
        self.rewards: dict[str, float] = {}
        self.bought: dict[str, str] = {}

    def add(self, path: Path) -> None:
        steps: set[int] = set()
        offset_ms, ended = 0.0, ""
        try:
            data = path.read_bytes()
        except OSError:
            return
        for raw in data.split(b"\n")[:-1]:
            try:
                line = _decoder.decode(raw)
            except msgspec.DecodeError:
                continue
            offset_ms, self.ended = line.offset_ms, line.time or self.ended
            self.started = self.started or line.time
            if line.step is not None and line.type in ("model_request", "model_call", "tool_call"):
                steps.add(line.step)
            if line.type == "run_end":
                ended = line.status
            self._take(line)
        self.runs += 1
        self.steps += len(steps)
        self.duration_ms += offset_ms
        self.status = ended or ("running" if is_being_written(path) else "aborted")

    def _take(self, line: _Line) -> None:
        if line.type == "run_start":
            self.start = self.start or line
            self.model = self.model or line.model
        elif line.type == "user_message":
            self.first_text = self.first_text or _text(line.text)
        elif line.type == "shop_entered" and not self.goal_text:
            goal = msgspec.json.decode(line.goal)
            self.goal_text = str(goal.get("instruction_text", "")) if isinstance(goal, dict) else ""
        elif line.type == "model_call":
            self.model = line.model or self.model
            self.tokens += _tokens(msgspec.json.decode(line.usage))
        elif line.type == "decision":
            usages = msgspec.json.decode(line.usage)
            self.tokens += sum(map(_tokens, usages.values())) if isinstance(usages, dict) else 0
        elif line.type == "tool_call":
            self.outcomes[line.call_id] = ""
        elif line.type == "tool_end":
            self._take_end(line)

    def _take_end(self, line: _Line) -> None:
        self.outcomes[line.call_id] = line.outcome
        if line.reward is not None:
            self.rewards[line.call_id] = line.reward
        purchase = msgspec.json.decode(line.purchase)
        if isinstance(purchase, dict):
            self.bought[line.call_id] = str(purchase.get("title") or purchase.get("asin") or "")

    def summary(self) -> SessionSummary | None:
        if self.start is None:
            return None
        return SessionSummary(
            session_id=self.start.session,
            directory=self.directory.name,
            app=self.start.app,
            user=self.start.user,
            source=self.start.source,
            model=self.model,
            instruction=self.goal_text or self.first_text,
            started=self.started,
            ended=self.ended,
            status=self.status,
            runs=self.runs,
            steps=self.steps,
            actions=len(self.outcomes),
            blocked=sum(outcome in ("blocked", "refused") for outcome in self.outcomes.values()),
            bought=list(self.bought.values()),
            reward=sum(self.rewards.values()) if self.rewards else None,
            tokens=self.tokens,
            duration_seconds=round(self.duration_ms / 1000, 3),
        )


def _text(raw: msgspec.Raw) -> str:
    value: Any = msgspec.json.decode(raw)
    return value if isinstance(value, str) else ""


def _tokens(usage: Any) -> int:
    if not isinstance(usage, dict):
        return 0
    known = {name: usage.get(name) for name in Usage.__struct_fields__}
    counts = msgspec.convert({name: value for name, value in known.items() if isinstance(value, int)}, Usage)
    return counts.total
