"""What people read: greetings, lists of finds, and plain words when something did not work.

Everything that came from a product or a person goes through ``quoted`` first: one line, no markup.
"""

import re
from collections.abc import Sequence

from personalized_shopping.models.offline.pages import Card
from personalized_shopping.models.offline.ranking import Candidate
from personalized_shopping.shared_libraries.requests.prices import Budget, money, price_range
from personalized_shopping.shared_libraries.requests.text import clean, shorten
from personalized_shopping.shared_libraries.requests.understanding import Request
from personalized_shopping.shared_libraries.requests.wishes import Wish

TITLE_CHARS = 80
NAME_CHARS = 80
REASONS = 4

BUY_QUESTION = "Shall I buy it?"
"""Ends a text that a plain `yes` answers with a purchase; the next turn looks for it there."""
OPTIONS_QUESTION = "Which would you like?"
"""Ends a text that asks for option values; the next turn looks for it there."""

GREETING = (
    "Hello! I'm your shopping assistant. Tell me what you are looking for, for example "
    "“a red cotton shirt under 30 dollars”, and I'll search the shop for you."
)
NOTHING_SAID = (
    "I'm listening: what are you looking for? A few words are enough, with a colour, a size or a price if they matter."
)
WHO = (
    "I'm the shop's assistant: an offline program without a language model. I search the catalogue, read product pages "
    "and reviews for you, pick options and, once you confirm, buy. What are you looking for?"
)
HELP = (
    "Here is what you can say to me:\n"
    "- what you want: “black running shoes size 8 under $60”\n"
    "- about the list: “the second one”, “cheaper”, “more”, “in blue”, “compare the first two”\n"
    "- about a product: “what do the reviews say”, “show me the description”, “in large”, “buy it”\n"
    "- and at any time: “go back” or “start over”.\n\n"
    "I always ask before I buy. What are you looking for?"
)
THANKS = "You're welcome! Tell me if there is anything else that you would like me to find."
BYE = "Goodbye, and come back whenever you need something."
OUTSIDE = (
    "I'm afraid I only know my way around this shop, so I can't help with that. "
    "Is there something in it that I can find for you?"
)
PICTURE = (
    "Thank you for the picture, but I cannot see pictures. Could you describe it in a few words: what it is, its "
    "colour, its material, and what it may cost?"
)
PICTURE_NOTE = "I cannot see pictures, so I went by your words alone.\n\n"
UNCLEAR = "I'm not sure what you would like. Name a thing to search for, or say “help” to see what I understand."
UNCLEAR_WITH_LIST = (
    "I'm not sure what you mean. You can name one from the list (“the second one”), say “cheaper”, “more” or "
    "“in blue”, or tell me about something else that you want."
)
YES_TO_WHAT = "Gladly, but yes to what? Name one from the list (“the first one”), or tell me what to look for."
RESTARTED = "All right, a fresh start. What are you looking for?"
NOTHING_TO_BUY = (
    "Nothing is chosen yet. Tell me what you are looking for, or name one from the list, and I'll get it ready."
)
WHICH_TO_BUY = "Gladly: which one of the list? Say its number, or “the cheapest one”."
PRAISED = "I am glad that you like it. Say “buy it” if you want it, or tell me what should be different."
NOTHING_TO_COMPARE = (
    "I need at least two products to compare. Let me search for something first: what are you looking for?"
)
NO_CHOICE = "All right. Would you like to see others, change something (a colour, a price), or look for something else?"
NOT_BOUGHT = (
    "All right, I did not buy it. Would you like another option of it, to see the other products (“go back”), "
    "something “cheaper”, or something else?"
)
CONFIRM_IN_DIALOG = (
    "A typed yes is not enough to buy: please answer the confirmation request itself (in the web page: tick "
    "“Confirmed” and submit). If it is gone, say “buy it” and I'll ask again."
)


def quoted(text: str, limit: int = TITLE_CHARS) -> str:
    """Return foreign text that can stand in a line of Markdown without changing it."""
    return shorten(" ".join(re.sub(r"[`*_\[\]<>|#~\\$]+", " ", clean(text)).split()), limit)


def price_of(card: Card) -> str:
    """Write a product's price or range of prices."""
    if card.low_usd is None or card.high_usd is None:
        return "price not shown"
    return price_range(card.low_usd, card.high_usd)


