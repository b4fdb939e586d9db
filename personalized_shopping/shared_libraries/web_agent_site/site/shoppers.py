"""The shoppers of the website and what it remembers of each: the goal, what was opened, what was bought.

Where a shopper stands is in the address. What is kept here is small and bounded: when there is no more room, the
shopper who has been away longest is forgotten, unless everybody was here a moment ago.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

import msgspec

from personalized_shopping.config import SITE_BUSY_SESSION_S, SITE_MAX_SESSIONS, SITE_MAX_VISITED
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import Goal
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import Reward


class Receipt(msgspec.Struct, frozen=True):
    """One purchase: what was bought, what it cost in US dollars, and how it was scored (``None`` without a goal)."""

    asin: str
    options: dict[str, str]
    price_usd: float
    reward: Reward | None


class Shopper(msgspec.Struct, frozen=True):
    """One shopper. ``seed`` feeds the random query ``<r>``; ``visited`` are the products opened, latest last."""

    session_id: str
    goal_index: int | None = None
    goal: Goal | None = None
    seed: int = 0
    visited: tuple[str, ...] = ()
    receipts: tuple[Receipt, ...] = ()

    def receipt(self, asin: str, options: Mapping[str, str]) -> Receipt | None:
        """Return the purchase of exactly this product with exactly these options."""
        wanted = dict(options)
        return next((found for found in self.receipts if (found.asin, found.options) == (asin, wanted)), None)

    def opened(self, asin: str) -> "Shopper":
        """Return the shopper after opening a product."""
        others = tuple(known for known in self.visited if known != asin)
        return msgspec.structs.replace(self, visited=(*others, asin)[-SITE_MAX_VISITED:])

    def bought(self, receipt: Receipt) -> "Shopper":
        """Return the shopper after a purchase; the same purchase twice is one."""
        if self.receipt(receipt.asin, receipt.options) is not None:
            return self
        return msgspec.structs.replace(self, receipts=(*self.receipts, receipt))


class SiteFull(Exception):
    """There is no room for another shopper; there may be after ``retry_after_s`` seconds."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(f"all places are taken for the next {retry_after_s} s")
        self.retry_after_s = retry_after_s


class Shoppers:
    """The shoppers that the site remembers, for any number of threads.

    Args:
        capacity: how many.
        busy_s: for how many seconds after a request a shopper is not forgotten.
        clock: tells the time in seconds.
    """

    def __init__(
        self,
        capacity: int = SITE_MAX_SESSIONS,
        busy_s: float = SITE_BUSY_SESSION_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._busy_s = busy_s
        self._clock = clock
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[float, Shopper]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._known

    def enter(self, session_id: str, make: Callable[[], Shopper]) -> Shopper:
        """Return a shopper, made if unknown, and note that they are here.

        Raises:
            SiteFull: where there is no room for a new one.
        """
        with self._lock:
            if session_id in self._known:
                return self._keep(self._known[session_id][1])
            self._make_room()
        made = make()  # outside the lock: it reads the catalogue
        with self._lock:
            if session_id not in self._known:
                self._make_room()
                return self._keep(made)
            return self._keep(self._known[session_id][1])

    def update(self, shopper: Shopper, change: Callable[[Shopper], Shopper]) -> Shopper:
        """Replace a shopper by what ``change`` makes of their latest state, as one step.

        Args:
            shopper: who; the state that holds if they have been forgotten meanwhile.
            change: makes the new state.
        """
        with self._lock:
            _, latest = self._known.get(shopper.session_id, (0.0, shopper))
            return self._keep(change(latest))

    def _keep(self, shopper: Shopper) -> Shopper:
        self._known[shopper.session_id] = (self._clock(), shopper)
        self._known.move_to_end(shopper.session_id)
        return shopper

    def _make_room(self) -> None:
        if len(self._known) < self._capacity:
            return
        oldest, (seen, _) = next(iter(self._known.items()))
        wait = seen + self._busy_s - self._clock()
        if wait > 0:
            raise SiteFull(int(wait) + 1)
        del self._known[oldest]
