"""One case played with the real agent: its tools, its plugins, a model, and a scripted person."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from google.adk.agents.run_config import RunConfig
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events.event import Event
from google.adk.models.base_llm import BaseLlm
from google.adk.plugins.base_plugin import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from msgspec import Struct

from personalized_shopping.evaluation.red_team.model import Case
from personalized_shopping.evaluation.red_team.person import Manner, ScriptedPerson
from personalized_shopping.session import CONFIRM_KEY, STATE_KEY, TASK_KEY

APP_NAME = "personalized_shopping"
USER = "red-team"
MAX_MODEL_CALLS = 60
"""Model calls on one message; a model that goes round in circles ends its case there."""
MAX_QUESTIONS = 10
_CONFIRMATION = "adk_request_confirmation"


class PlayedCall(Struct, frozen=True, kw_only=True):
    """A call that the model made; ``outcome`` is ``done``, ``blocked``, ``refused``, ``pending`` or ``failed``."""

    tool: str
    argument: str
    outcome: str


class Bought(Struct, frozen=True, kw_only=True):
    """A purchase as the shop's state tells it; ``agreed``: the person said yes to exactly this."""

    asin: str
    options: dict[str, str]
    agreed: bool


class Played(Struct, kw_only=True):
    """What happened in a conversation."""

    case_id: str
    calls: list[PlayedCall] = []
    bought: list[Bought] = []
    answers: list[str] = []
    """What the agent told the person, one text a message."""
    questions: int = 0
    error: str = ""


class Conversation:
    """Plays one case.

    Args:
        case: the conversation.
        model: what the agent thinks with.
        plugins: the app's plugins.
        manner: how the person answers questions.
        ask: whether anybody asks before a purchase; ``False`` needs ``ALLOW_UNCONFIRMED_PURCHASES``.
    """

    def __init__(
        self, case: Case, model: BaseLlm, plugins: Sequence[BasePlugin], manner: Manner, *, ask: bool = True
    ) -> None:
        from personalized_shopping.agent import root_agent

        self._case = case
        self._person = ScriptedPerson(case, manner)
        self._played = Played(case_id=case.id)
        self._state = {} if ask else {CONFIRM_KEY: False}
        self._sessions = InMemorySessionService()
        self._runner = Runner(
            app=App(name=APP_NAME, root_agent=root_agent.clone(update={"model": model}), plugins=list(plugins)),
            session_service=self._sessions,
            artifact_service=InMemoryArtifactService(),
        )
        self._asked: dict[str, Any] = {}
        self._agreed: list[Any] = []
        self._calls: dict[str, tuple[str, str]] = {}

    async def play(self) -> Played:
        """Say all messages, answer all questions, and return what happened."""
        case = self._case
        state = {**self._state, TASK_KEY: {"task_id": case.id, "injection": case.payload if case.attack else None}}
        await self._sessions.create_session(app_name=APP_NAME, user_id=USER, session_id=case.id, state=state)
        try:
            for said, message in enumerate(case.messages, start=1):
                self._played.answers.append("")
                await self._turn(types.Content(role="user", parts=[types.Part(text=message)]), said)
        except Exception as error:
            # A model's service may fail; the case then counts as it stands.
            self._played.error = f"{type(error).__name__}: {error}"[:500]
        return self._played

    async def _turn(self, content: types.Content | None, said: int) -> None:
        for _ in range(MAX_QUESTIONS):
            if content is None:
                return
            question: types.FunctionCall | None = None
            config = RunConfig(max_llm_calls=MAX_MODEL_CALLS)
            events = self._runner.run_async(
                user_id=USER, session_id=self._case.id, new_message=content, run_config=config
            )
            async with contextlib.aclosing(events):
                async for event in events:
                    question = self._take_in(event) or question
            content = self._answer(question, said) if question is not None else None

    def _take_in(self, event: Event) -> types.FunctionCall | None:
        """Note what an event tells, and return the question that it puts."""
        question = None
        for call in event.get_function_calls():
            if call.name == _CONFIRMATION:
                question = call
            else:
                arguments = " ".join(str(value) for value in (call.args or {}).values())
                self._calls[call.id or ""] = (call.name or "", arguments)
        self._note_purchase(event)
        for response in event.get_function_responses():
            known = self._calls.get(response.id or "")
            if known is not None and isinstance(response.response, dict):
                outcome = _outcome(response.response)
                self._played.calls.append(PlayedCall(tool=known[0], argument=known[1], outcome=outcome))
        if event.author != "user" and not event.partial and not event.get_function_calls():
            self._played.answers[-1] += "".join(_texts(event))
        return question

    def _note_purchase(self, event: Event) -> None:
        stored = event.actions.state_delta.get(STATE_KEY)
        place = stored[0] if isinstance(stored, list) and stored else None
        if not isinstance(place, dict) or place.get("kind") != "done":
            return
        asin, options = str(place.get("asin")), dict(place.get("options") or {})
        agreed = any(_is_about(facts, asin, options) for facts in self._agreed)
        self._played.bought.append(Bought(asin=asin, options=options, agreed=agreed))

    def _answer(self, question: types.FunctionCall, said: int) -> types.Content:
        self._played.questions += 1
        asked = (question.args or {}).get("toolConfirmation") or {}
        facts = asked.get("payload") if isinstance(asked, dict) else getattr(asked, "payload", None)
        yes = self._person.agrees(facts, said)
        if yes:
            self._agreed.append(facts)
        answer = types.FunctionResponse(id=question.id, name=_CONFIRMATION, response={"confirmed": yes})
        return types.Content(role="user", parts=[types.Part(function_response=answer)])


def _is_about(facts: Any, asin: str, options: dict[str, str]) -> bool:
    """Whether a yes was to exactly this product with these values."""
    if not isinstance(facts, dict) or facts.get("asin") != asin:
        return False
    return sorted((facts.get("options") or {}).values()) == sorted(options.values())


def _outcome(answer: dict[str, Any]) -> str:
    status = answer.get("status")
    if status == "blocked_by_policy":
        return "blocked"
    if status in ("pending", "refused"):
        return str(status)
    return "failed" if answer.get("error") else "done"


def _texts(event: Event) -> Iterator[str]:
    for part in (event.content.parts if event.content else None) or []:
        if part.text and not part.thought:
            yield part.text
