"""What skills save: two errands run through the real agent by a scripted model, with skills and without.

The reference errand: search, open a product, read its three sub-pages, choose two options, buy. The other: compare
three products. Input tokens are estimated at four characters each, over prompt, tools and the whole conversation.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from google.adk.apps import App
from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from pydantic import PrivateAttr

from personalized_shopping.errors import SkillError
from personalized_shopping.models.offline.shopper import tokens
from personalized_shopping.session import load_session
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.init_env import get_shop
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Search

APP, USER, SESSION = "personalized_shopping", "bench", "bench"
CONFIRM = "adk_request_confirmation"
TABS = ("Description", "Features", "Reviews")
_LOOKED_AT = 500

Script = Sequence[types.FunctionCall]


class _Scripted(BaseLlm):
    """Makes the calls of a script, one a turn, and counts what it was sent."""

    model: str = "scripted"
    _script: list[types.FunctionCall] = PrivateAttr(default_factory=list)
    _calls: int = PrivateAttr(default=0)
    _input_tokens: int = PrivateAttr(default=0)

    @property
    def capabilities(self) -> LlmCapabilities:
        """Nothing beyond text and function calls."""
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next call of the script, or the last word."""
        self._calls += 1
        sent = tokens(_sent(llm_request))
        self._input_tokens += sent
        part = types.Part(function_call=self._script.pop(0)) if self._script else types.Part(text="That is all.")
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=sent, candidates_token_count=1, total_token_count=sent + 1
        )
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


@dataclass
class _Errand:
    """What a run came to."""

    calls: int
    input_tokens: int
    place: dict[str, Any]
    read: set[str] = field(default_factory=set)


def bench() -> dict[str, dict[str, Any]]:
    """Return, for ``reference`` and ``compare3``, calls and input tokens with skills and without, and ``same_outcome``.

    Raises:
        SkillError: where the shop has no product with two options, or no three products on one page.
    """
    product, neighbours = _choose()
    pressed = [_click(product.asin), *(call for tab in TABS for call in (_click(tab), _click("< Prev")))]
    options = dict(list((name, values[0]) for name, values in product.options.items())[:2])
    search = _call("search", keywords=product.title or product.asin)
    compared = [call for asin in neighbours for call in _read_through(asin)]
    return {
        "reference": _compared(
            [search, *pressed, *(_click(value) for value in options.values()), _click("Buy Now")],
            [
                search,
                _click(product.asin),
                _skill("gather_product_info"),
                _skill("select_options_and_check_price", options=options),
                _click("Buy Now"),
            ],
            product,
        ),
        "compare3": _compared(
            [search, *compared], [search, _skill("compare_items", asins=neighbours, tabs=list(TABS))], product
        ),
    }


def _compared(without: Script, with_skills: Script, product: Product) -> dict[str, Any]:
    plain, skilled = (asyncio.run(_run(script, product)) for script in (without, with_skills))
    return {
        "model_calls_without_skills": plain.calls,
        "model_calls_with_skills": skilled.calls,
        "input_tokens_without_skills": plain.input_tokens,
        "input_tokens_with_skills": skilled.input_tokens,
        "same_outcome": plain.place == skilled.place and plain.read == skilled.read,
    }


async def _run(script: Script, product: Product) -> _Errand:
    from personalized_shopping.agent import root_agent

    model = _Scripted()
    model._script = [call.model_copy(deep=True) for call in script]
    runner = InMemoryRunner(app=App(name=APP, root_agent=root_agent.clone(update={"model": model})))
    await runner.session_service.create_session(app_name=APP, user_id=USER, session_id=SESSION)
    said = types.Part(text=f"Please find me this: {product.title}")
    message: types.Content | None = types.Content(role="user", parts=[said])
    read: set[str] = set()
    while message is not None:
        question = None
        async for event in runner.run_async(user_id=USER, session_id=SESSION, new_message=message):
            for answer in event.get_function_responses():
                read |= _texts(answer.response or {})
            question = next((call for call in event.get_function_calls() if call.name == CONFIRM), question)
        message = _yes(question) if question is not None else None
    session = await runner.session_service.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    place = load_session(session.state) if session is not None else None
    facts = {"kind": place.kind, "asin": place.asin, "options": place.options, "done": place.done} if place else {}
    return _Errand(model._calls, model._input_tokens, facts, read)


def _choose() -> tuple[Product, list[str]]:
    """Return a product with two options, and three products that its title finds."""
    shop = get_shop()
    for row in range(min(len(shop.catalog), _LOOKED_AT)):
        product = shop.catalog.product(shop.catalog.asin_at(row))
        values = [value for values in product.options.values() for value in values]
        if len(product.options) < 2 or len(set(values)) != len(values):
            continue
        listed = [card.asin for card in shop.step(shop.start(), Search(product.title or product.asin)).page.products]
        if product.asin in listed and len(listed) >= 3:
            return product, listed[:3]
    raise SkillError("The shop has no product with two options among others like it; the errands need one.")


def _read_through(asin: str) -> list[types.FunctionCall]:
    tabs = [call for tab in TABS for call in (_click(tab), _click("< Prev"))]
    return [_click(asin), *tabs, _click("< Prev")]


def _texts(answer: dict[str, Any]) -> set[str]:
    """Return the texts of sub-pages that an answer holds, from pages and from a skill's evidence."""
    evidence = answer.get("evidence") or {}
    contents = [answer.get("content"), *(evidence.get("content") or {}).values()]
    contents += [blocks for item in evidence.get("items") or [] for blocks in item["content"].values()]
    return {
        " ".join(text.split())[:600]
        for blocks in contents
        for block in blocks or []
        if (text := block.get("body", "") if isinstance(block, dict) else str(block)).strip()
    }


def _yes(question: types.FunctionCall) -> types.Content:
    answer = types.FunctionResponse(id=question.id, name=CONFIRM, response={"confirmed": True})
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


def _sent(request: LlmRequest) -> str:
    config = request.config
    tools = [
        tool.model_dump(mode="json", exclude_none=True) for tool in config.tools or [] if isinstance(tool, types.Tool)
    ]
    contents = [content.model_dump(mode="json", exclude_none=True) for content in request.contents]
    return json.dumps([str(config.system_instruction), tools, contents], ensure_ascii=False)


def _call(name: str, **args: Any) -> types.FunctionCall:
    return types.FunctionCall(name=name, args=args)


def _click(button: str) -> types.FunctionCall:
    return _call("click", button_name=button)


def _skill(skill_id: str, **args: Any) -> types.FunctionCall:
    return _call("use_skill", skill_id=skill_id, args=args)
