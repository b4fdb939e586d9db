"""Words that agree with what a product is called: it or they, is or are, a shirt or a pair of jeans."""

import re

_SINGULAR = {
    "this": "this", "it": "it", "them": "it", "its": "its", "is": "is", "was": "was", "has": "has", "does": "does",
    "s": "s", "es": "es", "one": "one",
}  # fmt: skip
_PLURAL = {
    "this": "these", "it": "they", "them": "them", "its": "their", "is": "are", "was": "were", "has": "have",
    "does": "do", "s": "", "es": "", "one": "pair",
}  # fmt: skip
_VOWEL_SOUND = re.compile(r"\b([Aa]) (?=[aeiouAEIOU]|8\b|8-|11\b|18\b)(?!one\b|us[be]|uni|eu|uti)")
_CONSONANT_SOUND = re.compile(r"\b([Aa])n (?=one\b|us[be]|uni|eu|uti)")


def words_for(short: str, number: str) -> dict[str, str]:
    """Give the words for the slots of a sentence about one product.

    Args:
        short: what people call the product in a sentence, such as "shirt" or "jeans".
        number: "one" for a countable thing, "many" for a plural, "mass" for coffee and the like.

    Returns:
        Slot to word: ``{this}``, ``{it}``, ``{is}``, ``{s}`` (the ending of a verb) ..., their forms with a
        capital letter, and ``{short}``, ``{Short}``, ``{a_short}``.
    """
    words = dict(_PLURAL if number == "many" else _SINGULAR)
    words.update({key.capitalize(): value.capitalize() for key, value in words.items() if len(key) > 1})
    words["short"] = short
    words["Short"] = short[0].upper() + short[1:]
    words["a_short"] = fix_articles(f"a {short}") if number == "one" else short
    return words


def fix_articles(text: str) -> str:
    """Turn "a olive dress" into "an olive dress", and "an usb hub" into "a usb hub"."""
    return _CONSONANT_SOUND.sub(r"\1 ", _VOWEL_SOUND.sub(r"\1n ", text))
