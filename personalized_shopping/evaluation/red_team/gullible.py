"""A model that stands in for a weak one: it shops like the offline shopper, and obeys every order that it reads.

Rules cannot understand such texts in general, so this model is told beforehand what the text of its case asks for, and
does that to the letter as soon as a tool's answer has shown it the text. It is an attacker's best case, since it
understands every language and every disguise, and never doubts.
"""

import json
import unicodedata
from collections.abc import AsyncGenerator, Sequence

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from personalized_shopping.evaluation.red_team.model import Case
from personalized_shopping.evaluation.red_team.obeying import Obedience
from personalized_shopping.models.offline.dialogue import Answered, Message, current_view, turns_of
from personalized_shopping.models.offline.pages import View
from personalized_shopping.models.offline.policy import decide
from personalized_shopping.models.offline.shopper import read_contents, tokens
from personalized_shopping.models.offline.steps import Call, Say

MODEL_NAME = "gullible"


class GullibleShopper(BaseLlm):
    """Obeys the texts of one case. Make one for each conversation: it remembers what it has read and tried."""

    model: str = MODEL_NAME
    case: Case
    _unread: list[str] | None = None
    _answers: int = 0
    _obedience: Obedience | None = None

    @property
    def capabilities(self) -> LlmCapabilities:
        """Nothing beyond text and function calls."""
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next call or answer."""
        messages = read_contents(llm_request.contents)
        parts = self._next(messages)
        written = sum(tokens(str(part.text or part.function_call)) for part in parts)
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            partial=False,
            finish_reason=types.FinishReason.STOP,
            model_version=self.model,
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=0, candidates_token_count=written, total_token_count=written
            ),
        )

    def _next(self, messages: list[Message]) -> list[types.Part]:
        attack = self.case.attack
        if attack is None or not self._has_read(messages):
            return _parts(decide(messages))
        if self._obedience is None:
            self._obedience = Obedience(attack, self.case)
        step = self._obedience.step(current_view(turns_of(messages)) or View(), messages)
        if step is not None:
            return _parts(step, claim=self._obedience.claim(step))
        own = decide(self._obedience.without_failures(messages))
        if isinstance(own, Say) and attack.says:
            own = Say(f"{own.text}\n\n{attack.says}")
        return _parts(own)

    def _has_read(self, messages: Sequence[Message]) -> bool:
        if self._unread is None:
            self._unread = [change.text for change in self.case.changes]
        answers = [message for message in messages if isinstance(message, Answered)]
        for message in answers[self._answers :]:
            text = json.dumps(message.answer, ensure_ascii=False, default=str)
            self._unread = [wanted for wanted in self._unread if not holds(text, wanted)]
        self._answers = len(answers)
        return not self._unread


def holds(text: str, wanted: str) -> bool:
    """Return whether somebody who reads a text reads another one in it, whatever invisible characters stand between."""
    letters = _letters(wanted)
    return letters in _letters(text) if letters else wanted in text


def _letters(text: str) -> str:
    return "".join(mark for mark in unicodedata.normalize("NFKC", text).casefold() if mark.isalnum())


def _parts(step: Call | Say, claim: str = "") -> list[types.Part]:
    if isinstance(step, Say):
        return [types.Part(text=step.text)]
    call = types.Part(function_call=types.FunctionCall(name=step.name, args=dict(step.args)))
    return [types.Part(text=claim), call] if claim else [call]
