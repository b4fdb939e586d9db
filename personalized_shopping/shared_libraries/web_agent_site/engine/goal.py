"""WebShop's import path ``engine.goal``: its names over this project's goals and rewards.

Everything here is compatibility, over WebShop's mappings; the design is in ``goals`` and ``reward``.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product as combinations
from typing import Any

from personalized_shopping.config import setting
from personalized_shopping.shared_libraries.web_agent_site.engine.engine import product_from_mapping
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import (
    NO_PRICE_LIMIT,
    PRICE_RANGE,
    Goal,
    draw_price_limit,
    price_clause,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import make_tagger
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import (
    NounTagger,
    attribute_reward,
    option_reward,
    purchase_reward,
    type_reward,
)

__all__ = [
    "PRICE_RANGE",
    "get_attribute_reward",
    "get_goals",
    "get_human_goals",
    "get_option_reward",
    "get_reward",
    "get_synthetic_goals",
    "get_type_reward",
]


def get_goals(
    all_products: Iterable[Mapping[str, Any]],
    product_prices: Mapping[str, float] | None,
    human_goals: bool = True,
    rng: Any = random,
) -> list[dict[str, Any]]:
    """Return the goals of the products in WebShop's mappings, in catalogue order."""
    make = get_human_goals if human_goals else get_synthetic_goals
    return make(all_products, product_prices, rng)


def get_human_goals(
    all_products: Iterable[Mapping[str, Any]], product_prices: Mapping[str, float] | None, rng: Any = random
) -> list[dict[str, Any]]:
    """Return a goal for every request that people wrote, those without attributes left out."""
    goals = []
    for product in all_products:
        for written in product.get("instructions", ()):
            if not written["instruction_attributes"]:
                continue
            limit = _limit(product, product_prices, rng)
            text = written["instruction"].strip(".") + price_clause(limit)
            options = written["instruction_options"]
            goals.append(_goal(product, text, written["instruction_attributes"], limit, options, 1))
    return goals


def get_synthetic_goals(
    all_products: Iterable[Mapping[str, Any]], product_prices: Mapping[str, float] | None, rng: Any = random
) -> list[dict[str, Any]]:
    """Return a goal for every combination of option values of every product with a synthetic instruction."""
    goals = []
    for product in all_products:
        attributes = product.get("instruction_attributes")
        if product.get("instruction_text") is None or not attributes:
            continue
        limit = _limit(product, product_prices, rng)
        names = sorted(product["options"])
        for values in combinations(*(product["options"][name] for name in names)):
            chosen = dict(zip(names, values, strict=True))
            listed = ", and ".join(f"{name}: {value}" for name, value in chosen.items())
            text = f"{product['instruction_text']}{' with ' + listed if listed else ''}{price_clause(limit)}"
            goals.append(_goal(product, text, attributes, limit, chosen, 0))
    counts = Counter(attribute for goal in goals for attribute in goal["attributes"])
    for goal in goals:
        goal["weight"] = sum(1.0 / counts[a] for a in goal["attributes"]) / len(goal["attributes"])
    return goals


def get_type_reward(
    purchased_product: Mapping[str, Any], goal: Mapping[str, Any], nouns: NounTagger | None = None
) -> dict[str, Any]:
    """Compare the kinds of two products; return ``r_type``, ``query_match``, ``category_match``, ``title_score``."""
    kind = type_reward(product_from_mapping(purchased_product), _read_goal(goal), nouns or _configured_tagger())
    return {
        "r_type": kind.r_type,
        "query_match": kind.query_match,
        "category_match": kind.category_match,
        "title_score": kind.title_score,
    }


def get_attribute_reward(purchased_product: Mapping[str, Any], goal: Mapping[str, Any]) -> tuple[float, int]:
    """Return the share and the number of the goal's attributes that the product has."""
    return attribute_reward(product_from_mapping(purchased_product), goal["attributes"])


def get_option_reward(
    purchased_options: Iterable[str], goal_options: Sequence[str] | Mapping[str, str]
) -> tuple[float | None, int]:
    """Return the share (``None`` without goal options) and the number of the goal's options that were chosen."""
    return option_reward(purchased_options, goal_options)


def get_reward(
    purchased_product: Mapping[str, Any],
    goal: Mapping[str, Any],
    price: float,
    options: Mapping[str, str],
    *,
    verbose: bool = False,
    nouns: NounTagger | None = None,
) -> Any:
    """Score a purchase; return the reward, with ``verbose`` also the mapping of its parts."""
    reward = purchase_reward(
        product_from_mapping(purchased_product),
        _read_goal(goal),
        price_usd=price,
        options=options,
        nouns=nouns or _configured_tagger(),
    )
    return (reward.total, reward.info()) if verbose else reward.total


@cache
def _configured_tagger() -> NounTagger:
    return make_tagger(setting("NOUN_TAGGER"))[1]


def _limit(product: Mapping[str, Any], prices: Mapping[str, float] | None, rng: Any) -> float:
    return NO_PRICE_LIMIT if prices is None else draw_price_limit(prices[product["asin"]], rng)


def _goal(
    product: Mapping[str, Any], text: str, attributes: Sequence[str], limit: float, options: Any, weight: float
) -> dict[str, Any]:
    return {
        "asin": product["asin"],
        "category": product["category"],
        "query": product["query"],
        "name": product["name"],
        "product_category": product["product_category"],
        "instruction_text": text,
        "attributes": attributes,
        "price_upper": limit,
        "goal_options": options,
        "weight": weight,
    }


def _read_goal(goal: Mapping[str, Any]) -> Goal:
    options = goal.get("goal_options", ())
    return Goal(
        asin=goal.get("asin", ""),
        category=goal.get("category"),
        query=goal.get("query", ""),
        name=goal.get("name"),
        product_category=goal.get("product_category"),
        instruction_text=goal.get("instruction_text", ""),
        attributes=tuple(goal.get("attributes", ())),
        price_upper=goal.get("price_upper", NO_PRICE_LIMIT),
        goal_options=dict(options) if isinstance(options, Mapping) else tuple(options),
        weight=goal.get("weight", 1),
    )
