"""Read the price that a person has in mind, and write prices for people."""

import re
from dataclasses import dataclass

from personalized_shopping.shared_libraries.requests.vocabulary import CHEAP_WORDS, CURRENCY, MEASURES, NUMBER_WORDS

ABOUT = 0.25
"""`around $20` allows a quarter of the amount on both sides."""

_NUMBER_WORD = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_AMOUNT = rf"\$?\s?(?:\d[\d,]*(?:\.\d+)?|(?:{_NUMBER_WORD})(?:[\s-]+(?:and\s+)?(?:{_NUMBER_WORD}))*)k?(?![\w.]*\d)"
_UNIT = r"(?:\s*(?:" + "|".join(CURRENCY) + r")\b|\s*\$)?"
_IS = r"(?:is\s+|are\s+|be\s+|of\s+|should\s+be\s+|must\s+be\s+|at\s+|that\s+is\s+)*"
_PRICE_WORD = (
    r"(?:(?:and\s+|with\s+|at\s+)?(?:the\s+|my\s+|a\s+)?(?:price|priced|cost|costs|costing|budget|spend|pay)\w*\s+"
    + _IS
    + r")?"
)
_BELOW = (
    r"(?:under|below|less\s+than|lower\s+than|cheaper\s+than|fewer\s+than|no\s+more\s+than|not\s+more\s+than|not\s+over|"
    r"at\s+most|up\s+to|within|max(?:imum)?(?:\s+of)?|not\s+exceeding|beneath|inside|<=?|as\s+much\s+as|"
    r"(?:doesn'?t|does\s+not|don'?t|not)\s+(?:cost|exceed|go\s+over|be\s+over)(?:\s+(?:more\s+than|over|above))?)"
)
_ABOVE = r"(?:over|above|more\s+than|at\s+least|higher\s+than|greater\s+than|min(?:imum)?(?:\s+of)?|starting\s+at|>=?)"
_AROUND = r"(?:around|about|approximately|roughly|close\s+to|near|~)"
_ALL_IN = r"(?:a\s+budget\s+of|my\s+budget\s+is|budget(?:\s+is|:)?|for|at|price|priced\s+at|spend|pay)"


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?P<clause>,?\s*{_PRICE_WORD}{pattern})", re.IGNORECASE)


_BETWEEN = _rule(
    rf"(?:between|from)\s+(?P<low>{_AMOUNT}){_UNIT}\s*(?:and|to|-|–)\s*(?P<high>{_AMOUNT})(?P<unit>{_UNIT})"
)
_DASH = _rule(rf"(?P<low>{_AMOUNT})\s*(?:-|–|to)\s*(?P<high>{_AMOUNT})(?P<unit>{_UNIT})")
_MAXIMUM = _rule(rf"{_BELOW}\s*{_IS}(?:price\s+of\s+)?(?P<high>{_AMOUNT})(?P<unit>{_UNIT})")
_OR_LESS = _rule(
    rf"(?P<high>{_AMOUNT})(?P<unit>{_UNIT})\s*(?:or\s+(?:less|under|below|cheaper|lower)|max(?:imum)?|tops|at\s+most)\b"
)
_MINIMUM = _rule(rf"{_ABOVE}\s*{_IS}(?P<low>{_AMOUNT})(?P<unit>{_UNIT})")
_OR_MORE = _rule(rf"(?P<low>{_AMOUNT})(?P<unit>{_UNIT})\s*(?:or\s+(?:more|above|up|over)|\+)")
_ROUGHLY = _rule(rf"{_AROUND}\s*(?P<about>{_AMOUNT})(?P<unit>{_UNIT})")
_FOR = _rule(rf"{_ALL_IN}\s+(?P<high>{_AMOUNT})(?P<unit>{_UNIT})")
_RULES = (_BETWEEN, _OR_LESS, _MAXIMUM, _OR_MORE, _MINIMUM, _ROUGHLY, _DASH, _FOR)
_NEEDS_MONEY = (_DASH, _FOR, _OR_MORE)
_PRICE_TALK = re.compile(r"\b(?:price|priced|cost|costs|costing|budget|spend|pay)", re.IGNORECASE)


@dataclass(frozen=True)
class Budget:
    """What a product may cost, in US dollars; ``None`` where the person set no bound."""

    min_usd: float | None = None
    max_usd: float | None = None
    cheap: bool = False

    @property
    def bounded(self) -> bool:
        """Whether any number was named."""
        return self.min_usd is not None or self.max_usd is not None

    def allows(self, low_usd: float) -> bool:
        """Return whether a product that starts at this price can be had within the bounds."""
        if self.max_usd is not None and low_usd > self.max_usd + 1e-9:
            return False
        return self.min_usd is None or low_usd >= self.min_usd - 1e-9


def amount(text: str) -> float | None:
    """Return the number that digits or English words name, or ``None``."""
    text = text.lower().strip().lstrip("$").strip().replace(",", "")
    factor = 1.0
    if re.fullmatch(r"[\d.]+k", text):
        text, factor = text[:-1], 1000.0
    try:
        return float(text) * factor
    except ValueError:
        pass
    total = 0
    words = [word for word in re.split(r"[\s-]+", text) if word and word != "and"]
    if not words:
        return None
    for word in words:
        if word not in NUMBER_WORDS:
            return None
        total = max(total, 1) * 100 if word == "hundred" else total + NUMBER_WORDS[word]
    return float(total)


def split_price(text: str) -> tuple[str, Budget]:
    """Take the price clauses out of a request.

    Returns:
        The text without them, and the budget they state. A number with a unit of measure (`under 6 feet`) is no price.
    """
    low: float | None = None
    high: float | None = None
    for rule in _RULES:
        for match in list(rule.finditer(text)):
            if not _is_money(rule, match, text):
                continue
            found = {
                key: amount(value)
                for key, value in match.groupdict().items()
                if key in {"low", "high", "about"} and value
            }
            if any(value is None for value in found.values()):
                continue
            if (about := found.get("about")) is not None:
                low, high = about * (1 - ABOUT), about * (1 + ABOUT)
            low = found.get("low", low)
            high = found.get("high", high)
            text = text.replace(match.group("clause"), " ", 1)
            break
    if low is not None and high is not None and low > high:
        low, high = high, low
    words = set(re.findall(r"[a-z-]+", text.lower()))
    return text, Budget(min_usd=low, max_usd=high, cheap=bool(words & CHEAP_WORDS))


def _is_money(rule: re.Pattern[str], match: re.Match[str], text: str) -> bool:
    """Tell `under 30` from `under 30 inches`, and `for $8` from `for 8 people`."""
    clause = match.group("clause")
    if match.group("unit").strip() or "$" in clause or _PRICE_TALK.search(clause):
        return True
    if rule in _NEEDS_MONEY or any(word in clause.lower() for word in ("inside", "within", "near", "close")):
        return False
    following = re.match(r"[\s-]*([a-z\"'%°]+)", text[match.end("clause") :].lower())
    if following is None:
        return True
    word = following.group(1)
    return not (word in MEASURES or word[0] in "\"'%°" or word in {"by", "x"})


def money(value_usd: float) -> str:
    """Write an amount as people read it: `$1,299.00`."""
    return f"${value_usd:,.2f}"


def price_range(low_usd: float, high_usd: float) -> str:
    """Write one price, or a range as `$10.99 to $20.50`."""
    if abs(high_usd - low_usd) < 0.005:
        return money(low_usd)
    return f"{money(min(low_usd, high_usd))} to {money(max(low_usd, high_usd))}"
