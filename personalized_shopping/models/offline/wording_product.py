"""What people read about single products: summaries, comparisons, options and purchases."""

from collections.abc import Mapping, Sequence

from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.pages import Card, Review
from personalized_shopping.models.offline.phrases import Topic
from personalized_shopping.models.offline.wording import (
    BUY_QUESTION,
    OPTIONS_QUESTION,
    budget_words,
    price_of,
    quoted,
    title_of,
)
from personalized_shopping.shared_libraries.requests.options import Option, matching_values
from personalized_shopping.shared_libraries.requests.text import clean, shorten
from personalized_shopping.shared_libraries.requests.understanding import Request

GOOD_SCORE = 4.0
POOR_SCORE = 3.0
VALUES_LISTED = 12
FEATURES_LISTED = 4
LINE_CHARS = 140


def summary(known: Knowledge, request: Request) -> str:
    """Sum up a product's three sub-pages, with what speaks for and against it, and ask how to go on."""
    card = known.card
    lines = [
        f"**{title_of(card)}** · {price_of(card)}"
        + (f" · rated {card.rating:g} of 5" if card.rating is not None else ""),
        "",
    ]
    if known.description:
        lines.append(f"Description: {quoted(_sentences(' '.join(known.description), 240), 240)}")
    elif "description" in known.pages:
        lines.append("Description: the page has none.")
    if known.features:
        lines += ["", "Features:", ""]
        lines += [f"- {quoted(_after_label(feature), LINE_CHARS)}" for feature in known.features[:FEATURES_LISTED]]
    elif "features" in known.pages:
        lines.append("Features: none are listed.")
    lines += ["", *_reviews(known)]
    if fit := _budget_note(card, request):
        lines += ["", fit]
    lines += ["", *_options_and_question(card, request)]
    return "\n".join(lines)


def told(known: Knowledge, topic: Topic, request: Request) -> str:
    """Answer a question about one side of a product."""
    card = known.card
    title = title_of(card)
    if topic == "description":
        body = quoted(_sentences(" ".join(known.description), 700), 700) or "The page has no description."
        return f"The description of **{title}**:\n\n{body}\n\n{_next(card)}"
    if topic == "features":
        body = "\n".join(f"- {quoted(feature, 220)}" for feature in known.features[:10]) or "No features are listed."
        return f"The features of **{title}**:\n\n{body}\n\n{_next(card)}"
    if topic == "reviews":
        return "\n".join([f"**{title}**", *_reviews(known, quotes=3), "", _next(card)])
    if topic == "rating":
        rating = f"is rated {card.rating:g} of 5" if card.rating is not None else "has no rating yet"
        return f"**{title}** {rating}. {_next(card)}"
    if topic == "price":
        return f"**{title}** costs {price_of(card)}. {_next(card)}"
    if topic == "options":
        if not card.options:
            return f"**{title}** comes in one version only, there is nothing to choose. {BUY_QUESTION}"
        return "\n".join([f"**{title}** comes in:", *_option_lines(card.options), "", OPTIONS_QUESTION])
    return summary(known, request)


def comparison(products: Sequence[Knowledge], numbers: Sequence[int]) -> str:
    """Set products side by side in a table, and say which one the facts favour."""
    names = [f"{number}. {quoted(known.card.title, 40)}" for number, known in zip(numbers, products, strict=True)]
    cards = [known.card for known in products]
    rows = [
        ("Price", [price_of(card) for card in cards]),
        ("Rating", [f"{card.rating:g} of 5" if card.rating is not None else "none" for card in cards]),
        ("Options", [_option_counts(card) for card in cards]),
        ("Features", [_few_features(known) for known in products]),
    ]
    lines = ["| | " + " | ".join(names) + " |", "|---" * (len(products) + 1) + "|"]
    lines += [f"| {label} | " + " | ".join(cells) + " |" for label, cells in rows]
    return "\n".join(
        [
            *lines,
            "",
            _verdict(cards, numbers),
            "",
            "Which one would you like? Say its number and I'll read its page and reviews.",
        ]
    )


