"""`grounded_facts`: every price, rating, option and product in an answer stands on a page that was read."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import fmean

from personalized_shopping.evaluation.adk_metrics.pages_read import AMOUNT, PagesRead
from personalized_shopping.evaluation.adk_metrics.reading import Turn
from personalized_shopping.evaluation.adk_metrics.verdict import Scores, as_metric
from personalized_shopping.shared_libraries.requests.vocabulary import AMBIGUOUS_COLOURS, COLOURS, SIZES
from personalized_shopping.shared_libraries.safety.rules.codes import codes_in

_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?]+(?!\s|$)[^\n.!?]+)*[.!?]*|\n")
_RATING = re.compile(
    r"(?<![\d.])([0-5](?:\.\d+)?)\s?(?:/\s?5\b|(?:of|out of) (?:5|five)\b|-?stars?\b)|"
    r"\b(?:rated|rating(?: of|:)?)\s+([0-5](?:\.\d+)?)(?![\d.]*\d)",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"\b(?:sav(?:e|es|ings?)|less|cheaper|more|dearer|difference|total|together|both|each|per|sum|left|over|under|"
    r"below|above|apart)\b",
    re.IGNORECASE,
)
_OPTION_NAMES = frozenset(
    {"color", "colour", "size", "flavor", "flavour", "scent", "style", "pattern", "finish", "pack", "count"}
)
"""What options are called in most shops; the names that the pages have shown are looked for too."""
_BETWEEN = re.compile(r",\s*|\s+(?:and|or)\s+|\s*/\s*(?!\d)")
_COUNTED = re.compile(r"\d+|\W*|not chosen|any|none|open|(?:to be |still )?(?:chosen|open)", re.IGNORECASE)
_QUOTED = re.compile(r"“[^”“\n]*”|\"[^\"\n]*\"|`[^`\n]*`")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*|\d?x+-?(?:small|large)", re.IGNORECASE)
_PLAIN_COLOURS = COLOURS - AMBIGUOUS_COLOURS - {"clear", "transparent", "rainbow"}
_CLEAR_SIZES = frozenset(value for value in SIZES.values() if "-" in value)


@as_metric(overall=fmean)
def grounded_facts(turns: list[Turn], expected: list[Turn]) -> Scores:
    """Score each answer by the share of its facts that a page bears out.

    A fact is an amount of dollars, a rating, the value of an option, a colour, or a product's code. What the person has
    said counts as known, and so does what is reckoned from known amounts where the sentence reckons. An answer without
    facts scores 1: it claims nothing.
    """
    pages = PagesRead()
    scores: Scores = []
    for turn in turns:
        pages.take_in(turn)
        facts = list(facts_of(turn.answer, pages))
        problems = [problem for problem in facts if problem]
        scores.append((1.0 - len(problems) / len(facts) if facts else 1.0, problems))
    return scores


def facts_of(answer: str, pages: PagesRead) -> Iterator[str]:
    """Yield for each fact of an answer what is wrong with it; an empty text where a page bears it out."""
    for match in _SENTENCE.finditer(answer):
        sentence = match[0]
        if sentence.strip():
            yield from _figures(sentence, pages)
            yield from _options(_QUOTED.sub(" ", sentence), pages)


def _figures(sentence: str, pages: PagesRead) -> Iterator[str]:
    codes = codes_in(sentence)
    for code in codes:
        yield "" if pages.bears_code(code) else f"no page has shown the product {code}"
    # A table's row stands for several products.
    named = [] if sentence.lstrip().startswith("|") else pages.named_in(sentence, codes)
    reckoned = bool(_RECKONED.search(sentence))
    for match in AMOUNT.finditer(sentence):
        yield "" if pages.bears_amount(match[1], named, reckoned) else f"no page bears out the price ${match[1]}"
    for match in _RATING.finditer(sentence):
        value = match[1] or match[2]
        yield "" if pages.bears_rating(float(value), named) else f"no page bears out the rating {value}"


def _options(sentence: str, pages: PagesRead) -> Iterator[str]:
    named = _option_pattern(_OPTION_NAMES | pages.option_names).finditer(sentence)
    claimed = [value for match in named for value in _values(match[1])]
    for value in claimed:
        yield "" if pages.bears_words(value) else f"no page has the option {value!r}"
    told = " ".join(claimed).casefold()
    for word in dict.fromkeys(word.casefold() for word in _WORD.findall(sentence)):
        if (word in _PLAIN_COLOURS or word in _CLEAR_SIZES) and word not in told:
            yield "" if pages.bears_words(word) else f"no page has the option {word!r}"


@cache
def _option_pattern(names: frozenset[str]) -> re.Pattern[str]:
    """Return what finds the values behind an option's name, up to the next option: `color: black, size: medium`."""
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(
        rf"(?<![\w-])(?:{either})s?\*{{0,2}}\s*(?::\*{{0,2}}|\bis\b|\bare\b|=|\()\s*"
        r"((?:(?!,\s*[\w ]{1,20}:)[^\n;)])+)",
        re.IGNORECASE,
    )


def _values(listed: str) -> Sequence[str]:
    """Return the values of an option that are listed: `black, dusty rose or sage`."""
    listed = re.split(r"[?!]|\.(?=\s|$)|\||—| – | · |\*\*", listed)[0]
    values = (value.strip(" *`“”\"'.,:") for value in _BETWEEN.split(listed))
    return [value for value in values if not _COUNTED.fullmatch(value)]
