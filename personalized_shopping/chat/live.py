"""The conversations that the process holds: who is here, who is busy, who may be given up."""

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator

from personalized_shopping.chat import refusals
from personalized_shopping.chat.limits import IDLE_AFTER_S, MAX_LIVE_CHATS
from personalized_shopping.chat.security import Who
from personalized_shopping.chat.turn import Turn


class LiveChat:
    """One conversation of this process."""

    def __init__(self) -> None:
        self.used_at = 0.0
        self.starting = False
        self.turn: Turn | None = None
        self.first_event = 0
        """How many events the session had when the turn began."""

    @property
    def running(self) -> Turn | None:
        """The turn that goes on."""
        return self.turn if self.turn is not None and not self.turn.over else None

    @property
    def busy(self) -> bool:
        """Whether a turn goes on or is about to."""
        return self.starting or self.running is not None


class LiveChats:
    """The live conversations, the latest used last.

    Args:
        capacity: how many there may be.
        idle_after_s: for how long after its last use a conversation is kept in any case.
        clock: tells the time in seconds.
    """

    def __init__(
        self,
        capacity: int = MAX_LIVE_CHATS,
        idle_after_s: float = IDLE_AFTER_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._capacity = capacity
        self._idle_after_s = idle_after_s
        self._clock = clock
        self._chats: OrderedDict[Who, LiveChat] = OrderedDict()

    def __len__(self) -> int:
        return len(self._chats)

    def __iter__(self) -> Iterator[LiveChat]:
        return iter(list(self._chats.values()))

    def get(self, who: Who) -> LiveChat | None:
        """Return a conversation that is live."""
        return self._chats.get(who)

    def enter(self, who: Who) -> tuple[LiveChat, Who | None]:
        """Return a conversation, made live if it is not, and the one that was given up for it.

        Raises:
            Refusal: when all places are taken by conversations that go on.
        """
        given_up = None
        if who not in self._chats:
            given_up = self._make_room()
            self._chats[who] = LiveChat()
        self.touch(who)
        return self._chats[who], given_up

    def touch(self, who: Who) -> None:
        """Note that a conversation was used."""
        chat = self._chats.get(who)
        if chat is not None:
            chat.used_at = self._clock()
            self._chats.move_to_end(who)

    def forget(self, who: Who) -> None:
        """Give a conversation up."""
        self._chats.pop(who, None)

    def _make_room(self) -> Who | None:
        if len(self._chats) < self._capacity:
            return None
        found = next(((who, chat) for who, chat in self._chats.items() if not chat.busy), None)
        wait_s = self._idle_after_s if found is None else found[1].used_at + self._idle_after_s - self._clock()
        if found is None or wait_s > 0:
            raise refusals.full(int(wait_s) + 1)
        del self._chats[found[0]]
        return found[0]
