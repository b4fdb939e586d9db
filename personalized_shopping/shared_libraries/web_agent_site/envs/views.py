"""The shop's data in the shapes that WebShop's users know: lists and mappings that look things up on demand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import Reward
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession


class Visit(msgspec.Struct, frozen=True):
    """One shopper at a server: the session, its goal, and how the latest purchase was scored."""

    session: ShopSession
    goal: Goal | None = None
    reward: Reward | None = None


class SessionMappings(Mapping[str, dict[str, Any]]):
    """The shoppers that a server remembers, as WebShop's mappings, by session id."""

    def __init__(self, visits: Mapping[str, Visit]) -> None:
        self._visits = visits

    def __len__(self) -> int:
        return len(self._visits)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._visits))

    def __getitem__(self, session_id: str) -> dict[str, Any]:
        visit = self._visits[session_id]
        session = visit.session
        searched = session.keywords is not None
        known: dict[str, Any] = {"goal": visit.goal.as_dict() if visit.goal else None, "done": session.done}
        known["keywords"] = list(session.keywords or ()) if searched else None
        known["page"] = session.page_number if searched else None
        known |= {"asin": session.asin, "asins": set(session.visited), "options": dict(session.options)}
        known["actions"] = dict(session.counts)
        if visit.reward is not None:
            known |= {"verbose_info": visit.reward.info(), "reward": visit.reward.total}
        return known


class GoalMappings(Sequence[dict[str, Any]]):
    """The goals as WebShop's mappings."""

    def __init__(self, goals: Sequence[Goal]) -> None:
        self._goals = goals

    def __len__(self) -> int:
        return len(self._goals)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [goal.as_dict() for goal in self._goals[index]]
        return self._goals[index].as_dict()


class GoalSelection(Sequence[Goal]):
    """Some goals of a table, by their numbers there."""

    def __init__(self, goals: Sequence[Goal], numbers: Sequence[int]) -> None:
        self._goals = goals
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._goals[number] for number in self._numbers[index]]
        return self._goals[self._numbers[index]]


class ProductMappings(Mapping[str, dict[str, Any]]):
    """The products as WebShop's mappings, by identifier."""

    def __init__(self, catalog: Catalog, *, human: bool) -> None:
        self._catalog = catalog
        self._human = human

    def __len__(self) -> int:
        return len(self._catalog)

    def __iter__(self) -> Iterator[str]:
        return (self._catalog.asin_at(row) for row in range(len(self._catalog)))

    def __contains__(self, asin: object) -> bool:
        return isinstance(asin, str) and asin in self._catalog

    def __getitem__(self, asin: str) -> dict[str, Any]:
        return self._catalog.record(asin, human=self._human)


class ProductList(Sequence[dict[str, Any]]):
    """The products as WebShop's mappings, in catalogue order."""

    def __init__(self, catalog: Catalog, *, human: bool) -> None:
        self._catalog = catalog
        self._human = human

    def __len__(self) -> int:
        return len(self._catalog)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        row = index + len(self) if index < 0 else index
        if not 0 <= row < len(self):
            raise IndexError(f"there is no product {index}: the catalogue has {len(self)}")
        return self._catalog.record(self._catalog.asin_at(row), human=self._human)


class ProductPrices(Mapping[str, float]):
    """The prices that purchases are charged, in US dollars, by product identifier."""

    def __init__(self, catalog: Catalog, prices: npt.NDArray[np.float64]) -> None:
        self._catalog = catalog
        self._prices = prices

    def __len__(self) -> int:
        return len(self._prices)

    def __iter__(self) -> Iterator[str]:
        return (self._catalog.asin_at(row) for row in range(len(self._catalog)))

    def __getitem__(self, asin: str) -> float:
        row = self._catalog.row_of(asin)
        if row is None:
            raise KeyError(asin)
        return float(self._prices[row])
