"""WebShop's functions under their published names, against the reference's outputs."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from thefuzz import fuzz

from personalized_shopping.errors import SettingError
from personalized_shopping.shared_libraries.web_agent_site import utils
from personalized_shopping.shared_libraries.web_agent_site.engine import engine, goal, normalize
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import price_limits
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import (
    builtin_nouns,
    make_tagger,
    spacy_is_usable,
)


@pytest.fixture(scope="module")
def golden(shared_dir: Path) -> dict[str, Any]:
    return json.loads((shared_dir / "conformance" / "golden_pure.json").read_text())


def test_parse_action(golden: dict[str, Any]) -> None:
    for text, (name, argument) in golden["parse_action"]:
        # The reference lower-cases the argument in the environment, this project where it is read.
        assert engine.parse_action(text) == (name, None if argument is None else argument.lower())


def test_normalize_color(golden: dict[str, Any]) -> None:
    assert [normalize.normalize_color(text) for text, _ in golden["normalize_color"]] == [
        color for _, color in golden["normalize_color"]
    ]


def test_option_reward(golden: dict[str, Any]) -> None:
    for chosen, wanted, expected in golden["option_reward_list_goals"]:
        assert list(goal.get_option_reward(chosen, wanted)) == expected
    for chosen, wanted, expected in golden["option_reward_dict_goals"]:
        assert list(goal.get_option_reward(chosen, wanted)) == expected


def test_attribute_reward(golden: dict[str, Any]) -> None:
    for product, wanted, expected in golden["attribute_reward"]:
        assert list(goal.get_attribute_reward(product, {"attributes": wanted})) == expected


def test_token_set_ratio_is_the_published_one(golden: dict[str, Any]) -> None:
    for one, other, expected in golden["token_set_ratio_thefuzz_0.22.1"]:
        assert fuzz.token_set_ratio(one, other) == expected


def test_price_limits(golden: dict[str, Any]) -> None:
    for price, expected in golden["price_candidates"]:
        assert list(price_limits(price)) == expected


def test_random_idx(golden: dict[str, Any]) -> None:
    rng = random.Random(24)
    weights = [rng.randint(0, 10) for _ in range(50)]
    assert weights == golden["random_idx_seed24"]["weights"]
    sums = [0]
    for weight in weights:
        sums.append(sums[-1] + weight)
    assert [utils.random_idx(sums, rng) for _ in range(10)] == golden["random_idx_seed24"]["first10"]


@pytest.mark.parametrize("count", [10, 13, 6910, 12087])
def test_shuffle(golden: dict[str, Any], count: int) -> None:
    numbers = list(range(count))
    random.Random(233).shuffle(numbers)
    assert numbers[:20] == golden[f"shuffle_seed233_n{count}_first20"][: len(numbers)]


def test_mturk_code(golden: dict[str, Any]) -> None:
    assert [[text, utils.generate_mturk_code(text)] for text, _ in golden["mturk"]] == golden["mturk"]


def test_page_slices(golden: dict[str, Any]) -> None:
    for total, page, expected in golden["page_slices"]:
        assert len(engine.get_product_per_page(list(range(total)), page)) == expected


def test_color_set_and_size_patterns(shared_dir: Path) -> None:
    directory = shared_dir / "conformance"
    assert list(normalize.COLOR_SET) == json.loads((directory / "color_set.json").read_text())
    patterns = json.loads((directory / "size_patterns.json").read_text())
    assert [pattern.pattern for pattern in normalize.SIZE_PATTERNS] == [each["pattern"] for each in patterns]


def test_normalize_color_size() -> None:
    keys = [("x", "Navy Blue", "XX-Large"), ("x", "odd", "7.5"), ("x", "Red", "strange")]
    colors, sizes = normalize.normalize_color_size(keys)
    assert colors == {"N.A.": "not_matched", "navy blue": "blue", "odd": "not_matched", "red": "red"}
    assert sizes == {"N.A.": "not_matched", "xx-large": "xx-large", "7.5": "numeric_size", "strange": "not_matched"}


def test_goals_from_mappings(shared_dir: Path) -> None:
    golden = json.loads((shared_dir / "conformance" / "golden_env.json").read_text())
    path = shared_dir / "conformance" / "items_shuffle.json"
    for kind in ("human", "synthetic"):
        rng = random.Random(233)
        products, by_asin, prices, by_attribute = engine.load_products(path, human_goals=kind == "human", rng=rng)
        assert prices == golden[kind]["product_prices"]
        goals = goal.get_goals(products, prices, human_goals=kind == "human", rng=rng)
        random.Random(233).shuffle(goals)
        assert goals == golden[kind]["goals"]
        assert by_attribute["rubber sole"] == {p["asin"] for p in products if "rubber sole" in p["Attributes"]}
        assert set(by_asin) == set(prices)


def test_builtin_tagger_keeps_kinds_apart() -> None:
    assert builtin_nouns("Women's Soft Cotton Running Shoes") == ["Women", "Cotton", "Running", "Shoes"]
    name, tagger = make_tagger("builtin")
    assert name == "builtin:1"
    assert list(tagger("the red of and")) == []


@pytest.mark.skipif(not spacy_is_usable(), reason="spaCy and its model en_core_web_sm are not both installed")
def test_spacy_tagger_finds_nouns_and_names_itself() -> None:
    name, tagger = make_tagger("spacy")
    assert name.startswith("spacy:en_core_web_sm:")
    assert {noun.lower() for noun in tagger("soft cotton shoes for women")} >= {"cotton", "shoes", "women"}
    assert make_tagger("auto")[0] == name


@pytest.mark.skipif(spacy_is_usable(), reason="spaCy is installed")
def test_a_tagger_that_is_not_installed_says_how_to_get_it() -> None:
    with pytest.raises(SettingError, match="install spacy"):
        make_tagger("spacy")
    assert make_tagger("auto")[0] == "builtin:1"
    with pytest.raises(SettingError, match="builtin, spacy or auto"):
        make_tagger("nltk")
