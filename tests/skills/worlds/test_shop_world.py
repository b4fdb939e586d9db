import msgspec
import pytest

from personalized_shopping.shared_libraries.skills.world import ENV_METHODS, World, WorldError
from personalized_shopping.shared_libraries.skills.worlds import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.skills.worlds import shops


def reason(error: pytest.ExceptionInfo[WorldError]) -> str:
    return error.value.reason


@pytest.fixture
def start(shop: Shop) -> ShopWorld:
    return ShopWorld(shop, shop.start(instruction="Find me shoes."))


def test_a_shop_world_is_a_world(start: ShopWorld) -> None:
    world: World = start
    assert all(callable(getattr(world, method)) for method in ENV_METHODS)
    signals = world.signals()
    assert (signals.url, signals.page_kind, signals.title) == ("http://127.0.0.1:3000/session", "search", "WebShop")
    assert (signals.viewport, world.viewport_size(), signals.cookies) == (None, None, ())


@pytest.mark.parametrize("how", ["enter", "button", "role", "text"])
def test_searching(start: ShopWorld, how: str) -> None:
    start.type("#search_input", "Red SHOES")
    if how == "enter":
        start.press("#search_input", "Enter")
    elif how == "button":
        start.click('button[type="submit"]')
    elif how == "role":
        assert start.click_role("button", "Search")["page_kind"] == "results"
    else:
        start.click('text="Search"')
    assert start.session.keywords == ("red", "shoes")
    assert start.current_url() == "http://127.0.0.1:3000/search_results/session/red+shoes/1"
    assert start.signals().page_kind == "results"


def test_an_empty_search_stays(start: ShopWorld) -> None:
    for text in (None, "", "   "):
        if text is not None:
            start.type("#search_input", text)
        start.click_role("button", "Search")
    assert start.session.kind == "search"


def test_steps_are_those_of_the_shop(shop: Shop) -> None:
    told: list[tuple[str, str]] = []
    world = ShopWorld(
        shop,
        shop.start(seed=3),
        on_step=lambda action, session, page: told.append((action, f"{session.kind}/{page.kind}")),
    )
    session = shop.start(seed=3)
    world.type("#search_input", "shirt")
    world.press("#search_input", "Enter")
    session = shop.step(session, Search("shirt")).session
    asin = world.page.products[0].asin
    for label in ("Next >", "< Prev"):
        world.click_role("button", label)
        session = shop.step(session, Click(label)).session
    world.click(f'a.product-link[href*="{asin}"]')
    session = shop.step(session, Click(asin)).session
    for label in ("Description", "< Prev", "Reviews", "< Prev", "Attributes", "< Prev", "< Prev", "Back to Search"):
        world.click_role("button", label)
        session = shop.step(session, Click(label)).session
    assert msgspec.json.encode(world.session) == msgspec.json.encode(session)
    assert [action for action, _ in told[:4]] == ["search[shirt]", "click[Next >]", "click[< Prev]", f"click[{asin}]"]
    assert told[3][1] == "item/item"
    assert len(told) == 12


def test_options_are_chosen_by_every_road(shop: Shop) -> None:
    for road in ("radio", "label", "role", "group", "container", "space"):
        world = shops.on_item(shop)
        product = world.page.product
        assert product is not None
        name, values = next((name, values) for name, values in product.options.items() if len(values) > 1)
        value = values[1]
        radio = f'input[name="{name}"][value="{value}"]'
        identifier = world._shown.dom.attributes(world._one(radio))["id"]
        if road == "radio":
            world.click(radio)
        elif road == "label":
            world.click(f'label[for="{identifier}"]')
        elif road == "role":
            world.click_role("radio", value)
        elif road == "group":
            world.select(f'input[name="{name}"]', value.upper())
        elif road == "container":
            world.select(f'role=radiogroup[name="{name}"]', value)
        else:
            world.press(radio, "Space")
        assert world.session.options == {name.lower(): value}, road
        assert world.count(f"{radio}[checked]") == 1
        before = world.session
        world.click(radio)
        assert world.session is before


