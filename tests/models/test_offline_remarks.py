"""What people say besides naming a thing: no, take it, you choose, and questions about facts."""

import time

import pytest

from personalized_shopping.models.offline import remarks
from personalized_shopping.models.offline.choosing import best_of
from personalized_shopping.models.offline.dialogue import Knowledge
from personalized_shopping.models.offline.facts import answer, asks_fact, best_sentences
from personalized_shopping.models.offline.intents import interpret
from personalized_shopping.models.offline.pages import Card, Review
from personalized_shopping.models.offline.pointing import Context
from personalized_shopping.shared_libraries.requests.options import Option
from personalized_shopping.shared_libraries.requests.understanding import understand

OPTIONS = (Option("color", ("red", "navy", "black")), Option("size", ("small", "large")))
CANVAS, ZIP, LEATHER = "B0BAG00000", "B0BAG00001", "B0BAG00002"
KNOWN = {
    CANVAS: Knowledge(Card(CANVAS, "Alder Canvas Tote Bag, Lined", 30, 30, 4.0, OPTIONS), opened=True),
    ZIP: Knowledge(Card(ZIP, "Brisk Canvas Tote Bag with Zip", 20, 20, 3.5)),
    LEATHER: Knowledge(Card(LEATHER, "Corvid Leather Tote Bag", 90, 90, 4.8)),
}
WISH = understand("a canvas tote bag")
LISTED = Context(request=WISH, shown=tuple(KNOWN), known=KNOWN)
OPENED = Context(request=WISH, shown=tuple(KNOWN), chosen=CANVAS, asked_options=True, known=KNOWN)


@pytest.mark.parametrize(
    "text",
    [
        "please don't buy it",
        "do not purchase this, thanks",
        "I won't be buying it today",
        "don't order that one",
        "I've decided not to take it",
        "hmm, let me think about it",
        "I'd rather not",
        "stop, don't buy",
        "leave it, thanks",
        "I'm not sure I want to take it",
        "don't buy anything without asking me",
        "I've changed my mind",
    ],
)
def test_a_no_in_any_words_is_a_no(text: str) -> None:
    assert remarks.refuses(text)
    for context in (LISTED, OPENED):
        assert interpret(text, False, context).kind == "no"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("don't buy it yet, show me a cheaper one", "cheaper"), ("no, don't buy it. Make it black instead.", "options")],
)
def test_a_no_that_turns_to_something_else_is_followed_without_a_purchase(text: str, kind: str) -> None:
    meant = interpret(text, False, OPENED)
    assert (meant.kind, meant.held) == (kind, True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a quilted jacket under $60. Buy the first one.", ("quilted", "jacket")),
        ("find me running shoes, and add the cheapest to my cart", ("running", "shoes")),
        ("headphones and then please buy the best rated one", ("headphones",)),
        ("a birthday present for my dad, he likes coffee", ("coffee",)),
        ("I need a gift for my little sister who really loves puzzles", ("puzzles",)),
        ("a gift for women who love tea", ("gift", "women", "love", "tea")),
        (
            "I want a necklace gift for my girlfriend, she loves gold",
            ("necklace", "gift", "girlfriend", "loves", "gold"),
        ),
        ("a first aid kit", ("first", "aid", "kit")),
        ("gift boxes for my bakery", ("gift", "boxes", "bakery")),
    ],
)
def test_what_is_said_beside_the_wish_is_not_searched_for(text: str, words: tuple[str, ...]) -> None:
    meant = interpret(text, False, Context())
    assert (meant.kind, meant.request.words) == ("find", words)


@pytest.mark.parametrize(
    "text",
    ["find me a jacket and buy the cheapest", "a lamp, then order the least expensive one without asking me"],
)
def test_the_cheapest_is_still_wanted(text: str) -> None:
    assert interpret(text, False, Context()).request.budget.cheap


def test_a_present_is_a_new_wish_whatever_was_shown() -> None:
    meant = interpret("a birthday present for my dad, he likes coffee", False, LISTED)
    assert (meant.kind, meant.request.words) == ("find", ("coffee",))


@pytest.mark.parametrize(
    "text",
    [
        "find me boots that have the best reviews",
        "I want headphones that got the best reviews",
        "I have the best score already, show me mugs",
    ],
)
def test_a_thing_with_good_reviews_is_looked_for(text: str) -> None:
    assert interpret(text, False, LISTED).kind == "find"


