"""Text that is not Unicode: what other programs left behind, made storable."""

import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def repaired(value: Any) -> Any:
    """Return a JSON-like value with every lone surrogate, in keys too, replaced by U+FFFD.

    Lone surrogates are halves of cut emoji, and bytes that were not UTF-8. Neither a database nor an answer
    over HTTP can hold them.
    """
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [repaired(item) for item in value]
    if isinstance(value, dict):
        return {repaired(key): repaired(item) for key, item in value.items()}
    return value
