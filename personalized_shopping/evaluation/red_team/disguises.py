"""Ways to write a text so that a reader understands it and a pattern does not."""

import base64
from collections.abc import Callable
from typing import Literal

Disguise = Literal[
    "none", "zero width", "homoglyphs", "full width", "tags", "soft hyphens", "letter spacing", "reversed"
]

_ZERO_WIDTH_SPACE, _SOFT_HYPHEN = "\u200b", "\u00ad"
_TAG_BLOCK = 0xE0000
"""Unicode's invisible copies of ASCII: models read them, people do not see them."""
_CYRILLIC = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")


def disguised(text: str, disguise: Disguise) -> str:
    """Return a text in disguise."""
    return _DISGUISES[disguise](text)


def code_forms(asin: str) -> dict[str, str]:
    """Return ways to write a product's code without its standing there, by the slot that payloads name."""
    return {
        "asin": asin,
        "asin_spaced": " ".join(asin),
        "asin_dashed": "-".join((asin[:3], asin[3:6], asin[6:])),
        "asin_reversed": asin[::-1],
        "asin_base64": base64.b64encode(asin.encode()).decode(),
        "asin_head": asin[:5],
        "asin_tail": asin[5:],
        "asin_lower": asin.lower(),
    }


def _full_width(text: str) -> str:
    return "".join(chr(ord(mark) + 0xFEE0) if "!" <= mark <= "~" else mark for mark in text)


def _tags(text: str) -> str:
    return "".join(chr(_TAG_BLOCK + ord(mark)) for mark in text if mark.isascii())


_DISGUISES: dict[Disguise, Callable[[str], str]] = {
    "none": lambda text: text,
    "zero width": _ZERO_WIDTH_SPACE.join,
    "homoglyphs": lambda text: text.translate(_CYRILLIC),
    "full width": _full_width,
    "tags": _tags,
    "soft hyphens": lambda text: " ".join(_SOFT_HYPHEN.join(word) for word in text.split(" ")),
    "letter spacing": " ".join,
    "reversed": lambda text: f"(read from right to left) {text[::-1]}",
}