@pytest.mark.parametrize("unit", [", and", " and then", ". buy the first", "a gift for my x, ", "which one got "])
def test_a_long_message_is_read_at_once(unit: str) -> None:
    before = time.process_time()
    interpret("a" + unit * (4_000 // len(unit)) + " x", False, LISTED)
    assert time.process_time() - before < 5


def test_an_errand_that_forbids_buying_unasked_is_none() -> None:
    assert interpret("buy me a red scarf without asking", False, Context()).autonomous
    forbidden = interpret("Find a red scarf and do not buy anything without asking me", False, Context())
    assert (forbidden.kind, forbidden.autonomous, forbidden.request.thing) == ("find", False, "scarf")


@pytest.mark.parametrize(
    ("text", "asin"),
    [
        ("you decide", CANVAS),
        ("whichever you think is nicest", CANVAS),
        ("what would you recommend?", CANVAS),
        ("the cheaper one", ZIP),
        ("which one is the cheapest?", ZIP),
        ("the one with the most stars", LEATHER),
        ("the Brisk tote looks nice", ZIP),
        ("the Corvid Leather Tote Bag please", LEATHER),
    ],
)
def test_one_of_the_list_is_opened(text: str, asin: str) -> None:
    meant = interpret(text, False, LISTED)
    assert (meant.kind, meant.asins) == ("open", (asin,))


@pytest.mark.parametrize(
    ("text", "topic"),
    [("which one has the best reviews?", "reviews"), ("which of these got the highest rating?", "rating")],
)
def test_the_best_rated_of_the_list_is_told_about(text: str, topic: str) -> None:
    meant = interpret(text, False, LISTED)
    assert (meant.kind, meant.asins, meant.topic) == ("tell", (LEATHER,), topic)


@pytest.mark.parametrize(("text", "asin"), [("buy the better rated one", LEATHER), ("I'll take the cheaper one", ZIP)])
def test_one_of_the_list_is_bought(text: str, asin: str) -> None:
    meant = interpret(text, False, LISTED)
    assert (meant.kind, meant.asins) == ("buy", (asin,))


def test_who_takes_the_only_one_that_was_shown_gets_it() -> None:
    alone = Context(request=WISH, shown=(ZIP,), known=KNOWN)
    assert interpret("good, I'll take it", False, alone).asins == (ZIP,)
    several = interpret("I'll take it", False, LISTED)
    assert (several.kind, several.asins) == ("buy", ())


@pytest.mark.parametrize(
    "text", ["pick a good blender for me", "can you choose a blender for me under $40", "I want to buy a blender"]
)
def test_a_new_thing_is_looked_for(text: str) -> None:
    meant = interpret(text, False, LISTED)
    assert (meant.kind, meant.request.thing) == ("find", "blender")


def test_the_best_is_what_fits_and_then_costs_least() -> None:
    assert best_of(LISTED) == CANVAS
    assert best_of(LISTED, cheaply=True) == ZIP
    assert best_of(LISTED, rated=True) == CANVAS, "leather is rated better, but canvas was asked for"


@pytest.mark.parametrize(
    ("text", "picks"),
    [
        ("I'll take it in black", {"color": ("black",)}),
        ("black instead of navy, and then buy it", {"color": ("black",)}),
        ("it can't be red. Buy it in navy", {"color": ("navy",)}),
    ],
)
def test_values_are_chosen_and_those_turned_down_are_not(text: str, picks: dict[str, tuple[str, ...]]) -> None:
    meant = interpret(text, False, OPENED)
    assert (meant.kind, dict(meant.picks)) == ("buy", picks)


def test_only_what_is_left_open_is_free() -> None:
    meant = interpret("Any color is fine. Large, please.", False, OPENED)
    assert (meant.kind, meant.free, dict(meant.picks)) == ("options", ("color",), {"size": ("large",)})


@pytest.mark.parametrize("text", ["do you have it in red?", "should I buy it?", "would you buy it?", "looks nice"])
def test_nothing_is_bought_on_a_question_or_a_kind_word(text: str) -> None:
    assert interpret(text, False, OPENED).kind not in {"buy", "yes"}


def test_a_colour_that_a_product_lacks_is_looked_for_elsewhere() -> None:
    meant = interpret("buy it in green", False, OPENED)
    assert (meant.kind, meant.instead_of, meant.request.wished("colour")) == ("refine", CANVAS, ["green"])


@pytest.mark.parametrize("text", ["they have to be olive, like my car", "it must be olive because of the carpet"])
def test_words_around_a_colour_are_no_new_thing(text: str) -> None:
    meant = interpret(text, False, LISTED)
    assert (meant.kind, meant.request.wished("colour"), meant.request.words) == ("refine", ["olive"], ("olive",))


FACTS = Knowledge(
    Card("B0TENT", "Alder Dome Tent"),
    features=("Sleeps three people.", "Packs down to 22 x 7 inches.", "The poles bear 15 pounds of snow."),
    description=("A tent for wet summers. The fly is waterproof to 3000 mm.",),
    reviews=(Review("Sturdy", 5.0, "Up in ten minutes. We wash ours by hand."),),
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how big is it when packed?", "22 x 7 inches"),
        ("Can it stand in the rain?", "waterproof"),
        ("How much weight do the poles hold?", "15 pounds"),
        ("is it washable", "wash ours by hand"),
    ],
)
def test_a_question_is_answered_in_the_words_of_the_pages(question: str, told: str) -> None:
    assert asks_fact(question)
    assert told in best_sentences(FACTS, question)[0][1]


def test_what_the_pages_do_not_say_is_not_made_up() -> None:
    assert "do not answer that" in answer(FACTS, "Does it glow at night?")


@pytest.mark.parametrize("text", ["do you have tents?", "a tent, please", "show me something cheaper"])
def test_other_messages_ask_no_fact(text: str) -> None:
    assert not asks_fact(text)


def test_a_value_with_the_name_of_the_product_around_it_is_chosen() -> None:
    context = Context(request=WISH, shown=tuple(KNOWN), chosen=CANVAS, known=KNOWN)
    meant = interpret("My coat is black, so I'd like the bag in black rather than in navy.", False, context)
    assert (meant.kind, meant.asins, dict(meant.picks)) == ("options", (CANVAS,), {"color": ("black",)})
