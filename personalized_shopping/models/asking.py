"""Asking a model one question, from code that is not asynchronous: what the tasks that help to build skills need."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from personalized_shopping.errors import ModelError, shorten

TIMEOUT_S = 120.0
"""How long a reply may take."""


def asker(model: BaseLlm, *, timeout_s: float = TIMEOUT_S) -> Callable[[str, str], str]:
    """Return a function that asks a model: a system prompt and a question give the text of its reply.

    Args:
        model: any that the agent can think with.
        timeout_s: how long a reply may take, in seconds.

    Returns:
        The function. It raises ``ModelError`` where there is no reply.
    """

    def ask(system: str, question: str) -> str:
        # A thread of its own, so that it works within a running event loop as well.
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(lambda: asyncio.run(_ask(model, system, question, timeout_s))).result()

    return ask


async def _ask(model: BaseLlm, system: str, question: str, timeout_s: float) -> str:
    request = LlmRequest(
        model=model.model,
        contents=[types.Content(role="user", parts=[types.Part(text=question)])],
        config=types.GenerateContentConfig(system_instruction=system, temperature=0.0),
    )
    try:
        return await asyncio.wait_for(_text(model, request), timeout_s)
    except ModelError:
        raise
    except TimeoutError:
        raise ModelError(f"The model {shorten(model.model)} did not reply within {timeout_s:g} seconds.") from None
    except Exception as error:
        why = shorten(str(error) or type(error).__name__, 300)
        raise ModelError(f"The model {shorten(model.model)} could not be asked: {why}.") from None


async def _text(model: BaseLlm, request: LlmRequest) -> str:
    text = ""
    async for response in model.generate_content_async(request):
        if response.partial:
            continue
        if response.error_code is not None:
            raise ModelError(f"The model {shorten(model.model)} failed: {shorten(response.error_message, 300)}.")
        parts = (response.content.parts if response.content else None) or []
        text += "".join(part.text for part in parts if part.text and not part.thought)
    return text