def test_a_value_that_is_not_there(shop: Shop) -> None:
    world = shops.on_item(shop)
    assert world.page.product is not None
    name = next(iter(world.page.product.options))
    with pytest.raises(WorldError, match=r"There is no value 'transparent'\. There are: ") as error:
        world.select(f'input[name="{name}"]', "transparent")
    assert reason(error) == "missing"
    with pytest.raises(WorldError) as error:
        world.select('input[name="no such group"]', "x")
    assert reason(error) == "missing"
    with pytest.raises(WorldError, match="no group of values") as error:
        world.select("h2", "x")
    assert reason(error) == "failed"


def test_two_groups_are_not_one(shop: Shop) -> None:
    world = shops.on_item(shop, options=2)
    with pytest.raises(WorldError, match="2 groups") as error:
        world.select('input[type="radio"]', "x")
    assert reason(error) == "ambiguous"


def test_buying_is_refused_unless_it_is_allowed(shop: Shop) -> None:
    world = shops.on_item(shop)
    before = world.session
    for press in (
        lambda: world.click_role("button", "Buy Now"),
        lambda: world.click("button.purchase"),
        lambda: world.press("button.purchase", "Enter"),
        lambda: world.press('text="Buy Now"', "Space"),
    ):
        with pytest.raises(WorldError, match="nothing was bought") as error:
            press()
        assert reason(error) == "refused"
    assert world.session is before
    assert world.purchase is None
    allowed = shops.on_item(shop, allow_purchase=True)
    allowed.click_role("button", "Buy Now")
    assert allowed.session.done
    assert allowed.purchase is not None
    assert allowed.purchase.asin == allowed.session.asin
    assert allowed.signals().page_kind == "done"


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("#nothing", "missing"),
        ("button", "ambiguous"),
        ("h4:has(", "failed"),
        ("", "failed"),
        ("index=99999", "missing"),
        ('role=button[name="Buy"]', "missing"),
        ("input[type=hidden]", "missing"),
    ],
)
def test_a_press_needs_exactly_one_element(shop: Shop, selector: str, why: str) -> None:
    world = shops.on_item(shop)
    for act in (world.click, world.text, world.scroll_into_view):
        with pytest.raises(WorldError) as error:
            act(selector)
        assert reason(error) == why


def test_a_press_on_what_is_no_control_does_nothing(shop: Shop) -> None:
    world = shops.on_item(shop)
    before = world.session
    world.click("h2")
    world.press("h2", "Enter")
    world.click("#main")
    assert world.session is before


def test_looking(shop: Shop) -> None:
    world = shops.on_item(shop)
    product = world.page.product
    assert product is not None
    assert world.text("h2") == " ".join(product.title.split())
    assert f"Price: {product.price}" in world.texts("h4")
    assert "Buy Now" in world.text_of_page()
    assert world.exists("button.purchase", timeout_ms=5_000)
    assert not world.exists("#search_input")
    world.wait_for_selector("button.purchase")
    world.wait_for_selector("#search_input", "hidden")
    for state in ("visible", "attached"):
        with pytest.raises(WorldError) as error:
            world.wait_for_selector("#search_input", state, timeout_ms=60_000)
        assert reason(error) == "timeout"
    assert world.count("button") == len(world.texts("button")) > 3
    assert world.count("title") == 1
    assert world.count("title", visible=True) == 0


def test_typing_needs_a_field(start: ShopWorld) -> None:
    with pytest.raises(WorldError, match="no text field"):
        start.type("button", "x")
    start.type("#search_input", "a\nb")
    start.press("#search_input", "c")
    start.press("#search_input", "Space")
    start.press("#search_input", "Tab")
    start.press("#search_input", "d")
    start.press("#search_input", "Enter")
    assert start.session.keywords == ("a", "bc", "d")


def test_a_long_search_is_cut(start: ShopWorld) -> None:
    start.type("#search_input", "x" * 5_000)
    start.press("#search_input", "Enter")
    assert start.session.keywords == ("x" * 2_000,)
