"""Lucene's StandardTokenizer: word boundaries after Unicode Standard Annex 29, with Lucene's own tailoring.

Own code, because a score depends on every boundary and no library cuts words the way Lucene does: ideographs and
hiragana stand alone, Thai and its neighbours stay in runs, emoji sequences are words, punctuation is none.

The grammar is one regular expression, not over text but over *classes*: each character is first replaced by the
letter of its class (``word_break``), which keeps the expression small and makes it right for all of Unicode. Pure ASCII
text, which is most of it, takes a second expression that says the same of ASCII and reads the text itself. Both take
time linear in the text: a run of low lines, which is no word, is matched all the same and dropped by ``is_word``.
"""

import re

from personalized_shopping.shared_libraries.search_engine.analysis.word_break import CLASS_OF

MAX_TOKEN_UNITS = 255
"""Longest token, in UTF-16 units: Lucene's scanner sees no further and starts a new token there."""

_ASCII = re.compile(r"\w+(?:(?:(?<=[a-zA-Z])[:.'](?=[a-zA-Z])|(?<=[0-9])[,;.'](?=[0-9]))\w+)*", re.ASCII)


def _grammar() -> re.Pattern[str]:
    mark, ext = "[xztmo]*+", "[xztmovV]*+"  # rule WB4: marks and joiners go with the character before them
    low, katakana, digit, letter, hebrew = f"(?:_{ext})", f"k{ext}", f"n{ext}", f"[aeh]{ext}", f"h{ext}"
    quoted = f"{hebrew}(?:\"{ext}{hebrew}|'{ext})"
    letters = f"{letter}(?:{low}*+(?!{quoted}){letter}|[:.']{ext}{letter})*"
    digits = f"{digit}(?:{low}*+{digit}|[,.']{ext}{digit})*"
    part = f"(?:{katakana}(?:{low}*+{katakana})*|(?:{quoted}|{letters}|{digits})+)"
    # No more low lines than a token may hold: a long run of them that leads to no word would be read again and again.
    word = f"{low}{{0,{MAX_TOKEN_UNITS}}}+{part}(?:{low}++{part})*{low}*+"
    emoji, joint = f"(?:z*+[pe]{mark}V?|m{mark})", "(?:(?<=z)|z)"
    # The few letters that are emoji as well, such as the information sign, are so beside a joiner only.
    sequence = f"(?:(?:z*+p|z++e|e(?={mark}V?{joint}(?:z*+[pe]|m))){mark}V?|m{mark})(?:{joint}{emoji})*"
    thai, alone, flag, keycap = f"[st]{ext}(?:s{ext})*", f"i{ext}", f"r{ext}r{ext}", f"#[xztm]*+V?o{mark}"
    return re.compile("|".join([sequence, word, alone, thai, flag, keycap, "_++", "z++"]))


_CLASSES = _grammar()
_WORD_CLASSES = frozenset("aehnkisprm#t")


def is_word(token: str) -> bool:
    """Return whether a token of ``tokenize`` holds more than low lines and joiners."""
    return not _WORD_CLASSES.isdisjoint(token.translate(CLASS_OF))


def tokenize(text: str) -> list[str]:
    """Split a text into tokens, in order; see ``is_word`` for those that are none."""
    if text.isascii():
        tokens = _ASCII.findall(text)
        if len(text) > MAX_TOKEN_UNITS and tokens and len(max(tokens, key=len)) > MAX_TOKEN_UNITS:
            return _split_long(_ASCII, text, text)
        return tokens
    classes = text.translate(CLASS_OF)
    tokens = [text[match.start() : match.end()] for match in _CLASSES.finditer(classes)]
    if any(len(token) > MAX_TOKEN_UNITS // 2 for token in tokens):
        return _split_long(_CLASSES, classes, text)
    return tokens


def _split_long(pattern: re.Pattern[str], subject: str, text: str) -> list[str]:
    """Tokenize as a scanner does that sees no more than ``MAX_TOKEN_UNITS`` from the start of a token."""
    tokens = []
    for whole in pattern.finditer(subject):
        position, end = whole.span()
        if end - position <= MAX_TOKEN_UNITS // 2:
            tokens.append(text[position:end])
            continue
        while position < end:
            found = pattern.search(subject, position, min(position + MAX_TOKEN_UNITS, end))
            if not found:
                position += MAX_TOKEN_UNITS
                continue
            limit = min(_end_of_view(text, found.start()), end)
            seen = pattern.match(subject, found.start(), limit)
            position = seen.end() if seen else limit
            tokens.append(text[found.start() : position])
    return tokens


def _end_of_view(text: str, start: int) -> int:
    units = 0
    for position, letter in enumerate(text[start : start + MAX_TOKEN_UNITS + 1], start):
        units += 2 if letter > "\uffff" else 1
        if units > MAX_TOKEN_UNITS:
            return position
    return len(text)
