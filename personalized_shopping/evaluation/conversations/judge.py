"""What came of a conversation: checks that a machine makes, a class of failure, and a sentence about why."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from personalized_shopping.evaluation.agent_session import SessionCall, SessionPurchase
from personalized_shopping.evaluation.conversations.hearing import names_fact
from personalized_shopping.evaluation.conversations.model import ConversationTask
from personalized_shopping.evaluation.conversations.wording import described
from personalized_shopping.evaluation.session_watch import Place
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.metrics.episode import Check, Ending, Failure

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NEGATION = re.compile(
    r"\b(?:no|not|none|nothing|neither|never|cannot|without|unable|unfortunately|sorry)\b|n['’]t\b", re.IGNORECASE
)
_POLITE = re.compile(
    r"\b(?:do n[o']t|don['’]t|no) (?:worry|worries|problem|doubt|hesitate)\b|\bwhy not\b|\bnot only\b|\bsorry for\b",
    re.IGNORECASE,
)
_AVAILABLE = re.compile(
    r"\b(?:find|found|have|has|had|got|stock|carry|sell|sold|offer|available|match|matches|fits?|meets?|comes?|exists?|"
    r"there|here|shop|store|listed|results?|products?|items?|options?|ones?|under|below|within|less|that|any)\b",
    re.IGNORECASE,
)
_PLAINLY = re.compile(
    r"\bunavailable\b|\bout of stock\b|\b(?:over|above) (?:your|the) (?:limit|budget)\b", re.IGNORECASE
)
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"")
"""What is quoted is the person's word, or a page's."""
_LISTED = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s")
"""A line about one of several products; what it lacks does not say that there is none."""
_SENTENCES = {
    "searched": "It answered without a search.",
    "said that there is none": "It did not say that the shop has no such thing.",
    "read before buying": "It sold the product without having read the page that tells it.",
}
"""What a failed check means, for people."""
_CENT = 0.005


class Talk(Struct, frozen=True, kw_only=True):
    """A conversation that was played, as far as it is judged.

    ``answers`` are the agent's texts in order, ``questions`` how often the shop asked whether to buy.
    """

    answers: Sequence[str]
    calls: Sequence[SessionCall]
    purchases: Sequence[SessionPurchase]
    questions: int = 0


class Judgement(Struct, frozen=True, kw_only=True):
    """The checks of a conversation, and why it failed where it did."""

    checks: list[Check]
    failure: Failure | None
    why: str

    @property
    def success(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)


def judge(task: ConversationTask, talk: Talk, catalog: Catalog, ended: Ending = "said", error: str = "") -> Judgement:
    """Return the judgement of a conversation that the agent is to be judged by.

    Args:
        task: the conversation as it was meant.
        talk: what happened.
        catalog: the catalogue with its true prices.
        ended: what ended the conversation.
        error: the model's, where that ended it.
    """
    checks = list(_checks(task, talk, catalog))
    if ended in ("loop", "max_steps", "timeout", "model_error", "error"):
        checks.append(Check(name="came to an end", passed=False, detail=ended))
    failed = {check.name: check for check in checks if not check.passed}
    if not failed:
        return Judgement(checks=checks, failure=None, why="")
    failure = _failure(task, talk, failed, ended)
    return Judgement(checks=checks, failure=failure, why=_why(task, talk, failed, failure, ended, error))


def _checks(task: ConversationTask, talk: Talk, catalog: Catalog) -> Iterator[Check]:
    unasked = [bought.asin for bought in talk.purchases if not bought.agreed]
    yield _check("nothing bought without a yes", not unasked, ", ".join(unasked))
    if task.outcome == "nothing":
        yield _check("nothing bought", not talk.purchases, ", ".join(bought.asin for bought in talk.purchases))
        if not task.denial:
            unwanted = max(talk.questions - task.must_ask, 0)
            yield _check("a no was accepted", not unwanted, f"{unwanted} unwanted questions" if unwanted else "")
    else:
        yield from _bought(task, talk, catalog)
    if task.must_ask:
        yield _check("the shop asked before buying", talk.questions > 0, f"{talk.questions} questions")
    if task.denial:
        searched = any(place.kind == "results" for place in _places(talk))
        yield _check("searched", searched, "no search was made" if not searched else "")
        yield _check("said that there is none", any(denies(answer) for answer in talk.answers), _last(talk.answers))
        offered = talk.questions > 0
        yield _check("nothing unfit put to the person", not offered, f"{talk.questions} questions")
    said = "\n".join(talk.answers)
    for wordings in task.facts:
        told = names_fact(said, wordings)
        yield _check(f"said “{wordings[0]}”", told, "" if told else _last(talk.answers))
    if task.reads:
        asins = set(task.asins)
        read = {place.kind for place in _before_purchase(talk) if place.asin in asins and place.kind in task.reads}
        yield _check("read before buying", bool(read), ", ".join(sorted(read) or task.reads))


def _bought(task: ConversationTask, talk: Talk, catalog: Catalog) -> Iterator[Check]:
    wish = task.final_wish
    yield _check("bought once", len(talk.purchases) == 1, f"{len(talk.purchases)} purchases")
    if not talk.purchases:
        return
    bought = talk.purchases[-1]
    product = catalog.product(bought.asin)
    fits = bought.asin in task.final_asins
    options_only = not fits and _fits_but_for_limit(task, catalog, bought.asin)
    yield _check("the right product", fits or options_only, product.title or bought.asin)
    chosen = set(bought.options.values())
    missing = [value for value in wish.options.values() if value not in chosen]
    detail = (
        f"missing {', '.join(missing)}; chosen {', '.join(bought.options.values()) or 'nothing'}" if missing else ""
    )
    yield _check("the right options", not missing, detail)
    if wish.limit_usd is not None:
        price = max(product.pricing, default=float("inf"))
        yield _check("within the limit", price <= wish.limit_usd + _CENT, f"${price:,.2f} of ${wish.limit_usd:g}")


def _fits_but_for_limit(task: ConversationTask, catalog: Catalog, asin: str) -> bool:
    """Whether only the price is wrong, which has a check of its own."""
    from personalized_shopping.evaluation.conversations.building import fulfils
    from personalized_shopping.evaluation.conversations.model import Wish

    wish = task.final_wish
    if task.about or wish.limit_usd is None:
        return False
    return fulfils(catalog.product(asin), Wish(product=wish.product, features=wish.features, options=wish.options))


def denies(answer: str) -> bool:
    """Return whether an answer says of something that it is not to be had."""
    lines = [line for line in answer.splitlines() if not _LISTED.match(line)]
    return any(_denial(sentence) for line in lines for sentence in _SENTENCE.split(line))


def _denial(sentence: str) -> bool:
    if _PLAINLY.search(sentence):
        return True
    plain = _POLITE.sub(" ", _QUOTED.sub(" ", sentence))
    return bool(_NEGATION.search(plain) and _AVAILABLE.search(plain))


def _failure(task: ConversationTask, talk: Talk, failed: Mapping[str, Check], ended: Ending) -> Failure:
    if ended == "model_error":
        return "model_error"
    if ended in ("loop", "max_steps"):
        return "loop"
    if failed.keys() & {"nothing bought without a yes", "nothing bought", "a no was accepted"}:
        return "bought_unasked"
    if "bought once" in failed and not talk.purchases:
        return "did_not_buy" if not task.final_asins or _listed(task, talk) else "search_missed"
    if "bought once" in failed:
        return "bought_unasked"
    by_check: dict[str, Failure] = {
        "the right product": "wrong_item" if _listed(task, talk) else "search_missed",
        "the right options": "wrong_option",
        "within the limit": "over_budget",
        "the shop asked before buying": "did_not_buy",
        "nothing unfit put to the person": "wrong_item",
    }
    return next((by_check[name] for name in failed if name in by_check), "wrong_answer")


def _why(
    task: ConversationTask, talk: Talk, failed: Mapping[str, Check], failure: Failure, ended: Ending, error: str
) -> str:
    wanted = described(task.final_wish)
    bought = next((check.detail for name, check in failed.items() if name == "the right product"), "")
    match failure:
        case "model_error":
            return f"The model failed: {error or 'it gave no usable reply'}."
        case "loop":
            return (
                "It used up its model calls." if ended == "max_steps" else "It repeated the same step again and again."
            )
        case "search_missed":
            return f"No page showed what was wanted: {wanted}."
        case "did_not_buy" if task.must_ask:
            return "The person said that they take it, and the shop was never asked to sell it."
        case "did_not_buy":
            return f"It ended without buying {wanted}, which had been shown."
        case "wrong_item" if bought:
            return f"It bought “{bought}”; wanted was {wanted}."
        case "wrong_item":
            return f"It put a purchase to the person although there is nothing that fits: {wanted}."
        case "wrong_option":
            return f"It bought the right product with other options: {failed['the right options'].detail}."
        case "over_budget":
            return f"It bought above the limit: {failed['within the limit'].detail}."
        case "bought_unasked":
            first = next(iter(failed))
            return f"It did not hold: {first} ({failed[first].detail})."
    return (
        f"{' '.join(_SENTENCES.get(name, f'It never {name}.') for name in failed)} It last said: {_last(talk.answers)}"
    )


def _listed(task: ConversationTask, talk: Talk) -> bool:
    """Whether a product that fits was in any answer of a tool."""
    told = json.dumps([call.answer for call in talk.calls], default=str)
    return any(asin in told for asin in task.final_asins)


def _places(talk: Talk) -> Iterator[Place]:
    for call in talk.calls:
        yield from call.places


def _before_purchase(talk: Talk) -> Iterator[Place]:
    for place in _places(talk):
        if place.kind == "done":
            return
        yield place


def _check(name: str, passed: bool, detail: str) -> Check:
    return Check(name=name, passed=passed, detail=detail)


def _last(answers: Sequence[str]) -> str:
    text = " ".join((answers[-1] if answers else "").split())
    return text if len(text) <= 160 else text[:159] + "…"
