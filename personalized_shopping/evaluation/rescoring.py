"""Grading a run's purchases again: from its trajectories, or from the shop that it was played in."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.running.directory import (
    EPISODES,
    SUMMARY,
    read_episodes,
    read_manifest,
    write_json,
    write_lines,
)
from personalized_shopping.evaluation.running.run import summary_of
from personalized_shopping.evaluation.webshop.grade import FULL, Grader
from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.metrics.failures import explain_goal
from personalized_shopping.shared_libraries.trajectory.replay import rescore
from personalized_shopping.shared_libraries.trajectory.replay_source import load_recorded
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

BEFORE = "episodes.before.jsonl"


class Change(Struct, frozen=True, kw_only=True):
    """An episode whose score is another one now."""

    key: str
    before: float
    now: float


class Rescoring(Struct, frozen=True, kw_only=True):
    """What grading again came to; ``kept`` episodes have a purchase that could not be graded again."""

    from_trajectories: int
    from_shop: int
    kept: int
    changes: list[Change]
    episodes: list[Episode]


def rescore_run(run: Path, files: ShopFiles | None = None, graded: Callable[[int], None] | None = None) -> Rescoring:
    """Grade a run's purchases again.

    Args:
        run: the run's directory.
        files: the shop, for episodes that were not recorded; it must be the one that was played in.
        graded: told of each episode that is done.

    Raises:
        EvaluationError: where the run is no finished run of WebShop goals, or the shop is another one.
    """
    manifest = read_manifest(run)
    if manifest.suite != "webshop":
        raise EvaluationError(f"Only runs of WebShop goals can be graded again; {run} is one of {manifest.suite}.")
    grader = None
    if files is not None:
        if files.catalog.manifest.catalog_id != manifest.shop.get("catalog_id"):
            raise EvaluationError("This catalogue is not the one that the run was played in.")
        grader = Grader(files, manifest.settings["goals"], manifest.settings["seed"])
    counts = {"trajectory": 0, "shop": 0, "kept": 0}
    changes, episodes = [], []
    for episode in read_episodes(run):
        found = _graded(run, episode, grader)
        if found is not None:
            score, parts, source = found
            counts[source] += 1
            if score != episode.score:
                changes.append(Change(key=episode.key, before=episode.score, now=score))
                episode = _changed(episode, score, parts)
        elif episode.bought is not None:
            counts["kept"] += 1
        episodes.append(episode)
        if graded is not None:
            graded(1)
    return Rescoring(
        from_trajectories=counts["trajectory"],
        from_shop=counts["shop"],
        kept=counts["kept"],
        changes=changes,
        episodes=episodes,
    )


def write_rescored(run: Path, rescoring: Rescoring) -> None:
    """Write new scores into a run; the old episodes stay beside them."""
    from personalized_shopping.evaluation.report import write_report

    if not (run / BEFORE).exists():
        os.replace(run / EPISODES, run / BEFORE)
    write_lines(run / EPISODES, rescoring.episodes)
    write_json(run / SUMMARY, summary_of(read_manifest(run), rescoring.episodes))
    write_report(run)


def _graded(run: Path, episode: Episode, grader: Grader | None) -> tuple[float, dict[str, Any], str] | None:
    """Return score, parts and where they come from; ``None`` where nothing was bought or nothing is known."""
    if episode.bought is None:
        return None
    if episode.trajectory is not None and (run / episode.trajectory).is_dir():
        directory = run / episode.trajectory
        purchases = rescore(load_recorded(directory.parent, directory.name))
        if purchases:
            return purchases[0].computed.total, purchases[0].computed.info(), "trajectory"
    if grader is not None and episode.goal_index is not None:
        purchase = Purchase(asin=episode.bought.asin, options=episode.bought.options)
        _, parts, score = grader.score(purchase, grader.goals[episode.goal_index])
        return score, parts, "shop"
    return None


def _changed(episode: Episode, score: float, parts: dict[str, Any]) -> Episode:
    listed = () if episode.failure == "search_missed" else (str(episode.wanted.asin),)
    verdict = explain_goal(
        episode.ended,
        success=score >= FULL,
        wanted=episode.wanted,
        bought=episode.bought,
        parts=parts,
        listed=listed,
        solvable=episode.ceiling >= FULL,
    )
    return msgspec.structs.replace(
        episode, score=score, success=score >= FULL, parts=parts, failure=verdict.failure, why=verdict.why
    )
