"""Buying, which a person has to agree to: this product, these options, this price."""

from collections.abc import Sequence
from typing import Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import flag
from personalized_shopping.session import CONFIRM_KEY, Conversation
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, Click
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.answer import describe_product
from personalized_shopping.tools.plain_text import money, plain
from personalized_shopping.tools.visit import Visit

_TITLE_CHARS = 160


async def buy(here: Visit, tool_context: ToolContext) -> dict[str, Any]:
    """Buy what the page shows, once the person has agreed to exactly that.

    The answer to a question counts only for the product, options and price that were asked about. If the page shows
    something else by then, nothing is bought, and the model has to press the button once more, which asks again: ADK
    puts no second question for a call that it resumes.
    """
    if not confirmation_needed(tool_context):
        return await _bought(here)
    facts = purchase_facts(here.page)
    confirmation = tool_context.tool_confirmation
    if confirmation is None:
        return ask(here.page, here.conversation, tool_context)
    here.conversation.question_in = None
    if not confirmation.confirmed:
        return await here.answer(
            error="The person said no to this purchase. Nothing was bought; ask what they would like instead.",
            status="refused",
        )
    if asked_facts(tool_context) != facts:
        return await here.answer(
            error="The product, its options or its price changed after the person was asked, so nothing was bought. "
            "If they still want it as it is now, press Buy Now again; they will be asked anew.",
            status="refused",
        )
    return await _bought(here)


def confirmation_needed(tool_context: ToolContext) -> bool:
    """Return whether the person must be asked.

    Whoever reaches the server may set session state, so the state alone does not switch the question off: the process
    must have been started for that.
    """
    return not (tool_context.state.get(CONFIRM_KEY) is False and flag("ALLOW_UNCONFIRMED_PURCHASES"))


def purchase_facts(page: Page) -> dict[str, Any]:
    """Return what a person agrees to when they agree to buy from this page."""
    product = _product(page)
    return {
        "asin": product.asin,
        "title": plain(product.title or product.asin, limit=_TITLE_CHARS, one_line=True),
        "options": {plain(name): plain(value) for name, value in sorted(page.options.items())},
        "price": plain(money(product.pricing, product.price), one_line=True),
    }


def question(page: Page) -> str:
    """Return the question before a purchase, with product, options and price."""
    product = _product(page)
    facts = purchase_facts(page)
    chosen = {name.lower(): value for name, value in page.options.items()}
    options = [
        f"{plain(name, one_line=True)}: {plain(chosen.get(name.lower(), 'not chosen'), one_line=True)}"
        for name in product.options
    ]
    described = f"“{facts['title']}” ({'; '.join([*options, product.asin])})"
    return f"Buy {described} for {facts['price']}?"


def ask(
    page: Page, conversation: Conversation, tool_context: ToolContext, warnings: Sequence[str] = ()
) -> dict[str, Any]:
    """Put the question to the person, with what they should know beside the facts, and return the tool's answer."""
    asked = " ".join([question(page), *warnings])
    tool_context.request_confirmation(hint=asked, payload=purchase_facts(page))
    # Otherwise the model would be called at once and talk over the question.
    tool_context.actions.skip_summarization = True
    conversation.question_in = tool_context.invocation_id
    return {
        "status": "pending",
        "page": page.kind,
        "product": describe_product(_product(page), page.options),
        "question": asked,
    }


def asked_facts(tool_context: ToolContext) -> Any:
    """Return the facts of the last question that was put for this call, as the conversation has recorded it.

    The answer carries a payload too, but the one who answers wrote it.
    """
    for event in reversed(tool_context.session.events):
        asked = (event.actions.requested_tool_confirmations or {}).get(tool_context.function_call_id or "")
        if asked is not None:
            return asked.payload
    return None


async def _bought(here: Visit) -> dict[str, Any]:
    await here.take(Click(BUY_NOW))
    return await here.answer()


def _product(page: Page) -> Product:
    assert page.product is not None, "only a product's page has a Buy Now button"
    return page.product
