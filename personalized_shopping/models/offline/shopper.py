"""The offline shopper as an ADK model."""

import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from google.adk.models import BaseLlm, LlmCapabilities, LLMRegistry
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from personalized_shopping.models.offline.dialogue import USE_SKILL, Answered, Called, Message, Said
from personalized_shopping.models.offline.policy import decide
from personalized_shopping.models.offline.steps import Call

CHARS_PER_TOKEN = 4
"""Token counts are estimated as characters divided by four, rounded up: the usual rule of thumb for English."""
WORDS_PER_CHUNK = 4

_OTHER_AGENT = "For context:"


class OfflineShopper(BaseLlm):
    """Answer like a language model would, by rules: no network, no key, the same answer every time.

    Each call reads the whole conversation from the request and keeps nothing, so one instance serves any number of
    conversations at once.
    """

    model: str = "offline/shopper"

    @classmethod
    def supported_models(cls) -> list[str]:
        """Return the pattern of the model names that ADK's registry gives to this class."""
        return [r"offline/.*"]

    @property
    def capabilities(self) -> LlmCapabilities:
        """Nothing beyond text and function calls."""
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next part of the conversation: one function call or one text, in pieces first when streaming."""
        decision = decide(read_contents(llm_request.contents), skills=USE_SKILL in llm_request.tools_dict)
        if isinstance(decision, Call):
            part = types.Part(function_call=types.FunctionCall(name=decision.name, args=dict(decision.args)))
            written = (
                f"{decision.name}{decision.args}" if decision.name == USE_SKILL else decision.name + decision.argument
            )
        else:
            part = types.Part(text=decision.text)
            written = decision.text
            if stream:
                for piece in pieces(decision.text):
                    yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=piece)]), partial=True)
        prompt, answer = _prompt_tokens(llm_request), tokens(written)
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            partial=False,
            finish_reason=types.FinishReason.STOP,
            model_version=self.model,
            usage_metadata=types.GenerateContentResponseUsageMetadata(
                prompt_token_count=prompt, candidates_token_count=answer, total_token_count=prompt + answer
            ),
        )


def read_contents(contents: list[types.Content]) -> list[Message]:
    """Turn ADK's contents into the policy's messages; thoughts and other agents' words are left out."""
    messages: list[Message] = []
    for content in contents:
        parts = content.parts or []
        if _of_other_agent(parts):
            continue
        texts = [part.text for part in parts if part.text and not part.thought]
        image = any(_is_picture(part) for part in parts)
        by_person = content.role == "user"
        has_tools = False
        for part in parts:
            if part.function_call is not None:
                has_tools = True
                call = part.function_call
                messages.append(Called(call.name or "", _mapping(call.args), call.id))
            elif part.function_response is not None:
                has_tools = True
                response = part.function_response
                messages.append(Answered(response.name or "", _mapping(response.response), response.id))
        if texts or image or (by_person and not has_tools):
            messages.append(Said("\n".join(texts), by_person, image))
    return messages


def tokens(text: str) -> int:
    """Estimate the number of tokens of a text."""
    return -(-len(text) // CHARS_PER_TOKEN)


def pieces(text: str) -> Iterator[str]:
    """Cut a text into a few words at a time; joined again they are the text."""
    words = re.findall(r"\s*\S+|\s+$", text)
    for start in range(0, len(words), WORDS_PER_CHUNK):
        yield "".join(words[start : start + WORDS_PER_CHUNK])


def _prompt_tokens(request: LlmRequest) -> int:
    count = 0
    instruction = request.config.system_instruction if request.config else None
    if isinstance(instruction, str):
        count += tokens(instruction)
    for content in request.contents:
        for part in content.parts or []:
            if part.text:
                count += tokens(part.text)
            elif part.function_call is not None:
                count += tokens(f"{part.function_call.name}{part.function_call.args}")
            elif part.function_response is not None:
                count += tokens(f"{part.function_response.name}{part.function_response.response}")
    return count


def _of_other_agent(parts: list[types.Part]) -> bool:
    """Recognise ADK's quotation of what another agent said or did: it is no message of the person."""
    if len(parts) < 2 or not (parts[0].text or "").startswith(_OTHER_AGENT):
        return False
    return all((part.text or "").startswith("[") for part in parts[1:] if part.text)


def _is_picture(part: types.Part) -> bool:
    blob, data = part.inline_data, part.file_data
    kind = (blob.mime_type if blob else None) or (data.mime_type if data else None) or ""
    return kind.startswith("image/")


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


LLMRegistry.register(OfflineShopper)
