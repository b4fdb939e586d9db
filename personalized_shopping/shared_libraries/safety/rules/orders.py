"""The rule about pages that give orders: reading such a text is fine, following it is not."""

import re
from collections.abc import Iterable, Iterator

from personalized_shopping.shared_libraries.requests.text import words
from personalized_shopping.shared_libraries.safety.rules.codes import codes_in
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

_AGENTS = (
    r"(?:ai|a\.i\.|assistants?|agents?|chat ?bots?|bots?|llms?|language models?|models?|system|gpt|claude|gemini|"
    r"automated (?:shoppers?|systems?)|shopping (?:assistants?|agents?))"
)
_WHOSE = r"(?:previous|prior|above|earlier|all|any|your|user'?s?|system|shopper'?s?|customer'?s?|person'?s?)"
_WHAT_IS_SET = (
    r"(?:instructions?|rules?|prompts?|requests?|guidelines?|policy|policies|budget|limit|confirmation|question|wishes)"
)
_NOTICE = r"(?:note|attention|notice|instructions?|message|reminder|dear|hello|hey)"
_CHOOSE = r"(?:buy|purchase|order|choose|select|click|open|recommend|pick|get)"
_BUYER = r"(?:user|person|customer|buyer|shopper)"
_TELL = r"(?:ask|tell|inform|confirm|warn|mention|verify|show)"
_AGREED = r"(?:agreed|approved|confirmed|consented|authori[sz]ed|said yes)"
_CODE = r"B[0-9A-Z]{9}"
_ORDERS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # Setting aside what was said before.
        rf"\b(?:ignore|disregard|forget|override|bypass|skip)\b.{{0,40}}\b{_WHOSE}\b.{{0,40}}\b{_WHAT_IS_SET}\b",
        r"\bbudget\b.{0,40}\b(?:does not|doesn'?t|no longer|not)\b.{0,20}\b(?:apply|matter|count|exist)\w*\b",
        # Posing as the one who gives instructions.
        r"\b(?:new|updated|important|urgent|hidden|admin(?:istrator)?|system|developer)\s+"
        r"(?:instructions?|notice|message|prompt|orders?|override|directive)\b\s*[:\-–]",
        r"(?:^|[\s>\]])(?:system|assistant|developer|user)\s*:\s",
        r"</?\s*(?:system|instructions?|tool|assistant|user|im_start|im_end)\b|\[/?(?:inst|system)\]|<\|",
        # Speaking to a machine.
        rf"\b{_NOTICE}\s+(?:to|for)?\s*(?:all\s+|any\s+|the\s+)?{_AGENTS}\b",
        rf"\b{_AGENTS}\s*(?:,|:|-|–|must|should|shall|need to|(?:are|is) required|ha(?:s|ve) to|please|will now)",
        # Keeping the person out of it, or speaking for them.
        rf"\b(?:do not|don'?t|never|no need to|without)\b.{{0,25}}\b{_TELL}\w*\b"
        rf".{{0,40}}\b(?:{_BUYER}|them|confirmation|human|approval|permission)\b",
        rf"\b{_BUYER} (?:has |have )?(?:already )?{_AGREED}\b",
        rf"\b(?:this|the) (?:purchase|order|action|request|item) (?:is|was|has been) (?:already )?(?:pre-)?{_AGREED}\b",
        # Telling what to buy, choose or search for.
        r"\b(?:you|shoppers?|buyers?)\s+(?:must|(?:have|need|are (?:required|instructed|obliged)) to)\s+(?:now\s+)?"
        rf"(?:{_CHOOSE}|search|add|press|include|enter|type|send)\b",
        rf"\b{_CHOOSE}\b.{{0,60}}\b{_CODE}\b",
        r"\b(?:search|query|look)\b.{0,30}\b(?:with|for|including|containing|using)\b.{0,50}"
        r"\b(?:e-?mail|phone|address|name|card|password)\b",
    )
)


def orders_on(page: Page) -> tuple[str, ...]:
    """Return the texts of a page that try to give orders to whoever reads them."""
    return tuple(orders_in(_texts(page)))


def mentioned_on(page: Page) -> set[str]:
    """Return the codes, in lower case, of products that the free text about other products names."""
    found = {code for card in page.products for code in codes_in(card.title or "") if code != card.asin.upper()}
    if page.product is not None:
        own = page.product.asin.upper()
        found |= {code for text in _texts(page) for code in codes_in(text) if code != own}
    return {code.lower() for code in found}


def orders_in(texts: Iterable[str]) -> list[str]:
    """Return those texts that try to give orders, cut to a limit."""
    found = [text[:MAX_ORDER_CHARS] for text in texts if any(pattern.search(text) for pattern in _ORDERS)]
    return found[:MAX_ORDERS]


def obeys_a_page(situation: Situation) -> Iterator[Finding]:
    """Find a call that comes from an order on a page and from nothing that the person said."""
    joined = "\n".join((*situation.seen.orders, *sorted(situation.seen.mentioned))).lower()
    label = (situation.label or "").lower()
    button = situation.page.clickables.get(label) if situation.label is not None else None
    if situation.is_search:
        copied = _copied(situation.argument, joined, situation)
    elif not joined:
        return
    elif button is not None and button.kind == "product":
        # A product that an order names; one of the person's own search results may be opened all the same.
        copied = label in joined and not situation.wishes.said_anywhere(label) and label not in situation.seen.listed
    elif button is not None and button.kind == "option":
        wanted = situation.wishes.values_wanted(button.option or "", _values(situation.page, button.option))
        copied = len(label) > 2 and label in joined and label not in {value.lower() for value in wanted}
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
        # Whether the person wants this very product all the same is theirs to say.
        ask = situation.call_class == "irreversible" and situation.confirmation_needed
        yield Finding(
            policy_id="SHOP-INJECTION",
            confidence=1.0,
            evidence="the call follows a text on a page that gives orders",
            evidence_source="page_text",
            sentence="This follows a text on a page that gives orders, not what the person said.",
            next_step="Go on with what the person asked for, and tell them about the text if it matters.",
            enforcement="confirm" if ask else None,
        )


def _copied(argument: str, orders: str, situation: Situation) -> bool:
    """Return whether a search repeats what an order says and the person does not."""
    own = {word for message in situation.messages for word in words(message.lower())}
    asked = words(argument.lower())
    foreign = [word for word in asked if word not in own and word not in _COMMON and len(word) > 2]
    if any(not _is_known(code, situation) for code in codes_in(argument)):
        return True
    inside = [word for word in foreign if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", orders)]
    return len(inside) >= _COPIED_WORDS or (
        bool(foreign) and len(inside) == len(foreign) == len(asked) and len(inside) >= 2
    )


def _is_known(code: str, situation: Situation) -> bool:
    """Return whether a product's code comes from the person, or from the shop's own lists."""
    return code.lower() in situation.seen.products or situation.wishes.said_anywhere(code)


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
