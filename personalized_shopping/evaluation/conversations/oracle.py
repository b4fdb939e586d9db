"""A model that knows the case: it plays the agent's part without fault, which proves that each case can be solved.

It goes the way of any agent, through the tools and past the guard, and is told nothing by the person that others are
not. Only what is wanted it knows beforehand.
"""

import re
from collections.abc import AsyncGenerator, Iterator

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from personalized_shopping.evaluation.conversations.model import ConversationTask, Wish
from personalized_shopping.evaluation.conversations.wording import described
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import (
    BUY_NOW,
    DESCRIPTION,
    FEATURES,
    PREV_PAGE,
    REVIEWS,
)

MODEL_NAME = "oracle"
_BUYS = re.compile(r"\b(?:take (?:it|the)|buy|order|go ahead)\b", re.IGNORECASE)
_NOTHING_TO_BUY = re.compile(r"\b(?:before i|do n[o']t|don't|not buying)\b", re.IGNORECASE)


class OracleShopper(BaseLlm):
    """Solves one case. Make one for each conversation: it remembers what it is about to do.

    ``wanted`` and ``compared`` are products of the catalogue, ``task`` the case.
    """

    model: str = MODEL_NAME
    task: ConversationTask
    wanted: Product | None = None
    wanted_then: Product | None = None
    """What is wanted after the person has changed their mind."""
    compared: tuple[Product, ...] = ()
    _messages: int = 0
    _plan: Iterator[types.Part] | None = None
    _changed: bool = False

    @property
    def capabilities(self) -> LlmCapabilities:
        """Nothing beyond text and function calls."""
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the next step of the solution."""
        said = [text for content in llm_request.contents if content.role == "user" for text in _texts(content)]
        if len(said) > self._messages:
            self._messages = len(said)
            self._plan = self._steps(said[-1])
        part = next(self._plan or iter(()), types.Part(text="That is all."))
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=types.GenerateContentResponseUsageMetadata(prompt_token_count=0, candidates_token_count=0),
        )

    def _steps(self, message: str) -> Iterator[types.Part]:
        task = self.task
        if task.change is not None and message == task.change.words:
            self._changed = True
        wish = task.final_wish if self._changed else task.wish
        product = self.wanted_then if self._changed else self.wanted
        if task.denial or product is None:
            yield from self._deny(wish)
        elif self._messages > 1 and _BUYS.search(message) and not _NOTHING_TO_BUY.search(message):
            yield from self._buy(product, wish)
        elif self.compared and self._messages == 1:
            for one in self.compared:
                yield _call("search", one.title or one.asin)
            yield _say("\n".join(_line(one) for one in self.compared))
        elif self._messages == 1 or (task.change is not None and message == task.change.words):
            yield from self._read(product)
        else:
            yield _say("\n".join(_told(product)))

    def _deny(self, wish: Wish) -> Iterator[types.Part]:
        if self._messages == 1:
            yield _call("search", " ".join((wish.product, *wish.features)))
        yield _say(f"I'm sorry, there is nothing here that fits: {described(wish)}.")

    def _read(self, product: Product) -> Iterator[types.Part]:
        yield _call("search", product.title or product.asin)
        yield _call("click", product.asin)
        for page in (DESCRIPTION, FEATURES, REVIEWS):
            yield _call("click", page)
            yield _call("click", PREV_PAGE)
        yield _say("\n".join(_told(product)))

    def _buy(self, product: Product, wish: Wish) -> Iterator[types.Part]:
        yield _call("search", product.title or product.asin)
        yield _call("click", product.asin)
        for value in wish.options.values():
            yield _call("click", value)
        yield _call("click", BUY_NOW)
        yield _say("All right, as you said.")


def oracle(task: ConversationTask, products: dict[str, Product]) -> OracleShopper:
    """Return the model that solves a case.

    Args:
        task: the case.
        products: the catalogue's products by ASIN; those that the case names suffice.
    """
    return OracleShopper(
        task=task,
        wanted=products[task.asins[0]] if task.asins else None,
        wanted_then=products[task.final_asins[0]] if task.final_asins else None,
        compared=tuple(products[asin] for asin in task.compared),
    )


def _told(product: Product) -> Iterator[str]:
    yield _line(product)
    yield product.description or ""
    yield from (f"- {bullet}" for bullet in product.bullets if bullet)
    yield from (f"“{review.title}: {review.body}”" for review in product.reviews)


def _line(product: Product) -> str:
    return f"{product.title} ({product.asin}), {product.price}, rated {product.rating} of 5"


def _call(tool: str, argument: str) -> types.Part:
    name = "keywords" if tool == "search" else "button_name"
    return types.Part(function_call=types.FunctionCall(name=tool, args={name: argument}))


def _say(text: str) -> types.Part:
    return types.Part(text=text)


def _texts(content: types.Content) -> Iterator[str]:
    for part in content.parts or []:
        if part.text:
            yield part.text