def ask_options(
    card: Card, unset: Sequence[Option], open_values: Mapping[str, Sequence[str]], sorry: Sequence[str] = ()
) -> str:
    """Ask for the options that are not chosen yet; where the words fitted several values, name only those."""
    lines = []
    if sorry:
        lines.append(
            f"I'm sorry, **{title_of(card)}** does not come in {', '.join(quoted(word, 24) for word in sorry[:3])}."
        )
    narrowed = [
        Option(option.name, tuple(open_values[option.name])) if option.name in open_values else option
        for option in unset
    ]
    lines += [
        f"Before I can buy **{title_of(card)}** there is something to choose:",
        *_option_lines(narrowed),
        "",
        OPTIONS_QUESTION,
    ]
    return "\n".join(lines)


def chosen_so_far(card: Card, missing: Sequence[str] = ()) -> str:
    """Say which options are chosen now and ask what is still open, or whether to buy."""
    unset = [option for option in card.options if option.chosen is None]
    lines = (
        [f"I'm sorry, it does not come in {', '.join(quoted(word, 24) for word in missing[:3])}."] if missing else []
    )
    lines += [f"Chosen for **{title_of(card)}** ({price_of(card)}): {_choice(card) or 'nothing yet'}."]
    if unset:
        return "\n".join([*lines, "Still open:", *_option_lines(unset), "", OPTIONS_QUESTION])
    return "\n".join([*lines, "", BUY_QUESTION])


def not_offered(card: Card, words: Sequence[str]) -> str:
    """Say that a product does not come in what was asked for."""
    said = ", ".join(quoted(word, 24) for word in words[:3]) or "that"
    sorry = f"I'm sorry, **{title_of(card)}** does not come in {said}."
    if not card.options:
        return f"{sorry} It comes in one version only. {BUY_QUESTION}"
    return "\n".join(
        [
            f"{sorry} It comes in:",
            *_option_lines(card.options),
            "",
            f"Or say “go back” for the others. {OPTIONS_QUESTION}",
        ]
    )


def _option_counts(card: Card) -> str:
    return "; ".join(f"{quoted(option.name, 20)}: {len(option.values)}" for option in card.options[:3]) or "none"


def _few_features(known: Knowledge) -> str:
    return "; ".join(quoted(_after_label(feature), 60) for feature in known.features[:2]) or "none listed"


def confirm(card: Card | None, question: str) -> str:
    """Put the shop's confirmation question into words."""
    if question:
        return f"{quoted_question(question)} Please confirm, and I'll complete the purchase."
    if card is None:
        return "Please confirm the purchase, and I'll complete it."
    return f"Buy {_with_choice(card)} for {price_of(card)}? Please confirm, and I'll complete the purchase."


def bought(card: Card | None) -> str:
    """Report a purchase."""
    if card is None:
        return "Done: the purchase is made. Is there anything else that you need?"
    return (
        f"Done! I bought {_with_choice(card)} for {price_of(card)}. Your order is being processed. "
        "Is there anything else that you need?"
    )


def reminder(card: Card) -> str:
    """Ask again about the product that is open."""
    return f"We are looking at **{title_of(card)}** for {price_of(card)}. {_next(card)}"


def quoted_question(question: str) -> str:
    """Return the shop's question on one line; its dollar signs stay."""
    return shorten(clean(question).replace("`", "'").replace("<", "("), 300)


def _reviews(known: Knowledge, quotes: int = 2) -> list[str]:
    reviews = known.reviews
    if not reviews:
        return ["Reviews: nobody has reviewed it yet."] if "reviews" in known.pages else []
    scores = [review.score for review in reviews if review.score is not None]
    average = f", {sum(scores) / len(scores):.1f} of 5 on average" if scores else ""
    count = "1 review" if len(reviews) == 1 else f"{len(reviews)} reviews"
    good = [review for review in reviews if review.score is None or review.score >= GOOD_SCORE]
    poor = sorted(
        (r for r in reviews if r.score is not None and r.score <= POOR_SCORE), key=lambda review: review.score or 0.0
    )
    lines = [f"Reviews: {count}{average}.", ""]
    lines += [f"- Pro: “{said}”" for said in _quotes(good, quotes)]
    lines += [f"- Con: “{said}”" for said in _quotes(poor, quotes)]
    if scores and not poor:
        lines.append("- Con: none of these reviews complains.")
    return lines


