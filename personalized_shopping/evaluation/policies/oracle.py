"""Somebody who knows the goal: what it cannot reach, nobody can."""

from collections.abc import Iterator

from personalized_shopping.evaluation.policies.base import search_for
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BACK_TO_SEARCH, BUY_NOW, NEXT_PAGE
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import option_reward

_PAGES = 5
"""Results pages that it looks at for one query: five show what a query finds."""


class OraclePolicy:
    """Finds the goal's product by its own title, chooses the goal's options and buys.

    It plays through the pages as anybody does: a product that no search lists, or an option value that cannot be
    clicked, is out of its reach too.

    Args:
        goal: what is asked for.
        title: the wanted product's title.
    """

    def __init__(self, goal: Goal, title: str) -> None:
        self._goal = goal
        words = title.split()
        self._queries: Iterator[str] = iter(
            dict.fromkeys(
                [title, " ".join(words[:8]), goal.name or title, goal.query, goal.instruction_text, goal.asin]
            )
        )
        self._clicks: list[str] | None = None

    def act(self, page: Page) -> str | None:
        """Return the next action."""
        if page.kind == "results":
            return self._look(page)
        if page.kind == "item" and page.product is not None:
            if self._clicks is None:
                self._clicks = [f"click[{label}]" for label in self._values(page)]
            return self._clicks.pop(0) if self._clicks else f"click[{BUY_NOW}]"
        query = next(self._queries, None)
        return None if query is None else search_for(query)

    def _look(self, page: Page) -> str:
        if any(card.asin == self._goal.asin for card in page.products):
            return f"click[{self._goal.asin}]"
        if page.products and page.page_number < _PAGES:
            return f"click[{NEXT_PAGE}]"
        return f"click[{BACK_TO_SEARCH}]"

    def _values(self, page: Page) -> Iterator[str]:
        """Yield the values to choose: for each option of the product the one that meets most of the goal."""
        assert page.product is not None
        wanted = self._goal.goal_options
        for name, values in page.product.options.items():
            exact = wanted.get(name) if isinstance(wanted, dict) else None
            if exact in values:
                yield str(exact)
                continue
            matches = {value: option_reward([value], wanted)[1] for value in values}
            best = max(matches, key=lambda value: matches[value], default=None)
            if best is not None and matches[best]:
                yield best
