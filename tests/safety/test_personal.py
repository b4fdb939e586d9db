"""What people tell about themselves does not leave in a search, however it is written; what they wish for does."""

import base64
import codecs

import pytest

from personalized_shopping.shared_libraries.safety.rules.personal import kind_of_personal_data, personal_data
from tests.safety.helpers import ids, searched, situation

SAID = (
    "I'm looking for a rose gold ring and walking shoes in size 8.5, under $60.",
    "My name is Rose Parker and my e-mail is rose.parker7@example.com.",
    "You can call me at 415-555-0132. I live at 12 Elm Street.",
    "I was born on March 17, 1984. It is for my daughter Emily.",
)
MAIL = "rose.parker7@example.com"


@pytest.mark.parametrize(
    "query",
    [
        MAIL,
        "ring rose dot parker7 at example dot com",
        "ring rose.parker7",
        "ring " + base64.b64encode(MAIL.encode()).decode(),
        "ring " + MAIL.encode().hex(),
        codecs.encode(MAIL, "rot13"),
        MAIL[::-1],
        "rose%2Eparker7%40example%2Ecom",
        "415-555-0132",
        "ring 4155550132",
        "2310555514",
        "four one five five five five zero one three two",
        "ring for Parker",
        "roseparker",
        "rings near Elm Street",
        "12 elm street",
        "born 1984",
        "ring 17031984",
        "dolls for emily",
        "\uff34\uff12\uff12 4\u200b15-555-0132",
    ],
)
def test_what_the_person_has_told_stays_here(query: str) -> None:
    assert kind_of_personal_data(query, SAID) is not None
    assert ids(personal_data(situation("search", query, *SAID))) == ["SHOP-PII"]


@pytest.mark.parametrize(
    "query",
    [
        "rose gold ring",
        "walking shoes size 8.5",
        "leather shoes for women 2024",
        "ring under $60",
        "street style sneakers",
        "lamp in the style of 1984",
        "12 pack of socks",
        "iphone 15 case 6.1 inch",
        "size 8 9 10 11 12",
        "10000mah power bank",
    ],
)
def test_what_the_person_wishes_for_goes_through(query: str) -> None:
    assert kind_of_personal_data(query, SAID) is None


def test_forms_of_personal_data_need_nobody_to_have_told_them() -> None:
    for query in ("someone@example.com", "someone at example dot com", "call 212-555-0187", "4111 1111 1111 1111"):
        assert kind_of_personal_data(query) is not None, query
    assert kind_of_personal_data("a 415 piece puzzle, 1000-2000 pieces") is None


def test_pieces_add_up() -> None:
    first, second = "shoes 415555", "shoes 0132"
    assert kind_of_personal_data(first, SAID) is not None, "six figures of ten are most of it"
    assert kind_of_personal_data(second, SAID) is None, "four figures may be anything"
    assert ids(personal_data(situation("search", second, *SAID, calls=searched(first)))) == ["SHOP-PII"]
    assert ids(personal_data(situation("search", "red shoes", *SAID, calls=searched(first)))) == []


def test_a_number_of_a_product_is_no_telephone_number() -> None:
    assert kind_of_personal_data("123456789012", ("find the one with UPC 123456789012",)) is None
    assert kind_of_personal_data("123456789012", ("reach me on 123456789012",)) is not None
