"""Policies and the agent play goals; what comes of it is graded and recorded."""

from pathlib import Path

import msgspec
import pytest

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.agent_setting import AgentSetting
from personalized_shopping.evaluation.rescoring import rescore_run, write_rescored
from personalized_shopping.evaluation.running.directory import read_episodes, write_lines
from personalized_shopping.evaluation.running.run import How, Outcome, carry_out
from personalized_shopping.evaluation.webshop.grade import FULL, Grader
from personalized_shopping.evaluation.webshop.play_policy import POLICIES, play_policy
from personalized_shopping.evaluation.webshop.suite import WebShopSuite
from personalized_shopping.evaluation.webshop.tasks import select_tasks
from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.metrics.summary import summarise
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, open_shop_for

SEED = 233
SHOPPER = AgentSetting(model="offline/shopper", guard="safepred", skills="tools", max_steps=100)


def play_all(files: ShopFiles, policy: str, limit: int | None = None) -> list[Episode]:
    grader, server = Grader(files, "synthetic", SEED), SimServer(files=files, seed=SEED)
    tasks = select_tasks(grader.goals, limit=limit)
    return [play_policy(policy, server, grader, task, max_steps=100) for task in tasks]


def suite(
    files: ShopFiles, out: Path, policy: str | None = "rule", limit: int = 4, record: str = "failed"
) -> WebShopSuite:
    return WebShopSuite(
        shop=files.directory,
        kind="synthetic",
        seed=SEED,
        tasks=select_tasks(files.goals("synthetic", SEED), limit=limit, seed=SEED),
        choice={"split": "all", "limit": limit},
        policy=policy,
        agent=None if policy else SHOPPER,
        record=record,  # type: ignore[arg-type]
        trajectories=out / "trajectories",
    )


def carried_out(files: ShopFiles, out: Path, **options: object) -> Outcome:
    return carry_out(suite(files, out, **options), out, How(retries=0), name="a test", command="eval webshop")  # type: ignore[arg-type]


def test_the_oracle_reaches_what_can_be_reached(small_shop: ShopFiles) -> None:
    played = play_all(small_shop, "oracle")
    solvable = [episode for episode in played if episode.ceiling >= FULL]
    assert summarise(solvable).score >= 0.99 and len(solvable) > 0.9 * len(played)
    assert all(episode.failure == "unsolvable" for episode in played if not episode.success)


def test_the_oracle_reaches_what_can_be_reached_in_a_real_catalogue(shared_dir: Path) -> None:
    files = open_shop_for(shared_dir / "data/webshop_1k/items_shuffle_1000.json")
    played = play_all(files, "oracle", limit=300)
    solvable = [episode for episode in played if episode.ceiling >= FULL]
    assert summarise(solvable).score >= 0.99
    assert {episode.failure for episode in played if not episode.success} <= {"unsolvable"}


def test_policies_stand_in_their_order(small_shop: ShopFiles) -> None:
    scores = [summarise(play_all(small_shop, name, limit=60)).score for name in ("random", "rule", "offline", "oracle")]
    assert scores == sorted(scores) and len(set(scores)) == 4


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_does_the_same_each_time(small_shop: ShopFiles, name: str) -> None:
    assert play_all(small_shop, name, limit=5) == play_all(small_shop, name, limit=5)


def test_an_episode_that_finds_no_end_is_cut_off(small_shop: ShopFiles) -> None:
    grader, server = Grader(small_shop, "synthetic", SEED), SimServer(files=small_shop, seed=SEED)
    [task] = select_tasks(grader.goals, limit=1)
    episode = play_policy("oracle", server, grader, task, max_steps=1)
    assert (episode.ended, episode.failure, episode.score, episode.steps) == ("max_steps", "loop", 0.0, 1)


def test_failed_episodes_of_a_policy_are_recorded(small_shop: ShopFiles, tmp_path: Path) -> None:
    outcome = carried_out(small_shop, tmp_path / "run", policy="rule")
    for episode in outcome.episodes:
        assert (episode.trajectory is not None) == (episode.failure is not None)
        if episode.trajectory:
            assert (tmp_path / "run" / episode.trajectory / "execution_trajectory.json").exists()
    again = carried_out(small_shop, tmp_path / "again", policy="rule")
    assert again.episodes == outcome.episodes


def test_the_agent_buys_what_the_policy_buys(small_shop: ShopFiles, tmp_path: Path) -> None:
    """The offline shopper decides alike with all of the agent around it, and the reward is the environment's."""
    outcome = carried_out(small_shop, tmp_path / "run", policy=None, limit=2, record="all")
    assert outcome.unjudged == 0
    directly = {
        one.key: one for one in carried_out(small_shop, tmp_path / "direct", policy="offline", limit=2).episodes
    }
    for episode in outcome.episodes:
        same = directly[episode.key]
        assert (episode.bought, episode.score, episode.parts) == (same.bought, same.score, same.parts)
        assert episode.model_calls > 0 and episode.trajectory is not None
    assert not rescore_run(tmp_path / "run").changes


def test_grading_again_finds_a_wrong_score(small_shop: ShopFiles, tmp_path: Path) -> None:
    run = tmp_path / "run"
    outcome = carried_out(small_shop, run, policy="rule", record="all")
    wrong = [msgspec.structs.replace(episode, score=0.123) for episode in outcome.episodes]
    write_lines(run / "episodes.jsonl", wrong)
    found = rescore_run(run)
    assert [change.now for change in found.changes] == [episode.score for episode in outcome.episodes]
    write_rescored(run, found)
    assert [episode.score for episode in read_episodes(run)] == [episode.score for episode in outcome.episodes]
    assert (run / "episodes.before.jsonl").exists()


def test_what_was_not_recorded_is_graded_from_the_shop(small_shop: ShopFiles, tmp_path: Path) -> None:
    carried_out(small_shop, tmp_path / "run", policy="rule", record="none")
    assert rescore_run(tmp_path / "run").kept == 4
    found = rescore_run(tmp_path / "run", small_shop)
    assert (found.from_shop, found.kept, found.changes) == (4, 0, [])


def test_another_shop_cannot_grade(small_shop: ShopFiles, tmp_path: Path) -> None:
    from personalized_shopping.shared_libraries.catalog.demo import demo_source
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop

    carried_out(small_shop, tmp_path / "run", policy="rule", record="none")
    with pytest.raises(EvaluationError, match="not the one"):
        rescore_run(tmp_path / "run", build_shop(demo_source(20, 1), tmp_path / "other"))
