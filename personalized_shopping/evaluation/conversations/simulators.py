"""Both simulated persons as user simulators of ADK's own evaluation.

Importing this module registers them. A scenario's ``conversation_plan`` names the case, such as ``find/chinos``, and
its ``starting_prompt`` is the case's opening; ``eval_case`` writes both. ADK's file format for settings knows only
ADK's own simulators, so these are chosen in code::

    UserSimulatorProvider(ScriptedPersonConfig(seed=7))

The shop must be the demo shop: the cases are about its products.
"""

from abc import abstractmethod
from typing import Literal

from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_case import EvalCase, SessionInput
from google.adk.evaluation.simulation.user_simulator import (
    BaseUserSimulatorConfig,
    NextUserMessage,
    Status,
    UserSimulator,
    register_user_simulator,
)
from google.adk.events.event import Event
from google.genai import types

from personalized_shopping.evaluation.agent_play import USER
from personalized_shopping.evaluation.agent_session import APP_NAME, CONFIRMATION, Question, read_question, texts_of
from personalized_shopping.evaluation.conversations.cases import cases
from personalized_shopping.evaluation.conversations.model import ConversationTask
from personalized_shopping.evaluation.conversations.model_person import ModelPerson
from personalized_shopping.evaluation.conversations.person import Person, Reply, ScriptedPerson
from personalized_shopping.evaluation.conversations.play import MAX_TURNS
from personalized_shopping.models import choose_model
from personalized_shopping.session import TASK_KEY
from personalized_shopping.shared_libraries.init_env import get_shop


class ScriptedPersonConfig(BaseUserSimulatorConfig):
    """Settings of the scripted person. ``seed`` says which words they use."""

    type: Literal["scripted_person"] = "scripted_person"
    seed: int = 0
    max_turns: int = MAX_TURNS


class ModelPersonConfig(BaseUserSimulatorConfig):
    """Settings of the person that a model plays. ``model`` is a name as in ``MODEL_NAME``, which is the default."""

    type: Literal["model_person"] = "model_person"
    model: str | None = None
    max_turns: int = MAX_TURNS


class _PersonSimulator(UserSimulator):
    """Hands what the agent did to a person, and what the person does to ADK."""

    def __init__(self, config: BaseUserSimulatorConfig, config_type: type[BaseUserSimulatorConfig]) -> None:
        super().__init__(config, config_type)
        self._turns = 0

    @abstractmethod
    def _person(self) -> Person:
        """Return the person, made when they are first needed."""

    async def get_next_user_message(self, events: list[Event]) -> NextUserMessage:
        """Return what the person says to the conversation so far; see ADK's ``UserSimulator``."""
        if self._turns >= getattr(self._config, "max_turns", MAX_TURNS):
            return NextUserMessage(status=Status.TURN_LIMIT_REACHED)
        latest = _since_the_person(events)
        question = _question(latest)
        if question is None and any(_has_bought(event) for event in latest):
            return NextUserMessage(status=Status.STOP_SIGNAL_DETECTED)
        reply = await self._person().hear("".join(text for event in latest for text in _spoken(event)), question)
        content = _content(reply, question)
        if content is None:
            return NextUserMessage(status=Status.STOP_SIGNAL_DETECTED)
        self._turns += 1
        return NextUserMessage(status=Status.SUCCESS, user_message=content)

    def get_simulation_evaluator(self) -> None:
        """Return nothing: the scripted words need no judge, and ADK's judge of simulators needs a model."""
        return


class ScriptedPersonSimulator(_PersonSimulator):
    """The scripted person of the case that a scenario names."""

    def __init__(self, *, config: BaseUserSimulatorConfig, conversation_scenario: ConversationScenario) -> None:
        super().__init__(config, ScriptedPersonConfig)
        self._task = task_of(conversation_scenario)
        self._made: ScriptedPerson | None = None

    def _person(self) -> Person:
        if self._made is None:
            seed = getattr(self._config, "seed", 0)
            self._made = ScriptedPerson(self._task, get_shop().catalog, f"{seed}/0")
        return self._made


class ModelPersonSimulator(_PersonSimulator):
    """The person of the case that a scenario names, played by a model."""

    def __init__(self, *, config: BaseUserSimulatorConfig, conversation_scenario: ConversationScenario) -> None:
        super().__init__(config, ModelPersonConfig)
        self._made = ModelPerson(task_of(conversation_scenario), choose_model(getattr(self._config, "model", None)))

    def _person(self) -> Person:
        return self._made


def task_of(scenario: ConversationScenario) -> ConversationTask:
    """Return the case that a scenario names.

    Raises:
        ValueError: where it names none, or does not begin as the case does.
    """
    name = scenario.conversation_plan.strip()
    task = next((task for task in cases() if task.id == name), None)
    if task is None:
        raise ValueError(f"The conversation_plan {name[:100]!r} names no case; use one such as {cases()[0].id!r}.")
    if scenario.starting_prompt != task.opening:
        raise ValueError(f"The starting_prompt of {task.id} is not the case's opening: {task.opening!r}.")
    return task


def eval_case(task: ConversationTask) -> EvalCase:
    """Return a case as one of ADK's evaluation sets holds it."""
    return EvalCase(
        eval_id=task.id.replace("/", "_"),
        conversation_scenario=ConversationScenario(starting_prompt=task.opening, conversation_plan=task.id),
        session_input=SessionInput(app_name=APP_NAME, user_id=USER, state={TASK_KEY: {"task_id": task.id}}),
    )


def _since_the_person(events: list[Event]) -> list[Event]:
    spoken = [number for number, event in enumerate(events) if event.author == "user"]
    return events[spoken[-1] + 1 :] if spoken else events


def _question(events: list[Event]) -> Question | None:
    asked = [call for event in events for call in event.get_function_calls() if call.name == CONFIRMATION]
    return read_question(asked[-1]) if asked else None


def _has_bought(event: Event) -> bool:
    return any((response.response or {}).get("purchased") is True for response in event.get_function_responses())


def _spoken(event: Event) -> list[str]:
    return [] if event.partial or event.get_function_calls() else list(texts_of(event))


def _content(reply: Reply, question: Question | None) -> types.Content | None:
    if question is not None:
        answer = types.FunctionResponse(id=question.id, name=CONFIRMATION, response={"confirmed": bool(reply.yes)})
        return types.Content(role="user", parts=[types.Part(function_response=answer)])
    return types.Content(role="user", parts=[types.Part(text=reply.text)]) if reply.text else None


register_user_simulator(ScriptedPersonConfig, ScriptedPersonSimulator)
register_user_simulator(ModelPersonConfig, ModelPersonSimulator)
