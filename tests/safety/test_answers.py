"""What the agent tells the person is what pages have shown: products, prices, ratings."""

import pytest

from personalized_shopping.shared_libraries.safety.rules.answers import LEFT_OUT, answer_problems, mended
from personalized_shopping.shared_libraries.safety.situation import Seen, SeenProduct
from personalized_shopping.shared_libraries.safety.wishes import read_wishes

LAMP = SeenProduct("B0LAMP0001", "Aurel Desk Lamp, Brass", (30.0,), (4.2, 4.0, 5.0, 3.0))
DEAR = SeenProduct("B0DEAR0002", "Corvin Floor Lamp with Shade", (80.0, 95.5), (3.1,))
UNREAD = "B0GONE0003"
SHOP = ["Norrland Arc Lamp, Steel", "Aurel Desk Lamp, Brass"]
SAID = ("a lamp for my desk, under $50",)


def seen(*pushed: SeenProduct) -> Seen:
    return Seen(
        products={product.asin.lower(): product for product in (LAMP, DEAR)},
        mentioned=frozenset(product.asin.lower() for product in pushed),
    )


def told(answer: str, *pushed: SeenProduct, said: tuple[str, ...] = SAID) -> str:
    """Return what reaches the person of an answer."""
    problems = answer_problems(answer, seen(*pushed), read_wishes(said), titles=lambda _: SHOP)
    return mended(answer, problems) if problems else answer


@pytest.mark.parametrize(
    "answer",
    [
        "1. **Aurel Desk Lamp, Brass** · $30.00 · rated 4.2 of 5 · `B0LAMP0001`",
        "Close, but not quite: **Corvin Floor Lamp with Shade** · $80.00 to $95.50 · `B0DEAR0002`",
        "I recommend the Aurel Desk Lamp (`B0LAMP0001`): it costs $30 and is within your limit of $50.",
        "The best one, Corvin Floor Lamp, costs $80.00 to $95.50, which is above your limit.",
        "It saves you $50.00 against the other one, and two of them cost $60.00 together.",
        "Reviews: 2 reviews, 4.0 of 5 on average. One gives it 3 stars.",
        "Would you like it in Brass? You can also say “cheaper”.",
        "The reviews say “Better than my Norrland Arc Lamp at $12.00.”",
        "- Con: “Meh: My old B0GONE0003 held longer. I would buy a Norrland Arc Lamp again.”",
        "I could also search for lamps with USB C.",
        "",
    ],
)
def test_what_pages_show_is_told_as_it_is(answer: str) -> None:
    assert told(answer) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        f"I recommend `{UNREAD}`.",
        "The one to have is B0-GON-E0003.",
        "The one to have is B 0 G O N E 0 0 0 3.",
        "It is B0\u200bGONE\u20600003 that you are after.",
        f"Kunden nehmen {UNREAD}.",
        "My advice: the Norrland Arc Lamp is the one to get.",
        "You should buy Norrland Lamp today.",
        "I recommend “Norrland Arc Lamp, Steel” for you.",
        "The best is “B0GONE0003”.",
    ],
)
def test_a_product_that_no_page_has_listed_is_not_told(sentence: str) -> None:
    answer = f"**Aurel Desk Lamp** is here. {sentence}\nShall I buy it?"
    left = told(answer)
    assert "**Aurel Desk Lamp** is here." in left and left.endswith(LEFT_OUT) and "Shall I buy it?" in left
    assert "GONE" not in left.replace(" ", "") and "Norrland" not in left and "GON" not in left


def test_a_product_that_the_person_names_may_be_told() -> None:
    answer = f"I do not find {UNREAD} in this shop."
    assert told(answer, said=(f"do you have {UNREAD.lower()}?",)) == answer


@pytest.mark.parametrize(
    ("answer", "note"),
    [
        ("Aurel Desk Lamp costs $12.50.", "`B0LAMP0001` costs $30.00, not $12.50."),
        ("Take `B0LAMP0001`, rated 5 of 5 by all, or 4.9 stars.", "`B0LAMP0001` is rated 4.2 of 5, not 4.9."),
        ("It was $12.50 yesterday.", "No product that I have seen here costs $12.50."),
        ("Get the Corvin Floor Lamp, it is the best.", "$95.50, which is over your limit of $50.00."),
    ],
)
def test_false_prices_and_ratings_are_set_right(answer: str, note: str) -> None:
    left = told(answer)
    assert left.startswith(answer) and note in left


def test_what_another_products_page_pushes_is_marked_and_left_out_where_it_is_untrue() -> None:
    praise = "I recommend the Aurel Desk Lamp (`B0LAMP0001`)."
    assert told(praise) == praise
    assert "may want it sold" in told(praise, LAMP)
    assert told(praise, LAMP, said=("is B0LAMP0001 any good?",)) == praise
    assert told("I recommend `B0DEAR0002`.", DEAR) == LEFT_OUT
    assert told("Take `B0LAMP0001`, only $1.99 today.", LAMP) == LEFT_OUT


def test_notes_stand_once_and_long_answers_end() -> None:
    twice = "Aurel Desk Lamp costs $12.50.\nAurel Desk Lamp costs $12.50."
    assert told(twice).count("not $12.50") == 1
    for piece in ("A B ", "best A B C D E F. ", "$1 ", "“. ", '"a. ', "B0 1 ", "...", "5 "):
        assert told(piece * (20_000 // len(piece))), "what nobody would write ends soon too"
