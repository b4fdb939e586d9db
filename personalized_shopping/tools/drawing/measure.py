"""How much room text takes: nobody lays the page out before its height has to be written down."""

import unicodedata
from collections.abc import Sequence

_WIDE = 1.8
"""Width of an East Asian character in average Latin characters."""


def text_width(text: str) -> float:
    """Return a text's width in average Latin characters."""
    if text.isascii():
        return float(len(text))
    return sum(_WIDE if unicodedata.east_asian_width(character) in "WF" else 1.0 for character in text)


def line_count(text: str, per_line: int, *, at_most: int | None = None) -> int:
    """Return how many lines a text fills at most when ``per_line`` characters fit on one."""
    lines = sum(max(1, -(-int(text_width(paragraph) + 1) // per_line)) for paragraph in text.split("\n"))
    return lines if at_most is None else min(lines, at_most)


def row_count(widths: Sequence[int], room: int, gap: int) -> int:
    """Return how many rows boxes of these widths fill, set from left to right with a gap between them."""
    rows, used = 1, 0
    for width in widths:
        width = min(width, room)
        if used and used + gap + width > room:
            rows, used = rows + 1, 0
        used += width + (gap if used else 0)
    return rows
