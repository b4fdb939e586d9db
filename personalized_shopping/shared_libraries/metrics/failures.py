"""Why a goal was not fully met: one class an episode, and a sentence that a person understands."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Failure, Wanted

MEANING: dict[Failure, str] = {
    "search_missed": "No search listed the wanted product, and something else was bought.",
    "wrong_item": "The wanted product was listed, and another one was bought.",
    "wrong_option": "The product fits, but not all wanted options were chosen.",
    "over_budget": "What was bought costs more than the limit.",
    "did_not_buy": "Nothing was bought.",
    "bought_unasked": "Something was bought that nobody had agreed to.",
    "wrong_answer": "What the agent said, or did not say, was wrong.",
    "unsolvable": "Just what was wanted was bought; the scoring rules give no full score for it.",
    "loop": "The agent went round in circles or used up its steps.",
    "model_error": "The model failed or gave no usable reply.",
    "system_error": "The evaluation itself failed; the agent is not judged.",
    "simulator_error": "The simulated person failed; the agent is not judged.",
}
_TITLE_CHARS = 70


class Verdict(NamedTuple):
    """A class of failure (``None`` for a success) and the sentence that explains it."""

    failure: Failure | None
    why: str


def explain_goal(
    ended: Ending,
    *,
    success: bool,
    wanted: Wanted,
    bought: Bought | None,
    parts: Mapping[str, Any],
    listed: Collection[str],
    offered: Collection[str] = (),
    lacking: Sequence[str] = (),
    solvable: bool = True,
    error: str = "",
) -> Verdict:
    """Return why a WebShop goal was not met.

    Args:
        ended: what ended the episode.
        success: whether the reward is 1.
        wanted: the goal.
        bought: the purchase, if there was one.
        parts: the reward's parts.
        listed: the products that results pages showed, by ASIN.
        offered: the wanted option values that the bought product has.
        lacking: the wanted attributes that it does not have.
        solvable: whether the wanted product with the wanted options earns a full reward.
        error: what the model or the system said.
    """
    if success:
        return Verdict(None, "")
    if bought is None:
        return _nothing_bought(ended, wanted, listed, error)
    if not solvable and bought.asin == wanted.asin and set(wanted.options) <= set(bought.options.values()):
        why = f"It bought just what was wanted, {_named(bought)}; the scoring rules do not recognise the options."
        return Verdict("unsolvable", why)
    missing = _missing(wanted, bought, parts)
    fits = parts.get("r_type") == 1.0 and parts.get("r_att") == 1.0
    over = parts.get("r_price") is False
    if bought.asin == wanted.asin or (fits and (over or set(offered) >= set(wanted.options))):
        if missing:
            return Verdict("wrong_option", f"It bought {_named(bought)}, but {missing}.")
        if over:
            return Verdict("over_budget", f"It bought {_named(bought)}; the limit was {_money(wanted.price_limit)}.")
    what = f"It bought {_named(bought)} instead of {_product(wanted)}"
    reasons = "; ".join(filter(None, [*_differences(wanted, parts, lacking), missing]))
    tail = f": {reasons}." if reasons else "."
    if wanted.asin in listed:
        return Verdict("wrong_item", f"{what}, which was listed{tail}")
    return Verdict("search_missed", f"{what}, which no search listed{tail}")


def _nothing_bought(ended: Ending, wanted: Wanted, listed: Collection[str], error: str) -> Verdict:
    seen = "had been listed" if wanted.asin in listed else "was never listed"
    match ended:
        case "model_error":
            return Verdict("model_error", f"The model failed: {_cut(error, 200)}.")
        case "error":
            return Verdict("system_error", f"The evaluation failed: {_cut(error, 200)}.")
        case "loop":
            return Verdict("loop", f"It repeated itself without getting on; {_product(wanted)} {seen}.")
        case "max_steps":
            return Verdict("loop", f"It used up its steps without buying; {_product(wanted)} {seen}.")
        case "timeout":
            return Verdict("did_not_buy", f"Its time was over before it bought; {_product(wanted)} {seen}.")
    return Verdict("did_not_buy", f"It ended without buying; {_product(wanted)} {seen}.")


def _missing(wanted: Wanted, bought: Bought, parts: Mapping[str, Any]) -> str:
    share = parts.get("r_option")
    if share is None or share >= 1.0:
        return ""
    chosen = ", ".join(bought.options.values()) or "nothing"
    return f"of the options {', '.join(wanted.options)} it chose {chosen}"


def _differences(wanted: Wanted, parts: Mapping[str, Any], lacking: Sequence[str]) -> list[str]:
    found = []
    if parts.get("r_type", 1.0) < 1.0:
        found.append("it is of another kind")
    if parts.get("r_att", 1.0) < 1.0:
        named = ", ".join(lacking or wanted.attributes)
        found.append(f"it lacks {named}" if lacking else f"it has {parts['r_att']:.0%} of the attributes {named}")
    if parts.get("r_price") is False:
        found.append(f"it costs more than {_money(wanted.price_limit)}")
    return found


def _named(bought: Bought) -> str:
    price = f" for {_money(bought.price)}" if bought.price is not None else ""
    return f"“{_title(bought.title) or bought.asin}”{price}"


def _product(wanted: Wanted) -> str:
    return f"“{_title(wanted.title) or wanted.asin}”"


def _title(text: str) -> str:
    return _cut(text, _TITLE_CHARS)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _money(amount: float | None) -> str:
    return "any price" if amount is None else f"${amount:,.2f}"
