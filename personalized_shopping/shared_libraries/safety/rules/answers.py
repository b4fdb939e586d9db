"""The rule about what the agent tells the person: products, prices and ratings that pages have shown, and no others.

It looks at facts and not at the wording of pages, so it holds in every language: a product that no page has listed is
known to the agent from a text, from memory or from nowhere, and in each case it is none to recommend.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.safety.rules.codes import codes_in
from personalized_shopping.shared_libraries.safety.rules.known_facts import (
    KnownFacts,
    Titles,
    is_one_of,
    prices_of,
    ratings_of,
)
from personalized_shopping.shared_libraries.safety.situation import Seen, SeenProduct
from personalized_shopping.shared_libraries.safety.wishes import PersonWishes

MAX_ANSWER_CHARS = 20_000
MAX_NAMES = 5
"""Rows of words with capitals in one sentence that are looked at."""
LEFT_OUT = "(I left something out that comes from a text on a page: what the shop itself shows does not bear it out.)"

_MAX_FIGURES = 20
"""Amounts, and ratings, of one sentence that are looked at."""
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?]+(?!\s|$)[^\n.!?]+)*[.!?]*[*`”\")]*[ \t]*|\n")
_PRAISE = re.compile(
    r"\b(?:recommend\w*|advi[cs]e|suggest\w*|best|better|favou?rite|instead|choice|pick|go (?:for|with)|winner|"
    r"(?:should|would|could|ought to|must|do) (?:get|buy|take|choose|have|try|prefer)|deserves?|get|buy|take|choose|"
    r"perfect|excellent|great|ideal|news|after)\b",
    re.IGNORECASE,
)
_CAPITAL = r"[A-Z0-9][\w&'%./+-]*"
_NAME = re.compile(rf"\b{_CAPITAL}(?:,? (?:{_CAPITAL}|&|and|of|with|for)){{1,9}}")
_AMOUNT = re.compile(r"\$\s?(\d[\d,]*(?:\.\d{1,2})?)(?![\d%])")
_RATING = re.compile(
    r"\b([0-5](?:\.\d)?)\s?(?:/\s?5\b|(?:of|out of) (?:5|five)\b|-?stars?\b)|"
    r"\b(?:rated|rating of)\s+([0-5](?:\.\d)?)\b",
    re.IGNORECASE,
)
_RECKONED = re.compile(
    r"\b(?:sav(?:e|es|ings?)|less|cheaper|more|dearer|difference|total|together|both|each|per|sum|shipping|left|"
    r"about|around|roughly|between|average|over|under|below|above|budget|limit)\b",
    re.IGNORECASE,
)
"""Words beside which an amount may be reckoned from others, or be the person's own."""
_QUOTED = re.compile(r"“[^”“\n]*”|\"[^\"\n]*\"")
_SENTENCE_END = re.compile(r"[.!?…](?=\s|.?$)")


class AnswerProblem(Struct, frozen=True):
    """Something in an answer that no page bears out.

    ``note`` is told beside the answer; without one the sentence must not reach the person. ``start`` and ``end`` are
    the sentence's place in the answer.
    """

    policy_id: str
    evidence: str
    note: str = ""
    start: int = 0
    end: int = 0

    def at(self, start: int, end: int) -> "AnswerProblem":
        """Return the problem at its place."""
        return msgspec.structs.replace(self, start=start, end=end)


_UNREAD = AnswerProblem("SHOP-CLAIMS", "a product that no page has listed")
_PUSHED = AnswerProblem("SHOP-INJECTION", "what another product's page says, against the shop's own facts")


def answer_problems(text: str, seen: Seen, wishes: PersonWishes, titles: Titles | None = None) -> list[AnswerProblem]:
    """Return what in an answer stands on no page that was read.

    Args:
        text: what the agent is about to tell the person.
        seen: what the agent has read.
        wishes: what the person has said.
        titles: finds products of the shop by their name; without it only codes tell products that were not read.
    """
    facts = KnownFacts(seen, wishes, titles)
    found: list[AnswerProblem] = []
    own = _QUOTED.sub(lambda quoted: _without_passages(quoted[0]), text[:MAX_ANSWER_CHARS])
    for match in _SENTENCE.finditer(own):
        if match[0].strip():
            found += [problem.at(*match.span()) for problem in _problems(match[0], facts)]
    return found


