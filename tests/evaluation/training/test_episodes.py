"""Episodes and goals for training."""

from pathlib import Path

import msgspec
import pytest

from personalized_shopping.evaluation.policies.offline import OfflinePolicy
from personalized_shopping.evaluation.splits import SPLITS, split_of_product
from personalized_shopping.evaluation.training import goals_of_split, play
from personalized_shopping.shared_libraries.trajectory import read_session
from personalized_shopping.shared_libraries.trajectory.exports import choices
from personalized_shopping.shared_libraries.trajectory.layout import session_dirs
from personalized_shopping.shared_libraries.trajectory.recording_env import RecordTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop


@pytest.fixture(scope="module")
def server() -> SimServer:
    return SimServer(files=demo_shop(200, 3))


class Scripted:
    """Takes these actions, and then gives up."""

    def __init__(self, *actions: str) -> None:
        self.actions = list(actions)

    def act(self, page: Page) -> str | None:
        return self.actions.pop(0) if self.actions else None


def test_splits_share_no_product_and_lose_no_goal(server: SimServer) -> None:
    found = {split: goals_of_split(server, split) for split in SPLITS}
    assert sorted(goal for goals in found.values() for goal in goals) == list(range(len(server.goals)))
    products = {split: {server.goal_table[goal].asin for goal in goals} for split, goals in found.items()}
    assert (
        all(products.values()) and not products["train"] & products["test"] and not products["dev"] & products["test"]
    )


@pytest.mark.parametrize("goal", [0, 7])
def test_an_episode_and_its_recording_give_the_same_decisions(server: SimServer, tmp_path: Path, goal: int) -> None:
    live = play(WebAgentTextEnv("text", server=server), OfflinePolicy(server.goal_table[goal].instruction_text), goal)
    env = RecordTrajectory(WebAgentTextEnv("text", server=server), tmp_path)
    env.reset(options={"session": goal})
    for choice in live:
        env.step(choice.action)
    env.close()
    records_writer.drain()
    files_writer.drain()
    [directory] = session_dirs(tmp_path)
    kept = choices(read_session(directory), split_of_product)
    assert len(kept) == len(live) > 2
    for one, other in zip(live, kept, strict=True):
        assert msgspec.structs.replace(other, episode=one.episode) == one


def test_decisions_of_an_episode(server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=server)
    found = play(env, Scripted("search[lamp]", "nonsense", "click[no such thing]", "click[next >]"), 3)
    assert [choice.action for choice in found] == ["search[lamp]", "click[no such thing]", "click[next >]"]
    assert [choice.chosen for choice in found] == [None, None, 1] and found[0].candidates == ()
    assert [choice.return_ for choice in found] == [0.0] * 3 and not any(choice.done for choice in found)
    assert found[0].instruction in found[0].state and found[2].history == ("search[lamp]", "click[no such thing]")
    assert len(play(env, Scripted(*["search[lamp]"] * 9), 3, max_steps=4)) == 4


def test_a_purchase_ends_an_episode_and_is_paid_back(server: SimServer) -> None:
    goal = server.goal_table[3]
    asin = goal.asin
    actions = (f"search[{server.catalog.product(asin).title}]", f"click[{asin}]", "click[Buy Now]", "search[more]")
    found = play(WebAgentTextEnv("text", server=server), Scripted(*actions), 3)
    assert [choice.done for choice in found] == [False, False, True]
    assert 0 < found[-1].reward == found[0].return_ and found[-1].texts[found[-1].chosen] == "Buy Now"
    assert (found[0].asin, found[0].weight, found[0].split) == (asin, goal.weight, split_of_product(asin))
