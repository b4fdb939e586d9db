"""Porter's stemmer in the form that Lucene ships: the algorithm of 1980 with its author's two later amendments.

Own code, because every published WebShop ranking stands on exactly this variant: the stemmers on the package index
implement either the paper to the letter (without the amendments) or its successor. The amendments are ``bli`` ->
``ble`` and ``logi`` -> ``log``; words of one or two letters stay as they are.

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980.
"""

from collections.abc import Iterable

_VOWELS = frozenset("aeiou")

Rule = tuple[str, str]


def _longest_first(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: -len(rule[0])))


_STEP_2 = _longest_first(
    [
        ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
        ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
        ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
        ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
    ]
)  # fmt: skip
_STEP_3 = _longest_first(
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")]
)
_STEP_4 = tuple(
    sorted(
        ["al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate",
         "iti", "ous", "ive", "ize"],
        key=len,
        reverse=True,
    )
)  # fmt: skip


def _shape(stem: str) -> str:
    """Return a letter ``c`` (consonant) or ``v`` (vowel) for each letter; ``y`` is a vowel after a consonant."""
    shape = ""
    for letter in stem:
        vowel = letter in _VOWELS or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    """Return the paper's m: how often a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "v" in _shape(stem)


def _ends_short(stem: str) -> bool:
    """Return the paper's *o: the end is consonant, vowel, consonant, and the last letter none of w, x, y."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _plurals(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _past_and_gerund(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return _mend(stem) if _has_vowel(stem) else word
    return word


def _mend(stem: str) -> str:
    """Give back what ``-ed`` and ``-ing`` had taken from the stem."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and _shape(stem)[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    if _measure(stem) == 1 and _ends_short(stem):
        return stem + "e"
    return stem


def _replace(word: str, rules: tuple[Rule, ...]) -> str:
    """Apply the longest rule whose suffix fits, if what stays before it has a measure above zero."""
    for suffix, replacement in rules:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) > 0 else word
    return word


def _strip(word: str) -> str:
    for suffix in _STEP_4:
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            if suffix == "ion" and not stem.endswith(("s", "t")):
                return word
            return stem if _measure(stem) > 1 else word
    return word


def _final_letters(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _ends_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def stem(word: str) -> str:
    """Return the stem of a lower-case word; any letter outside a-z counts as a consonant."""
    if len(word) <= 2:
        return word
    word = _past_and_gerund(_plurals(word))
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return _final_letters(_strip(_replace(_replace(word, _STEP_2), _STEP_3)))
