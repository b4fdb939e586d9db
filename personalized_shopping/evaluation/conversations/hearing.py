"""What a person hears in an agent's words: a question about something, an offer to buy, products that are named.

Any model may have written the words, so only what everybody says is looked for.
"""

import re
from collections.abc import Iterable

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_ASKS = re.compile(
    r"\?|\b(?:please (?:tell|choose|pick|specify|say|select)|let me know|tell me|just say)\b", re.IGNORECASE
)
_SUBJECTS: dict[str, str] = {
    "color": r"colou?rs?|shades?|finish(?:es)?",
    "size": r"sizes?|how (?:big|large)|which length|dimensions?",
    "flavor": r"flavou?rs?|taste",
    "scent": r"scents?|fragrance|smell",
    "pack": r"packs?|pack size|how many|quantity|count",
    "count": r"counts?|how many|quantity|pack size",
    "limit": r"budget|price (?:range|limit)|spend|how much (?:do|would|can|are) you|maximum price|most you",
    "feature": r"features?|prefer|preferences?|particular|requirements?|details?|important|matters?|style|narrow",
}
_CHOICE = re.compile(
    r"\b(?:which|what)\b[^?\n]{0,40}\b(?:like|want|prefer|choose|choice|option)|\boptions?\b[^.\n]{0,30}\?",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"\b(?:shall|should|may|can|do you want|would you like|want)\b[^?\n]{0,60}"
    r"\b(?:buy|order|purchase|go ahead|proceed|place|check ?out)\b[^?\n]*\?|"
    r"\b(?:ready to (?:buy|order)|confirm (?:the|this|your) (?:purchase|order))\b|"
    r"\b(?:say|reply|answer)\b[^.\n]{0,20}\byes\b",
    re.IGNORECASE,
)
_PRICE = re.compile(r"\$\s?\d")


def asked_about(text: str, subjects: Iterable[str]) -> list[str]:
    """Return which of the subjects an agent's words ask for.

    Args:
        text: what the agent said.
        subjects: names of options, ``limit`` and ``feature``.
    """
    questions = [sentence for sentence in _SENTENCE.split(text) if _ASKS.search(sentence)]
    found = [name for name in subjects if any(_about(name, sentence) for sentence in questions)]
    if found or not any(_CHOICE.search(sentence) for sentence in questions):
        return found
    # "Which would you like?" below a list of the options.
    listed = [line for line in text.splitlines() if ":" in line]
    return [name for name in subjects if name != "feature" and any(_about(name, line.split(":")[0]) for line in listed)]


def offers_to_buy(text: str) -> bool:
    """Return whether the agent asks in words whether to buy."""
    return bool(_OFFERS.search(text))


def names_products(text: str) -> bool:
    """Return whether products seem to be named, with a price or a code."""
    return bool(_PRICE.search(text) or re.search(r"\bB0[A-Z0-9]{8}\b", text))


def is_named(text: str, asin: str, brand: str) -> bool:
    """Return whether a product is named: by its code, or by its brand."""
    return asin.lower() in text.lower() or re.search(rf"\b{re.escape(brand)}\b", text, re.IGNORECASE) is not None


def names_fact(text: str, wordings: Iterable[str]) -> bool:
    """Return whether a text names a fact in one of its wordings; numbers have to stand alone."""
    return any(
        re.search(rf"(?<![\w.,]){re.escape(wording)}(?![\w]|[.,]\d)", text, re.IGNORECASE) is not None
        for wording in wordings
    )


def _about(name: str, sentence: str) -> bool:
    pattern = _SUBJECTS.get(name, re.escape(name))
    return re.search(rf"\b(?:{pattern})\b", sentence, re.IGNORECASE) is not None
