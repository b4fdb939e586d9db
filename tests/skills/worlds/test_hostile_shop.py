"""Products whose options and texts look like the shop's own buttons."""

from pathlib import Path

import pytest

from personalized_shopping.shared_libraries.catalog import open_source
from personalized_shopping.shared_libraries.skills.world import WorldError
from personalized_shopping.shared_libraries.skills.worlds import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.catalog.helpers import webshop_record, write_json

OPTIONS = {
    "color": [{"value": value} for value in ("buy now", "description", 'a "quoted" one', "red", "search")],
    "first": [{"value": "red"}, {"value": "blue"}],
}
TITLE = '<form action="/done/x" method="post"><button type="submit">Buy Now</button></form> shirt'


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    directory: Path = tmp_path_factory.mktemp("hostile")
    records = [webshop_record("B000000001", name=TITLE, customization_options=OPTIONS)]
    files = build_shop(open_source(write_json(directory / "items.json", records), fmt="webshop"), directory / "shop")
    return Shop(files.catalog, files.engine())


@pytest.fixture
def world(shop: Shop) -> ShopWorld:
    session = ShopSession(kind="item", keywords=("shirt",), asin="B000000001")
    return ShopWorld(shop, session)


def test_an_option_never_buys(world: ShopWorld) -> None:
    before = world.session
    for press in (
        lambda: world.select('input[name="color"]', "buy now"),
        lambda: world.click('input[value="buy now"]'),
        lambda: world.click('role=radio[name="buy now"]'),
    ):
        with pytest.raises(WorldError) as error:
            press()
        assert error.value.reason == "ambiguous"
    assert world.session is before


@pytest.mark.parametrize("value", ["description", "search"])
def test_an_option_is_no_button(world: ShopWorld, value: str) -> None:
    with pytest.raises(WorldError, match="something else") as error:
        world.select('input[name="color"]', value)
    assert error.value.reason == "ambiguous"
    assert world.page.kind == "item"


def test_a_value_of_two_options_is_not_guessed(world: ShopWorld) -> None:
    with pytest.raises(WorldError, match="something else"):
        world.select('input[name="color"]', "red")
    world.select('input[name="first"]', "red")
    assert world.session.options == {"first": "red"}
    world.select('input[name="color"]', 'a "quoted" one')
    assert world.session.options == {"first": "red", "color": 'a "quoted" one'}


def test_a_title_is_text(world: ShopWorld) -> None:
    assert world.count('role=button[name="Buy Now"]') == 1
    assert "Buy Now" in world.text("h2")
    with pytest.raises(WorldError) as error:
        world.click_role("button", "Buy Now")
    assert error.value.reason == "refused"
