"""A simulated person who is played by a language model. What the model writes is checked before it counts."""

import json
import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from personalized_shopping.errors import shorten
from personalized_shopping.evaluation.agent_session import Question
from personalized_shopping.evaluation.conversations.model import ConversationTask, Line, Moment
from personalized_shopping.evaluation.conversations.person import Person, Reply, SimulatorError
from personalized_shopping.evaluation.conversations.wording import described
from personalized_shopping.prompts import load_prompt
from personalized_shopping.shared_libraries.catalog import Catalog

if TYPE_CHECKING:
    from personalized_shopping.evaluation.conversations.play import PersonFactory

MAX_TRIES = 3
"""How often the model is asked for one reply before the person counts as failed."""
MAX_CHARS = 1_000
"""Longest message of a person."""
_FENCE = re.compile(r"^```(?:json)?\s*|\s*```$")
_MOMENTS: dict[Moment, str] = {
    "shown": "as soon as the assistant has shown you products",
    "opened": "when the assistant has told you about the product that you picked, before you buy it",
    "asked": "when the shop's till asks you whether to buy: answer no, and then",
}


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    say: str | None = None
    answer: Literal["yes", "no"] | None = None
    leave: bool = False


class ModelPerson:
    """Plays a task's person with a language model.

    Args:
        task: whose person.
        model: any that the agent can think with.
    """

    def __init__(self, task: ConversationTask, model: BaseLlm) -> None:
        self._task, self._model = task, model
        self._talk: list[dict[str, str]] = []
        self._you = brief(task)

    async def hear(self, text: str, question: Question | None) -> Reply:
        """Return the reply; see ``Person``.

        Raises:
            SimulatorError: when the model fails, or writes nothing usable in several tries.
        """
        if not self._talk:
            self._talk.append({"you": self._task.opening})
            return Reply(text=self._task.opening)
        if text:
            self._talk.append({"assistant": text})
        reply = await self._ask(question)
        if reply.text:
            self._talk.append({"you": reply.text})
        elif question is not None:
            self._talk.append({"till": question.text, "you": "yes" if reply.yes else "no"})
        return reply

    async def _ask(self, question: Question | None) -> Reply:
        asked: dict[str, Any] = {"you": self._you, "talk": self._talk}
        if question is not None:
            asked["question"] = question.text
        problem = ""
        for _ in range(MAX_TRIES):
            written = await self._written(json.dumps(asked, ensure_ascii=False), problem)
            try:
                return read_reply(written, asked_to_buy=question is not None)
            except ValueError as error:
                problem = f"Your last reply could not be used: {error}"
        raise SimulatorError(f"The simulated person gave no usable reply in {MAX_TRIES} tries. {problem}")

    async def _written(self, asked: str, problem: str) -> str:
        parts = [types.Part(text=asked), *([types.Part(text=problem)] if problem else [])]
        request = LlmRequest(
            model=self._model.model,
            contents=[types.Content(role="user", parts=parts)],
            config=types.GenerateContentConfig(system_instruction=load_prompt("simulated_person"), temperature=0.0),
        )
        text = ""
        try:
            async for response in self._model.generate_content_async(request):
                if response.error_code is not None:
                    raise SimulatorError(f"The simulated person's model failed: {response.error_message}")
                content = response.content
                if not response.partial and content is not None:
                    text += "".join(part.text for part in content.parts or [] if part.text and not part.thought)
        except SimulatorError:
            raise
        except Exception as error:
            raise SimulatorError(f"The simulated person's model failed: {type(error).__name__}: {error}") from error
        return text


def model_person(model: BaseLlm) -> "PersonFactory":
    """Return what makes the persons of tasks, all played by one model; see ``play_case``."""

    def make(task: ConversationTask, catalog: Catalog, seed: str) -> Person:
        return ModelPerson(task, model)

    return make


def read_reply(written: str, *, asked_to_buy: bool) -> Reply:
    """Return the reply that a model has written.

    Args:
        written: its text.
        asked_to_buy: whether the shop's question waits for an answer.

    Raises:
        ValueError: where it is no reply, or not one to what was asked; the message is for the model.
    """
    text = _FENCE.sub("", written.strip())
    try:
        reply = msgspec.json.decode(text, type=_Written)
    except msgspec.DecodeError as error:
        raise ValueError(f"it is not the JSON object that was asked for ({error}): {shorten(text)}") from error
    given = [reply.say is not None, reply.answer is not None, reply.leave]
    if sum(given) != 1:
        raise ValueError("it must have exactly one of `say`, `answer` and `leave`.")
    if asked_to_buy:
        if reply.answer is None:
            raise ValueError('the till asks whether to buy; reply {"answer": "yes"} or {"answer": "no"}.')
        return Reply(yes=reply.answer == "yes")
    if reply.answer is not None:
        raise ValueError("the till asks nothing now; use `say` or `leave`.")
    if reply.say is None:
        return Reply()
    if not reply.say.strip():
        raise ValueError("`say` is empty; use `leave` to end the conversation.")
    return Reply(text=reply.say.strip()[:MAX_CHARS])


def brief(task: ConversationTask) -> dict[str, Any]:
    """Return who the person of a task is, in words for a model."""
    plan = [_planned(line, task) for line in task.lines]
    if task.change is not None:
        plan.append(f"You change your mind {_MOMENTS[task.change.at]}: “{task.change.words}”")
    plan.append(
        "In the end you buy it." if task.outcome == "buys" else "In the end you buy nothing, whatever you are offered."
    )
    described_wish = {"you_want": described(task.wish), "plan": plan}
    if task.change is not None:
        described_wish["after_you_changed_your_mind_you_want"] = described(task.change.wish)
    told = [part.words or f"{part.about}: {part.value}" for part in task.parts]
    return {**described_wish, "tell_when_asked": told}


def _planned(line: Line, task: ConversationTask) -> str:
    match line.kind:
        case "pick":
            return "Pick one of the products that fit what you want, by its name, and ask about it."
        case "delegate":
            return "Leave the choice to the assistant: it should take what fits best and costs least."
        case "ask":
            until = " unless you have been told it already" if line.if_untold else ""
            return f"Say this{until}, and wait for the answer: “{line.words}”"
        case "take":
            words = f": “{line.words}”" if line.words else ""
            return f"Say that you take it{words}; tell the values that you have not told yet."
        case "close":
            return f"{'When the till asks, answer no, and then say' if task.must_ask else 'Say'}: “{line.words}”"
    raise AssertionError(line.kind)
