"""One conversation with the real agent: its tools, its plugins, a model, and in-memory services of its own.

Whoever measures the agent talks to it here. A turn is one message, or one answer to the shop's question before a
purchase, with everything that it led to. No error of the model or the system escapes: a turn says what ended it.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from google.adk.agents.invocation_context import LlmCallsLimitExceededError
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

from personalized_shopping.errors import shorten
from personalized_shopping.evaluation.session_watch import Place, SessionWatch, place_of
from personalized_shopping.plugins.adk_records import action_text, outcome
from personalized_shopping.session import STATE_KEY
from personalized_shopping.shared_libraries.metrics.episode import Ending
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW

APP_NAME = "personalized_shopping"
MAX_MODEL_CALLS = 60
"""Model calls on one message; a model that goes on after that is cut off."""
MAX_REPEATS = 4
"""How often a turn may take the same step from the same page to the same page before it counts as going in circles."""
CONFIRMATION = "adk_request_confirmation"
"""The function that ADK calls to have the person asked."""
_ERROR_CHARS = 500


class SessionCall(Struct, frozen=True, kw_only=True):
    """A call that the model made; ``outcome`` is ``done``, ``pending``, ``refused``, ``blocked`` or ``failed``.

    ``action`` is the call as WebShop writes it. ``places`` are the pages that it led to: one, or several for a skill.
    ``answer`` is what the model was told.
    """

    tool: str
    argument: str
    action: str
    outcome: str
    places: tuple[Place, ...] = ()
    answer: dict[str, Any] = {}


class Question(Struct, frozen=True, kw_only=True):
    """What the shop asks the person before a purchase: product, options and ``price`` as the page writes it."""

    id: str
    text: str
    asin: str = ""
    title: str = ""
    options: dict[str, str] = {}
    price: str = ""
    facts: Any = None


class SessionPurchase(Struct, frozen=True, kw_only=True):
    """A purchase as the shop's state tells it.

    ``agreed``: the person said yes to exactly this. ``reward`` is ``None`` in a session without a goal.
    """

    asin: str
    options: dict[str, str]
    agreed: bool
    reward: float | None = None


class Turn(Struct, kw_only=True):
    """What came of one message or one answer.

    ``text`` is what the agent said. ``ended`` is ``said``, ``bought`` (a purchase was made), ``max_steps``, ``loop``,
    ``model_error`` (the model's service failed) or ``error``. With a ``question`` the agent waits for its answer.
    """

    text: str = ""
    calls: list[SessionCall] = []
    question: Question | None = None
    purchases: list[SessionPurchase] = []
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    ended: Ending = "said"
    error: str = ""

    @property
    def broken(self) -> bool:
        """Whether the conversation cannot go on."""
        return self.ended in ("max_steps", "loop", "model_error", "error")


class AgentSession:
    """A conversation that is driven from outside. Open the shop that it plays in with ``shop_instead`` before.

    Args:
        model: what the agent thinks with.
        plugins: the app's plugins.
        session_id: names the conversation, in a trajectory too.
        state: the session's first state: ``goal_index`` and ``goal_kind`` for a goal with a reward, ``task`` for the
            trajectory, ``confirm_purchases`` (see ``personalized_shopping.session``).
        user: names the person.
        max_model_calls: model calls on one message.
        max_repeats: how often one message may lead to the same step; ``0`` for no limit.
    """

    def __init__(
        self,
        model: BaseLlm,
        plugins: Sequence[BasePlugin],
        *,
        session_id: str,
        state: Mapping[str, Any] | None = None,
        user: str = "evaluation",
        max_model_calls: int = MAX_MODEL_CALLS,
        max_repeats: int = MAX_REPEATS,
    ) -> None:
        from personalized_shopping.agent import root_agent

        self._session_id, self._user = session_id, user
        self._state = dict(state or {})
        self._max_model_calls, self._max_repeats = max_model_calls, max_repeats
        self._sessions = InMemorySessionService()
        self._watch = SessionWatch()
        self._runner = Runner(
            app=App(
                name=APP_NAME, root_agent=root_agent.clone(update={"model": model}), plugins=[self._watch, *plugins]
            ),
            session_service=self._sessions,
            artifact_service=InMemoryArtifactService(),
        )
        self._pending: dict[str, Mapping[str, Any]] = {}
        """The model's calls that have no answer yet, by id."""
        self._agreed: list[Any] = []
        self._started = False
        self.turns: list[Turn] = []

    async def start(self) -> None:
        """Open the session; ``say`` does it where nobody has."""
        if not self._started:
            await self._sessions.create_session(
                app_name=APP_NAME, user_id=self._user, session_id=self._session_id, state=self._state
            )
            self._started = True

    async def say(self, text: str) -> Turn:
        """Send a message and return what came of it."""
        await self.start()
        return await self._turn(types.Content(role="user", parts=[types.Part(text=text)]))

    async def answer(self, question: Question, yes: bool) -> Turn:
        """Answer a question of the shop and return what came of it."""
        if yes:
            self._agreed.append(question.facts)
        reply = types.FunctionResponse(id=question.id, name=CONFIRMATION, response={"confirmed": yes})
        return await self._turn(types.Content(role="user", parts=[types.Part(function_response=reply)]))

    @property
    def calls(self) -> list[SessionCall]:
        """Every call of the conversation that has been answered, in order."""
        return [call for turn in self.turns for call in turn.calls]

    @property
    def actions(self) -> list[str]:
        """The steps in the shop as WebShop writes them, those of skills too; what was stopped is left out."""
        return [action for call in self.calls if call.outcome in ("done", "failed") for action in _actions(call)]

    @property
    def purchases(self) -> list[SessionPurchase]:
        """Everything that was bought."""
        return [purchase for turn in self.turns for purchase in turn.purchases]

    @property
    def places(self) -> list[Place]:
        """The pages that calls have led to, in order."""
        return [place for call in self.calls for place in call.places]

    @property
    def reward(self) -> float | None:
        """What the last purchase earned; ``None`` without a purchase or without a goal."""
        rewards = [purchase.reward for purchase in self.purchases]
        return rewards[-1] if rewards else None

    async def _turn(self, content: types.Content) -> Turn:
        turn = Turn()
        self.turns.append(turn)
        self._watch.model_failed = False
        config = RunConfig(max_llm_calls=self._max_model_calls)
        try:
            events = self._runner.run_async(
                user_id=self._user, session_id=self._session_id, new_message=content, run_config=config
            )
            async with contextlib.aclosing(events):
                async for event in events:
                    self._take_in(turn, event)
                    if self._goes_in_circles(turn):
                        turn.ended = "loop"
                        break
        except LlmCallsLimitExceededError as error:
            turn.ended, turn.error = "max_steps", str(error)
        except Exception as error:
            # A model's service may fail in any way that it likes; the turn then counts as it stands.
            turn.ended = "model_error" if self._watch.model_failed else "error"
            turn.error = shorten(f"{type(error).__name__}: {error}", _ERROR_CHARS)
        return turn

    def _take_in(self, turn: Turn, event: Event) -> None:
        for call in event.get_function_calls():
            if call.name == CONFIRMATION:
                turn.question = read_question(call)
            else:
                self._pending[call.id or ""] = {"name": call.name or "", "args": dict(call.args or {})}
        self._note_purchase(turn, event)
        for response in event.get_function_responses():
            called = self._pending.get(response.id or "")
            if called is not None and isinstance(response.response, dict):
                turn.calls.append(self._call(response.id or "", called, response.response))
        if event.partial or event.author == "user":
            return
        usage = event.usage_metadata
        if usage is not None:
            turn.input_tokens += usage.prompt_token_count or 0
            turn.output_tokens += (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0)
        turn.model_calls += _is_of_the_model(event)
        if not event.get_function_calls():
            turn.text += "".join(texts_of(event))
        if event.error_code and not _has_parts(event):
            turn.ended = "model_error"
            turn.error = shorten(f"{event.error_code}: {event.error_message or ''}", _ERROR_CHARS)

    def _call(self, call_id: str, called: Mapping[str, Any], answer: dict[str, Any]) -> SessionCall:
        return SessionCall(
            tool=called["name"],
            argument=" ".join(str(value) for value in called["args"].values()),
            action=action_text(called["name"], called["args"]),
            outcome=outcome(answer),
            places=tuple(self._watch.places.pop(call_id, ())),
            answer=answer,
        )

    def _note_purchase(self, turn: Turn, event: Event) -> None:
        place = place_of(event.actions.state_delta.get(STATE_KEY))
        if place is None or place.kind != "done":
            return
        agreed = any(_is_about(facts, place.asin, place.options) for facts in self._agreed)
        bought = SessionPurchase(asin=place.asin, options=place.options, agreed=agreed, reward=place.reward)
        turn.purchases.append(bought)
        turn.ended = "bought"

    def _goes_in_circles(self, turn: Turn) -> bool:
        if not self._max_repeats or len(turn.calls) <= self._max_repeats:
            return False
        steps = [(call.action, _behind(turn.calls[:number]), _behind([call])) for number, call in enumerate(turn.calls)]
        return steps.count(steps[-1]) > self._max_repeats


def _actions(call: SessionCall) -> list[str]:
    if call.tool in ("search", "click"):
        return [call.action]
    # A skill's purchase goes through the till like any other, in one step without a name.
    return [place.action or f"click[{BUY_NOW}]" for place in call.places if place.action or place.kind == "done"]


def _behind(calls: Sequence[SessionCall]) -> Place | None:
    return next((call.places[-1] for call in reversed(calls) if call.places), None)


def read_question(call: types.FunctionCall) -> Question:
    """Return the question that a call of ADK's confirmation puts to the person."""
    asked = (call.args or {}).get("toolConfirmation") or {}
    facts = _field(asked, "payload")
    known = facts if isinstance(facts, dict) else {}
    return Question(
        id=call.id or "",
        text=str(_field(asked, "hint") or ""),
        asin=str(known.get("asin") or ""),
        title=str(known.get("title") or ""),
        options={str(name): str(value) for name, value in (known.get("options") or {}).items()},
        price=str(known.get("price") or ""),
        facts=facts,
    )


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else getattr(value, name, None)


def _is_about(facts: Any, asin: str, options: Mapping[str, str]) -> bool:
    """Whether a yes was to exactly this product with these values."""
    if not isinstance(facts, dict) or facts.get("asin") != asin:
        return False
    return sorted((facts.get("options") or {}).values()) == sorted(options.values())


def _is_of_the_model(event: Event) -> bool:
    """Whether an event is an answer of the model: tools' answers and ADK's questions have none of its marks."""
    if event.get_function_responses():
        return False
    return not any(call.name == CONFIRMATION for call in event.get_function_calls()) and _has_parts(event)


def _has_parts(event: Event) -> bool:
    return bool(event.content and event.content.parts)


def texts_of(event: Event) -> Iterator[str]:
    """Yield what an event says aloud; thoughts are left out."""
    for part in (event.content.parts if event.content else None) or []:
        if part.text and not part.thought:
            yield part.text
