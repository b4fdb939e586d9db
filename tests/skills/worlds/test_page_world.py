"""The world of a real browser, on the website and on pages of other sites."""

from collections.abc import Callable
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.world import ENV_METHODS, World, WorldError
from personalized_shopping.shared_libraries.skills.worlds import PageWorld

pytestmark = pytest.mark.browser
Open = Callable[..., PageWorld]

PAGE = """<!DOCTYPE html><html><head><title>Form</title><style>
.zero{opacity:0;position:fixed;width:0;height:0}.cover{position:fixed;inset:0;background:#0008}
.gone{display:none}</style></head><body>
<form onsubmit="return false"><label for="q">Words</label><input id="q" name="q"><input id="off" disabled>
<input type="radio" class="zero" id="r 1" name="size" value="S"><label for="r 1">Small</label>
<input type="radio" class="zero" id="r 2" name="size" value="L"><label for="r 2">Large</label>
<input type="radio" class="zero" id="r3" name="bare" value="x">
<select id="s"><option value="1">One</option><option value="2">Two</option></select>
<button type="button" onclick="document.title = 'pressed'">Press "me"</button>
<button type="button">Twin</button><button type="button">Twin</button>
<button type="button" class="gone">Hidden</button></form>
<button type="button" id="late" onclick="setTimeout(() => { const p = document.createElement('p');
p.id = 'came'; p.textContent = 'It came'; document.body.append(p); }, 150)">Later</button></body></html>"""


def test_a_page_world_is_a_world(opened: Open, site: str) -> None:
    world: World = opened(f"{site}/fixed_1")
    assert all(callable(getattr(world, method)) for method in ENV_METHODS)
    signals = world.signals()
    assert (signals.page_kind, signals.viewport) == ("search", (1200, 900))
    assert signals.url == world.current_url() == f"{site}/fixed_1"
    assert all(isinstance(name, str) and "=" not in name for name in signals.cookies)
    assert world.viewport_size() == {"width": 1200, "height": 900}


def test_shopping(opened: Open, site: str) -> None:
    world = opened(f"{site}/fixed_1")
    world.type("#search_input", "shirt")
    world.press("#search_input", "Enter")
    assert world.signals().page_kind == "results"
    asin = world.texts("a.product-link")[0]
    assert world.click_role("link", asin)["page_kind"] == "item"
    kinds = [world.click_role("button", name)["page_kind"] for name in ("Description", "< Prev", "Reviews", "< Prev")]
    assert kinds == ["description", "item", "reviews", "item"]
    assert world.count("button.purchase", visible=True) == 1
    assert "Price:" in world.text_of_page()
    world.click('text="Back to Search"')
    assert world.signals().page_kind == "search"


def test_options_are_chosen_by_every_road(opened: Open, site: str) -> None:
    world = opened(f"{site}/fixed_1")
    world.type("#search_input", "shirt")
    world.click("#form-buscar button")
    for asin in world.texts("a.product-link"):
        world.click_role("link", asin)
        if world.count(".radio-toolbar input") > 3:
            break
        world.click_role("button", "< Prev")
    name = world._page.locator(".radio-toolbar input").first.get_attribute("name")
    values = world._page.locator(f'.radio-toolbar input[name="{name}"]').evaluate_all("all => all.map(e => e.value)")
    checked = f'input[name="{name}"]:checked'
    world.select(f'.radio-toolbar input[name="{name}"]', values[1].upper())
    assert world._page.locator(checked).get_attribute("value") == values[1]
    world.select(f'role=radiogroup[name="{name}"]', values[0])
    assert world._page.locator(checked).get_attribute("value") == values[0]
    world.click(f'.radio-toolbar input[name="{name}"][value="{values[1]}"]')
    assert world._page.locator(checked).get_attribute("value") == values[1]
    with pytest.raises(WorldError, match="There is no value") as error:
        world.select(f'.radio-toolbar input[name="{name}"]', "transparent")
    assert error.value.reason == "missing"


