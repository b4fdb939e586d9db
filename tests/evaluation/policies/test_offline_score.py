"""The offline shopper's score on real listings, where they are at hand: a small sample holds what it reached."""

import random
from collections import defaultdict
from pathlib import Path

import pytest

from personalized_shopping.evaluation.policies.offline import OfflinePolicy
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer

PRODUCTS = 60
FEWEST_POINTS = 0.80


@pytest.fixture(scope="module")
def server(shared_dir: Path) -> SimServer:
    listings = shared_dir / "data" / "webshop_1k" / "items_shuffle_1000.json"
    if not listings.is_file():
        pytest.skip("WebShop's small catalogue is not on this machine")
    return SimServer(file_path=listings)


def reward_of(server: SimServer, index: int) -> float:
    """Play one goal and return its reward."""
    visit, page = server.start("one", index)
    policy = OfflinePolicy(page.instruction or "")
    while page.kind != "done" and (text := policy.act(page)) is not None:
        action, _ = read_action(text)
        assert action is not None
        step, visit = server.act("one", visit, action, page)
        page = step.page
    return visit.reward.total if visit.reward else 0.0


def test_it_holds_its_score_on_a_sample_of_products(server: SimServer) -> None:
    of_product: dict[str, list[int]] = defaultdict(list)
    goals: list[Goal] = list(server.goal_table)
    for index, goal in enumerate(goals):
        of_product[goal.asin].append(index)
    rng = random.Random(1)
    sample = [rng.choice(of_product[asin]) for asin in rng.sample(sorted(of_product), PRODUCTS)]
    rewards = [reward_of(server, index) for index in sample]
    assert sum(rewards) / len(rewards) >= FEWEST_POINTS
    assert sum(reward == 1.0 for reward in rewards) / len(rewards) >= 0.5