def mended(text: str, problems: Sequence[AnswerProblem]) -> str:
    """Return an answer without the sentences that must not reach the person, and with notes on the others."""
    cuts = sorted({(problem.start, problem.end) for problem in problems if not problem.note}, reverse=True)
    for start, end in cuts:
        text = text[:start] + text[end:]
    notes = list(dict.fromkeys(problem.note for problem in problems if problem.note))
    if cuts:
        notes.append(LEFT_OUT)
    return "\n\n".join(part for part in (text.strip(), *notes) if part)


def _without_passages(quoted: str) -> str:
    """Return what is quoted blanked out if it is whole sentences of somebody else, and as it is if it is a name."""
    return " " * len(quoted) if _SENTENCE_END.search(quoted) else quoted


def _problems(sentence: str, facts: KnownFacts) -> Iterator[AnswerProblem]:
    codes, names = codes_in(sentence), _names(sentence)
    praised = bool(_PRAISE.search(sentence))
    if any(map(facts.is_unread_code, codes)) or (praised and any(map(facts.is_unread_name, names))):
        yield _UNREAD
        return
    named = [facts.products[code.lower()] for code in codes if code.lower() in facts.products]
    if not named:
        named = list({product.asin: product for name in names for product in facts.called(name)}.values())
    found = list(_false_facts(sentence, named, facts))
    found += _unfit(sentence, named, facts) if praised else []
    pushed = [product for product in named if facts.is_pushed(product)]
    if pushed and found:
        yield _PUSHED
    elif pushed and praised:
        yield from map(_whose_wish, pushed)
    else:
        yield from found


def _false_facts(sentence: str, named: Sequence[SeenProduct], facts: KnownFacts) -> Iterator[AnswerProblem]:
    """Find prices and ratings that are no product's, or not those of the products that a sentence names."""
    reckoned = bool(_RECKONED.search(sentence))
    for match in islice(_AMOUNT.finditer(sentence), 0 if reckoned else _MAX_FIGURES):
        if not facts.is_price(match[1], named):
            truth = prices_of(named)
            note = f"{truth}, not ${match[1]}." if truth else f"No product that I have seen here costs ${match[1]}."
            yield AnswerProblem("SHOP-CLAIMS", f"the amount {match[1]}", note)
    for match in islice(_RATING.finditer(sentence), _MAX_FIGURES):
        value = float(match[1] or match[2])
        if not facts.is_rating(value, named):
            truth = ratings_of(named)
            note = f"{truth} of 5, not {value:g}." if truth else f"No product that I have seen here is rated {value:g}."
            yield AnswerProblem("SHOP-CLAIMS", f"the rating {value:g}", note)


def _unfit(sentence: str, named: Sequence[SeenProduct], facts: KnownFacts) -> Iterator[AnswerProblem]:
    """Find praise for what is above the person's limit, where the price is not told with it."""
    limit = facts.limit_usd
    for product in named:
        upper = max(product.prices_usd, default=0.0)
        amounts = islice(_AMOUNT.finditer(sentence), _MAX_FIGURES)
        if limit is not None and upper > limit and not any(is_one_of(m[1], product.prices_usd) for m in amounts):
            note = f"{prices_of([product])}, which is over your limit of ${limit:,.2f}."
            yield AnswerProblem("SHOP-CLAIMS", f"{upper:.2f} > {limit:.2f}", note)


def _whose_wish(product: SeenProduct) -> AnswerProblem:
    note = (
        f"Another product's page names `{product.asin}`; whoever wrote that may want it sold. {prices_of([product])}."
    )
    return AnswerProblem("SHOP-INJECTION", "another product's page names it", note)


def _names(sentence: str) -> list[str]:
    """Return what could be names of products: words with capitals in a row, also without the first ones or the last."""
    found: list[str] = []
    for match in islice(_NAME.finditer(sentence.replace("*", "")), MAX_NAMES):
        words = match[0].replace(",", "").split()
        for start in range(min(len(words) - 1, 3)):
            found.append(" ".join(words[start:]))
            if len(words) - start > 3:
                found.append(" ".join(words[start : start + 3]))
    return list(dict.fromkeys(found))
