"""The site in a real browser: with the mouse, with the keyboard alone, without scripts, and watched all the while."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import flask
import pytest

from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer
from tests.web_agent_site.site.conftest import MakeSite
from tests.web_agent_site.site.hostile import ATTACKS, hostile_product

pytestmark = pytest.mark.browser
Open = Callable[..., Any]
Serve = Callable[[flask.Flask], str]


@pytest.fixture
def served() -> Iterator[Serve]:
    """Serve sites, and stop serving at the end."""
    running: list[tuple[SiteServer, threading.Thread]] = []

    def serve(site: flask.Flask) -> str:
        server = SiteServer(site, "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return server.address

    yield serve
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Open pages; afterwards none of them may have complained, or asked anybody but the site for anything."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_page(address: str, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": 1200, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: None if is_own(request.url, address) else complaints.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not complaints


def is_own(url: str, address: str) -> bool:
    return url.startswith(("data:", "/".join(address.split("/")[:3]) + "/"))


def goal_with_options(server: SimServer) -> tuple[int, Any]:
    """Return a goal whose product has options, with its number."""
    return next((n, goal) for n, goal in enumerate(server.goal_table) if goal.goal_options)


def wanted_values(server: SimServer, goal: Any) -> list[str]:
    """Return the values of the goal's product that the goal asks for."""
    wanted = list(goal.goal_options.values()) if isinstance(goal.goal_options, dict) else list(goal.goal_options)
    options = server.catalog.product(goal.asin).options
    return [value for values in options.values() for value in values if value in wanted]


def test_with_the_mouse(opened: Open, served: Serve, make_site: MakeSite, site_server: SimServer) -> None:
    number, goal = goal_with_options(site_server)
    page = opened(f"{served(make_site(allow_chosen_ids=True))}/fixed_{number}")
    page.fill("#search_input", goal.name)
    page.click("#form-buscar .btn")
    page.click(f".list-group-item:has(a.product-link:text-is('{goal.asin}'))")
    for value in wanted_values(site_server, goal):
        with page.expect_navigation():
            page.click(f".radio-toolbar label:text-is('{value}')")
        assert page.locator(f".radio-toolbar input:checked + label:text-is('{value}')").count() == 1
        assert page.evaluate("document.activeElement.type") == "radio"
    for name in ("Description", "Features", "Reviews", "Attributes"):
        page.click(f".buttons .btn:text-is('{name}')")
        page.wait_for_selector(f".tabs [aria-current]:text-is('{name}')")
        page.click("text=< Prev")
        page.wait_for_selector(".purchase")
    assert not page.url.endswith("?")
    page.click(".purchase")
    page.wait_for_url("**/done/**")
    assert page.locator("#reward pre").inner_text() == "1.0"
    page.go_back()
    page.click(".purchase")
    page.wait_for_url("**/done/**")
    assert page.locator("#reward pre").inner_text() == "1.0"
    with page.expect_navigation():
        page.click("text=Start a new session")
    assert page.locator("#search_input").is_visible() and f"fixed_{number}" not in page.url


