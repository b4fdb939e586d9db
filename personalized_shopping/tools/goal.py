"""The goal of an evaluated conversation: its task, and what a purchase earns. Other conversations never come here.

What scores a purchase is loaded when one is scored: importing the agent stays quick.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import setting
from personalized_shopping.errors import GoalError, shorten
from personalized_shopping.session import GOAL_KEY, GOAL_KIND_KEY, GOAL_SEED_KEY
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
    from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger, Reward


def goal_index(context: ToolContext) -> int | None:
    """Return which goal the conversation pursues, or ``None`` for a conversation without one.

    Raises:
        GoalError: when the state holds something else than a number.
    """
    index = context.state.get(GOAL_KEY)
    if index is None:
        return None
    if not isinstance(index, int) or isinstance(index, bool):
        raise GoalError(f"The session state {GOAL_KEY} is {shorten(index)}; it must be the number of a goal.")
    return index


def find_goal(context: ToolContext, index: int) -> "Goal":
    """Return a goal of the shared shop: a synthetic one, as in ``webshop_env``, unless the state names the other kind.

    Raises:
        GoalError: when there is no such goal or no such kind.
    """
    from personalized_shopping.shared_libraries.init_env import get_shop_files
    from personalized_shopping.shared_libraries.web_agent_site.engine.goals import GOAL_KINDS

    kind: Any = context.state.get(GOAL_KIND_KEY) or "synthetic"
    if kind not in GOAL_KINDS:
        raise GoalError(f"The session state {GOAL_KIND_KEY} is {shorten(kind)}. Use one of: {', '.join(GOAL_KINDS)}.")
    goal: Goal = get_shop_files().goals(kind, _seed(context))[index]
    return goal


def score(context: ToolContext, index: int, purchase: Purchase) -> "Reward":
    """Return what a purchase earns for a goal."""
    from personalized_shopping.shared_libraries.init_env import get_shop_files
    from personalized_shopping.shared_libraries.web_agent_site.engine.reward import purchase_reward

    return purchase_reward(
        get_shop_files().catalog.product(purchase.asin),
        find_goal(context, index),
        price_usd=charged_price(context, purchase.asin),
        options=purchase.options,
        nouns=_tagger(setting("NOUN_TAGGER"))[1],
    )


def charged_price(context: ToolContext, asin: str) -> float:
    """Return the price in US dollars that a purchase of a product is charged in this conversation."""
    from personalized_shopping.shared_libraries.init_env import get_shop_files

    files = get_shop_files()
    row = files.catalog.row_of(asin)
    assert row is not None, "what was bought is in the catalogue"
    return float(files.prices(_seed(context))[row])


def tagger_name() -> str:
    """Return the name of the noun tagger that rewards are computed with."""
    return _tagger(setting("NOUN_TAGGER"))[0]


def _seed(context: ToolContext) -> int:
    from personalized_shopping.shared_libraries.web_agent_site.engine.goals import DEFAULT_SEED

    seed = context.state.get(GOAL_SEED_KEY)
    if seed is None:
        return DEFAULT_SEED
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise GoalError(f"The session state {GOAL_SEED_KEY} is {shorten(seed)}; it must be a whole number.")
    return seed


@cache
def _tagger(name: str) -> "tuple[str, NounTagger]":
    from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import make_tagger

    return make_tagger(name)