def _quotes(reviews: Sequence[Review], count: int) -> list[str]:
    said = []
    for review in reviews:
        text = _sentences(review.body, 110)
        if review.title and review.title.casefold() not in text.casefold():
            text = f"{review.title.rstrip('.')}: {text}" if text else review.title
        if text:
            said.append(quoted(text, LINE_CHARS))
    return said[:count]


def _sentences(text: str, limit: int) -> str:
    """Return the first whole sentences of a text that fit a limit."""
    text = clean(text)
    if len(text) <= limit:
        return text
    end = max(text.rfind(mark, 0, limit) for mark in (". ", "! ", "? "))
    return text[: end + 1] if end > limit // 3 else shorten(text, limit)


def _after_label(feature: str) -> str:
    return feature.strip(" -•★✔")


def _budget_note(card: Card, request: Request) -> str:
    if not request.budget.bounded or card.low_usd is None or card.high_usd is None:
        return ""
    wanted = budget_words(request.budget)
    if not request.budget.allows(card.low_usd):
        return f"Note: this is outside your price range ({wanted})."
    if request.budget.max_usd is not None and card.high_usd > request.budget.max_usd:
        return f"Note: some of its versions cost more than you wanted ({wanted})."
    return f"The price is within what you wanted ({wanted})."


def _options_and_question(card: Card, request: Request) -> list[str]:
    if not card.options:
        return [BUY_QUESTION]
    lines = ["You can choose:", *_option_lines(card.options), ""]
    asked = {option.name: found[0] for option in card.options if len(found := matching_values(request, option)) == 1}
    taken = ", ".join(quoted(value, 30) for value in asked.values())
    rest = " and ".join(quoted(option.name, 30) for option in card.options if option.name not in asked)
    if asked and not rest:
        return [*lines, f"As you asked, I would take {taken}. {BUY_QUESTION}"]
    if asked:
        return [*lines, f"As you asked, I would take {taken}; the {rest} is still open. {OPTIONS_QUESTION}"]
    return [*lines, OPTIONS_QUESTION]


def _option_lines(options: Sequence[Option]) -> list[str]:
    lines = []
    for option in options:
        values = ", ".join(quoted(value, 40) for value in option.values[:VALUES_LISTED])
        rest = len(option.values) - VALUES_LISTED
        lines.append(f"- {quoted(option.name, 30)}: {values}" + (f" and {rest} more" if rest > 0 else ""))
    return lines


def _with_choice(card: Card) -> str:
    choice = _choice(card)
    return f"**{title_of(card)}**{f' ({choice})' if choice else ''}"


def _choice(card: Card) -> str:
    return ", ".join(
        f"{quoted(option.name, 30)}: {quoted(option.chosen, 40)}" for option in card.options if option.chosen
    )


def _next(card: Card) -> str:
    if any(option.chosen is None for option in card.options):
        names = " and ".join(quoted(option.name, 30) for option in card.options if option.chosen is None)
        return f"If you like it, tell me the {names}, or say “go back” for the others."
    return BUY_QUESTION


def _verdict(cards: Sequence[Card], numbers: Sequence[int]) -> str:
    priced = [(card.low_usd, number) for card, number in zip(cards, numbers, strict=True) if card.low_usd is not None]
    rated = [(card.rating, number) for card, number in zip(cards, numbers, strict=True) if card.rating is not None]
    cheapest = min(priced)[1] if len({price for price, _ in priced}) > 1 else None
    best = max(rated, key=lambda pair: pair[0])[1] if len({rating for rating, _ in rated}) > 1 else None
    if cheapest is not None and cheapest == best:
        return f"In short: number {best} is the cheapest and is rated best."
    notes = [f"number {cheapest} is the cheapest"] if cheapest is not None else []
    notes += [f"number {best} is rated best"] if best is not None else []
    return f"In short: {' and '.join(notes)}." if notes else "On price and rating they are equal."
