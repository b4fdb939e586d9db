"""One message of a person and all that the agent does about it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing

from google.adk.agents.run_config import RunConfig, StreamingMode  # type: ignore[attr-defined]
from google.adk.events.event import Event as AdkEvent
from google.adk.runners import Runner
from google.genai import types

from personalized_shopping.chat.events import Done, Event, Problem
from personalized_shopping.chat.limits import HEARTBEAT_S, MAX_MODEL_CALLS, TURN_GRACE_S, TURN_TIMEOUT_S
from personalized_shopping.chat.security import Who
from personalized_shopping.chat.sentences import failure_sentence
from personalized_shopping.chat.tracing import trace_only_for_an_exporter
from personalized_shopping.chat.translation import Translator

logger = logging.getLogger(__name__)

_TOO_LONG = "This took too long, so I stopped. Please try again, or ask for something simpler."


class Turn:
    """A run of the agent that any number of listeners follow, from its first event on, also when they come late.

    The run does not depend on them: who closes the page and opens it again finds the turn going on, or done.

    Args:
        runner: runs the agent.
        who: whose conversation, and which.
        content: what the person sends.
        translator: knows the conversation so far.
    """

    def __init__(self, runner: Runner, who: Who, content: types.Content, translator: Translator) -> None:
        self._runner = runner
        self._who = who
        self._content = content
        self._translator = translator
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._abort = asyncio.Event()
        self._stopped: str | None = None
        # An answer to a question goes straight to the tool that asked.
        self._in_tool = any(part.function_response for part in content.parts or [])
        self._task: asyncio.Task[None] | None = None
        self.over = False

    def start(self, when_over: Callable[[], Awaitable[str | None]]) -> None:
        """Begin the run.

        Args:
            when_over: waited for before listeners hear of the end; returns the question that is open then.
        """
        self._task = asyncio.create_task(self._run(when_over))

    def stop(self, why: str = "") -> None:
        """End the run where that leaves nothing half done: a tool that runs is waited for.

        Args:
            why: a sentence for the person, if it was not they who stopped it.
        """
        if self._stopped is None:
            self._stopped = why
        if not self._in_tool:
            self._abort.set()

    async def wait(self) -> None:
        """Wait until the run is over."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def listen(self) -> AsyncIterator[Event | None]:
        """Yield what happened and what happens, up to the turn's end, and ``None`` when nothing did for a while."""
        seen = 0
        while True:
            while seen < len(self._events):
                yield self._events[seen]
                seen += 1
            if self.over:
                return
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    await self._news.wait()
            except TimeoutError:
                yield None

    def tell(self, event: Event) -> None:
        """Add an event and wake the listeners."""
        self._events.append(event)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _run(self, when_over: Callable[[], Awaitable[str | None]]) -> None:
        trace_only_for_an_exporter()
        too_late = asyncio.get_running_loop().call_later(TURN_TIMEOUT_S, self.stop, _TOO_LONG)
        failed = False
        try:
            async with asyncio.timeout(TURN_TIMEOUT_S + TURN_GRACE_S):
                await self._follow()
        except Exception as error:
            failed = True
            logger.exception("The conversation %s failed", self._who.session_id)
            self.tell(Problem(failure_sentence(error)))
        finally:
            too_late.cancel()
            await self._end(failed, when_over)

    async def _follow(self) -> None:
        config = RunConfig(streaming_mode=StreamingMode.SSE, max_llm_calls=MAX_MODEL_CALLS)
        events = self._runner.run_async(
            user_id=self._who.user_id,
            session_id=self._who.session_id,
            new_message=self._content,
            run_config=config,
            abort_signal=self._abort,
        )
        problem: Event | None = None
        async with aclosing(events):
            async for event in events:
                # First, since ADK goes on to the tools only when we ask for the next event.
                self._note_tools(event)
                for told in await asyncio.to_thread(self._translator.translate, event):
                    # An error that ends the run comes again as an exception, which says more.
                    if isinstance(told, Problem):
                        problem = told
                    else:
                        self.tell(told)
                if self._stopped is not None and not self._in_tool:
                    self._abort.set()
        if problem is not None:
            self.tell(problem)

    def _note_tools(self, event: AdkEvent) -> None:
        if event.partial:
            return
        if event.get_function_responses():
            self._in_tool = False
        elif event.get_function_calls():
            self._in_tool = True

    async def _end(self, failed: bool, when_over: Callable[[], Awaitable[str | None]]) -> None:
        question: str | None = None
        try:
            question = await when_over()
        except Exception:
            failed = True
            logger.exception("The conversation %s could not be read", self._who.session_id)
        if self._stopped:
            self.tell(Problem(self._stopped))
        self._events.append(Done("failed" if failed else "answered" if self._stopped is None else "stopped", question))
        self.over = True
        self._wake()
