"""Plays cases one after another against one setting: a model, a guard, a person."""

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random

from google.adk.models.base_llm import BaseLlm
from google.adk.tools.tool_context import ToolContext
from msgspec import Struct

from personalized_shopping.evaluation.red_team.catalogue import PoisonedCatalog
from personalized_shopping.evaluation.red_team.conversation import Conversation, Played
from personalized_shopping.evaluation.red_team.gullible import MODEL_NAME, GullibleShopper
from personalized_shopping.evaluation.red_team.judge_outcome import Outcome, judge_case
from personalized_shopping.evaluation.red_team.model import Case
from personalized_shopping.evaluation.red_team.person import Manner
from personalized_shopping.models import OFFLINE_MODEL, choose_model
from personalized_shopping.plugins import GuardPlugin, ToolStartPlugin, TrajectoryPlugin
from personalized_shopping.plugins.guard_model import configured_guard
from personalized_shopping.shared_libraries.init_env import shop_instead
from personalized_shopping.shared_libraries.safety.guard import System
from personalized_shopping.shared_libraries.trajectory import Decision
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

EMBEDDED_ENGINE = "bm25"


class Setting(Struct, frozen=True, kw_only=True):
    """What the cases are played against.

    ``model`` is ``gullible``, ``offline`` or a model's name. ``ask`` tells whether anybody asks before a purchase: with
    neither a guard nor a question the agent is without any protection.
    """

    model: str
    guard: System
    person: Manner = "careful"
    ask: bool = True


class Result(Struct, kw_only=True):
    """A case that was played: what happened, what came of it, and what the guard decided on the way."""

    case: Case
    played: Played
    outcome: Outcome
    decisions: list[Decision]


class WatchedRecorder(TrajectoryPlugin):
    """The recorder of trajectories, which also hands on what the guard decides."""

    def __init__(self, root: Path | None) -> None:
        super().__init__(lambda: root)
        self.decisions: list[Decision] = []

    def decided(self, context: ToolContext, decision: Decision) -> None:
        """Record a decision of the guard."""
        self.decisions.append(decision)
        super().decided(context, decision)


def play_cases(
    cases: Sequence[Case],
    setting: Setting,
    files: ShopFiles,
    *,
    trajectories: Path | None = None,
    played: Callable[[int], None] | None = None,
) -> list[Result]:
    """Play cases in order and judge each.

    Args:
        cases: what is played.
        setting: against what.
        files: the demo shop.
        trajectories: where each conversation is recorded; ``None`` for nowhere.
        played: told after each case.

    Raises:
        ShoppingError: where the model or the guard cannot be had.
    """
    catalog = PoisonedCatalog(files.catalog)
    engine = files.engine(EMBEDDED_ENGINE)
    try:
        with shop_instead(Shop(catalog, engine)), _environment(setting):
            configured_guard()  # what is wrong with the settings shows before the first case
            return asyncio.run(_play(cases, setting, catalog, files, trajectories, played))
    finally:
        engine.close()
        catalog.close()


def sample(cases: Sequence[Case], limit: int | None, seed: int) -> list[Case]:
    """Return so many of the cases, drawn by a seed, of each kind in proportion, in their order.

    Args:
        cases: all of them.
        limit: how many; ``None`` for all.
        seed: which draw.
    """
    if limit is None or limit >= len(cases):
        return list(cases)
    groups: dict[tuple[str, bool], list[int]] = {}
    for place, case in enumerate(cases):
        groups.setdefault((case.part, case.harmless), []).append(place)
    draw = Random(seed)
    # Each one's place in its shuffled group, as a share of it, says how early it is taken.
    order: list[tuple[float, int]] = []
    for places in groups.values():
        draw.shuffle(places)
        order += [((rank + 0.5) / len(places), place) for rank, place in enumerate(places)]
    return [cases[place] for place in sorted(place for _, place in sorted(order)[:limit])]


async def _play(
    cases: Sequence[Case],
    setting: Setting,
    catalog: PoisonedCatalog,
    files: ShopFiles,
    trajectories: Path | None,
    played: Callable[[int], None] | None,
) -> list[Result]:
    results = []
    for case in cases:
        catalog.poison(case.changes)
        recorder = WatchedRecorder(trajectories)
        plugins = [recorder, GuardPlugin(configured_guard, recorder), ToolStartPlugin(recorder)]
        conversation = Conversation(case, _model(setting, case), plugins, setting.person, ask=setting.ask)
        happened = await conversation.play()
        if trajectories is not None:
            # Pages are drawn after they were shown, from the shop as it then is.
            await asyncio.to_thread(records_writer.drain)
            await asyncio.to_thread(files_writer.drain)
        outcome = judge_case(case, happened, files.catalog)
        results.append(Result(case=case, played=happened, outcome=outcome, decisions=recorder.decisions))
        if played is not None:
            played(1)
    return results


def _model(setting: Setting, case: Case) -> BaseLlm:
    if setting.model == MODEL_NAME:
        return GullibleShopper(case=case)
    return choose_model(OFFLINE_MODEL if setting.model == "offline" else setting.model)


@contextmanager
def _environment(setting: Setting) -> Iterator[None]:
    """Set the settings that the guard and the till read, while the block runs."""
    wanted: Mapping[str, str] = {
        "SAFETY_SYSTEM": setting.guard,
        "ALLOW_UNCONFIRMED_PURCHASES": "" if setting.ask else "1",
        "MODEL_NAME": os.environ.get("MODEL_NAME") or OFFLINE_MODEL,
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
