"""The reward of a purchase: how well it fits the goal in kind, attributes, options and price (WebShop, section 3)."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
from thefuzz import fuzz

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.normalize import normalize_color

MATCH_THRESHOLD = 85
"""Texts count as equal where their token set ratio (0 to 100) is above this."""

NounTagger = Callable[[str], Sequence[str]]


class TypeReward(msgspec.Struct, frozen=True):
    """How well the bought product is of the wanted kind: ``r_type`` is 0, 0.1, 0.5 or 1."""

    r_type: float
    query_match: bool
    category_match: bool
    title_score: float


class Reward(msgspec.Struct, frozen=True):
    """Every part of a purchase's reward; ``w_`` are the parts' shares of the whole.

    ``total`` is r_type x (matched attributes + matched options + price within limit) / (attributes + options + 1).
    ``r_option`` is ``None`` where the goal names no options.
    """

    total: float
    kind: TypeReward
    r_att: float
    w_att: float
    r_option: float | None
    w_option: float
    r_price: bool
    w_price: float

    def info(self) -> dict[str, float | bool]:
        """Return WebShop's mapping of the parts; the option parts are there only where the goal names options."""
        parts: dict[str, float | bool] = {"r_type": self.kind.r_type, "r_att": self.r_att, "w_att": self.w_att}
        parts["query_match"] = self.kind.query_match
        parts["category_match"] = self.kind.category_match
        parts["title_score"] = self.kind.title_score
        if self.r_option is not None:
            parts |= {"r_option": self.r_option, "w_option": self.w_option}
        return parts | {"r_price": self.r_price, "w_price": self.w_price}


def type_reward(product: Product, goal: Goal, nouns: NounTagger) -> TypeReward:
    """Compare the kinds: the query it was listed under, its category path and the nouns of its title."""
    query_match = product.query == goal.query
    bought_path, goal_path = _path(product.product_category), _path(goal.product_category)
    category_match = len(bought_path & goal_path) >= 2
    wanted = [noun.lower() for noun in nouns(goal.name or "")]
    found = {noun.lower() for noun in nouns(product.title or "")}
    title_score = len(found & set(wanted)) / len(wanted) if wanted else 0.2
    r_type = 1.0
    if not (query_match or category_match or title_score > 0.2):
        r_type = 0.5
    if title_score < 0.1:
        r_type = 0.1
    if title_score == 0.0:
        r_type = 0.0
    return TypeReward(r_type, query_match, category_match, title_score)


def attribute_reward(product: Product, wanted: Sequence[str]) -> tuple[float, int]:
    """Return the share and the number of wanted attributes that the product has or that its texts name."""
    title = (product.title or "").lower()
    bullets = " ".join(bullet or "" for bullet in product.bullets).lower()
    description = (product.description or "").lower()
    matched = 0
    for attribute in wanted:
        if any(similar(has, attribute) for has in product.attributes) or any(
            attribute in text for text in (title, bullets, description)
        ):
            matched += 1
    return (matched / len(wanted) if wanted else 0.0), matched


def option_reward(chosen: Iterable[str], wanted: Sequence[str] | Mapping[str, str]) -> tuple[float | None, int]:
    """Return the share and the number of wanted options that some chosen value resembles.

    Names of options are not compared. A wanted option that is given by name is compared as the text of the pair
    (name, value). Both are as published, because scores depend on them.
    """
    values = [normalize_color(value) for value in chosen]
    targets: list[str | tuple[str, ...]] = list(wanted.items() if isinstance(wanted, Mapping) else wanted)
    matched = sum(any(similar(value, target) for value in values) for target in map(normalize_color, targets))
    return (matched / len(targets) if targets else None), matched


def purchase_reward(
    product: Product, goal: Goal, *, price_usd: float, options: Mapping[str, str], nouns: NounTagger
) -> Reward:
    """Score a purchase against a goal.

    Args:
        product: what was bought.
        goal: what was asked for.
        price_usd: the price that was charged.
        options: the chosen values by option name.
        nouns: gives the nouns of a title.
    """
    kind = type_reward(product, goal, nouns)
    r_att, attributes = attribute_reward(product, goal.attributes)
    r_option, matched_options = option_reward(options.values(), goal.goal_options)
    r_price = price_usd <= goal.price_upper
    parts = len(goal.attributes) + len(goal.goal_options) + 1
    return Reward(
        total=kind.r_type * ((attributes + matched_options + r_price) / parts),
        kind=kind,
        r_att=r_att,
        w_att=len(goal.attributes) / parts,
        r_option=r_option,
        w_option=len(goal.goal_options) / parts,
        r_price=r_price,
        w_price=1 / parts,
    )


def similar(one: str | tuple[str, ...], other: str | tuple[str, ...]) -> bool:
    """Return whether two texts are close enough to count as the same attribute or option."""
    return bool(fuzz.token_set_ratio(str(one), str(other)) > MATCH_THRESHOLD)


def _path(product_category: str | None) -> set[str]:
    return {part.strip() for part in (product_category or "").split("›")}
