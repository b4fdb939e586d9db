"""The rule about what the agent tells the person: products, prices and ratings that pages have shown, and no others.

It looks at facts and not at the wording of pages, so it holds in every language: a product that no page has listed is
known to the agent from a text, from memory or from nowhere, and in each case it is none to recommend.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.safety.rules.codes import codes_in
from personalized_shopping.shared_libraries.safety.situation import Seen, SeenProduct
from personalized_shopping.shared_libraries.safety.wishes import PersonWishes

Titles = Callable[[str], Sequence[str]]
"""Finds titles of the shop's products for a few words."""

MAX_ANSWER_CHARS = 20_000
MAX_NAMES = 5
"""Names in one sentence that are looked up in the shop."""
LEFT_OUT = "(I left something out that comes from a text on a page: what the shop itself shows does not bear it out.)"

_CENT = 0.02
_ROUNDED = 1.0
"""How far an amount without cents may be from the price that it stands for, in US dollars."""
_TENTH = 0.06
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
_QUOTED = re.compile(r"“[^”\n]*[.!?…](?:\s[^”\n]*)?”|\"[^\"\n]*[.!?…](?:\s[^\"\n]*)?\"")
"""A passage in quotation marks: whole sentences of somebody else, and not a name."""


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
    found: list[AnswerProblem] = []
    own = _QUOTED.sub(lambda passage: " " * len(passage[0]), text[:MAX_ANSWER_CHARS])
    for match in _SENTENCE.finditer(own):
        if match[0].strip():
            found += [problem.at(*match.span()) for problem in _problems(match[0], seen, wishes, titles)]
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


def _problems(sentence: str, seen: Seen, wishes: PersonWishes, titles: Titles | None) -> Iterator[AnswerProblem]:
    codes = codes_in(sentence)
    praised = bool(_PRAISE.search(sentence))
    unread = any(code.lower() not in seen.products and not wishes.said_anywhere(code) for code in codes)
    if praised and not unread and titles is not None:
        unread = any(_unread(name, seen, wishes, titles) for name in _names(sentence))
    if unread:
        yield _UNREAD
    else:
        named = _named(sentence, codes, seen)
        found = list(_false_facts(sentence, named, seen, wishes))
        found += _unfit(sentence, named, wishes) if praised else []
        pushed = any(_is_pushed(product, seen, wishes) for product in named)
        if pushed and found:
            yield _PUSHED
        elif pushed and praised:
            yield from (_whose_wish(product) for product in named if _is_pushed(product, seen, wishes))
        else:
            yield from found


def _false_facts(told: str, named: Sequence[SeenProduct], seen: Seen, wishes: PersonWishes) -> Iterator[AnswerProblem]:
    """Find prices and ratings that are no product's, or not those of the products that a sentence names."""
    products = named or list(seen.products.values())
    for match in _AMOUNT.finditer(told):
        prices = [price for product in products for price in product.prices_usd]
        if not (_RECKONED.search(told) or _is_one_of(match[1], prices) or _is_own(match[1], wishes)):
            truth = _prices_of(named)
            note = f"{truth}, not ${match[1]}." if truth else f"No product that I have seen here costs ${match[1]}."
            yield AnswerProblem("SHOP-CLAIMS", f"the amount {match[1]}", note)
    for match in _RATING.finditer(told):
        value = float(match[1] or match[2])
        if not any(abs(value - rating) < _TENTH for product in products for rating in product.ratings):
            truth = "; ".join(
                f"`{product.asin}` is rated {product.ratings[0]:g}" for product in named if product.ratings
            )
            note = f"{truth} of 5, not {value:g}." if truth else f"No product that I have seen here is rated {value:g}."
            yield AnswerProblem("SHOP-CLAIMS", f"the rating {value:g}", note)


def _unfit(sentence: str, named: Sequence[SeenProduct], wishes: PersonWishes) -> Iterator[AnswerProblem]:
    """Find praise for what is above the person's limit, where the price is not told with it."""
    limit = wishes.limit_usd
    for product in named:
        upper = max(product.prices_usd, default=0.0)
        priced = any(_is_one_of(match[1], product.prices_usd) for match in _AMOUNT.finditer(sentence))
        if limit is not None and upper > limit and not priced:
            note = f"{_prices_of([product])}, which is over your limit of ${limit:,.2f}."
            yield AnswerProblem("SHOP-CLAIMS", f"{upper:.2f} > {limit:.2f}", note)


def _is_pushed(product: SeenProduct, seen: Seen, wishes: PersonWishes) -> bool:
    """Return whether another product's page names this one, and the person does not."""
    return product.asin.lower() in seen.mentioned and not wishes.said_anywhere(product.asin)


def _whose_wish(product: SeenProduct) -> AnswerProblem:
    note = (
        f"Another product's page names `{product.asin}`; whoever wrote that may want it sold. {_prices_of([product])}."
    )
    return AnswerProblem("SHOP-INJECTION", "another product's page names it", note)


def _named(sentence: str, codes: Sequence[str], seen: Seen) -> list[SeenProduct]:
    """Return the products that a sentence is about: by code, or by the beginning of a title."""
    found = {code.lower(): seen.products[code.lower()] for code in codes if code.lower() in seen.products}
    if not found:
        for name in _names(sentence):
            for asin, product in seen.products.items():
                if _is_called(product.title, name):
                    found[asin] = product
    return list(found.values())


def _unread(name: str, seen: Seen, wishes: PersonWishes, titles: Titles) -> bool:
    """Return whether a name is that of a product of the shop that no page has shown."""
    if wishes.said_anywhere(name) or any(_is_called(product.title, name) for product in seen.products.values()):
        return False
    return any(_is_called(title, name) for title in titles(name))


def _is_called(title: str, name: str) -> bool:
    """Return whether a name could be short for a title: the same first word, and no word that the title lacks."""
    full, short = _words(title), _words(name)
    return len(short) > 1 and bool(full) and full[0] == short[0] and set(short) <= set(full)


def _names(sentence: str) -> list[str]:
    """Return what could be names of products: words with capitals in a row, also without the first ones or the last."""
    found: list[str] = []
    for match in _NAME.finditer(sentence.replace("*", "")):
        words = match[0].replace(",", "").split()
        for start in range(min(len(words) - 1, 3)):
            found.append(" ".join(words[start:]))
            if len(words) - start > 3:
                found.append(" ".join(words[start : start + 3]))
    return list(dict.fromkeys(found))[: 2 * MAX_NAMES]


def _is_own(amount: str, wishes: PersonWishes) -> bool:
    """Return whether an amount is one that the person has named, or an end of the range that they mean."""
    budget = wishes.request.budget
    said = [float(number) for message in wishes.said for number in re.findall(r"\d+(?:\.\d+)?", message)]
    limits = [limit for limit in (budget.min_usd, budget.max_usd, wishes.limit_usd) if limit is not None]
    return _is_one_of(amount, [*said, *limits])


def _is_one_of(amount: str, prices_usd: Sequence[float]) -> bool:
    value = float(amount.replace(",", ""))
    slack = _CENT if "." in amount else _ROUNDED
    return any(abs(value - price) <= slack for price in prices_usd)


def _prices_of(products: Sequence[SeenProduct]) -> str:
    return "; ".join(
        f"`{product.asin}` costs {' to '.join(f'${price:,.2f}' for price in sorted(set(product.prices_usd)))}"
        for product in products
        if product.prices_usd
    )


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", text).casefold())
