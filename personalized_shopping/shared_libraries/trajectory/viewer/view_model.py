"""What the viewer's page is given: a row of the list for every session, and the whole of each.

The page's scripts read these fields by their names.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.trajectory.reader import read_log
from personalized_shopping.shared_libraries.trajectory.records import (
    Blob,
    Confirmation,
    Failure,
    ModelCall,
    Plan,
    StateChange,
    Usage,
)
from personalized_shopping.shared_libraries.trajectory.session import (
    GUARDS,
    Action,
    RunInfo,
    SessionTrajectory,
    Step,
)

FAILED_STATUSES = frozenset({"error", "aborted", "max_steps"})
_KINDS = ("person", "yes", "no", "bought", "agent", "question", "blocked")
"""The order of what has the same time."""
_MAX_ROW_CHARS = 300
_MAX_ROW_TITLES = 300


class View(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A part of the page's data; fields that hold their default are left out."""


class Row(View):
    """A session in the list. ``titles`` are places in ``SessionList.titles``; ``problem`` is why it cannot be shown."""

    key: str
    id: str
    problem: str = ""
    text: str = ""
    app: str = ""
    user: str = ""
    model: str = ""
    started: str = ""
    time: str = ""
    status: str = ""
    failed: bool = False
    bought: list[str] = []
    score: float | None = None
    blocked: int = 0
    errors: int = 0
    runs: int = 0
    steps: int = 0
    tokens: int = 0
    guard_tokens: int = 0
    duration_s: float = 0.0
    titles: list[int] = []


class SessionList(View):
    """All that the list shows. A session is expensive if it took more than ``expensive_above`` tokens."""

    made: str
    sessions: list[Row]
    titles: list[str]
    expensive_above: int | None
    selected: str | None


class Entry(View):
    """A line of the conversation; ``step`` is where it was said."""

    kind: str
    """``person``, ``agent``, ``question``, ``yes``, ``no``, ``bought``, or ``blocked`` by the guard."""
    run: int
    time: str
    text: str = ""
    step: int | None = None
    attachments: list[str] = []
    facts: Any = None


class RunView(View):
    """A run. ``lost`` counts records that the log should hold and does not."""

    id: str
    status: str
    time: str
    end_time: str
    duration_s: float
    first_step: int
    error: Failure | None = None
    lost: int = 0
    dropped_pages: int = 0
    state: list[StateChange] = []


class PageView(View):
    """A page; ``html`` and ``a11y`` name its renderings, which lie elsewhere in the file."""

    kind: str
    html: str | None = None
    a11y: str | None = None
    truncated: bool = False


class StepView(View):
    """A step. Its pages are keys of ``SessionDetail.pages``."""

    index: int
    run: int
    time: str
    duration_ms: float
    tokens: int
    guard_tokens: int
    actions: list[Action]
    model: str | None = None
    response: str = ""
    thought: str = ""
    finish_reason: str | None = None
    usage: Usage | None = None
    latency_ms: float | None = None
    failed_calls: list[ModelCall] = []
    plan: Plan | None = None
    errors: list[tuple[str, Failure, str | None]] = []
    page: tuple[int, int] | None = None


class SessionDetail(View):
    """The whole of a session."""

    key: str
    id: str
    about: dict[str, Any]
    conversation: list[Entry]
    runs: list[RunView]
    steps: list[StepView]
    pages: dict[str, PageView]


class Titles:
    """The product titles of all sessions, each once."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, title: str) -> int:
        """Return a title's place in the list."""
        return self._places.setdefault(title, len(self._places))

    def as_list(self) -> list[str]:
        """Return all titles."""
        return list(self._places)


def session_row(session: SessionTrajectory, key: str, titles: Titles) -> Row:
    """Return a session's row.

    Args:
        session: the session.
        key: its name within the file.
        titles: takes the product titles that occurred in it.
    """
    seen = {title: None for title in _titles(session.actions)}
    return Row(
        key=key,
        id=session.start.session,
        text=session.instruction[:_MAX_ROW_CHARS],
        app=session.start.app,
        user=session.start.user,
        model=session.model or "",
        started=session.runs[0].time,
        time=session.runs[-1].end_time,
        status=session.status,
        failed=any(run.status in FAILED_STATUSES for run in session.runs),
        bought=[_purchase(action.purchase)[:_MAX_ROW_CHARS] for action in session.purchases],
        score=session.reward,
        blocked=sum(action.blocked for action in session.actions),
        errors=sum(len(step.errors) for step in session.steps) + sum(run.error is not None for run in session.runs),
        runs=len(session.runs),
        steps=len(session.steps),
        tokens=sum(_agent_tokens(step) + _guard_tokens(step) for step in session.steps),
        guard_tokens=sum(_guard_tokens(step) for step in session.steps),
        duration_s=session.duration_s,
        titles=[titles.place(title[:_MAX_ROW_CHARS]) for title in list(seen)[:_MAX_ROW_TITLES]],
    )


