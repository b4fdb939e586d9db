"""Steps taken one by one, with given arguments and with drawn ones."""

import random

import pytest

from personalized_shopping.shared_libraries.skills.compose.actions import Symbol
from personalized_shopping.shared_libraries.skills.compose.templates import Hole, Slot, StepTemplate, Template
from personalized_shopping.shared_libraries.skills.compose.walking import Drawing, Tried, walk
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.agent.helpers import DENIM, ODD

QUERY, ASIN, VALUE = Hole("query"), Hole("asin"), Hole("value")
SEARCH = StepTemplate(Symbol("search", "", "", "results"), (QUERY,))
OPEN = StepTemplate(Symbol("open", "results", "", "item"), (ASIN,))
PREV = StepTemplate(Symbol("press", "results", "< Prev", "results"), ())
ITEM = ShopSession(kind="item", keywords=("odd",), asin=ODD)


def choose(option: Slot, value: Slot) -> StepTemplate:
    return StepTemplate(Symbol("choose", "item", "", "item"), (option, value))


def template(*steps: StepTemplate) -> Template:
    return Template(steps, {slot.name: slot.name for step in steps for slot in step.slots if isinstance(slot, Hole)})


def test_the_steps_lead_where_the_shop_says(shop: Shop) -> None:
    args = {"query": "denim", "asin": DENIM, "value": "small"}
    found = walk(shop, template(SEARCH, OPEN, choose("size", VALUE)), shop.start(), args)
    assert found is not None and [place.kind for place in found.places] == ["results", "item", "item"]
    assert found.places[-1].options == {"size": "small"} and found.args == args


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (choose("color", VALUE), "buy now"),
        (choose("color", VALUE), "description"),
        (choose("color", VALUE), "plain"),
        (choose("color", VALUE), "no such"),
        (StepTemplate(Symbol("press", "item", "Buy Now", "done"), ()), ""),
        (StepTemplate(Symbol("press", "item", "Attributes", "attributes"), ()), ""),
        (StepTemplate(Symbol("press", "reviews", "< Prev", "item"), ()), ""),
        (OPEN, DENIM),
    ],
)
def test_what_is_another_step_here_is_not_taken(shop: Shop, step: StepTemplate, told: str) -> None:
    assert walk(shop, template(step), ITEM, {"value": told, "asin": told}) is None


def test_a_product_is_opened_by_its_own_code_only(shop: Shop) -> None:
    results = ShopSession(kind="results", keywords=("denim",))
    assert walk(shop, template(OPEN), results, {"asin": "Next >"}) is None
    assert walk(shop, template(OPEN), results, {"asin": DENIM.lower()}) is None
    assert walk(shop, template(OPEN), results, {"asin": DENIM}) is not None


def test_drawn_arguments_are_new_and_possible(shop: Shop) -> None:
    what = template(SEARCH, OPEN)
    drawing = Drawing(shop, what, random.Random(5))
    recorded: list[Tried] = [(shop.start(), {"query": "denim", "asin": DENIM})]
    for _ in range(8):
        way = drawing.draw("search", recorded)
        assert way is not None and way.args not in [args for _, args in recorded]
        assert walk(shop, what, way.start, way.args) == way
        recorded.append((way.start, way.args))
    assert len({args["asin"] for _, args in recorded}) > 3


def test_equal_generators_draw_the_same(shop: Shop) -> None:
    what = template(SEARCH, OPEN)
    drawn = [Drawing(shop, what, random.Random(seed)).draw("item", []) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize("kind", ["search", "results", "item", "description", "features", "reviews"])
def test_a_walk_begins_on_the_kind_of_page_that_is_asked_for(shop: Shop, kind: str) -> None:
    way = Drawing(shop, template(SEARCH), random.Random(3)).draw(kind, [])
    assert way is not None and way.start.kind == kind


def test_products_are_drawn_that_have_what_is_chosen(shop: Shop) -> None:
    what = template(SEARCH, OPEN, choose("size", VALUE))
    ways = [Drawing(shop, what, random.Random(seed)).draw("search", []) for seed in range(5)]
    assert {way.args["asin"] for way in ways if way is not None} == {DENIM}
    on_item = Drawing(shop, template(choose("size", VALUE)), random.Random(3)).draw("item", [])
    assert on_item is not None and on_item.start.asin == DENIM


def test_a_parameter_that_is_given_twice_stays_the_same(shop: Shop) -> None:
    back = StepTemplate(Symbol("press", "item", "< Prev", "results"), ())
    way = Drawing(shop, template(OPEN, back, OPEN), random.Random(3)).draw("results", [])
    assert way is not None and way.places[0].asin == way.places[2].asin == way.args["asin"]


def test_the_second_page_is_drawn_where_the_first_has_no_way_back(shop: Shop) -> None:
    ways = [Drawing(shop, template(PREV), random.Random(seed)).draw("results", []) for seed in range(12)]
    assert {way.start.page_number for way in ways if way is not None} == {2} and None in ways


def test_nothing_is_drawn_where_nothing_is_possible(shop: Shop) -> None:
    assert Drawing(shop, template(choose("length", VALUE)), random.Random(3)).draw("item", []) is None
    assert Drawing(shop, template(SEARCH), random.Random(3)).draw("attributes", []) is None