def title_of(card: Card) -> str:
    """Write a product's title, shortened; its identifier where it has none."""
    return quoted(card.title) or quoted(card.asin)


def budget_words(budget: Budget) -> str:
    """Write a budget as one says it: `under $30.00`."""
    if budget.min_usd is not None and budget.max_usd is not None:
        return f"between {money(budget.min_usd)} and {money(budget.max_usd)}"
    if budget.max_usd is not None:
        return f"up to {money(budget.max_usd)}"
    if budget.min_usd is not None:
        return f"from {money(budget.min_usd)}"
    return ""


def wanted_words(request: Request) -> str:
    """Say a request back in a few words."""
    name = quoted(" ".join(request.words), NAME_CHARS) or "something"
    sizes = [f"size {quoted(size, 20)}" for size in request.wished("size") if size not in name]
    without = [f"not {quoted(word, 20)}" for word in request.excluded]
    return ", ".join(
        [name, *sizes[:1], *without[:2], *([budget_words(request.budget)] if request.budget.bounded else [])]
    )


def found(request: Request, best: Sequence[Candidate], near: Sequence[Candidate], *, more: bool = False) -> str:
    """Present a search's best products, and near misses where there are too few."""
    sure = any(not one.wishes_open for one in best)
    lead = "Here is what I found" if len(best) > 1 else "I found one that fits" if sure else "I found one that may fit"
    lead = "Here are some more" if more else lead
    lines = [f"{lead} for “{wanted_words(request)}”:", ""]
    lines += [_line(number, one, request) for number, one in enumerate(best, 1)]
    if near:
        lines += ["", "Close, but not quite:", ""]
        lines += [_line(number, one, request) for number, one in enumerate(near, len(best) + 1)]
    if unsaid := _unsaid(request, best):
        lines += [
            "",
            f"None of these products says {' or '.join(f'“{quoted(word, 24)}”' for word in unsaid)} in its title.",
        ]
    lines += ["", _hint(request, len(best) + len(near))]
    return "\n".join(lines)


def comes_not(card: Card, wanted: Sequence[str]) -> str:
    """Say that a product does not come in a colour or flavour."""
    return f"I'm sorry, **{title_of(card)}** does not come in {quoted(' '.join(wanted), 30)}.\n\n"


def nothing_fits(request: Request, near: Sequence[Candidate]) -> str:
    """Say that nothing fits, show what comes closest, and suggest what to give up."""
    wanted = wanted_words(request)
    if not near:
        return (
            f"I'm sorry, the shop has nothing for “{wanted}”. You could try other or fewer words. "
            "What would you like me to look for?"
        )
    prices = [one.known.card.low_usd for one in near if one.known.card.low_usd is not None]
    over = request.budget.max_usd is not None and prices and min(prices) > request.budget.max_usd
    why = f" The cheapest that comes close costs {money(min(prices))}." if over else ""
    lines = [f"I'm sorry, nothing in the shop quite fits “{wanted}”.{why} These come closest:", ""]
    lines += [_line(number, one, request) for number, one in enumerate(near, 1)]
    lines += ["", f"{_relax(request, near)} Or name one by its number to look at it."]
    return "\n".join(lines)


def no_more(request: Request) -> str:
    """Say that everything worth showing was shown."""
    return f"That was everything that fits “{wanted_words(request)}”. {_relax(request, [])}"


def nothing_cheaper(request: Request, price_usd: float, cheapest: Card | None) -> str:
    """Say that nothing costs less than what was shown."""
    named = f": {title_of(cheapest)}" if cheapest else ""
    wanted = quoted(" ".join(request.words), NAME_CHARS)
    return (
        f"I found nothing cheaper for “{wanted}”: {money(price_usd)} is the lowest price that I see{named}. "
        "Tell me what may change, for example the colour or the material, and I'll look again."
    )


def listing_again(cards: Sequence[Card]) -> str:
    """List the products that were on the table before."""
    lines = ["Back to the list:", ""]
    lines += [
        f"{number}. **{title_of(card)}** · {price_of(card)} · `{_code(card.asin)}`"
        for number, card in enumerate(cards, 1)
    ]
    lines += ["", "Which one would you like to see?"]
    return "\n".join(lines)


