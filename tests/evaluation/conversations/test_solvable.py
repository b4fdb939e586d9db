"""Every case can be solved: a model that knows it plays it through the agent's tools, and the person is content."""

import asyncio

import pytest

from personalized_shopping.evaluation.conversations import ConversationTask, cases, play_case
from personalized_shopping.evaluation.conversations.oracle import OracleShopper, oracle
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop


def solver(task: ConversationTask, shop: Shop) -> OracleShopper:
    named = {*task.asins, *task.final_asins, *task.compared}
    return oracle(task, {asin: shop.catalog.product(asin) for asin in named})


@pytest.mark.parametrize("task", cases(), ids=lambda task: task.id)
def test_a_case_can_be_solved(task: ConversationTask, shop: Shop) -> None:
    episode = asyncio.run(play_case(task, model=solver(task, shop), plugins=lambda _: []))
    assert episode.success, (episode.why, episode.error)
    assert episode.status == "finished" and episode.failure is None and not episode.why
    assert all(check.passed for check in episode.checks) and len(episode.checks) >= 2
    assert (episode.bought is not None) is (task.outcome == "buys")


def test_other_words_of_the_person_change_nothing(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["budget/sneakers"]
    said = set()
    for seed in range(4):
        episode = asyncio.run(play_case(task, model=solver(task, shop), plugins=lambda _: [], seed=seed))
        assert episode.success
        said.add(episode.instruction)
    assert len(said) > 1
