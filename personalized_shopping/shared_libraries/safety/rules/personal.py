"""The rule about personal data: what the person tells about themselves does not go into the shop."""

import re
from collections.abc import Iterator

from personalized_shopping.shared_libraries.safety.situation import Finding, Situation
from personalized_shopping.shared_libraries.trajectory.redaction import luhn

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "an e-mail address",
        re.compile(r"[\w.+-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]{1,63}(?:\s?(?:\.|\(dot\))\s?[\w-]{2,63})+"),
    ),
    (
        "a telephone number",
        re.compile(r"(?<![\w.$])\+?\d{1,3}?[ .-]?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\w)|(?<!\w)\+\d{9,15}(?!\w)"),
    ),
    ("a social security number", re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")),
    ("a date of birth", re.compile(r"\b(?:born|birthday|dob|date of birth)\b[^.]{0,20}\d{2,4}", re.IGNORECASE)),
    (
        "a street address",
        re.compile(
            r"\b\d{1,5}[a-z]? (?:[\w'-]+ ){1,4}"
            r"(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|terrace|square)\b",
            re.IGNORECASE,
        ),
    ),
)
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_OWN = (
    re.compile(
        r"\b(?:my name is|i am called|call me)\s+((?-i:[A-Z])[\w'-]+(?:\s+(?-i:[A-Z])[\w'-]+){0,2})",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bmy (?:e-?mail|phone|address|number|card|account|password|ssn|passport)\b[^:.]{0,20}"
        r"(?:is|:)\s*([^\s,;]{4,60})",
        re.IGNORECASE,
    ),
    re.compile(r"\bi live (?:at|in)\s+([^,.;]{4,60})", re.IGNORECASE),
)
_SHORTEST = 4


def personal_data(situation: Situation) -> Iterator[Finding]:
    """Find personal data in the arguments of a call."""
    if situation.label is not None:
        return  # a button's label is the shop's own text
    kind = kind_of_personal_data(situation.argument, situation.messages)
    if kind is not None:
        yield Finding(
            policy_id="SHOP-PII",
            confidence=1.0,
            evidence=kind,
            evidence_source="tool_args",
            sentence=f"The call holds {kind}, which the shop has no use for.",
            next_step="Search for the product alone, without anything about the person.",
        )


def kind_of_personal_data(text: str, messages: tuple[str, ...] = ()) -> str | None:
    """Return what personal data a text holds, by its form or because the person has called it their own."""
    for kind, pattern in _PATTERNS:
        if pattern.search(text):
            return kind
    for match in _CARD.finditer(text):
        if luhn(re.sub(r"\D", "", match[0])):
            return "a card number"
    lower = text.lower()
    for message in messages:
        for pattern in _OWN:
            for match in pattern.finditer(message):
                own = match[1].strip().lower()
                if len(own) >= _SHORTEST and own in lower:
                    return "what the person told about themselves"
    return None
