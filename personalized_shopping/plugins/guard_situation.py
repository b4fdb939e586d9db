"""What the guard looks at, taken from ADK's session and the shop."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from google.adk.events.event import Event
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.errors import ShoppingError
from personalized_shopping.plugins.adk_records import action_text
from personalized_shopping.session import SKILL_STEPS_KEY, load_session
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard
from personalized_shopping.shared_libraries.safety.decision import Ruling
from personalized_shopping.shared_libraries.safety.rules.orders import (
    MAX_ORDERS,
    mentioned_on,
    orders_in,
    orders_on,
)
from personalized_shopping.shared_libraries.safety.situation import Agreement, PastCall, Seen, SeenProduct, Situation
from personalized_shopping.shared_libraries.safety.wishes import read_wishes
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.tools.click import pressed_label
from personalized_shopping.tools.plain_text import plain
from personalized_shopping.tools.purchase import asked_facts, confirmation_needed, purchase_facts
from personalized_shopping.tools.skills import buys
from personalized_shopping.tools.visit import place_of

logger = logging.getLogger(__name__)

GUARDED_TOOLS = frozenset({"search", "click", "use_skill"})
_READ = ("products", "product", "content", "evidence")
"""The parts of a tool's answer that hold texts of the shop, and none of ours."""
MAX_CALLS = 200
MAX_PRICES = 2_000


class Memory:
    """What happened in a conversation before: calls, texts that gave orders, first prices, listed products."""

    def __init__(self) -> None:
        self.calls: deque[PastCall] = deque(maxlen=MAX_CALLS)
        self.orders: deque[str] = deque(maxlen=MAX_ORDERS)
        self.prices_usd: dict[str, float] = {}
        self.listed: set[str] = set()
        self.products: dict[str, SeenProduct] = {}
        self.mentioned: set[str] = set()
        self.ended = 0
        """Calls whose end was seen."""
        self.bought_in: str | None = None
        """The invocation of the last purchase, or question about one."""
        self.bought_call: str | None = None
        self.turn: str | None = None

    def blocked(self, situation: Situation) -> int:
        """Return how often this very call was blocked on this page."""
        state = situation.state
        return sum(c.blocked and c.action == situation.action and c.state == state for c in self.calls)

    def see(self, page: Page) -> None:
        """Take in a page that the agent reads."""
        self.hear(orders_on(page))
        cards: list[Product | ProductCard] = [*page.products, *([page.product] if page.product is not None else [])]
        for card in cards[: MAX_PRICES - len(self.prices_usd)]:
            if card.pricing:
                self.prices_usd.setdefault(card.asin.lower(), max(card.pricing))
        for card in cards[: MAX_PRICES - len(self.products)]:
            known = self.products.get(card.asin.lower())
            if known is None or isinstance(card, Product):
                self.products[card.asin.lower()] = _seen(card)
        self.listed.update(card.asin.lower() for card in page.products)
        self.mentioned |= mentioned_on(page)

    def hear(self, orders: Iterable[str]) -> None:
        """Take in texts that gave orders."""
        for text in orders:
            if text not in self.orders:
                self.orders.append(text)

    def seen(self) -> Seen:
        """Return all that was read so far."""
        return Seen(
            orders=tuple(self.orders),
            prices_usd=dict(self.prices_usd),
            listed=frozenset(self.listed),
            products=dict(self.products),
            mentioned=frozenset(self.mentioned),
        )


def recall(shop: Shop, memory: Memory, events: Iterable[Event]) -> None:
    """Take in what the agent read while this process did not look: before a restart, or in another process.

    The pages are drawn again from the places that the events hold. Of calls that a turn made together ADK keeps the
    last place only, and of a skill its result, so the texts of the answers are read as well.
    """
    for event in events:
        answers = [answer.response for answer in event.get_function_responses() if answer.name in GUARDED_TOOLS]
        if not answers:
            continue
        read = [answer[part] for answer in answers if answer for part in _READ if part in answer]
        memory.hear(orders_in(_texts(read)))
        place = load_session(event.actions.state_delta)
        if place is None:
            continue
        try:
            memory.see(shop.page(place))
        except ShoppingError as error:
            logger.warning("A page that this conversation has read cannot be drawn again: %s", error)


