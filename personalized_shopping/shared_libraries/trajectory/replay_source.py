"""What a replay needs of a session: from its logs, or from an ``execution_trajectory.json`` that lies elsewhere."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import layout
from personalized_shopping.shared_libraries.trajectory.execution import CUT_MARK
from personalized_shopping.shared_libraries.trajectory.session import (
    NOT_CARRIED_OUT,
    Action,
    SessionTrajectory,
    find_session,
    read_session,
)


@dataclass(frozen=True)
class Tree:
    """A recorded accessibility tree, perhaps only the beginning of it."""

    text: str
    whole: bool = True

    def matches(self, now: str) -> bool:
        """Return whether a tree of today is this one, as far as this one goes."""
        return now == self.text if self.whole else now.startswith(self.text)


@dataclass(frozen=True)
class RecordedAction:
    """One action: whether it was carried out, the page after it, and what its purchase is scored by.

    ``by_skill`` marks a step that a skill took: it acts on the shop itself, not through the agent's tools.
    """

    text: str
    executed: bool
    tree: Tree | None
    reward: float | None = None
    scored: Any = None
    by_skill: bool = False


@dataclass(frozen=True)
class Recorded:
    """A session to be played again; ``source`` is ``adk`` or ``gymnasium``."""

    name: str
    source: str
    place: Any
    shop: dict[str, Any]
    start_tree: Tree | None
    actions: list[RecordedAction] = field(default_factory=list)


def load_recorded(root: Path | None, wanted: str) -> Recorded:
    """Return the session that a person names: an id, a directory, one of its files, or a copy of its JSON file.

    Raises:
        TrajectoryError: when there is no such session or the file is something else.
    """
    path = Path(wanted)
    if path.is_file() and not (path.parent / layout.RUNS).is_dir() and path.suffix == ".json":
        return _from_document(path)
    return from_session(read_session(find_session(root, wanted)))


def from_session(session: SessionTrajectory) -> Recorded:
    """Return what a replay needs of a session."""
    actions = [recorded for action in session.actions for recorded in _recorded(session, action)]
    first = session.actions[0].page_before if session.actions else None
    return Recorded(
        name=session.start.session,
        source=session.start.source,
        place=session.place,
        shop=session.shop,
        start_tree=_tree(session, first),
        actions=actions,
    )


def _recorded(session: SessionTrajectory, action: Action) -> Iterator[RecordedAction]:
    """Yield an action; the steps of a skill one by one, since they are what moves the shopper."""
    steps = skill_steps(action.info)
    run = action.page_after[0] if action.page_after else 0
    for step in steps:
        yield RecordedAction(step["action"], True, _tree(session, (run, step["page"])), by_skill=True)
    if not steps:
        tree = _tree(session, action.page_after)
        yield RecordedAction(action.text, action.executed, tree, action.reward, action.scored)


def skill_steps(info: Any) -> list[dict[str, Any]]:
    """Return the steps that a skill took, as an action's ``info`` holds them."""
    steps = info.get("skill_steps") if isinstance(info, dict) else None
    return [step for step in steps or [] if isinstance(step, dict) and isinstance(step.get("action"), str)]


def _tree(session: SessionTrajectory, page: tuple[int, int] | None) -> Tree | None:
    shown = session.pages.get(page) if page is not None else None
    if shown is None or shown.a11y is None:
        return None
    try:
        return Tree(session.blobs.get(shown.a11y), whole=not shown.a11y.truncated)
    except TrajectoryError:
        return None


def _from_document(path: Path) -> Recorded:
    try:
        document = json.loads(path.read_bytes())
        start = document["start"]
        steps = document["steps"]
        results = [result for step in steps for result in step.get("action_results", [])]
        actions = [recorded for result in results for recorded in _of_result(result)]
        return Recorded(
            name=str(document["task_metadata"]["task_id"]),
            source=str(start["source"]),
            place=start["place"],
            shop=start["shop"],
            start_tree=_inline(steps[0]["a11y_tree"]) if steps else None,
            actions=actions,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TrajectoryError(
            f"{path} is no execution_trajectory.json of this program ({type(error).__name__}: {error})."
        ) from None


def _of_result(result: dict[str, Any]) -> Iterator[RecordedAction]:
    steps = skill_steps(result["info"])
    tree = _inline(result.get("next_state_a11y_tree"))
    for place, step in enumerate(steps, start=1):
        yield RecordedAction(step["action"], True, tree if place == len(steps) else None, by_skill=True)
    if not steps:
        executed = result["outcome"] not in NOT_CARRIED_OUT
        yield RecordedAction(str(result["action"]), executed, tree, result["reward"], result.get("scored"))


def _inline(text: str | None) -> Tree | None:
    if text is None:
        return None
    beginning, mark, _ = text.partition(CUT_MARK)
    return Tree(beginning, whole=not mark)