def test_a_purchase_is_refused_unless_it_is_allowed(opened: Open, site: str) -> None:
    def item(**options: Any) -> PageWorld:
        world = opened(f"{site}/fixed_2", **options)
        world.type("#search_input", "shirt")
        world.press("#search_input", "Enter")
        world.click_role("link", world.texts("a.product-link")[0])
        return world

    world = item()
    before = world.current_url()
    for press in (
        lambda: world.click("button.purchase"),
        lambda: world.click_role("button", "Buy Now"),
        lambda: world.press("button.purchase", "Enter"),
        lambda: world.press("button.purchase", "Space"),
    ):
        with pytest.raises(WorldError, match="nothing was bought") as error:
            press()
        assert error.value.reason == "refused"
    # What a press does not show beforehand is stopped on its way.
    world._page.evaluate("document.querySelector('button.purchase').form.submit()")
    with pytest.raises(WorldError) as error:
        world.settle()
        world.click("h2")
    assert error.value.reason == "refused"
    assert world.current_url() == before
    assert item(allow_purchase=True).click_role("button", "Buy Now")["page_kind"] == "done"


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("#nothing", "missing"),
        ('role=button[name="Twin"]', "ambiguous"),
        ("#off", "disabled"),
        ("#r3", "hidden"),
        (".gone", "hidden"),
        ("a:has-text('x')", "failed"),
        ("button >> nth=0", "failed"),
        ("", "failed"),
    ],
)
def test_a_press_needs_one_usable_element(opened: Open, selector: str, why: str) -> None:
    with pytest.raises(WorldError) as error:
        opened(PAGE).click(selector, timeout_ms=300 if why == "missing" else None)
    assert error.value.reason == why
    assert "Call log" not in str(error.value)


def test_hidden_radios_are_pressed_by_their_labels(opened: Open) -> None:
    world = opened(PAGE)
    world.click('[id="r 1"]')
    assert world._page.locator("input:checked").get_attribute("value") == "S"
    world.click('input[name="size"][value="L"]')
    assert world._page.locator("input:checked").get_attribute("value") == "L"
    world.select('input[name="size"]', "small")
    assert world._page.locator("input:checked").get_attribute("value") == "S"
    world.select("#s", "Two")
    assert world._page.locator("#s").input_value() == "2"
    with pytest.raises(WorldError, match="There are: 1, 2"):
        world.select("#s", "3")
    with pytest.raises(WorldError, match="several groups"):
        world.select('input[type="radio"]', "x")


def test_typing_and_selectors(opened: Open) -> None:
    world = opened(PAGE)
    world.type("#q", "some words")
    world.type("#q", "other", delay_ms=1)
    assert world._page.locator("#q").input_value() == "other"
    with pytest.raises(WorldError):
        world.type("button.gone", "x")
    world.click('role=button[name="Press \\"me\\""]')
    assert world.signals().title == "pressed"
    assert world.count('text="Small"') == 1
    assert world.count("index=0") == 1
    assert world._page.locator("css=html").count() == 1
    assert world.count('role=button[name~="press"]') == 1
    assert world.count("button") == 5
    assert world.count("button", visible=True) == 4
    assert world.signals().page_kind is None


def test_what_comes_later_is_waited_for(opened: Open) -> None:
    world = opened(PAGE)
    assert not world.exists("#came")
    with pytest.raises(WorldError) as error:
        world.wait_for_selector("#came", timeout_ms=50)
    assert error.value.reason == "timeout"
    world.click("#late")
    assert world.exists("#came", timeout_ms=30_000)
    assert world.text("#came") == "It came"
    world.wait_for_selector("#came")
    world.wait_for_selector(".gone", "hidden")
    world.wait_for_selector(".gone", "attached")


def test_a_covered_element_is_told(opened: Open) -> None:
    world = opened(PAGE.replace("</body>", '<div class="cover"></div></body>'))
    with pytest.raises(WorldError) as error:
        world.click("#late", timeout_ms=1_500)
    assert error.value.reason == "covered"


def test_highlights_come_and_go(opened: Open) -> None:
    world = opened(PAGE)
    world.highlight("#late")
    world.scroll_into_view("#late")
    world.clear_highlights()
    world.settle()
    assert world.html().startswith("<!DOCTYPE html>")


def test_a_closed_page_is_an_error_of_the_world(opened: Open) -> None:
    world = opened(PAGE)
    world._page.close()
    for act in (lambda: world.click("#late"), lambda: world.count("p"), world.signals, world.html):
        with pytest.raises(WorldError) as error:
            act()
        assert error.value.reason == "failed"
