"""Baselines: any button at random, and the published rule."""

import random

from personalized_shopping.evaluation.policies.base import search_for
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page


class RandomPolicy:
    """Searches for the instruction where there is a search bar, and clicks any button elsewhere.

    Args:
        seed: of its choices.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)

    def act(self, page: Page) -> str | None:
        """Return the next action."""
        if page.has_search_bar:
            return search_for(page.instruction or "")
        labels = sorted(page.clickables)
        return f"click[{self._random.choice(labels)}]" if labels else None


class RulePolicy:
    """The published rule: search for the instruction, open the first product, buy it as it is."""

    def act(self, page: Page) -> str | None:
        """Return the next action."""
        if page.kind == "search":
            return search_for(page.instruction or "")
        if page.kind == "results":
            return f"click[{page.products[0].asin}]" if page.products else None
        return f"click[{BUY_NOW}]"