def tab_to(page: Any, what: str) -> None:
    """Press Tab until the focus is on something, which must show it."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate("what => document.activeElement.matches(what)", what):
            assert page.evaluate(OUTLINED), f"{what} does not show that it has the focus"
            return
    pytest.fail(f"the keyboard does not reach {what}")


OUTLINED = """() => {
    const focused = document.activeElement;
    const shown = focused.type === "radio" ? focused.labels[0] : focused;
    return [null, "::after"].some(part => getComputedStyle(shown, part).outlineStyle === "solid");
}"""


@pytest.mark.parametrize("scripts", [True, False])
def test_with_the_keyboard_alone(
    opened: Open, served: Serve, make_site: MakeSite, site_server: SimServer, scripts: bool
) -> None:
    number, goal = goal_with_options(site_server)
    page = opened(f"{served(make_site(allow_chosen_ids=True))}/fixed_{number}", java_script_enabled=scripts)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip-link"
    tab_to(page, "#search_input")
    page.keyboard.type(goal.name)
    page.keyboard.press("Enter")
    page.wait_for_url("**/search_results/**")
    tab_to(page, f".product-link[href*='{goal.asin}']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item_page/**")
    if scripts:
        choose_by_keyboard(page)
    else:
        tab_to(page, "input[type=radio]")
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
        tab_to(page, ".choose button")
        with page.expect_navigation():
            page.keyboard.press("Enter")
    assert page.locator("input[type=radio]:checked").count() == 1
    tab_to(page, ".purchase")
    page.keyboard.press("Enter")
    page.wait_for_url("**/done/**")
    assert float(page.locator("#reward pre").inner_text()) > 0


def choose_by_keyboard(page: Any) -> None:
    """Choose a value and then the next one; the focus is on it after each."""
    tab_to(page, "input[type=radio]")
    with page.expect_navigation():
        page.keyboard.press("Space")
    first = page.evaluate("document.activeElement.id")
    assert page.evaluate("document.activeElement.checked") and page.evaluate(OUTLINED)
    with page.expect_navigation():
        page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.checked") and page.evaluate("document.activeElement.id") != first


def test_the_place_of_an_image_that_does_not_come(
    opened: Open, served: Serve, make_site: MakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    from personalized_shopping.shared_libraries.web_agent_site.site import images, rendering

    monkeypatch.setattr(rendering, "shown_image", lambda _: "data:image/png;base64,AAAA")
    assert images.shown_image("data:image/png;base64,AAAA")
    for scripts in (True, False):
        address = served(make_site(allow_chosen_ids=True))
        page = opened(f"{address}/search_results/ABC/shirt/1", java_script_enabled=scripts)
        page.wait_for_load_state("load")
        if scripts:
            page.wait_for_selector(".picture img.broken", state="attached")
        assert "placeholder.svg" in page.evaluate(
            "getComputedStyle(document.querySelector('.picture')).backgroundImage"
        )
        assert not page.locator(".picture img").first.is_visible() or not scripts


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(
    opened: Open, served: Serve, make_site: MakeSite, site_server: SimServer, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed").Axe()
    address = served(make_site(allow_chosen_ids=True))
    page = opened(f"{address}/ABC", color_scheme=scheme, bypass_csp=True)
    about = f"{goal_with_options(site_server)[1].asin}/shirt/1"
    subs = [
        f"/item_sub_page/ABC/{about}/{name}/%7B%7D" for name in ("Description", "Features", "Reviews", "Attributes")
    ]
    done = f"/done/ABC/{about.split('/')[0]}/%7B%7D"
    paths = ["/ABC", "/search_results/ABC/cotton/1", "/search_results/ABC/zzzz/1", f"/item_page/ABC/{about}/%7B%7D"]
    for path in [*paths, *subs, done]:
        page.goto(address + path)
        assert not serious(axe, page), path
    page.click(".buy")
    page.wait_for_selector("#reward")
    assert not serious(axe, page)
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert serious(axe, page) == {"label"}


def serious(axe: Any, page: Any) -> set[str]:
    """Return the rules that a page breaks badly, on a wide screen or on a narrow one."""
    broken = set()
    for width in (1200, 390):
        page.set_viewport_size({"width": width, "height": 844})
        found = axe.run(page).response
        assert len(found["passes"]) > 10, "axe-core has looked at nothing"
        broken |= {rule["id"] for rule in found["violations"] if rule["impact"] in ("serious", "critical")}
    return broken


def test_product_text_runs_nothing(opened: Open, served: Serve, hostile_site: flask.Flask) -> None:
    address = served(hostile_site)
    page = opened(address)
    seen = set()
    for number in range(1, 4):
        page.goto(f"{address}/search_results/ABC/shirt/{number}")
        seen |= set(page.locator(".product-link").all_inner_texts())
        assert page.evaluate("window.stolen") is None
    assert {hostile_product(number).asin for number in range(len(ATTACKS))} <= seen
    for number in range(len(ATTACKS)):
        item = f"{address}/item_page/fixed_{number}/{hostile_product(number).asin}/shirt/1/%7B%7D"
        page.goto(item.replace("item_page", "item_sub_page").replace("/1/", "/1/Reviews/"))
        assert page.evaluate("window.stolen") is None
        page.goto(item)
        with page.expect_navigation():
            page.locator(".radio-toolbar label").first.click()
        assert page.evaluate("window.stolen") is None
    page.click(".purchase")
    page.wait_for_url("**/done/**")
    assert page.locator("#reward pre").count() == 1
    assert page.evaluate("window.stolen") is None
