"""The simulated server: one shop with its goals and prices, which any number of environments share."""

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from personalized_shopping.config import MAX_USER_SESSIONS, setting
from personalized_shopping.errors import GoalError, shorten
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import DEFAULT_SEED, Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.nouns import make_tagger
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import page_url, render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger, Reward, purchase_reward
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop, Step
from personalized_shopping.shared_libraries.web_agent_site.envs.selection import select_goals
from personalized_shopping.shared_libraries.web_agent_site.envs.views import (
    GoalMappings,
    ProductList,
    ProductMappings,
    ProductPrices,
    SessionMappings,
    Visit,
)
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, open_shop_for

BASE_URL = "http://127.0.0.1:3000"
_PAGE_NAMES = ("search_results", "item_page", "item_sub_page", "done")


class SimServer:
    """A shop with goals. Every shopper's state is a value that is passed in; the server only remembers the latest ones.

    Args:
        base_url: what the pages' addresses start with.
        file_path: a raw WebShop file or a built catalogue; ``None`` for the configured one.
        filter_goals: keeps the goals for which ``filter_goals(index, goal)`` is true.
        limit_goals: how many goals to keep, drawn by weight; -1 for all.
        num_products: how many records of the file to take; ``None`` for all.
        human_goals: whether goals are the requests that people wrote instead of the synthetic ones.
        show_attrs: whether product pages offer the ``Attributes`` page.
        seed: of prices and price limits.
        nouns: the noun tagger; ``None`` for the configured one.
        files: an opened shop, instead of ``file_path``.
    """

    def __init__(
        self,
        base_url: str = BASE_URL,
        file_path: str | Path | None = None,
        filter_goals: Callable[[int, dict[str, Any]], bool] | None = None,
        limit_goals: int = -1,
        num_products: int | None = None,
        human_goals: bool | int | None = False,
        show_attrs: bool = False,
        *,
        seed: int = DEFAULT_SEED,
        nouns: NounTagger | None = None,
        files: ShopFiles | None = None,
    ) -> None:
        self.base_url = base_url
        self.files = files or open_shop_for(file_path, num_products)
        self.catalog = self.files.catalog
        self.search_engine = self.files.engine()
        self.shop = Shop(self.catalog, self.search_engine, show_attributes=show_attrs)
        self.show_attrs = show_attrs
        self.tagger_name, self.nouns = ("custom", nouns) if nouns is not None else make_tagger(setting("NOUN_TAGGER"))
        table = self.files.goals("human" if human_goals else "synthetic", seed)
        self.goal_table, self._cum_weights = select_goals(table, filter_goals, limit_goals)
        self.goals = GoalMappings(self.goal_table)
        human = bool(human_goals)
        self.all_products = ProductList(self.catalog, human=human)
        self.product_item_dict = ProductMappings(self.catalog, human=human)
        self.product_prices = ProductPrices(self.catalog, self.files.prices(seed))
        self._visits: OrderedDict[str, Visit] = OrderedDict()
        self.user_sessions = SessionMappings(self._visits)
        self.search_time = 0.0
        self.render_time = 0.0

    @property
    def cum_weights(self) -> list[float]:
        """Running sums of the goals' weights, from 0."""
        values: list[float] = self._cum_weights.tolist()
        return values

    @property
    def weights(self) -> list[float]:
        """The goals' sampling weights."""
        return [goal.weight for goal in self.goal_table]

    def draw_goal(self, rng: np.random.Generator) -> int | None:
        """Return the index of a goal drawn by weight, or ``None`` where there are no goals."""
        if not len(self.goal_table):
            return None
        position = rng.uniform(0.0, float(self._cum_weights[-1]))
        above = int(np.searchsorted(self._cum_weights, position, side="right"))
        return min(above, len(self.goal_table)) - 1

    def goal_index(self, index: int) -> int:
        """Return a goal's index counted from the front; negative ones count from the end.

        Raises:
            GoalError: if there is no such goal.
        """
        count = len(self.goal_table)
        if not -count <= index < count:
            raise GoalError(f"There is no goal {index}: this environment has {count}, from 0 to {count - 1}.")
        return index % count

    def start(self, session_id: str, goal_index: int | None, seed: int = 0) -> tuple[Visit, Page]:
        """Let a shopper in, with a goal or without one."""
        goal = self.goal_table[goal_index] if goal_index is not None else None
        session = self.shop.start(instruction=goal.instruction_text if goal else None, goal_index=goal_index, seed=seed)
        visit = Visit(session, goal)
        self.remember(session_id, visit)
        return visit, self.shop.page(session)

    def visit(self, session_id: str) -> Visit | None:
        """Return a shopper as the server last saw them, or ``None`` for one it does not know."""
        return self._visits.get(session_id)

    def act(
        self,
        session_id: str,
        visit: Visit,
        action: Action,
        page: Page | None = None,
        nouns: NounTagger | None = None,
    ) -> tuple[Step, Visit]:
        """Take one action of one shopper and score the purchase, if it is one.

        Args:
            session_id: the shopper.
            visit: where the shopper stands.
            action: what the shopper does.
            page: the page of ``visit``, where the caller has it at hand.
            nouns: the noun tagger to score with; ``None`` for the server's.
        """
        started = time.perf_counter()
        step = self.shop.step(visit.session, action, page)
        if isinstance(action, Search):
            self.search_time += time.perf_counter() - started
        reward = visit.reward
        if step.purchase is not None:
            reward = self.score(step, visit.goal, nouns)
            total = reward.total if reward else 0.0
            step = msgspec.structs.replace(
                step,
                session=msgspec.structs.replace(step.session, reward=total),
                page=msgspec.structs.replace(step.page, reward=total),
            )
        visit = Visit(step.session, visit.goal, reward)
        self.remember(session_id, visit)
        return step, visit

    def score(self, step: Step, goal: Goal | None, nouns: NounTagger | None = None) -> Reward | None:
        """Return the reward of a step's purchase; ``None`` without a goal."""
        if goal is None or step.purchase is None:
            return None
        bought = step.purchase
        return purchase_reward(
            self.catalog.product(bought.asin),
            goal,
            price_usd=self.product_prices[bought.asin],
            options=bought.options,
            nouns=nouns or self.nouns,
        )

    def remember(self, session_id: str, visit: Visit) -> None:
        """Keep a shopper's latest state, and forget the least recently seen shopper when there are too many."""
        self._visits[session_id] = visit
        self._visits.move_to_end(session_id)
        if len(self._visits) > MAX_USER_SESSIONS:
            self._visits.popitem(last=False)

    def html(self, session_id: str, page: Page) -> str:
        """Return a page's HTML with the links of this server."""
        started = time.perf_counter()
        try:
            return render_html(page, QueryStringLinks(session_id))
        finally:
            self.render_time += time.perf_counter() - started

    def url(self, session_id: str, session: ShopSession) -> str:
        """Return the address of a session's page."""
        return page_url(self.base_url, session_id, session)

    def __deepcopy__(self, memo: dict[int, Any]) -> "SimServer":
        """Return the server itself: it is shared, and what it holds is read-only."""
        return self

    def receive(
        self, session_id: str, current_url: str | None, session_int: int | None = None, **kwargs: Any
    ) -> tuple[str, str, dict[str, Any]]:
        """Answer one request as WebShop's server does.

        Args:
            session_id: the shopper.
            current_url: not needed here; the session knows its page.
            session_int: the goal's index, for a shopper who is new.
            **kwargs: ``keywords`` (a list of words) to search, ``clickable_name`` to click, nothing to begin again.

        Returns:
            The page's HTML, its address, and ``{"reward": float, "done": bool}``.
        """
        visit = self.visit(session_id)
        if visit is None or not kwargs:
            index = visit.session.goal_index if visit is not None else self.first_goal(session_id, session_int)
            visit, page = self.start(session_id, index)
            if not kwargs:
                return self.html(session_id, page), self.url(session_id, visit.session), {"reward": 0.0, "done": False}
        step, visit = self.act(session_id, visit, _requested(kwargs))
        bought = step.purchase is not None
        status = {"reward": step.session.reward or 0.0 if bought else 0.0, "done": bought}
        return self.html(session_id, step.page), self.url(session_id, step.session), status

    def first_goal(self, session_id: str, session_int: int | None = None) -> int | None:
        """Return the goal of a new shopper: the one asked for, or one drawn by weight from the session id."""
        if session_int is not None:
            return self.goal_index(session_int)
        return self.draw_goal(np.random.default_rng(random.Random(session_id).getrandbits(64)))

    def get_page_name(self, url: str | None) -> str | None:
        """Return which page an address points at; an empty text for the search page."""
        if url is None:
            return None
        return next((name for name in _PAGE_NAMES if name in url), "")


def _requested(values: Mapping[str, Any]) -> Action:
    if "keywords" in values:
        keywords = values["keywords"]
        return Search(keywords if isinstance(keywords, str) else " ".join(keywords))
    if "clickable_name" in values:
        return Click(str(values["clickable_name"]))
    raise TypeError(f"a request has keywords or a clickable_name, not {shorten(sorted(values))}")
