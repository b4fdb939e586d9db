"""Requests read for judging products, and the option values that they mean."""

import pytest

from personalized_shopping.shared_libraries.requests.needs import Named, read_needs
from personalized_shopping.shared_libraries.requests.option_choice import EXACT, SPELT, choose_values
from personalized_shopping.shared_libraries.requests.options import Option
from personalized_shopping.shared_libraries.requests.understanding import understand

SIZES = Option("size", ("x-small", "small", "medium", "large", "x-large", "xx-large"))
SHOES = Option("size", ("9", "9.5", "10", "10 wide"))
COLOURS = Option("color", ("black", "dark blue", "a1-blue", "navy | white"))
PACKS = Option("size", ("12 ounce (pack of 1)", "12 ounce (pack of 6)", "16 ounce (pack of 6)"))
FLAVOURS = Option("flavor name", ("honey", "honey cinnamon", "original almond"))


def chosen(text: str, *options: Option) -> dict[str, str]:
    """Return the values that a request means, by option."""
    found = choose_values(understand(text), read_needs(text), options)
    return {choice.option: choice.value for choice in found if choice.sure}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("a shirt with color: dark blue, and size: large", (("color", "dark blue"), ("size", "large"))),
        ("shoes, size: 9.5, under 50 dollars", (("size", "9.5"),)),
        ("Crackers. Flavor name: honey, roasted. Size = 4 oz", (("flavor name", "honey, roasted"), ("size", "4 oz"))),
        ("shoes in black for less than $50", ()),
        ("a lamp at 10:30", ()),
    ],
)
def test_key_and_value(text: str, named: tuple[tuple[str, str], ...]) -> None:
    assert read_needs(text).named == tuple(Named(*one) for one in named)


def test_the_query_is_the_request_without_its_asking_and_its_price() -> None:
    needs = read_needs("I need a machine washable rug with color: dark blue, under $40")
    assert needs.query == "machine washable rug color dark blue"
    assert needs.short_query == "machine washable rug"
    assert needs.budget.max_usd == 40.0


def test_phrases_are_cut_where_a_speaker_pauses() -> None:
    needs = read_needs("find me an easy to clean lamp with a metal base for the living room")
    assert needs.pairs == (("easi", "clean"), ("clean", "lamp"), ("metal", "base"), ("live", "room"))


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("women's tops, tees & blouses with long sleeve", ("tops", "tees", "blouses")),
        ("printers & scanners", ("printers", "scanners")),
        ("a desk lamp", ()),
    ],
)
def test_things_of_which_any_will_do(text: str, things: tuple[str, ...]) -> None:
    assert read_needs(text).things == things


@pytest.mark.parametrize(
    ("text", "options", "values"),
    [
        (
            "a shirt with color: dark blue, and size: x-large",
            (COLOURS, SIZES),
            {"color": "dark blue", "size": "x-large"},
        ),
        ("a dark blue shirt in large", (COLOURS, SIZES), {"color": "dark blue", "size": "large"}),
        ("a shirt in extra large, navy | white", (COLOURS, SIZES), {"color": "navy | white", "size": "x-large"}),
        ("an a1-blue shirt, size xxl", (COLOURS, SIZES), {"color": "a1-blue", "size": "xx-large"}),
        ("shoes in a size 9.5", (SHOES,), {"size": "9.5"}),
        ("shoes with size: 10 wide", (SHOES,), {"size": "10 wide"}),
        ("10 shoes", (SHOES,), {}),
        ("shoes in a 10, please", (SHOES,), {"size": "10"}),
        ("a 6 pack of oats, 12 oz each", (PACKS,), {"size": "12 ounce (pack of 6)"}),
        ("oats with size: 16 ounce (pack of 6)", (PACKS,), {"size": "16 ounce (pack of 6)"}),
        ("crackers, flavor: honey cinnamon", (FLAVOURS,), {"flavor name": "honey cinnamon"}),
        ("honey cinnamon crackers", (FLAVOURS,), {"flavor name": "honey cinnamon"}),
        ("a shirt with color: green", (COLOURS,), {}),
        ("a shirt", (COLOURS, SIZES), {}),
    ],
)
def test_the_values_that_a_request_means(text: str, options: tuple[Option, ...], values: dict[str, str]) -> None:
    assert chosen(text, *options) == values


def test_how_sure_a_choice_is() -> None:
    for text, sure in (("color: black", EXACT), ("a black shirt", SPELT), ("color: green", 0.0)):
        (choice,) = choose_values(understand(text), read_needs(text), (COLOURS,))
        assert choice.sure == sure
