"""Recorded sessions as sequences of the steps that the agent took itself."""

from pathlib import Path

import msgspec

from personalized_shopping.shared_libraries.skills.compose.actions import Move, moves_of, same_place, typed
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.agent.helpers import DENIM, ODD, RED, product
from tests.skills.compose.sessions import Recorder, shop_of


def told(sequence: list[Move]) -> list[tuple[str, ...]]:
    return [(move.symbol.verb, *([move.symbol.label] if move.symbol.label else []), *move.values) for move in sequence]


def test_each_step_is_what_the_shop_took_it_for(record: Recorder, shop: Shop) -> None:
    session = record(
        *("search[Denim Jacket]", f"click[{DENIM.lower()}]", "click[small]", "click[reviews]", "click[< Prev]"),
        *("click[Dark Blue]", "click[buy now]", "search[red]", "click[Next >]"),
    )
    [sequence] = moves_of(session, shop)
    assert told(sequence) == [
        ("search", "denim jacket"),
        ("open", DENIM),
        ("choose", "size", "small"),
        ("press", "Reviews"),
        ("press", "< Prev"),
        ("choose", "color", "dark blue"),
        ("buy", "Buy Now"),
        ("search", "red"),
        ("press", "Next >"),
    ]
    kinds = [(move.symbol.page_kind, move.symbol.leads_to) for move in sequence]
    assert kinds[:5] == [
        ("", "results"),
        ("results", "item"),
        ("item", "item"),
        ("item", "reviews"),
        ("reviews", "item"),
    ]
    assert sequence[4].before.options == sequence[4].after.options == {"size": "small"}


def test_what_changed_nothing_is_left_out(record: Recorder, shop: Shop) -> None:
    session = record("search[denim]", "click[no such button]", f"click[{DENIM}]", "click[small]", "click[small]")
    [sequence] = moves_of(session, shop)
    assert told(sequence) == [("search", "denim"), ("open", DENIM), ("choose", "size", "small")]


def test_an_option_with_a_buttons_label_is_the_button(record: Recorder, shop: Shop) -> None:
    session = record("search[odd jacket]", f"click[{ODD}]", "click[description]", "click[< prev]", "click[< prev]")
    [sequence] = moves_of(session, shop)
    assert told(sequence)[2:] == [("press", "Description"), ("press", "< Prev"), ("press", "< Prev")]
    assert [move.symbol.leads_to for move in sequence[2:]] == ["description", "item", "results"]


def test_a_label_that_was_written_cleanly_is_the_label_that_was_pressed(tmp_path: Path) -> None:
    shop = shop_of([product("B1", "shirt", 5.0, options={"size": ("extra\x07 large", "small")})], tmp_path / "shop")
    session = Recorder(tmp_path / "t", shop)("search[shirt]", "click[B1]", "click[extra\x07 large]")
    session.actions[-1].text = "click[extra large]"
    assert told(moves_of(session, shop)[0])[-1] == ("choose", "size", "extra\x07 large")


def test_a_skill_ends_the_sequence(record: Recorder, shop: Shop) -> None:
    looked = ["click[Reviews]", "click[< Prev]"]
    session = record("search[denim]", f"click[{DENIM}]", looked, "click[small]", "click[Features]")
    first, second = moves_of(session, shop)
    assert [told(first), told(second)] == [
        [("search", "denim"), ("open", DENIM)],
        [("choose", "size", "small"), ("press", "Features")],
    ]


def test_a_purchase_that_was_refused_ends_the_sequence(record: Recorder, shop: Shop) -> None:
    session = record("search[denim]", f"click[{DENIM}]", "click[no such button]", "click[Reviews]")
    refused = session.actions[2]
    refused.outcome, refused.irreversible = "refused", True
    assert [told(sequence) for sequence in moves_of(session, shop)] == [
        [("search", "denim"), ("open", DENIM)],
        [("press", "Reviews")],
    ]


def test_a_page_that_is_missing_ends_the_sequence(record: Recorder, shop: Shop) -> None:
    session = record("search[denim]", f"click[{DENIM}]", "click[Reviews]", "click[< Prev]")
    lost = session.actions[2].page_after
    assert lost is not None
    del session.pages[lost]
    assert [told(sequence) for sequence in moves_of(session, shop)] == [[("search", "denim"), ("open", DENIM)]]


def test_a_place_that_cannot_be_read_ends_the_sequence(record: Recorder, shop: Shop) -> None:
    session = record("search[denim]", f"click[{DENIM}]", "click[Reviews]")
    for page, place in (((0, 2), {"kind": "nonsense"}), ((0, 3), "[REDACTED]")):
        session.pages[page] = msgspec.structs.replace(session.pages[page], place=place)
    assert [told(sequence) for sequence in moves_of(session, shop)] == [[("search", "denim")]]


def test_only_what_this_shop_does_too_is_learned_from(record: Recorder, tmp_path: Path) -> None:
    session = record("search[denim jacket]", f"click[{DENIM}]", "click[Reviews]", "click[< Prev]")
    other = shop_of([product(RED, "red jacket for men", 20.0)], tmp_path / "other")
    assert [told(sequence) for sequence in moves_of(session, other)] == [[("search", "denim jacket")]]


def test_a_query_is_what_the_search_field_makes_of_it() -> None:
    assert typed("Red\njacket\u2028FOR men") == "red jacket for men"
    assert len(typed("x" * 5_000)) == 2_000


def test_places_are_compared_as_shoppers_see_them() -> None:
    place = ShopSession(kind="results", keywords=("red",), visited=("B1",), counts={"search": 1}, instruction="x")
    assert same_place(place, msgspec.structs.replace(place, counts={}, instruction=None, reward=1.0))
    assert not same_place(place, msgspec.structs.replace(place, page_number=2))
    forgotten = msgspec.structs.replace(place, visited=())
    assert not same_place(place, forgotten) and same_place(place, forgotten, with_history=False)
