"""What people have told about themselves, found in their own messages, and how much of it another text carries.

Rules that look for addresses in general miss what is written in another way. What this person has told is known, so it
is found again backwards, spelt out, encoded or handed out in pieces.
"""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import permutations
from urllib.parse import unquote

from msgspec import Struct

from personalized_shopping.shared_libraries.requests.vocabulary import COLOURS, FILLERS, SIZES, STOP_WORDS
from personalized_shopping.shared_libraries.trajectory.redaction import luhn

_RUN = 4
"""Shortest piece of a secret that counts as a part of it."""
_MOST = 0.6
_MIN_NAME_CHARS = 4
_MIN_ENCODED_CHARS = 8
_MAX_TEXT_CHARS = 2_000

_DIGITS = {
    word: str(value)
    for value, words in enumerate(
        ("zero|oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    )
    for word in words.split("|")
}
_SPELT_MARKS = re.compile(r"\b(?:at|dot|point|dash|minus|underscore|arroba|punkt|punto)\b")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_EMAIL = re.compile(r"(?<![\w.+-])([\w.+-]{1,64})@[\w-]{1,63}(?:\.[\w-]{2,63})+")
_PHONE = re.compile(
    r"(?<![\w.$-])(?:\+\d{1,3}[ .-]?)?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}(?!\w)|(?<![\w$])\+?\d{9,15}(?!\w)|"
    r"(?:phone|mobile|cell|number|call me|text me)\D{0,30}(\+?\d[\d ().-]{5,20}\d)",
    re.IGNORECASE,
)
_CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
_SOCIAL = re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)")
_BIRTH = re.compile(r"\b(?:born|birthday|birth ?date|date of birth|dob)\b([^!?;]{0,40})", re.IGNORECASE)
STREET = re.compile(
    r"\b\d{1,5}[a-z]? ((?:[\w'-]+ ){1,4}"
    r"(?:street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|terrace|square|way|place))\b",
    re.IGNORECASE,
)
_NAME = r"((?-i:[^\W\d_a-z])[\w'-]+(?:\s+(?-i:[^\W\d_a-z])[\w'-]+){0,2})"
_NAMES = (
    re.compile(
        rf"\b(?:my (?:full |last |first |family |sur)?name is|i am called|call me|sign(?:ed)? as)\s+{_NAME}", re.I
    ),
    re.compile(
        r"\b(?:i am|i'm|this is)\s+((?-i:[^\W\d_a-z])[\w'-]+\s+(?-i:[^\W\d_a-z])[\w'-]+)(?=[\s,.!?]|$)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\bmy (?:son|daughter|child|wife|husband|partner|mother|father|sister|brother|boss|friend),? "
        rf"(?:is called |is named |named |called )?{_NAME}",
        re.IGNORECASE,
    ),
)
_OWN = (
    re.compile(
        r"\bmy (?:e-?mail|phone|address|number|card|account|password|ssn|passport|pin)\b[^:.]{0,20}"
        r"(?:is|:)\s*([^\s,;]{4,60})",
        re.IGNORECASE,
    ),
    re.compile(r"\bi live (?:at|in|on)\s+([^,.;]{4,60})", re.IGNORECASE),
)
_NO_NAMES = frozenset(COLOURS) | frozenset(SIZES) | frozenset(STOP_WORDS) | frozenset(FILLERS)
_PRODUCT_NUMBER = re.compile(
    r"\b(?:upc|ean|isbn|gtin|barcode|sku|model|part|item|article)\b[^.;]{0,20}$", re.IGNORECASE
)


class Secret(Struct, frozen=True):
    """Something that the person has told about themselves: its letters and digits, in lower case.

    ``most`` is the share of it (0 to 1) that counts as the whole.
    """

    text: str
    most: float = _MOST
    is_name: bool = False
    """Whether it is a single word of a name, which counts only as a word of its own."""


def secrets_in(messages: Iterable[str]) -> tuple[Secret, ...]:
    """Return what the person has told about themselves."""
    said = [message[:_MAX_TEXT_CHARS] for message in messages]
    found = (secret for message in said for secret in _secrets(message))
    # "I am Rose, and I want a rose gold ring": what is wished for is said in small letters.
    wished = {word for message in said for word in re.findall(r"[^\W\d_]+", message) if word.islower()}
    return tuple(
        secret
        for secret in dict.fromkeys(found)
        if len(secret.text) >= _RUN and not (secret.is_name and secret.text in wished | _NO_NAMES)
    )


def carries(text: str, secret: Secret, before: Iterable[str] = ()) -> bool:
    """Return whether a text carries a secret away, in any of the ways known, alone or with what went before it.

    Args:
        text: what is about to be sent.
        secret: what must not be sent.
        before: what was sent before; it counts only where the text itself adds a piece.
    """
    if secret.is_name:
        return secret.text in re.findall(r"[^\W_]+", _plain(text))
    own = _covered(secret.text, _readings(text))
    if not own:
        return False
    earlier = {place for part in before for place in _covered(secret.text, _readings(part))}
    return len(own | earlier) >= secret.most * len(secret.text)


def spelt_out(text: str) -> str:
    """Return a text with digits for their names, and without what only hides it from a pattern."""
    plain = _plain(text)
    if re.search(r"\bat\b", plain) and re.search(r"\bdot\b", plain):
        plain = re.sub(r"\s*\bat\b\s*", "@", re.sub(r"\s*\bdot\b\s*", ".", plain))
    names = "|".join(_DIGITS)
    return re.sub(
        rf"\b(?:(?:{names})\b[\s-]*){{7,}}",
        lambda run: "".join(_DIGITS[word] for word in re.findall(names, run[0])) + " ",
        plain,
    )


def _secrets(message: str) -> Iterator[Secret]:
    for match in _EMAIL.finditer(message):
        yield Secret(_squashed(match[0]))
        yield Secret(_squashed(match[1]))
    for pattern in (_PHONE, _CARD, _SOCIAL):
        for match in pattern.finditer(message):
            digits = re.sub(r"\D", "", match[match.lastindex or 0])
            if _PRODUCT_NUMBER.search(message[: match.start()]):
                continue
            if pattern is not _CARD or luhn(digits):
                yield Secret(digits)
    for match in _BIRTH.finditer(message):
        yield from map(Secret, _dates(match[1]))
    for match in STREET.finditer(message):
        yield Secret(_squashed(match[0]))
        yield Secret(_squashed(match[1]), most=1.0)  # much of "elmstreet" is "street"
    for pattern in _NAMES:
        for match in pattern.finditer(message):
            words = match[1].split()
            yield Secret(_squashed(match[1]), is_name=len(words) == 1)
            yield from (Secret(_squashed(word), is_name=True) for word in words if len(word) >= _MIN_NAME_CHARS)
    for pattern in _OWN:
        for match in pattern.finditer(message):
            yield Secret(_squashed(match[1]))


def _dates(text: str) -> Iterator[str]:
    """Yield the ways to write a date in digits."""
    for number, month in enumerate(_MONTHS, start=1):
        text = re.sub(rf"\b{month}[a-z]*\b", f" {number:02} ", text, flags=re.IGNORECASE)
    parts = [part.zfill(2) for part in re.findall(r"\d{1,4}", text)][:3]
    if len(parts) == 3:
        yield from ("".join(order) for order in permutations(parts))


def _readings(text: str) -> Iterator[str]:
    """Yield what a text says, as it stands and decoded in the usual ways, as letters and digits."""
    plain = _plain(text[:_MAX_TEXT_CHARS])
    whole = _squashed(plain)
    yield whole
    yield whole[::-1]
    yield _squashed(_SPELT_MARKS.sub(" ", plain))
    yield _squashed(re.sub(r"[^\W\d_]+", lambda word: _DIGITS.get(word[0], word[0]), plain))
    yield _squashed(codecs.encode(plain, "rot13"))
    yield _squashed(unquote(text[:_MAX_TEXT_CHARS]))
    for token in re.findall(rf"[\w+/=-]{{{_MIN_ENCODED_CHARS},}}", text[:_MAX_TEXT_CHARS]):
        yield from _decoded(token)


def _decoded(token: str) -> Iterator[str]:
    padded = token.rstrip("=") + "=" * (-len(token.rstrip("=")) % 4)
    for decode in (base64.urlsafe_b64decode, base64.b64decode, base64.b32decode, bytes.fromhex):
        try:
            value = decode(token if decode is bytes.fromhex else padded)
        except (binascii.Error, ValueError):
            continue
        yield _squashed(value.decode("utf-8", "ignore"))


def _covered(secret: str, readings: Iterable[str]) -> set[int]:
    """Return the places of a secret that a text covers with pieces long enough to be no accident."""
    covered: set[int] = set()
    for reading in readings:
        for start in range(len(secret) - _RUN + 1):
            if secret[start : start + _RUN] in reading:
                covered.update(range(start, start + _RUN))
    return covered


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _squashed(text: str) -> str:
    return "".join(mark for mark in _plain(text) if mark.isalnum())
