"""The cases: enough of each kind, fair, and about products that are there."""

from collections import Counter

import pytest

from personalized_shopping.evaluation.conversations import KINDS, ConversationTask, build_cases, cases
from personalized_shopping.evaluation.conversations.building import fulfils, has_feature
from personalized_shopping.evaluation.conversations.model import Wish
from personalized_shopping.evaluation.conversations.person import brand_of
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

ALL = cases()


def test_there_are_enough_of_each_kind() -> None:
    counts = Counter(task.kind for task in ALL)
    assert len(ALL) >= 64 and set(counts) == set(KINDS) and min(counts.values()) >= 8
    assert len({task.id for task in ALL}) == len({task.opening for task in ALL}) == len(ALL)


def test_the_same_catalogue_gives_the_same_cases(shop: Shop) -> None:
    assert build_cases(shop.catalog) == ALL


@pytest.mark.parametrize("task", ALL, ids=lambda task: task.id)
def test_a_case_is_fair(task: ConversationTask, shop: Shop) -> None:
    if task.denial:
        assert not task.asins and task.outcome == "nothing"
        return
    assert task.asins and task.final_asins
    for asins, wish in ((task.asins, task.wish), (task.final_asins, task.final_wish)):
        for asin in asins:
            product = shop.catalog.product(asin)
            assert fulfils(product, Wish(product=wish.product, options=wish.options, limit_usd=wish.limit_usd))
    # A person tells what they hold, and nothing that was said in the opening already.
    held = [part.about for part in task.parts]
    assert len(held) == len(set(held)) and {*held} <= {*task.wish.options, "limit", "feature"}
    # Products of one kind are told apart by their brands.
    brands = [brand_of(shop.catalog.product(asin).title or "") for asin in task.asins]
    assert len(set(brands)) == len(brands)


def test_where_nothing_is_to_be_had_it_is_one_thing_that_is_missing(by_id: dict[str, ConversationTask]) -> None:
    sold = [task for task in by_id.values() if task.denial and (task.wish.options or task.wish.limit_usd)]
    assert len(sold) >= 5 and {part.about for task in sold for part in task.parts} >= {"color", "size"}


def test_people_differ_in_when_they_turn(by_id: dict[str, ConversationTask]) -> None:
    moments = Counter(task.change.at for task in by_id.values() if task.change is not None)
    assert set(moments) == {"shown", "opened", "asked"} and min(moments.values()) >= 2
    refusing = [task for task in by_id.values() if task.kind == "refuse_purchase"]
    assert {task.must_ask for task in refusing} == {True, False}


def test_a_feature_is_found_in_attributes_and_in_words(shop: Shop) -> None:
    product = shop.catalog.product("B02SQZMTIL")
    assert has_feature(product, "flip up arms") and has_feature(product, "Holds 300 pounds")
    assert not has_feature(product, "mesh back")