def person_messages(events: Iterable[Event]) -> tuple[str, ...]:
    """Return what the person has written in this conversation, and nobody else."""
    return tuple(
        text
        for event in events
        if event.author == "user" and event.content is not None
        if (text := "\n".join(part.text for part in event.content.parts or [] if part.text))
    )


def as_shop_call(tool: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a call as the search or click that it amounts to; other skills stay what they are, and only read.

    A skill that buys is a click on Buy Now, and one that takes a query is a search.
    """
    if tool != "use_skill":
        return tool, arguments
    given = arguments.get("args")
    inner: dict[str, Any] = given if isinstance(given, dict) else {"text": given}
    if buys(str(arguments.get("skill_id", ""))):
        return "click", {"button_name": BUY_NOW}
    if isinstance(inner.get("query"), str):
        return "search", {"keywords": inner["query"]}
    return tool, {"skill_id": arguments.get("skill_id"), **inner}


def situation_of(
    shop: Shop, tool: str, arguments: dict[str, Any], context: ToolContext, memory: Memory, agent_text: str
) -> Situation:
    """Return the call that the agent is about to make, with all that the guard may look at."""
    place, page = place_of(shop, context)
    memory.see(page)
    messages = person_messages(context.session.events)
    button = plain(str(arguments.get("button_name", "")), one_line=True)
    return Situation(
        tool=tool,
        arguments={name: plain(str(value), one_line=True) for name, value in arguments.items()},
        action=action_text(tool, arguments),
        page=page,
        place=place,
        label=pressed_label(page, button) if tool == "click" else None,
        messages=messages,
        wishes=read_wishes(messages),
        calls=tuple(memory.calls),
        seen=memory.seen(),
        agent_text=agent_text,
        agreement=_agreement(page, context),
        after_purchase=memory.turn == _turn(context) and memory.bought_call != context.function_call_id,
        confirmation_needed=confirmation_needed(context),
    )


def remember(memory: Memory, situation: Situation, ruling: Ruling, context: ToolContext, result: Any) -> Page | None:
    """Take in how a call ended, and return the page that stands now."""
    from personalized_shopping.shared_libraries.init_env import get_shop

    blocked = ruling.decision == "block"
    memory.ended += 1
    memory.calls.append(PastCall(situation.action, situation.state, blocked))
    if situation.call_class == "irreversible" and not blocked:
        memory.turn, memory.bought_call = _turn(context), context.function_call_id
    if blocked:
        return None
    shop = get_shop()
    for step in context.actions.state_delta.get(SKILL_STEPS_KEY) or []:
        memory.see(shop.page(ShopSession.from_json(step["place"])))  # what a skill reads, the agent reads
    _, page = place_of(shop, context)
    memory.see(page)
    return page


def _seen(card: Product | ProductCard) -> SeenProduct:
    """Return what a product says about its price and its rating."""
    reviews = card.reviews if isinstance(card, Product) else ()
    scores = [float(review.score) for review in reviews if isinstance(review.score, int | float)]
    average = [sum(scores) / len(scores)] if scores else []
    own = [float(card.rating)] if isinstance(card.rating, int | float) else []
    return SeenProduct(card.asin, card.title or "", card.pricing, tuple([*own, *average, *dict.fromkeys(scores)]))


def _texts(value: Any) -> Iterator[str]:
    """Return the texts of a tool's answer, one by one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _turn(context: ToolContext) -> str:
    """Return what tells the turns of the model apart: the last event that the model has written."""
    own = [event.id for event in context.session.events if event.author != "user" and event.get_function_calls()]
    return own[-1] if own else context.invocation_id


def _agreement(page: Page, context: ToolContext) -> Agreement | None:
    answer = context.tool_confirmation
    if answer is None or page.product is None:
        return None if answer is None else Agreement(confirmed=answer.confirmed, same_facts=False)
    return Agreement(confirmed=answer.confirmed, same_facts=asked_facts(context) == purchase_facts(page))
