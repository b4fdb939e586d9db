"""The rule about pages that give orders: reading such a text is fine, following it is not."""

import re
from collections.abc import Iterable, Iterator

from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.safety.situation import Finding, Situation
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page

MAX_ORDERS = 50
MAX_ORDER_CHARS = 600
_COPIED_WORDS = 3
"""So many words in a row of a search, found in an order and said by nobody else, count as following it."""
_COMMON = frozenset(
    [
        "a",
        "an",
        "and",
        "at",
        "best",
        "buy",
        "for",
        "from",
        "get",
        "in",
        "it",
        "item",
        "of",
        "on",
        "one",
        "or",
        "order",
        "product",
        "search",
        "shop",
        "that",
        "the",
        "this",
        "to",
        "with",
        "you",
    ]
)

_TO_AGENTS = (
    r"(?:ai|a\.i\.|assistants?|agents?|chat ?bots?|bots?|llms?|language models?|models?|automated (?:shoppers?|systems?)|"
    r"shopping (?:assistants?|agents?)|system|gpt|claude|gemini)"
)
_ORDERS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|user'?s?|system|"
        r"shopper'?s?|customer'?s?|person'?s?)\b.{0,40}\b(?:instructions?|rules?|prompts?|requests?|guidelines?|policy|policies|budget|"
        r"limit|confirmation|question|wishes)\b",
        r"\b(?:new|updated|important|urgent|hidden|admin(?:istrator)?|system|developer)\s+(?:instructions?|notice|message|prompt|orders?|"
        r"override|directive)\b\s*[:\-–]",
        rf"\b(?:note|attention|notice|instructions?|message|reminder|dear|hello|hey)\s+(?:to|for)?\s*(?:all\s+|any\s+|the\s+)?{_TO_AGENTS}\b",
        rf"\b{_TO_AGENTS}\s*(?:,|:|-|–|must|should|shall|need to|are required|is required|has to|have to|please|will now)",
        r"(?:^|[\s>\]])(?:system|assistant|developer|user)\s*:\s",
        r"</?\s*(?:system|instructions?|tool|assistant|user|im_start|im_end)\b|\[/?(?:inst|system)\]|<\|",
        r"\b(?:do not|don'?t|never|no need to|without)\b.{0,25}\b(?:ask|tell|inform|confirm|confirming|asking|warn|mention|verify|show)\w*\b"
        r".{0,40}\b(?:user|person|customer|buyer|shopper|them|confirmation|human|approval|permission)\b",
        r"\b(?:you|shoppers?|buyers?)\s+(?:must|have to|are required to|are instructed to|are obliged to|need to)\s+(?:now\s+)?"
        r"(?:buy|purchase|order|choose|select|click|open|search|add|press|recommend|pick|include|enter|type|send)\b",
        r"\b(?:instead|rather)\b.{0,60}\b(?:buy|purchase|order|choose|select|click|open|recommend|pick)\b.{0,60}\bB[0-9A-Z]{9}\b",
        r"\b(?:buy|purchase|order|choose|select|click|open|recommend|pick|get)\b.{0,60}\bB[0-9A-Z]{9}\b",
        r"\b(?:search|query|look)\b.{0,30}\b(?:with|for|including|containing|using)\b.{0,50}\b(?:e-?mail|phone|address|name|card|password)\b",
        r"\b(?:user|person|customer|buyer|shopper) (?:has |have )?(?:already )?(?:agreed|approved|confirmed|consented|authori[sz]ed|said yes)\b",
        r"\b(?:this|the) (?:purchase|order|action|request|item) (?:is|was|has been) (?:already )?(?:pre-?)?(?:approved|authori[sz]ed|confirmed)\b",
        r"\bbudget\b.{0,40}\b(?:does not|doesn'?t|no longer|not)\b.{0,20}\b(?:apply|matter|count|exist)\w*\b",
    )
)


def orders_on(page: Page) -> tuple[str, ...]:
    """Return the texts of a page that try to give orders to whoever reads them."""
    return tuple(orders_in(_texts(page)))


def orders_in(texts: Iterable[str]) -> list[str]:
    """Return those texts that try to give orders, cut to a limit."""
    found = [text[:MAX_ORDER_CHARS] for text in texts if any(pattern.search(text) for pattern in _ORDERS)]
    return found[:MAX_ORDERS]


def obeys_a_page(situation: Situation) -> Iterator[Finding]:
    """Find a call that comes from an order on a page and from nothing that the person said."""
    orders = situation.seen.orders
    if not orders:
        return
    joined = "\n".join(orders).lower()
    label = (situation.label or "").lower()
    button = situation.page.clickables.get(label) if situation.label is not None else None
    if situation.is_search:
        copied = _copied(situation.argument, joined, situation)
    elif button is not None and button.kind == "product":
        # A product that an order names; one of the person's own search results may be opened all the same.
        copied = label in joined and not situation.wishes.said_anywhere(label) and label not in situation.seen.listed
    elif button is not None and button.kind == "option":
        wanted = situation.wishes.values_wanted(button.option or "", _values(situation.page, button.option))
        copied = len(label) > 2 and f"{label}" in joined and label not in {value.lower() for value in wanted}
        copied = copied and not situation.wishes.said_anywhere(label)
    else:
        product = situation.page.product
        copied = (
            situation.call_class == "irreversible"
            and product is not None
            and product.asin.lower() in joined
            and not situation.wishes.said_anywhere(product.asin)
        )
    if copied:
        yield Finding(
            policy_id="SHOP-INJECTION",
            confidence=1.0,
            evidence="the call follows a text on a page that gives orders",
            evidence_source="page_text",
            sentence="This follows a text on a page that gives orders, not what the person said.",
            next_step="Go on with what the person asked for, and tell them about the text if it matters.",
        )


def _copied(argument: str, orders: str, situation: Situation) -> bool:
    """Return whether a search repeats what an order says and the person does not."""
    own = {word for message in situation.messages for word in words(message.lower())}
    asked = words(argument.lower())
    foreign = [word for word in asked if word not in own and word not in _COMMON and len(word) > 2]
    if any(re.fullmatch(r"b[0-9a-z]{9}", word) and word in orders for word in foreign):
        return True
    inside = [word for word in foreign if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", orders)]
    return len(inside) >= _COPIED_WORDS or (
        bool(foreign) and len(inside) == len(foreign) == len(asked) and len(inside) >= 2
    )


def _values(page: Page, option: str | None) -> tuple[str, ...]:
    return tuple(page.product.options.get(option or "", ())) if page.product is not None else ()


def _texts(page: Page) -> Iterator[str]:
    for card in page.products:
        yield card.title or ""
    product = page.product
    if product is None:
        return
    yield product.title or ""
    if page.kind == "item":
        for name, values in product.options.items():
            yield name
            yield from values
    elif page.kind == "description":
        yield product.description or ""
    elif page.kind == "features":
        yield from (bullet or "" for bullet in product.bullets)
    elif page.kind == "reviews":
        for review in product.reviews:
            yield f"{review.title} {review.body}"
    elif page.kind == "attributes":
        yield from product.attributes
