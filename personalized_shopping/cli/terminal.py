"""Untrusted text on a terminal: nothing in it may move the cursor, colour the screen or hide what follows."""

import unicodedata

_KEPT = {"\n", "\t"}


def printable(text: str) -> str:
    """Return a text with its control, format and surrogate characters shown as escapes; line feeds and tabs stay."""
    return "".join(char if char in _KEPT or not _is_control(char) else _escaped(char) for char in text)


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line, printable, cut to ``limit`` characters."""
    line = printable(" ".join(text.split()))
    return line if limit is None or len(line) <= limit else f"{line[: limit - 1]}…"


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
