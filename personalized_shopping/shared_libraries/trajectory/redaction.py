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
    r"(?i)(?:^|[-_. ])(?:(?:api|access|private)[-_]?key|secret|client[-_]?secret|password|passwd|passphrase|"
    r"authorization|cookie|(?:access|auth|refresh|id|session|bearer|csrf)[-_]?token|token|credentials?)$"
)

# Each rule: its name, texts of which one must occur for the expression to be worth running, and the expression.
Rule = tuple[str, tuple[str, ...], re.Pattern[str]]

KEY_RULES: tuple[Rule, ...] = (
    (
        "private key",
        ("PRIVATE KEY",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
            re.DOTALL,
        ),
    ),
    ("token", ("eyJ",), re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?")),
    ("token", ("earer ", "EARER ", "asic ", "BASIC "), re.compile(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{12,}")),
    ("key", ("sk-", "sk_", "rk_", "pk_"), re.compile(r"\b[srp]k[-_](?:[A-Za-z]{2,10}[-_])*[\w-]{16,}")),
    ("key", ("AIza",), re.compile(r"\bAIza[\w-]{30,}")),
    ("key", ("AKIA", "ASIA"), re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b")),
    ("key", ("gh", "github_pat_"), re.compile(r"\b(?:gh[pousr]_|github_pat_)\w{20,}")),
    ("key", ("glpat-",), re.compile(r"\bglpat-[\w-]{16,}")),
    ("key", ("xox",), re.compile(r"\bxox[abeoprs]-[\w-]{10,}")),
    ("key", ("xai-", "gsk_", "hf_", "npm_", "pypi-"), re.compile(r"\b(?:xai-|gsk_|hf_|npm_|pypi-)[\w-]{20,}")),
    ("key", ("ya29.",), re.compile(r"\bya29\.[\w-]{20,}")),
    (
        "key",
        ("=", ":"),
        re.compile(
            r"(?i)\b(?:api[-_]?key|access[-_]?key|client[-_]?secret|secret[-_]?key|password|passwd|auth[-_]?token|access[-_]?token)"
            r"[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?!\[)[^\s\"'&,;<>]{6,}"
        ),
    ),
)
_CARD = re.compile(r"(?<![\w.$-])[2-6](?:[ -]?\d){12,18}(?![\w-])(?!\.\d)")
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
        for name, hints, pattern in KEY_RULES:
            if any(hint in value for hint in hints):
                value = pattern.sub(self._replace(name), value)
        value = _CARD.sub(self._card, value)
        if self._contacts:
            if "@" in value:
                value = _EMAIL.sub(self._replace("e-mail"), value)
            value = _PHONE.sub(self._replace("phone"), value)
        return value

    def _replace(self, name: str) -> Callable[[re.Match[str]], str]:
        return lambda _match: self._marker(name)

    def _card(self, match: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", match[0])
        return self._marker("card number") if 13 <= len(digits) <= 19 and luhn(digits) else match[0]

    def _marker(self, name: str) -> str:
        self.counts[name] += 1
        return f"[REDACTED {name}]"


def luhn(digits: str) -> bool:
    """Return whether the last digit is the check digit of the others (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if place % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def configured_redactor() -> Redactor:
    """Return a redactor that follows the settings and knows this process's own keys."""
    secrets = [os.environ.get(setting.name, "").strip() for setting in SETTINGS if setting.secret]
    return Redactor(contacts=flag("TRAJECTORY_REDACT_CONTACTS"), secrets=secrets)