def gave_up(calls: int) -> str:
    """Explain that a turn took too many steps."""
    return (
        f"I have taken {calls} steps without getting there, so I'd better stop. "
        "Could you say it in another way, or say “start over”?"
    )


def trouble(error: str, buttons: Sequence[str]) -> str:
    """Explain an error that could not be worked around."""
    there = ", ".join(f"“{quoted(button, 30)}”" for button in buttons[:8])
    ways = f" The page now offers {there}." if there else ""
    said = quoted(error, 200).rstrip(".") or "the shop gave no reason"
    return f"That did not work: {said}.{ways} Tell me what you would like to do, or say “start over”."


def held_back(error: str) -> str:
    """Explain what the guard has kept from happening; its sentence follows the ids of its policies."""
    reason = quoted(error.partition(": ")[2] or error, 300).rstrip(".")
    return f"I was held back from that: {reason}. What would you like instead?"


def _line(number: int, one: Candidate, request: Request) -> str:
    card = one.known.card
    parts = [f"{number}. **{title_of(card)}**", price_of(card)]
    if card.rating is not None:
        parts.append(f"rated {card.rating:g} of 5")
    parts.extend(_reasons(one, request))
    return " · ".join([*parts, f"`{_code(card.asin)}`"])


def _unsaid(request: Request, best: Sequence[Candidate]) -> list[str]:
    """Return the words of the naming phrase that no product mentions: that has to be said plainly, not per line."""
    named = [word for word in request.words if word not in request.detail and word != request.thing]
    return [word for word in named if best and all(word in one.missing for one in best)][:REASONS]


def _reasons(one: Candidate, request: Request) -> list[str]:
    card, budget = one.known.card, request.budget
    told: list[str] = []
    if one.met:
        told.append("matches " + _named(one.met))
    told += [f"comes in {_wish(wish)}" for wish in one.wishes_met]
    if one.missing and len(one.missing) <= REASONS:
        told.append(f"{'' if one.known.pages else 'title '}does not mention {_named(one.missing)}")
    told += [f"does not come in {_wish(wish)}" for wish in one.wishes_refused]
    if one.wishes_open:
        open_ones = " or ".join(_wish(wish) for wish in one.wishes_open)
        told.append(
            f"does not say whether it comes in {open_ones}" if one.known.opened else f"not checked for {open_ones}"
        )
    if one.made_for:
        told.append(f"made for {one.made_for}")
    if one.clash:
        told.append("has what you ruled out: " + _named(one.clash))
    if card.low_usd is not None and budget.max_usd is not None and card.low_usd > budget.max_usd:
        told.append(f"{money(card.low_usd - budget.max_usd)} over your limit")
    elif card.high_usd is not None and budget.max_usd is not None and card.high_usd > budget.max_usd:
        told.append("some choices cost more than your limit")
    if card.low_usd is not None and budget.min_usd is not None and card.low_usd < budget.min_usd:
        told.append("below the price that you named")
    return told


def _hint(request: Request, shown: int) -> str:
    colour = "" if request.wished("colour") else ", “in blue”"
    if shown < 2:
        return "Say “the first one” and I'll read its page and reviews for you, or tell me what to change."
    return f"Which one shall I look into? You can also say “compare the first two”, “cheaper”{colour} or “more”."


def _relax(request: Request, near: Sequence[Candidate]) -> str:
    ways = []
    if request.budget.max_usd is not None:
        ways.append("a higher price limit")
    elif request.budget.min_usd is not None:
        ways.append("a lower price")
    if request.wished("colour"):
        ways.append("another colour")
    wished = {word for wish in request.wishes for word in wish.value.split()}
    if spare := sorted(request.detail - wished):
        ways.append(f"doing without “{quoted(spare[0], 24)}”")
    if not ways:
        ways.append("other or fewer words")
    joined = ways[0] if len(ways) == 1 else ", ".join(ways[:-1]) + " or " + ways[-1]
    return f"You could try {joined}."


def _named(words: Sequence[str]) -> str:
    return ", ".join(quoted(word, 24) for word in words[:REASONS])


def _wish(wish: Wish) -> str:
    value = quoted(wish.value, 30)
    return {"size": f"size {value}", "count": f"a pack of {value}"}.get(wish.kind, value)


def _code(asin: str) -> str:
    return re.sub(r"[`\s]+", "", asin)[:40]
