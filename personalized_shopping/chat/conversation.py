"""The chat's conversations: what was said, what is being said, and who may say something."""

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from google.adk.events.event import Event as AdkEvent
from google.adk.sessions import Session
from google.genai import types

from personalized_shopping.chat import refusals
from personalized_shopping.chat.backend import Backend, open_backend
from personalized_shopping.chat.events import Answer, Event, User
from personalized_shopping.chat.limits import MAX_MESSAGES
from personalized_shopping.chat.live import LiveChat, LiveChats
from personalized_shopping.chat.places import open_question, places
from personalized_shopping.chat.security import Who
from personalized_shopping.chat.translation import CONFIRM, Translator
from personalized_shopping.chat.turn import Turn
from personalized_shopping.errors import CatalogError, ShoppingError
from personalized_shopping.shared_libraries.init_env import get_shop
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.tools.artifacts import page_html

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class History:
    """What was said so far; ``running`` says that a turn goes on, whose events are not among these."""

    events: list[Event]
    question: str | None
    running: bool


class Conversations:
    """All conversations of the chat.

    Args:
        open_backend: makes the agent's runner; called on first use.
        live: those that the process holds.
    """

    def __init__(self, open_backend: Callable[[], Backend] = open_backend, live: LiveChats | None = None) -> None:
        self._open_backend = open_backend
        self._live = LiveChats() if live is None else live
        self._backend: Backend | None = None
        self._opening = asyncio.Lock()

    async def history(self, who: Who) -> History:
        """Return what was said in a conversation."""
        backend = await self._opened()
        # First the turn, then the session: what a turn adds in between is left out, and heard from it.
        chat = self._live.get(who)
        running, first_event = (chat.running, chat.first_event) if chat is not None else (None, 0)
        self._live.touch(who)
        session = await backend.session(who)
        if session is None:
            return History([], None, running is not None)
        events = session.events[:first_event] if running is not None else session.events
        shown = await asyncio.to_thread(_translated, events)
        return History(shown, None if running is not None else open_question(session), running is not None)

    async def say(self, who: Who, text: str) -> Turn:
        """Send a message.

        Raises:
            Refusal: when the agent is busy, the process full, or the conversation too long.
        """
        content = types.Content(role="user", parts=[types.Part(text=text)])
        return await self._begin(who, content, User(text))

    async def answer(self, who: Who, question_id: str, confirmed: bool) -> Turn:
        """Answer the question that is open.

        Raises:
            Refusal: when it is not open, or as for a message.
        """
        response = types.FunctionResponse(id=question_id, name=CONFIRM, response={"confirmed": confirmed})
        content = types.Content(role="user", parts=[types.Part(function_response=response)])
        return await self._begin(who, content, Answer(question_id, confirmed))

    def running(self, who: Who) -> Turn | None:
        """Return the turn that goes on in a conversation."""
        chat = self._live.get(who)
        return chat.running if chat is not None else None

    async def page(self, who: Who, number: int) -> str | None:
        """Return the HTML of a page that the agent looked at, the first one being 1, or ``None``."""
        session = await (await self._opened()).session(who)
        if session is None:
            return None
        place = next((place for at, place in enumerate(places(session), start=1) if at == number), None)
        if place is None:
            return None
        try:
            return await asyncio.to_thread(_drawn, place)
        except CatalogError as error:
            logger.warning("Page %s cannot be shown: %s", number, error)
            return None

    async def leave(self, who: Who) -> None:
        """End a conversation for good: stop its turn, and drop what is stored nowhere."""
        turn = self.running(who)
        if turn is not None:
            turn.stop()
            await turn.wait()
        self._live.forget(who)
        await (await self._opened()).drop(who)

    def app_name(self) -> str | None:
        """Return the name of the agent's app, once it is known."""
        return self._backend.runner.app_name if self._backend is not None else None

    async def close(self) -> None:
        """Stop what goes on."""
        turns = [turn for chat in self._live if (turn := chat.running) is not None]
        for turn in turns:
            turn.stop()
        for turn in turns:
            await turn.wait()

    async def open(self) -> None:
        """Make the agent's runner now; what is wrong with it is logged."""
        with contextlib.suppress(refusals.Refusal):
            await self._opened()

    async def _opened(self) -> Backend:
        async with self._opening:
            if self._backend is None:
                try:
                    self._backend = await asyncio.to_thread(self._open_backend)
                except ShoppingError as error:
                    logger.error("The chat cannot be used: %s", error)
                    raise refusals.not_set_up() from error
            return self._backend

    async def _begin(self, who: Who, content: types.Content, said: User | Answer) -> Turn:
        backend = await self._opened()
        chat, given_up = self._live.enter(who)
        if chat.busy:
            raise refusals.busy()
        chat.starting = True
        try:
            if given_up is not None:
                await backend.drop(given_up)
            session = await backend.session_to_write(who)
            _check(session, said)
            translator = await asyncio.to_thread(Translator, session.events)
            turn = Turn(backend.runner, who, content, translator)
            turn.tell(said)
            chat.turn, chat.first_event = turn, len(session.events)
            turn.start(functools.partial(self._over, who, chat))
            return turn
        finally:
            chat.starting = False

    async def _over(self, who: Who, chat: LiveChat) -> str | None:
        self._live.touch(who)
        backend = await self._opened()
        await backend.drop_pages(who)
        session = await backend.session(who)
        return open_question(session) if session is not None else None


def _drawn(place: ShopSession) -> str:
    return page_html(get_shop().page(place)).replace("</head>", f"<style>\n{_page_style()}</style>\n</head>", 1)


@cache
def _page_style() -> str:
    return (Path(__file__).parent / "static" / "page.css").read_text(encoding="utf-8")


def _check(session: Session, said: User | Answer) -> None:
    if isinstance(said, Answer) and open_question(session) != said.question_id:
        raise refusals.question_closed()
    if isinstance(said, User) and sum(event.author == "user" for event in session.events) >= MAX_MESSAGES:
        raise refusals.too_many_messages()


def _translated(events: Sequence[AdkEvent]) -> list[Event]:
    translator = Translator()
    return [shown for event in events for shown in translator.translate(event)]
