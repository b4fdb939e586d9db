"""The nouns of a product title: spaCy's, as in the published scores, or those of a small bundled tagger.

Titles are strings of names, so the bundled tagger takes every word for a noun that is not a function word, a common
adjective, adverb or verb of listings, or formed like an adjective. ``docs/compatibility.md`` says how far the two
differ.
"""

import importlib.util
import re
from functools import lru_cache

from personalized_shopping.errors import SettingError, shorten
from personalized_shopping.shared_libraries.web_agent_site.engine.normalize import COLOR_SET
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger

SPACY_MODEL = "en_core_web_sm"
_TITLES_KEPT = 8_192

_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]\b)*")
_FUNCTION_WORDS = """
a about above across after against all also although am among an and another any are around as at be because been
before behind below beneath beside between beyond both but by can could did do does down during each either every
few for from had has have he her here hers him his how i if in inside into is it its just less like many may me more
most much must my near neither no none nor not of off on once only onto or other our ours out outside over own per
plus she should since so some such than that the their theirs them then there these they this those though through
to together too toward under until up upon us very via was we were what when where which while who whose why will
with within without would x yet you your yours s t non
"""
_DESCRIPTIVE_WORDS = """
active adjustable adult advanced amazing anti authentic automatic best better big bright broad broken
casual cheap classic clean clear closed cold comfortable compact compatible complete cool cozy cruelty curly custom
cute daily deep delicious different digital dirty double dry durable easy elastic elegant empty essential excellent
extra fast fat female fine firm fit flat flexible folding foldable formal free fresh front frozen full fun functional
funny general gentle genuine giant good great hard heavy hidden high hollow hot huge improved indoor individual
internal keep large largest last lightweight listed little live local long loose low lower male manual married matte
maximum medium mini minimum mixed modern multi multiple natural new nice normal old open organic original outdoor
perfect personal plain portable premium pretty previous professional proof pure quick quiet rare raw ready real
rechargeable reclining regular removable replacement retro reusable rich right rough round safe same scented seamless
sensitive sexy sharp shiny short similar simple single skinny slim slip slow small smart smooth soft solid special
spicy square stackable standard straight stretchy strong stylish super sweet tall thermal thick thin tight tiny total
tough traditional true ultra unique unisex universal upper upright vegan vertical vintage warm wash wearable wet wide
wild wireless young assembled improves includes including makes made make using used use fits gives give get got
works wear wears really always never now today almost even easily
"""
_NOT_NOUNS = frozenset(_FUNCTION_WORDS.split()) | frozenset(_DESCRIPTIVE_WORDS.split())
_COLORS_THAT_ARE_THINGS = """
banana camel chestnut chocolate christmas coffee cognac cream crystal denim elephant eggplant espresso grape
grass heather ivy lavender lemon lime mint mocha mushroom mustard olive orange peach plum rainbow rose sand
seashell skull steel stone sunflower tiger walnut wheat wine light
"""
_COLORS = frozenset(COLOR_SET) - frozenset(_COLORS_THAT_ARE_THINGS.split())
_ADJECTIVE_ENDINGS = ("able", "ible", "ful", "less", "ous", "ish", "proof", "iest", "ally", "ingly", "edly")


def builtin_nouns(text: str) -> list[str]:
    """Return the words of a text that the bundled tagger takes for nouns, as written and in order."""
    return [word for word in _WORD.findall(text) if _is_noun(word.lower())]


def _is_noun(word: str) -> bool:
    if word in _NOT_NOUNS or word in _COLORS:
        return False
    return not (len(word) > 5 and word.endswith(_ADJECTIVE_ENDINGS))


class SpacyNouns:
    """Nouns and proper nouns as spaCy's small English model tags them: the tagger of the published scores."""

    def __init__(self, model: str = SPACY_MODEL) -> None:
        import spacy

        self._parse = spacy.load(model, exclude=["ner", "lemmatizer"])
        self.name = f"spacy:{model}:{self._parse.meta['version']}"

    def __call__(self, text: str) -> list[str]:
        """Return the nouns of a text, as written and in order."""
        return [token.text for token in self._parse(text) if token.pos_ in {"NOUN", "PROPN"}]


def spacy_is_usable() -> bool:
    """Return whether spaCy and its model are installed, without loading either."""
    return all(importlib.util.find_spec(name) is not None for name in ("spacy", SPACY_MODEL))


def make_tagger(name: str = "builtin") -> tuple[str, NounTagger]:
    """Return a noun tagger and its name for the records of a result.

    Args:
        name: ``builtin``, ``spacy``, or ``auto`` for spaCy where it is installed.

    Raises:
        SettingError: for another name, or where spaCy is asked for and not installed.
    """
    if name == "auto":
        name = "spacy" if spacy_is_usable() else "builtin"
    if name == "builtin":
        return "builtin:1", _remembered(builtin_nouns)
    if name != "spacy":
        raise SettingError(f"There is no noun tagger {shorten(name)}. Use builtin, spacy or auto.")
    if not spacy_is_usable():
        raise SettingError(
            f"The noun tagger `spacy` needs spaCy and its model {SPACY_MODEL}, which are not both installed. "
            "Install them with `personalized-shopping install spacy`, or use the tagger `builtin`."
        )
    tagger = SpacyNouns()
    return tagger.name, _remembered(tagger)


def _remembered(tagger: NounTagger) -> NounTagger:
    return lru_cache(maxsize=_TITLES_KEPT)(lambda text: tuple(tagger(text)))
