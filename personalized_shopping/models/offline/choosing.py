"""Choose for a person who leaves the choice to the shopper, among the products that were shown."""

from personalized_shopping.models.offline.pointing import Context
from personalized_shopping.models.offline.ranking import Candidate, judge

_ROUNDED = 2


def best_of(context: Context, *, cheaply: bool = False, rated: bool = False) -> str:
    """Return the shown product that fits the wish best; where several fit alike, the first shown.

    Args:
        context: What was shown, in its order, and what is wanted.
        cheaply: Take the cheapest of those that fit alike.
        rated: Take the best rated of those that fit alike.
    """
    judged = [judge(context.request, known) for asin in context.shown if (known := context.product(asin))]
    if not judged:
        return context.shown[0]
    best = max(_fit(one) for one in judged)
    alike = [one for one in judged if _fit(one) == best]
    if cheaply:
        return min(alike, key=_price).asin
    if rated:
        return max(alike, key=lambda one: one.known.card.rating or 0.0).asin
    return alike[0].asin


def _fit(one: Candidate) -> tuple[bool, bool, float]:
    return (one.answers, not one.wishes_refused, round(one.share, _ROUNDED))


def _price(one: Candidate) -> float:
    return one.known.card.low_usd if one.known.card.low_usd is not None else float("inf")
