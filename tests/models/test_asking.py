import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import Field

from personalized_shopping.errors import ModelError
from personalized_shopping.models.asking import asker

SEEN: list[LlmRequest] = []


def said(*parts: types.Part, **more: Any) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=list(parts)), **more)


class Scripted(BaseLlm):
    """Gives the responses that a test puts into it."""

    model: str = "scripted"
    script: list[Any] = Field(default_factory=list)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        SEEN.append(llm_request)
        for response in self.script:
            if isinstance(response, float):
                await asyncio.sleep(response)
            elif isinstance(response, Exception):
                raise response
            else:
                yield response


def test_the_reply_is_what_the_model_says_and_not_what_it_thinks() -> None:
    model = Scripted(
        script=[
            said(types.Part(text="half"), partial=True),
            said(types.Part(text="I wonder", thought=True), types.Part(text="Half, "), types.Part(text="whole")),
        ]
    )
    assert asker(model)("the prompt", "the question") == "Half, whole"
    request = SEEN[-1]
    assert request.config.system_instruction == "the prompt"
    assert request.contents[0].parts[0].text == "the question"  # type: ignore[index]
    assert request.config.temperature == 0


async def test_it_works_within_a_running_loop() -> None:
    assert asker(Scripted(script=[said(types.Part(text="yes"))]))("", "") == "yes"


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ([ValueError("no key")], "could not be asked: 'no key'"),
        ([LlmResponse(error_code="429", error_message="too many")], "failed: 'too many'"),
        ([5.0], "did not reply within 0.05 seconds"),
    ],
)
def test_a_model_that_does_not_answer(script: list[Any], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        asker(Scripted(script=script), timeout_s=0.05)("", "")


def test_one_that_says_nothing() -> None:
    assert asker(Scripted())("", "") == ""
