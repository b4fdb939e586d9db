"""What an episode on a goal is worth."""

from collections.abc import Collection, Sequence
from typing import Any

from personalized_shopping.config import setting
from personalized_shopping.evaluation.webshop.tasks import Task
from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Episode, Status, Wanted
from personalized_shopping.shared_libraries.metrics.failures import explain_goal
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import NO_PRICE_LIMIT, Goal, GoalKind
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import make_tagger
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import (
    attribute_reward,
    purchase_reward,
    similar,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles

FULL = 1.0 - 1e-9
"""A reward from which on a goal counts as met; the parts are fractions, and their sum may miss 1 by a rounding."""


class Grader:
    """Scores purchases against the goals of one shop.

    Args:
        files: the shop.
        kind: which goals.
        seed: of prices and price limits.
    """

    def __init__(self, files: ShopFiles, kind: GoalKind, seed: int) -> None:
        self.files = files
        self.kind: GoalKind = kind
        self.seed = seed
        self.goals = files.goals(kind, seed)
        self._prices = files.prices(seed)
        self.tagger, self._nouns = make_tagger(setting("NOUN_TAGGER"))

    def grade(
        self,
        task: Task,
        *,
        ended: Ending,
        purchase: Purchase | None,
        actions: Sequence[str],
        listed: Collection[str],
        status: Status = "finished",
        error: str = "",
        **counts: Any,
    ) -> Episode:
        """Return the record of an episode.

        Args:
            task: what was played.
            ended: what ended it.
            purchase: what was bought, if anything was.
            actions: what was done in the shop.
            listed: the products that results pages showed, by ASIN.
            status: whether the agent is to be judged.
            error: what the model or the system said.
            **counts: other fields of the record.
        """
        goal: Goal = self.goals[task.goal_index]
        wanted = self._wanted(goal)
        bought: Bought | None = None
        parts: dict[str, Any] = {}
        score = 0.0
        offered: list[str] = []
        lacking: list[str] = []
        if purchase is not None:
            bought, parts, score = self.score(purchase, goal)
            product = self.files.catalog.product(purchase.asin)
            values = [value for values in product.options.values() for value in values]
            lacking = [attribute for attribute in goal.attributes if not attribute_reward(product, [attribute])[1]]
            offered = [text for text in wanted.options if any(similar(value, text) for value in values)]
        success = score >= FULL
        ceiling = max(self.ceiling(goal), score)
        verdict = explain_goal(
            ended,
            success=success,
            wanted=wanted,
            bought=bought,
            parts=parts,
            listed=listed,
            offered=offered,
            lacking=lacking,
            solvable=ceiling >= FULL,
            error=error,
        )
        return Episode(
            task_id=task.task_id,
            trial=task.trial,
            kind=task.kind,
            cluster=task.asin,
            goal_index=task.goal_index,
            split=task.split,
            instruction=goal.instruction_text,
            status=status,
            ended=ended,
            score=score,
            success=success,
            ceiling=ceiling,
            parts=parts,
            wanted=wanted,
            bought=bought,
            failure=verdict.failure,
            why=verdict.why,
            actions=list(actions),
            steps=len(actions),
            error=error,
            **counts,
        )

    def ceiling(self, goal: Goal) -> float:
        """Return the reward of buying the wanted product with the wanted options.

        The published scoring compares options as texts in a way that misses some of them, even letter for letter.
        """
        wanted = goal.goal_options
        options = wanted if isinstance(wanted, dict) else {str(place): text for place, text in enumerate(wanted)}
        return self.score(Purchase(asin=goal.asin, options=options), goal)[2]

    def score(self, purchase: Purchase, goal: Goal) -> tuple[Bought, dict[str, Any], float]:
        """Return a purchase with its price, the reward's parts, and the reward."""
        product = self.files.catalog.product(purchase.asin)
        row = self.files.catalog.row_of(purchase.asin)
        assert row is not None, "what was bought is in the catalogue"
        price = float(self._prices[row])
        reward = purchase_reward(product, goal, price_usd=price, options=purchase.options, nouns=self._nouns)
        bought = Bought(asin=purchase.asin, title=product.title or "", options=dict(purchase.options), price=price)
        return bought, reward.info(), reward.total

    def _wanted(self, goal: Goal) -> Wanted:
        options = goal.goal_options
        return Wanted(
            asin=goal.asin,
            title=self.files.catalog.product(goal.asin).title or "",
            attributes=list(goal.attributes),
            options=list(options.values() if isinstance(options, dict) else options),
            price_limit=None if goal.price_upper >= NO_PRICE_LIMIT else goal.price_upper,
        )
