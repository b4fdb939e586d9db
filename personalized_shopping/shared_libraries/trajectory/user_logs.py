"""Logs of the website, WebShop's and ours, as sessions of the trajectory store: people's beside agents'."""

import hashlib
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.catalog.manifest import package_version
from personalized_shopping.shared_libraries.trajectory.execution import write_execution_trajectory
from personalized_shopping.shared_libraries.trajectory.layout import logs_of, session_dir
from personalized_shopping.shared_libraries.trajectory.recorder import Run
from personalized_shopping.shared_libraries.trajectory.recording_env import APP
from personalized_shopping.shared_libraries.trajectory.records import (
    PageShown,
    RunStart,
    ShopEntered,
    ToolCall,
    ToolEnd,
    ToolStart,
)
from personalized_shopping.shared_libraries.trajectory.user_log_actions import way
from personalized_shopping.shared_libraries.trajectory.user_log_views import BadLine, View, read_views
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.render import page_url

PERSON = "person"
_log = logging.getLogger(__name__)


def import_user_log(path: Path, root: Path, report: Callable[[str], None] = _log.warning) -> Path:
    """Keep a log of the website as a session, and return the session's directory.

    The log tells which pages a person saw; the session has the actions that lead from each to the next. An action whose
    page the log does not have is marked ``inferred``. What follows a purchase is a run of its own. Logs have no times:
    those in the session are of the import. A log that was imported before is not imported again.

    Args:
        path: a file of JSON lines, as ``--log`` writes them.
        root: the trajectory directory.
        report: told, a sentence each, which lines were left out.

    Raises:
        TrajectoryError: when the file cannot be read, holds no page view, or the session cannot be written.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TrajectoryError(f"{path} cannot be read: {error.strerror}.") from None
    views: list[View] = []
    for found in read_views(data.splitlines()):
        if isinstance(found, BadLine):
            report(f"{path}, line {found.number} is left out: {found.reason}.")
        else:
            views.append(found)
    if not views:
        raise TrajectoryError(f"{path} holds no page view of a shop; `personalized-shopping site --log` writes some.")
    # The same name may come again for another log, and the same log again under its name.
    session = f"{path.stem}-{hashlib.sha256(data).hexdigest()[:12]}"
    directory = session_dir(root, APP, PERSON, session)
    if not logs_of(directory):
        directory = _write(root, session, path.name, views)
    write_execution_trajectory(directory)
    return directory


def _write(root: Path, session: str, file: str, views: Iterable[View]) -> Path:
    writing: _Writing | None = None
    runs = 0
    for view in views:
        if writing is not None and writing.continues_with(view):
            writing.add(view)
            continue
        if writing is not None:
            writing.end()
        start = RunStart(
            app=APP,
            user=PERSON,
            session=session,
            source="gymnasium",
            agent=PERSON,
            versions={"package": package_version()},
            settings={"imported_from": file},
        )
        # What an earlier run left of its steps must not be taken for this one's, so their numbers go on.
        first_step = writing.steps if writing is not None else 0
        writing = _Writing(Run(root, start, run_id=f"{session}-{runs:04}"), view, first_step)
        runs += 1
    assert writing is not None
    writing.end()
    return writing.run.directory


class _Writing:
    """One run that is being written: the pages up to a purchase, or to the end of the log."""

    def __init__(self, run: Run, first: View, steps: int) -> None:
        self.run = run
        self.steps = steps
        self._goal = first.goal
        self._before = first.place
        self._pages = 0
        options = first.goal.get("goal_options") if first.goal else None
        kind = None if first.goal is None else ("synthetic" if isinstance(options, dict) else "human")
        run.write(ShopEntered(shop={}, place=first.place.to_json(), goal=first.goal, goal_kind=kind))
        self._show(first)

    def continues_with(self, view: View) -> bool:
        """Return whether a page belongs to this run; after a purchase only the same page once more does."""
        return view.goal == self._goal and (self._before.kind != "done" or view.place == self._before)

    def add(self, view: View) -> None:
        """Write what led to a page, and that it was shown."""
        if self._before.kind == "done":
            return
        actions = way(self._before, view.place)
        if actions is None:
            address = page_url("", self.run.run_id, view.place)
            self._act("open", {"address": address}, f"open[{address}]", view)
        for number, action in enumerate(actions or ()):
            is_last = number == len(actions or ()) - 1
            self._act(*_call(action), view if is_last else None)
        self._before = view.place

    def end(self) -> None:
        """Write the end.

        Raises:
            TrajectoryError: when anything could not be written.
        """
        self.run.end("completed" if self._before.kind == "done" else "cancelled").result()
        if self.run.problem is not None:
            raise TrajectoryError(f"The session could not be written to {self.run.directory}: {self.run.problem}")

    def _act(self, tool: str, arguments: dict[str, Any], text: str, led_to: View | None) -> None:
        call_id = f"step-{self.steps}"
        buys = text == f"click[{BUY_NOW}]"
        call = ToolCall(
            step=self.steps, call_id=call_id, tool=tool, arguments=arguments, action=text, irreversible=buys
        )
        self.run.write(call)
        self.run.write(ToolStart(call_id=call_id))
        self.run.write(self._came_of(call_id, led_to))
        self.steps += 1

    def _came_of(self, call_id: str, led_to: View | None) -> ToolEnd:
        nothing = 0.0 if self._goal is not None else None
        if led_to is None:
            return ToolEnd(call_id=call_id, outcome="done", result=None, reward=nothing, info={"inferred": True})
        place = led_to.place
        result = {"page": place.kind, **led_to.content}
        page = self._show(led_to)
        if place.kind != "done":
            return ToolEnd(call_id=call_id, outcome="done", result=result, reward=nothing, info={}, page=page)
        price = f"${led_to.price}" if led_to.price is not None else None
        return ToolEnd(
            call_id=call_id,
            outcome="done",
            result=result,
            reward=led_to.reward,
            done=True,
            info={"reward_info": led_to.reward_info},
            page=page,
            purchase={"asin": place.asin, "title": None, "options": place.options, "price": price},
        )

    def _show(self, view: View) -> int:
        number = self._pages
        self.run.write(PageShown(page=number, kind=view.place.kind, place=view.place.to_json()))
        self._pages += 1
        return number


def _call(action: Action) -> tuple[str, dict[str, Any], str]:
    """Return an action as the call of a tool, and as text."""
    if isinstance(action, Search):
        return "search", {"keywords": action.keywords}, f"search[{action.keywords}]"
    assert isinstance(action, Click)
    return "click", {"button_name": action.button}, f"click[{action.button}]"
