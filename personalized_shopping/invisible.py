"""Characters that people do not see and models read: one definition for all that removes or expects them."""

import re

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0d\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""For a regular expression's brackets: spaces without width, soft hyphens, fillers, marks of direction and annotation,
tags, and selectors of variants. No text needs them to be understood."""
JOINERS = "\u200c\u200d"
"""For a regular expression's brackets: what joins two characters or keeps them apart."""
_SYMBOLS = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
"""Emoji, and other symbols that exist as emoji too."""
_CURSIVE = "\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc\u0900-\u0dff\u1000-\u109f\u1780-\u18af\U00011000-\U00011fff"
"""Scripts in which a joiner changes how a word is read: Arabic and its kin, those of India, Khmer, Mongolian."""
_JOINED = _SYMBOLS + _CURSIVE
_STYLES = "\ufe0e\ufe0f"
"""They say whether a symbol is drawn as text or as an emoji."""
_UNSEEN = re.compile(
    rf"[{INVISIBLE}]"
    rf"|(?<![{_JOINED}])(?<![{_SYMBOLS}][{_STYLES}])[{JOINERS}]"
    rf"|[{JOINERS}](?![{_JOINED}])"
    rf"|(?<![{_SYMBOLS}])[{_STYLES}](?!\u20e3)"
)


def without_invisible(text: str) -> str:
    """Return a text without invisible characters; a joiner stays between two characters that it may join."""
    return _UNSEEN.sub("", text)
