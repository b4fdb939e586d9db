"""The registry: one entry per conversation, owner of its turn order and of its place in the shop.

A conversation's place is a ``ShopSession`` kept in ADK's session state and nowhere else: whatever process answers next
reads it there, and a rewound conversation is where it was. What lives in this process is only the order of calls: ADK
runs the tool calls of one model turn at the same time, and a shop has one page at a time.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

from personalized_shopping.config import MAX_LIVE_SESSIONS
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

logger = logging.getLogger(__name__)

STATE_KEY = "shop"
"""Where the conversation's ``ShopSession`` lies in ADK's session state."""
GOAL_KEY = "goal_index"
"""State of an evaluated conversation: which goal it pursues. A conversation without it has no goal and no reward."""
GOAL_KIND_KEY = "goal_kind"
"""State beside ``goal_index``: ``synthetic`` (the default) or ``human`` goals."""
GOAL_SEED_KEY = "goal_seed"
"""State beside ``goal_index``: which seed's prices and price limits hold; the catalogue's own by default."""
CONFIRM_KEY = "confirm_purchases"
"""State that evaluation sets to false; it counts only where ``ALLOW_UNCONFIRMED_PURCHASES`` is on."""

TASK_KEY = "task"
"""State of an evaluated conversation that its trajectory names: ``task_id``, ``injection``, ``jailbreak``."""

SKILL_STEPS_KEY = "temp:skill_steps"
"""State of one call of a skill: the steps that it took, for the recorder and the guard; never stored."""

ConversationKey = tuple[str, str, str]


class SessionState(Protocol):
    """The part of ADK's session state that is used here."""

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value."""

    def __setitem__(self, key: str, value: Any) -> None: ...


class Conversation:
    """One conversation of this process: whose turn it is, and what it waits for."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.question_in: str | None = None
        """The invocation in which the person was asked about a purchase and has not answered."""
        self.last_skill: str | None = None
        """The skill that succeeded last."""
        self._lock = asyncio.Lock()
        self._holder: str | None = None

    @property
    def busy(self) -> bool:
        """Whether a call has its turn or waits for it."""
        return self._lock.locked()

    @asynccontextmanager
    async def turn(self, call_id: str) -> AsyncIterator[None]:
        """Wait until the calls that came before are done, and keep the shop for one call.

        The lock is first come, first served, and ADK starts the calls of a model's turn in the order in which the model
        made them, so they are answered in that order. Whoever has a reason to wait before a tool runs (a plugin's
        ``before_tool_callback``) enters the turn first: entering again with the same call id goes straight through.
        """
        if call_id and self._holder == call_id:
            yield
            return
        async with self._lock:
            self._holder = call_id
            try:
                yield
            finally:
                self._holder = None


class Registry:
    """The conversations that this process has seen lately.

    Args:
        limit: how many are kept; beyond it the least recently used that has no call running is forgotten, which costs
            nothing but the order of its calls, since its place is in ADK's state.
    """

    def __init__(self, limit: int = MAX_LIVE_SESSIONS) -> None:
        self._limit = limit
        self._conversations: OrderedDict[ConversationKey, Conversation] = OrderedDict()

    def __len__(self) -> int:
        return len(self._conversations)

    def conversation(self, app_name: str, user_id: str, session_id: str) -> Conversation:
        """Return the entry of a conversation, made when it is new."""
        key = (app_name, user_id, session_id)
        loop = asyncio.get_running_loop()
        entry = self._conversations.get(key)
        # A lock belongs to the event loop that first waited on it; ADK's synchronous runner makes a loop per message.
        if entry is None or entry.loop is not loop:
            question_in = entry.question_in if entry is not None else None
            entry = self._conversations[key] = Conversation(loop)
            entry.question_in = question_in
        self._conversations.move_to_end(key)
        self._forget_the_oldest()
        return entry

    def _forget_the_oldest(self) -> None:
        excess = len(self._conversations) - self._limit
        if excess <= 0:
            return
        newest = next(reversed(self._conversations))
        idle = [key for key, entry in self._conversations.items() if not entry.busy and key != newest]
        for key in idle[:excess]:
            del self._conversations[key]


registry = Registry()
"""The one registry of the process."""


def load_session(state: SessionState) -> ShopSession | None:
    """Return the conversation's place in the shop, or ``None`` where there is none or it cannot be read.

    A rewound conversation holds ``None`` instead of no value, and whoever may set session state can put anything there.
    """
    stored = state.get(STATE_KEY)
    if not stored:
        return None
    try:
        [value] = stored
        return ShopSession.from_json(value)
    except (ValueError, TypeError) as error:
        logger.warning("The state %r is not a place in the shop; starting anew: %s", STATE_KEY, error)
        return None


def save_session(state: SessionState, session: ShopSession) -> None:
    """Write the conversation's place in the shop to its state.

    It is wrapped in a list because ADK merges what parallel calls write into dictionaries key by key, so that a product
    or an option that the last call left behind would come back. A list is replaced whole.
    """
    state[STATE_KEY] = [session.to_json()]
