"""Lucene's English analyser: words, possessives, case, stop words, stems."""

from personalized_shopping.shared_libraries.search_engine.analysis.porter import stem
from personalized_shopping.shared_libraries.search_engine.analysis.tokenizer import is_word, tokenize

STOP_WORDS = frozenset(
    ["a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not", "of",
     "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with"]
)  # fmt: skip
_APOSTROPHES = ("'", "\u2019", "\uff07")
_POSSESSIVES = tuple(mark + s for mark in _APOSTROPHES for s in "sS")
_DOTTED_CAPITAL_I = "\u0130"  # Java lowers it to a plain i, Python to i and a combining dot


def _lower(token: str) -> str:
    if token.isascii():
        return token.lower()
    # Letter by letter: lowering a whole word knows a final sigma, which Java's table of single letters does not.
    return "".join("i" if letter == _DOTTED_CAPITAL_I else letter.lower() for letter in token)


def _stem_units(word: str) -> str:
    """Stem a word with letters beyond the basic plane, which the stemmer counts as two letters each, as Java does."""
    units = word.encode("utf-16-be", "surrogatepass")
    pairs = "".join(chr(int.from_bytes(units[i : i + 2])) for i in range(0, len(units), 2))
    return stem(pairs).encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def normalize(token: str) -> str:
    """Return a token's index term, or the empty string for a stop word and for what is no word at all."""
    if not (token[0].isalnum() or is_word(token)):
        return ""
    if token.endswith(_POSSESSIVES):
        token = token[:-2]
    token = _lower(token)
    if token in STOP_WORDS:
        return ""
    return stem(token) if token.isascii() or max(token) <= "\uffff" else _stem_units(token)


class _Terms(dict[str, str]):
    """Terms by token, each worked out once. Bounded, since queries may hold anything."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def __missing__(self, token: str) -> str:
        term = normalize(token)
        if len(self) >= self._limit:
            self.clear()
        self[token] = term
        return term


class EnglishAnalyzer:
    """Turn text into index terms; safe to share between threads."""

    def __init__(self, cache_size: int = 200_000) -> None:
        self._terms = _Terms(cache_size)

    def analyze(self, text: str) -> list[str]:
        """Return the terms of a text in order, repetitions included."""
        return list(filter(None, map(self._terms.__getitem__, tokenize(text))))