def session_detail(session: SessionTrajectory, key: str, kept: Callable[[Blob], bool]) -> SessionDetail:
    """Return the whole of a session.

    Args:
        session: the session.
        key: its name within the file.
        kept: tells whether a page's rendering could be read.
    """
    start = session.start
    about = {
        "session": start.session,
        "user": start.user,
        "app": start.app,
        "agent": start.agent,
        "model": session.model,
        "source": start.source,
        "versions": start.versions,
        "settings": start.settings,
        "task": start.task,
        "shop": session.shop,
        "goal": session.goal,
        "goal_kind": session.goal_kind,
        "system": session.system,
        "tools": session.tools,
    }
    return SessionDetail(
        key=key,
        id=start.session,
        about={name: value for name, value in about.items() if value},
        conversation=conversation(session),
        runs=[_run(run) for run in session.runs],
        steps=[_step(step) for step in session.steps],
        pages={
            f"{run},{number}": PageView(
                kind=page.kind,
                html=page.html.sha256 if page.html and kept(page.html) else None,
                a11y=page.a11y.sha256 if page.a11y and kept(page.a11y) else None,
                truncated=bool((page.html and page.html.truncated) or (page.a11y and page.a11y.truncated)),
            )
            for (run, number), page in session.pages.items()
        },
    )


def conversation(session: SessionTrajectory) -> list[Entry]:
    """Return what the person and the agent said to each other, and what came of it, in order."""
    said = [
        Entry(kind="person", run=run.index, time=run.time, text=message.text, attachments=message.attachments)
        for run in session.runs
        if (message := run.user_message) is not None
    ]
    said += [
        Entry(kind="agent", run=step.run, time=step.time, text=step.response, step=step.index)
        for step in session.steps
        if step.response
    ]
    asked = _confirmations(session)
    found = [*said, *asked, *_events(session, asked)]
    # What the person says begins a run, whatever the clock says.
    return sorted(
        found,
        key=lambda entry: (entry.run, entry.kind != "person", entry.time, entry.step or 0, _KINDS.index(entry.kind)),
    )


def expensive_above(rows: Iterable[Row]) -> int | None:
    """Return the 90th percentile (nearest rank) of the sessions' tokens; ``None`` where nothing is known of them."""
    tokens = sorted(row.tokens for row in rows if row.tokens)
    return tokens[-(-len(tokens) * 9 // 10) - 1] if tokens else None


def _confirmations(session: SessionTrajectory) -> list[Entry]:
    """Return the questions before purchases and their answers, each in the run in which it was written."""
    step_of = {action.call_id: step.index for step in session.steps for action in step.actions if action.confirmations}
    found = []
    for run in session.runs if step_of else ():
        for line in read_log(run.path).lines:
            record = line.record
            if not isinstance(record, Confirmation):
                continue
            kind = "question" if record.confirmed is None else "yes" if record.confirmed else "no"
            step = step_of.get(record.call_id)
            found.append(
                Entry(kind=kind, run=run.index, time=line.time, text=record.question, step=step, facts=record.facts)
            )
    return found


def _events(session: SessionTrajectory, asked: list[Entry]) -> Iterator[Entry]:
    """Yield what was bought and what the guard blocked; a purchase stands after the answer that allowed it."""
    answered = {entry.step: entry for entry in asked if entry.kind == "yes"}
    for step in session.steps:
        for action in step.actions:
            if action.purchase:
                yes = answered.get(step.index)
                run, time = (yes.run, yes.time) if yes else (step.run, action.time)
                yield Entry(kind="bought", run=run, time=time, text=_purchase(action.purchase), step=step.index)
            elif action.outcome == "blocked":
                reason = action.decisions[-1].risk_explanation if action.decisions else ""
                text = f"{action.text}: {reason}" if reason else action.text
                yield Entry(kind="blocked", run=step.run, time=action.time, text=text, step=step.index)


def _run(run: RunInfo) -> RunView:
    return RunView(
        id=run.run_id,
        status=run.status,
        time=run.time,
        end_time=run.end_time,
        duration_s=run.duration_s,
        first_step=run.first_step,
        error=run.error,
        lost=run.lost_records + run.missing + run.bad_lines,
        dropped_pages=run.dropped_pages,
        state=run.state,
    )


def _step(step: Step) -> StepView:
    return StepView(
        index=step.index,
        run=step.run,
        time=step.time,
        duration_ms=round(step.duration_s * 1000, 3),
        tokens=_agent_tokens(step),
        guard_tokens=_guard_tokens(step),
        actions=step.actions,
        model=step.model,
        response=step.response,
        thought=step.thought,
        finish_reason=step.finish_reason,
        usage=step.usage,
        latency_ms=step.latency_ms,
        failed_calls=step.failed_calls,
        plan=step.plan,
        errors=step.errors,
        page=step.page_before,
    )


def _agent_tokens(step: Step) -> int:
    return sum(usage.total for usage in step.agent_usages)


def _guard_tokens(step: Step) -> int:
    return sum(usage.total for guard in GUARDS for usage in step.guard_usages(guard))


def _purchase(purchase: Any) -> str:
    """Return a purchase in a few words: what, and for how much."""
    if not isinstance(purchase, dict):
        return str(purchase)
    words = (purchase.get("title") or purchase.get("asin"), purchase.get("price"))
    return " · ".join(str(word) for word in words if word)


def _titles(actions: Iterable[Action]) -> Iterator[str]:
    """Yield the titles of the products that actions showed or bought."""
    for action in actions:
        result = action.result if isinstance(action.result, dict) else {}
        listed = result.get("products")
        products = [result.get("product"), action.purchase, *(listed if isinstance(listed, list) else ())]
        for product in products:
            if isinstance(product, dict) and isinstance(title := product.get("title"), str):
                yield title
