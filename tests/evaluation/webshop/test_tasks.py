"""Which goals are played: splits, samples, trials."""

import json
from pathlib import Path

import pytest

from personalized_shopping.errors import EvaluationError
from personalized_shopping.evaluation.splits import SPLITS, split_of_index, split_of_product
from personalized_shopping.evaluation.webshop.tasks import read_asins, select_tasks
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, open_shop_for


def test_splits_keep_products_apart_and_cover_all(small_shop: ShopFiles) -> None:
    table = small_shop.goals("synthetic")
    parts = {split: select_tasks(table, split=split) for split in SPLITS}
    assert sum(map(len, parts.values())) == len(table)
    products = [{task.asin for task in tasks} for tasks in parts.values()]
    assert not products[0] & products[1] and not products[0] & products[2] and not products[1] & products[2]


def test_the_shares_of_the_splits() -> None:
    sides = [split_of_product(f"B{number:09d}") for number in range(20_000)]
    assert sides.count("test") / 20_000 == pytest.approx(0.2, abs=0.01)
    assert sides.count("dev") / 20_000 == pytest.approx(0.1, abs=0.01)


def test_a_products_split_never_changes() -> None:
    """These would move goals between splits of runs that are published."""
    assert [split_of_product(asin) for asin in ("B000000001", "b000000001", "B09QPXVL6K")] == ["test", "test", "train"]


def test_the_published_splits() -> None:
    assert [split_of_index(index) for index in (0, 499, 500, 1_499, 1_500)] == ["test", "test", "dev", "dev", "train"]


def test_a_sample_is_the_same_for_a_seed(small_shop: ShopFiles) -> None:
    table = small_shop.goals("synthetic")
    one, same, other = (select_tasks(table, limit=5, seed=seed) for seed in (1, 1, 2))
    assert one == same != other and len(one) == 5
    assert [task.goal_index for task in one] == sorted(task.goal_index for task in one)


def test_trials_repeat_each_goal(small_shop: ShopFiles) -> None:
    tasks = select_tasks(small_shop.goals("synthetic"), limit=2, trials=3)
    assert len({task.key for task in tasks}) == 6 and len({task.task_id for task in tasks}) == 2


def test_products_can_be_named(small_shop: ShopFiles, asins_file: Path) -> None:
    table = small_shop.goals("synthetic")
    wanted = table[0].asin
    asins_file.write_text(f"# mine\n\n{wanted.lower()}\n")
    tasks = select_tasks(table, asins=read_asins(asins_file))
    assert tasks and {task.asin for task in tasks} == {wanted}


@pytest.mark.parametrize("text", ["B1\nb2\n", "B1 b2", "B1,b2\n# more\n", '["B1", "b2"]', "\ufeffB1\r\nb2\r\n"])
def test_products_are_named_in_any_usual_way(asins_file: Path, text: str) -> None:
    asins_file.write_text(text, encoding="utf-8")
    assert read_asins(asins_file) == {"B1", "b2"}


@pytest.mark.parametrize("text", ["", "# nothing\n", "B1; B2\n", "[1]", "[", "{}"])
def test_a_bad_file_of_asins_is_explained(asins_file: Path, text: str) -> None:
    asins_file.write_text(text)
    with pytest.raises(EvaluationError, match="ASIN"):
        read_asins(asins_file)


def test_nothing_to_play_is_explained(small_shop: ShopFiles) -> None:
    with pytest.raises(EvaluationError, match="the given products"):
        select_tasks(small_shop.goals("synthetic"), asins=["B0NOTHERE"])


def test_a_catalogue_without_such_goals_says_so(tmp_path: Path) -> None:
    products = tmp_path / "products.json"
    empty = dict.fromkeys(("full_description", "small_description", "customization_options", "images"))
    record = empty | {
        "images": ["x.jpg"],
        "asin": "B000000001",
        "name": "shoes",
        "category": "a",
        "query": "b",
        "product_category": "c",
    }
    products.write_text(json.dumps([record]))
    with pytest.raises(EvaluationError, match="no human goals"):
        select_tasks(open_shop_for(products).goals("human"))
