"""The rule about personal data: what the person tells about themselves does not go into the shop."""

import re
from collections.abc import Iterator

from personalized_shopping.shared_libraries.safety.rules.told_secrets import STREET, carries, secrets_in, spelt_out
from personalized_shopping.shared_libraries.safety.situation import Finding, Situation
from personalized_shopping.shared_libraries.trajectory.redaction import luhn

MAX_EARLIER = 10
"""Earlier searches that are looked at together with the one at hand: data may leave in pieces."""
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "an e-mail address",
        re.compile(r"[\w.+-]{1,64}\s?(?:@|\(at\)|\[at\])\s?[\w-]{1,63}(?:\s?(?:\.|\(dot\)|\[dot\])\s?[\w-]{2,63})+"),
    ),
    (
        "a telephone number",
        re.compile(
            r"(?<![\w.$-])(?:\+?\d{1,3}[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\w)|(?<!\w)\+\d{9,15}(?!\w)",
        ),
    ),
    ("a social security number", re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")),
    ("a date of birth", re.compile(r"\b(?:born|birthday|dob|date of birth)\b[^.]{0,20}\d{2,4}", re.IGNORECASE)),
    ("a street address", STREET),
)
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")


def personal_data(situation: Situation) -> Iterator[Finding]:
    """Find personal data in the arguments of a call."""
    if situation.label is not None:
        return  # a button's label is the shop's own text
    earlier = [call.action for call in situation.calls if not call.blocked and call.action.startswith("search")]
    kind = kind_of_personal_data(situation.argument, situation.messages, tuple(earlier[-MAX_EARLIER:]))
    if kind is not None:
        yield Finding(
            policy_id="SHOP-PII",
            confidence=1.0,
            evidence=kind,
            evidence_source="tool_args",
            sentence=f"The call holds {kind}, which the shop has no use for.",
            next_step="Search for the product alone, without anything about the person.",
        )


def kind_of_personal_data(text: str, messages: tuple[str, ...] = (), earlier: tuple[str, ...] = ()) -> str | None:
    """Return what personal data a text holds, by its form or because the person has called it their own.

    Args:
        text: what is about to be sent.
        messages: the person's own.
        earlier: what was sent before.
    """
    for reading in dict.fromkeys((text, spelt_out(text))):
        for kind, pattern in _PATTERNS:
            if pattern.search(reading):
                return kind
        for match in _CARD.finditer(reading):
            if luhn(re.sub(r"\D", "", match[0])):
                return "a card number"
    if any(carries(text, secret, earlier) for secret in secrets_in(messages)):
        return "what the person told about themselves"
    return None
