"""Which goals a run plays."""

import json
import random
from collections.abc import Collection
from pathlib import Path

from msgspec import Struct

from personalized_shopping.errors import EvaluationError, shorten
from personalized_shopping.evaluation.splits import Split, SplitBy, split_of_index, split_of_product
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import GoalTable

MAX_ASIN_CHARS = 64


class Task(Struct, frozen=True, kw_only=True):
    """A trial of a goal. ``task_id`` names the goal, ``key`` the trial."""

    goal_index: int
    asin: str
    split: Split
    kind: str
    trial: int = 0

    @property
    def task_id(self) -> str:
        """The goal's name: its kind and index, with leading zeros so that names sort as goals do."""
        return f"{self.kind}-{self.goal_index:05d}"

    @property
    def key(self) -> str:
        """The trial's name."""
        return f"{self.task_id}#{self.trial}"


def select_tasks(
    table: GoalTable,
    *,
    split: Split | None = None,
    split_by: SplitBy = "product",
    asins: Collection[str] | None = None,
    limit: int | None = None,
    seed: int = 0,
    trials: int = 1,
) -> list[Task]:
    """Return the trials to play, by goal index.

    Args:
        table: all goals.
        split: only those of one split; ``None`` for all.
        split_by: which kind of split.
        asins: only goals of these products; ``None`` for all.
        limit: how many goals to draw at most, each with the same chance; ``None`` for all.
        seed: of the draw.
        trials: how often each goal is played.

    Raises:
        EvaluationError: where nothing is left to play.
    """
    wanted = None if asins is None else {asin.upper() for asin in asins}
    found = []
    for index, goal in enumerate(table):
        side = split_of_product(goal.asin) if split_by == "product" else split_of_index(index)
        if split in (None, side) and (wanted is None or goal.asin.upper() in wanted):
            found.append(Task(goal_index=index, asin=goal.asin, split=side, kind=table.kind))
    if not found:
        raise EvaluationError(_nothing_left(table, split, asins))
    if limit is not None and limit < len(found):
        chosen = sorted(random.Random(seed).sample(range(len(found)), limit))
        found = [found[place] for place in chosen]
    return [
        Task(goal_index=task.goal_index, asin=task.asin, split=task.split, kind=task.kind, trial=trial)
        for task in found
        for trial in range(trials)
    ]


def read_asins(path: Path) -> frozenset[str]:
    """Read a file of ASINs: apart by lines, spaces or commas, or as a JSON array. A line may begin with # as a remark.

    Raises:
        EvaluationError: where it cannot be read, names none, or holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        names = json.loads(text) if text.lstrip().startswith("[") else _named_in(text)
    except (OSError, ValueError) as error:
        raise EvaluationError(f"The file of ASINs {path} cannot be read: {shorten(str(error))}.") from error
    for name in names:
        if not isinstance(name, str) or len(name) > MAX_ASIN_CHARS or not name.isalnum():
            raise EvaluationError(f"{path} must hold ASINs, one a line; {shorten(name)} is none.")
    if not names:
        raise EvaluationError(f"The file of ASINs {path} names no product.")
    return frozenset(names)


def _named_in(text: str) -> list[str]:
    lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return [name for line in lines for name in line.replace(",", " ").split()]


def _nothing_left(table: GoalTable, split: Split | None, asins: Collection[str] | None) -> str:
    if not len(table):
        other = "synthetic" if table.kind == "human" else "human"
        return (
            f"This catalogue has no {table.kind} goals: none of its products came with such instructions, which "
            "WebShop's instruction files bring when they lie beside the products' file. "
            f"--goals {other} tries the other kind."
        )
    where = " and ".join(filter(None, [f"split {split}" if split else "", "the given products" if asins else ""]))
    return f"None of the {len(table):,} {table.kind} goals is left by {where}."
