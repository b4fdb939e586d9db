"""One tool call's visit to the shop: wait for the turn, stand where the conversation stands, act, answer."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.errors import CatalogError, ShoppingError
from personalized_shopping.session import Conversation, load_session, registry, save_session
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.tools.answer import describe
from personalized_shopping.tools.artifacts import save_page
from personalized_shopping.tools.goal import find_goal, goal_index, score

logger = logging.getLogger(__name__)


class PurchasePending(ShoppingError):
    """The person has been asked about a purchase and has not answered yet."""


class Visit:
    """What a tool works with during its turn: the shop, and this conversation's place in it."""

    def __init__(self, context: ToolContext, conversation: Conversation, shop: Shop) -> None:
        self.conversation = conversation
        self.shop = shop
        self._context = context
        self.session, self.page = place_of(shop, context)
        self._moved = False
        self._reward_info: dict[str, float | bool] | None = None

    def show_instruction(self, text: str) -> None:
        """Show a task on the pages that follow, unless the conversation pursues a goal with a task of its own."""
        if self.session.goal_index is None:
            self.session = msgspec.structs.replace(self.session, instruction=text)

    async def take(self, action: Action) -> None:
        """Take an action that the page offers; a search in a large catalogue must not hold up other conversations."""
        step = await asyncio.to_thread(self.shop.step, self.session, action, self.page)
        if step.error is not None:
            raise ShoppingError(step.error)
        self.session, self.page, self._moved = step.session, step.page, True
        if step.purchase is not None and step.session.goal_index is not None:
            reward = await asyncio.to_thread(score, self._context, step.session.goal_index, step.purchase)
            self._reward_info = reward.info()
            self.session = msgspec.structs.replace(self.session, reward=reward.total)
            self.page = msgspec.structs.replace(self.page, reward=reward.total)

    async def walked(self, steps: Sequence[tuple[ShopSession, Page]]) -> None:
        """Stand where a skill's steps have led, and save the page of each."""
        for session, page in steps:
            self.session, self.page, self._moved = session, page, True
            await save_page(self._context, page)
        if steps:
            save_session(self._context.state, self.session)

    async def answer(self, error: str | None = None, status: str | None = None) -> dict[str, Any]:
        """Write down where the conversation stands now, and return what the model is told about it.

        Args:
            error: what went wrong.
            status: ``refused`` where that is not the tool's failure but somebody's decision.
        """
        if self._moved:
            save_session(self._context.state, self.session)
            await save_page(self._context, self.page)
        answer = describe(self.page, error)
        if status is not None:
            answer["status"] = status
        return answer if self._reward_info is None else {**answer, "reward_info": self._reward_info}


@asynccontextmanager
async def visit(context: ToolContext) -> AsyncIterator[Visit]:
    """Give one tool call its turn in the conversation's shop.

    Raises:
        PurchasePending: when a call made in the same turn of the model has put a question to the person.
        ShoppingError: when the shop cannot be opened, or the conversation's goal does not exist.
    """
    conversation = registry.conversation(context.session.app_name, context.user_id, context.session.id)
    async with conversation.turn(context.function_call_id or ""):
        if context.tool_confirmation is not None:
            conversation.question_in = None  # the person has answered, whatever the page offers by now
        if conversation.question_in == context.invocation_id:
            raise PurchasePending(
                "The person is being asked about the purchase; wait for the answer and press nothing else."
            )
        yield await asyncio.to_thread(_enter, context, conversation)


def _enter(context: ToolContext, conversation: Conversation) -> Visit:
    # What opens a shop (numpy, the search engine) is loaded with the first shopper, not with the agent.
    from personalized_shopping.shared_libraries.init_env import get_shop

    return Visit(context, conversation, get_shop())


def place_of(shop: Shop, context: ToolContext) -> tuple[ShopSession, Page]:
    """Return where a conversation stands: as its state says, or at the beginning."""
    session = load_session(context.state)
    if session is not None:
        try:
            return session, shop.page(session)
        except CatalogError as error:
            logger.warning("This conversation's page is not in the catalogue; starting anew: %s", error)
    index = goal_index(context)
    instruction = find_goal(context, index).instruction_text if index is not None else None
    session = shop.start(instruction=instruction, goal_index=index)
    return session, shop.page(session)
