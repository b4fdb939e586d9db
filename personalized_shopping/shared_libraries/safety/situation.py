"""What the guard looks at when the agent is about to call a tool, and what it finds."""

import hashlib
from typing import Any, Literal

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.safety.wishes import PersonWishes
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, SEARCH_BUTTON
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession

CallClass = Literal["read", "reversible", "irreversible"]
"""``read``: searching and opening; ``reversible``: choosing an option; ``irreversible``: buying."""


class PastCall(Struct, frozen=True):
    """An earlier call of the conversation: what it was, where, and whether it was blocked."""

    action: str
    state: str
    blocked: bool = False


class Agreement(Struct, frozen=True):
    """A person's answer to the question about this very call; ``same_facts``: whether it was about what stands now."""

    confirmed: bool
    same_facts: bool


class SeenProduct(Struct, frozen=True):
    """A product as pages have shown it; ``ratings`` begin with its own and go on with those of its reviews."""

    asin: str
    title: str
    prices_usd: tuple[float, ...] = ()
    ratings: tuple[float, ...] = ()


class Seen(Struct, frozen=True):
    """What the agent has read so far: texts of pages that try to give orders, and the first price of each product."""

    orders: tuple[str, ...] = ()
    prices_usd: dict[str, float] = {}
    listed: frozenset[str] = frozenset()
    """Products (lower-case) that results pages of the person's own searches have listed."""
    products: dict[str, SeenProduct] = {}
    """All products that pages have listed or shown, by their codes in lower case."""
    mentioned: frozenset[str] = frozenset()
    """Products (lower-case) that free text on other products' pages names by code."""


class Situation(Struct, frozen=True, kw_only=True):
    """A call that the agent is about to make.

    ``label`` is the button in the shop's own spelling, ``None`` where the page has no such button. ``messages`` are the
    person's, oldest first, and nobody else's. ``after_purchase``: a call that buys went before in the same turn of the
    model. ``confirmation_needed``: whether a person has to be asked before a purchase at all.
    """

    tool: str
    arguments: dict[str, Any]
    action: str
    page: Page
    place: ShopSession
    label: str | None = None
    messages: tuple[str, ...] = ()
    wishes: PersonWishes = PersonWishes()
    calls: tuple[PastCall, ...] = ()
    seen: Seen = Seen()
    agent_text: str = ""
    agreement: Agreement | None = None
    after_purchase: bool = False
    confirmation_needed: bool = True

    @property
    def call_class(self) -> CallClass:
        """How much is at stake."""
        if self.tool == "click" and self.label is not None:
            if self.label.lower() == BUY_NOW.lower():
                return "irreversible"
            button = self.page.clickables.get(self.label)
            if button is not None and button.kind == "option":
                return "reversible"
        return "read"

    @property
    def state(self) -> str:
        """A hash of where the shopper stands: page, product, options, query."""
        value = {**msgspec.to_builtins(self.place), "counts": None, "visited": None}
        return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:16]

    @property
    def argument(self) -> str:
        """The text that the call carries into the shop."""
        return " ".join(str(value) for value in self.arguments.values() if isinstance(value, str | int | float))

    @property
    def is_search(self) -> bool:
        """Whether the call searches."""
        return self.tool == "search" or (self.label or "").lower() == SEARCH_BUTTON.lower()


class Finding(Struct, frozen=True, kw_only=True):
    """A policy that the call would violate.

    ``confidence`` is 0 to 1. ``evidence`` is quoted from ``evidence_source``. ``sentence`` and ``next_step`` are what
    the model is told; they hold no page text.
    """

    policy_id: str
    confidence: float
    evidence: str
    evidence_source: Literal["user_message", "tool_args", "page_text", "agent_text", "env_state"]
    sentence: str = ""
    next_step: str = ""
    enforcement: Literal["block", "confirm", "warn"] | None = None
    """Another enforcement than the policy's, where the rule knows better."""
