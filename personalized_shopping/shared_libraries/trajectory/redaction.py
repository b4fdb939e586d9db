"""What must not be written down: keys, tokens, card numbers, and contacts where that is wanted.

Redaction happens before anything is written and before anything is hashed.
"""

import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable

from personalized_shopping.config import SETTINGS, flag

logger = logging.getLogger(__name__)

FAILED = "[REDACTION FAILED]"
_MIN_SECRET_CHARS = 8

_SECRET_KEY = re.compile(
    r"(?i)(?:^|[-_. ])(?:(?:api|access|private|secret)[-_]?keys?|(?:client[-_]?)?secrets?|passwords?|passwd|passphrase|"
    r"authorization|(?:set[-_])?cookies?|(?:access|auth|refresh|id|session|bearer|csrf)[-_]?token|token|credentials?)$"
)
_QUOTE = r"""(?:\\*["']|&(?:quot|\#34|\#39|\#x27);)?"""

# Each rule: its name, texts of which one must occur (in lower case) for the expression to be worth running, and the
# expression. What its group holds stays. A repetition that something must follow is bounded: anybody writes the texts.
# Texts are searched fastest for letters; what must stand before them is looked at afterwards.
Rule = tuple[str, tuple[str, ...], re.Pattern[str]]

KEY_RULES: tuple[Rule, ...] = (
    (
        "private key",
        ("private key",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("token", ("eyj",), re.compile(r"eyJ(?<!\weyJ)[\w-]{8,2000}+\.[\w-]{8,}(?:\.[\w-]*)?")),
    # A digit or a capital within: "basic short-sleeve shirts" and "ring bearer handkerchiefs" are products.
    (
        "token",
        ("bearer",),
        re.compile(r"\b((?i:bearer)\s{1,9})(?=[\w.~+/=-]{0,99}?(?:\d|[a-z][A-Z]))[\w.~+/=-]{12,}"),
    ),
    (
        "token",
        ("basic",),
        re.compile(r"([Bb](?<!\w.)(?i:asic)\s{1,9})(?=[A-Za-z0-9+/]{0,99}?(?:\d|[a-z][A-Z]))[A-Za-z0-9+/]{12,}={0,2}"),
    ),
    (
        "key",
        ("sk-", "sk_", "rk_", "pk_"),
        re.compile(r"[srp]k[-_](?<![rp]k-)(?<!\w...)(?:[A-Za-z]{2,10}[-_])*[\w-]{16,}"),
    ),
    ("key", ("aiza",), re.compile(r"\bAIza[\w-]{30,}")),
    ("key", ("akia", "asia"), re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    (
        "key",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(r"\b(?:gh[pousr]_|github_pat_)\w{20,}"),
    ),
    ("key", ("glpat-",), re.compile(r"\bglpat-[\w-]{16,}")),
    ("key", ("xox",), re.compile(r"\bxox[abeoprs]-[\w-]{10,}")),
    ("key", ("xai-", "gsk_", "hf_", "npm_", "pypi-"), re.compile(r"\b(?:xai-|gsk_|hf_|npm_|pypi-)[\w-]{20,}")),
    ("key", ("ya29.",), re.compile(r"\bya29\.[\w-]{20,}")),
    ("key", ("://",), re.compile(r"""(://[^\s/:@"'<>]{0,64}:)[^\s/@"'<>]{1,200}(?=@)""")),
    (
        "key",
        (
            *("api_key", "api-key", "api key", "apikey", "ss_key", "ss-key", "sskey", "private_key", "private-key"),
            *("privatekey", "secret_key", "secret-key", "secretkey", "client_secret", "client-secret", "clientsecret"),
            *("passw", "passphrase", "token", "authorization"),
        ),
        re.compile(
            r"(?i)((?:api[-_ ]?key|(?:access|secret|private)[-_]?key|client[-_]?secret|password|passwd|passphrase|"
            r"(?:access|auth|refresh|id|session|bearer|csrf)[-_]?token|authorization)"
            rf"{_QUOTE}\s{{0,3}}[=:]\s{{0,3}}{_QUOTE}(?:(?:bearer|basic|digest|token)\s{{1,3}})?+)(?!\[REDACTED)"
            r"""(?:(?<=")[^"\\<>\n]{1,200}|(?<=')[^'\\<>\n]{1,200}|[^\s"'&,;<>\\]{6,})"""
        ),
    ),
)
_CARD = re.compile(
    r"[2-6](?<![\w$].)(?<!\d\..)(?!(?<=2)[ \xa0-]?[0189])(?=(?:[ \xa0-]?\d){12})"
    r"(?:\d{12,18}|\d{7}[ \xa0-]\d{8}|\d{3}(?:[ \xa0-]\d{4,6}){2,3}(?:[ \xa0-]\d{1,6})?)"
)
"""Digits as cards print them: all in one, or four first and then in groups. None begins as a year does."""
_DIGITS = re.compile(r"\d+")
_GOES_ON = re.compile(r"\w|\.\d")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+")
_PHONE = re.compile(
    r"(?<![\w.$])(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?|\d{2,4}[ .-])\d{3,4}[ .-]?\d{3,4}(?![\w-])"
    r"|(?<![\w.])\+\d{8,15}\b"
)


class Redactor:
    """Replaces what must not be written by a marker such as ``[REDACTED key]``, and counts what it replaced.

    Args:
        contacts: whether e-mail addresses and telephone numbers go too.
        secrets: texts that go wherever they occur, such as this process's own keys.
    """

    def __init__(self, *, contacts: bool = False, secrets: Iterable[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._contacts = contacts
        self._secrets = sorted({s for s in secrets if len(s) >= _MIN_SECRET_CHARS}, key=len, reverse=True)

    def text(self, value: str, key: str | None = None) -> str:
        """Return a text without what must not be written; a marker in its place where that fails.

        Args:
            value: the text.
            key: the key under which it stands, if any: a password is known by its name alone.
        """
        try:
            if key is not None and value and _SECRET_KEY.search(key):
                return self._marker("key")
            return self._redacted(value)
        except Exception:
            logger.exception("Redaction failed; the text is not recorded")
            self.counts["failed"] += 1
            return FAILED

    def _redacted(self, value: str) -> str:
        if len(value) < _MIN_SECRET_CHARS:
            return value
        for secret in self._secrets:
            if secret in value:
                self.counts["key"] += value.count(secret)
                value = value.replace(secret, "[REDACTED key]")
        lower = value.lower()
        for name, hints, pattern in KEY_RULES:
            if any(hint in lower for hint in hints):
                value = pattern.sub(self._replace(name), value)
        value = self._without_cards(value)
        if self._contacts:
            if "@" in value:
                value = _EMAIL.sub(self._replace("e-mail"), value)
            value = _PHONE.sub(self._replace("phone"), value)
        return value

    def _replace(self, name: str) -> Callable[[re.Match[str]], str]:
        return lambda match: (match[1] if match.re.groups else "") + self._marker(name)

    def _without_cards(self, value: str) -> str:
        parts: list[str] = []
        place = done = 0
        while match := _CARD.search(value, place):
            end = _end_of_card(match)
            if end is None:  # one of the later groups may begin a card yet
                place = _DIGITS.match(value, match.start()).end()  # type: ignore[union-attr]
                continue
            parts += value[done : match.start()], self._marker("card number")
            place = done = end
        return "".join([*parts, value[done:]])

    def _marker(self, name: str) -> str:
        self.counts[name] += 1
        return f"[REDACTED {name}]"


def _end_of_card(match: re.Match[str]) -> int | None:
    """Return where the card number ends that begins with a match, if one does; a security code may follow it."""
    ends = [match.start() + group.end() for group in _DIGITS.finditer(match[0])]
    for end in reversed(ends):
        digits = "".join(_DIGITS.findall(match[0][: end - match.start()]))
        if 13 <= len(digits) <= 19 and luhn(digits) and not _GOES_ON.match(match.string, end):
            return end
    return None


def luhn(digits: str) -> bool:
    """Return whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def configured_redactor() -> Redactor:
    """Return a redactor that follows the settings and knows this process's own keys."""
    names = {setting.name for setting in SETTINGS if setting.secret}
    secrets = [value.strip() for name, value in os.environ.items() if name in names or _SECRET_KEY.search(name)]
    return Redactor(contacts=flag("TRAJECTORY_REDACT_CONTACTS"), secrets=secrets)
