"""Patterns of addresses: regular expressions of strangers, matched in time that is linear in the address.

Python's own ``re`` backtracks, and a pattern of a dozen characters can keep it busy for years. The engine here is the
one of pydantic-core, which has no back references and no look-around for this very reason.
"""

from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

from personalized_shopping.errors import SkillError, shorten
from personalized_shopping.shared_libraries.skills.model import MAX_PATTERN_CHARS

MAX_MATCHED_CHARS = 8_192
"""Longest address that is matched; of a longer one, this much is looked at."""
KEPT_PATTERNS = 4_096
"""Compiled patterns that the process remembers."""


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern is found anywhere in a text (begin it with ``^`` to anchor it).

    Raises:
        SkillError: when the pattern is no regular expression, or none that can be matched in linear time.
    """
    try:
        _compiled(pattern).validate_python(text[:MAX_MATCHED_CHARS])
    except ValidationError:
        return False
    return True


def check_pattern(pattern: str) -> None:
    """Raise if a pattern cannot be used.

    Raises:
        SkillError: with the reason.
    """
    _compiled(pattern)


@lru_cache(KEPT_PATTERNS)
def _compiled(pattern: str) -> SchemaValidator:
    if len(pattern) > MAX_PATTERN_CHARS:
        raise SkillError(f"The pattern {shorten(pattern)} is too long: at most {MAX_PATTERN_CHARS} characters.")
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex"))
    except SchemaError as error:
        reason = str(error).strip().splitlines()[-1].strip()
        raise SkillError(
            f"The pattern {shorten(pattern)} cannot be used: {reason[:200]} "
            "Look-around and back references are not supported."
        ) from None
