"""The class of every character in Lucene's word grammar, as one letter each.

``word_break.txt`` holds the classes as ranges (first, last, letter), seen by probing Lucene 9's own tokenizer character
by character: Unicode 9 word breaks, Unicode 11 emoji. Python's ``unicodedata`` knows neither property. A test holds the
table to Lucene wherever the ``lucene`` engine is installed. What is in no range breaks words and belongs to none.

===== ==================================== ===== ====================================
``a`` letter                               ``p`` emoji
``h`` Hebrew letter                        ``r`` regional indicator (half a flag)
``n`` digit                                ``#`` may carry a keycap, as digits may
``k`` katakana                             ``x`` mark or format character
``i`` stands alone: ideograph, hiragana    ``z`` zero-width joiner
``s`` Thai, Lao, Khmer, Burmese ...        ``t`` mark of those scripts
``_`` low line and its kin                 ``m`` skin tone, a mark and an emoji
``:`` joins letters                        ``o`` combining keycap
``,`` joins digits                         ``v`` text presentation selector
``.`` joins letters, joins digits          ``V`` emoji presentation selector
``'`` single quote                         ``"`` double quote
``e`` letter that is an emoji as well
===== ==================================== ===== ====================================
"""

from bisect import bisect_right
from importlib.resources import files

NO_WORD = " "
"""Class of everything that the table does not name."""


class _Classes(dict[int, str]):
    """Classes by code point, for ``str.translate``; filled as characters are met, from a table read on first use."""

    def __init__(self) -> None:
        super().__init__()
        self._starts: list[int] = []
        self._ranges: list[tuple[int, str]] = []

    def _read(self) -> None:
        table = files(__package__).joinpath("word_break.txt").read_text("ascii")
        rows = [line.split(" ") for line in table.splitlines()]
        self._ranges = [(int(last, 16), letter) for _, last, letter in rows]
        # Last, since another thread takes a filled list for a sign that all is there.
        self._starts = [int(first, 16) for first, _, _ in rows]

    def __missing__(self, code: int) -> str:
        if not self._starts:
            self._read()
        last, letter = self._ranges[bisect_right(self._starts, code) - 1]
        found = letter if self._starts[0] <= code <= last else NO_WORD
        self[code] = found
        return found


CLASS_OF = _Classes()
"""Map from code point to class letter; ``text.translate(CLASS_OF)`` is a text's classes."""
