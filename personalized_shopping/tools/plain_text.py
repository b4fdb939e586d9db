"""Text that every reader can take: models, JSON, XML and terminals."""

import re

from personalized_shopping.invisible import without_invisible

_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, halves of surrogate pairs and non-characters: XML 1.0 forbids them, terminals obey some."""
_SPACES = re.compile(r"\s+")


def plain(text: str, *, limit: int | None = None, one_line: bool = False) -> str:
    """Return a text without control characters, lone surrogates and invisible characters, cut to ``limit`` characters.

    Args:
        text: any text.
        limit: how many characters remain at most, an ellipsis included.
        one_line: whether every run of white space becomes one space and the ends are stripped.
    """
    text = without_invisible(_UNWANTED.sub(" " if one_line else "", text))
    if one_line:
        text = _SPACES.sub(" ", text).strip()
    if limit is not None and len(text) > limit:
        text = text[: limit - 1] + "…"
    return text


def money(pricing: tuple[float, ...], shown: str) -> str:
    """Return a price for people: ``$12.99``, or ``$10.00 to $12.99``; ``shown`` where no number is known."""
    if not pricing:
        return shown
    low, high = min(pricing), max(pricing)
    return f"${low:,.2f}" if low == high else f"${low:,.2f} to ${high:,.2f}"
