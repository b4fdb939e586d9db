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


@pytest.mark.parametrize("task", cases(), ids=lambda task: task.id)
def test_the_guard_stands_in_the_way_of_no_case(task: ConversationTask, shop: Shop) -> None:
    episode = asyncio.run(play_case(task, model=solver(task, shop)))
    assert episode.success, (episode.why, episode.error, episode.instruction)


@pytest.mark.parametrize("name", ["dress-color", "lamp-to-speaker", "table-color", "tea-flavor"])
def test_nor_where_the_person_turns_round_in_other_words(
    name: str, shop: Shop, by_id: dict[str, ConversationTask]
) -> None:
    task = by_id[f"change_of_mind/{name}"]
    for seed in (1, 3, 4):
        episode = asyncio.run(play_case(task, model=solver(task, shop), seed=seed))
        assert episode.success, (seed, episode.why, episode.instruction)


def test_other_words_of_the_person_change_nothing(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["budget/sneakers"]
    said = set()
    for seed in range(4):
        episode = asyncio.run(play_case(task, model=solver(task, shop), plugins=lambda _: [], seed=seed))
        assert episode.success
        said.add(episode.instruction)
    assert len(said) > 1
