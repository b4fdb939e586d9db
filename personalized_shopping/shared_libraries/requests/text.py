"""Plain handling of text: cleaning what people and shops wrote, and cutting it into words."""

import re
import unicodedata

from personalized_shopping.shared_libraries.requests.vocabulary import singular

MAX_READ_CHARS = 4_000
"""How much of one message, title or text block is read; a request that is longer says nothing more."""

_WORD = re.compile(r"[^\W_]+(?:[.'&/-][^\W_]+)*", re.UNICODE)
_QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"', "–": "-", "—": " - ", "\u00a0": " "}
)


def clean(text: object, limit: int = MAX_READ_CHARS) -> str:
    """Return text on one line: normalised, without control, format or surrogate characters, at most ``limit`` long."""
    if not isinstance(text, str):
        text = "" if text is None else str(text)
    if text.isascii() and text.isprintable():
        return " ".join(text[:limit].replace("`", "'").split())
    text = unicodedata.normalize("NFKC", text[:limit].translate(_QUOTES))
    text = "".join(" " if unicodedata.category(mark)[0] in "CZ" else mark for mark in text[:limit])
    return " ".join(text.split())


def words(text: str) -> list[str]:
    """Return the lower-case words of a text, in order; `x-large` and `7.5` are one word each."""
    return _WORD.findall(text.lower())


def stem(word: str) -> str:
    """Return the form under which two spellings of a word are compared."""
    return singular(word.removesuffix("'s"))


def stems(text: str) -> list[str]:
    """Return the compared forms of a text's words, the parts of hyphenated ones as well."""
    found = []
    for word in words(text):
        found.append(stem(word))
        parts = re.split(r"[-/&]", word)
        if len(parts) > 1:
            found.extend(stem(part) for part in parts if part)
    return found


def shorten(text: str, limit: int) -> str:
    """Cut a text at a word's end so that it is at most ``limit`` characters long, and mark the cut."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    head, space, _ = cut.rpartition(" ")
    return (head if space and len(head) > limit // 2 else cut).rstrip(" ,;:-") + "…"
