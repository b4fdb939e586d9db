"""The chat in a real browser: by mouse, by keyboard alone, on a small screen, with products that try everything."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.shared_libraries.init_env import close_shared
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import DENIM, ScriptedLlm, click, product, search
from tests.chat.browsing import Open, answered, say, serving
from tests.chat.helpers import WaitingLlm, make_chat, offline_model

pytestmark = pytest.mark.browser
MARK = "window.stolen=1"
ATTACKS = (
    f"<script>{MARK}</script>",
    f'"><img src=x onerror="{MARK}">',
    f"'><svg onload='{MARK}'>",
    f"</title></style></textarea></script><script>{MARK}</script>",
    f'" autofocus onfocus={MARK} x="',
    f"[look](javascript:{MARK}) ![x](x' onerror='{MARK}) <https://x.example/\"onmouseover={MARK}>",
    f"\u2028<iframe srcdoc='<script>{MARK}</script>'></iframe>\u202e",
)


def test_a_purchase_by_mouse(open_chat: Open) -> None:
    page = open_chat(make_chat(offline_model()))
    page.get_by_role("button", name="A women’s denim jacket").click()
    answered(page, 1)
    assert page.get_by_role("heading", name="denim jacket for women").first.is_visible()
    page.frame_locator("#page-frame").get_by_text("denim jacket for women").first.wait_for(state="visible")
    page.get_by_role("button", name="Tell me more about denim jacket for women").click()
    answered(page, 2)
    assert "First point" in page.locator("article.agent").last.inner_text()
    say(page, "dark blue, small", 3)
    say(page, "buy it", 4)
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    assert "$49.90" in dialog.inner_text() and "dark blue" in dialog.inner_text()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    card = page.get_by_role("region", name="Your decision about a purchase")
    assert card.get_by_role("button", name="Buy for $49.90").is_visible(), "put off, not answered"
    assert page.get_by_role("region", name="Purchase", exact=True).count() == 0
    card.get_by_role("button", name="Buy for $49.90").click()
    answered(page, 5)
    assert page.get_by_role("region", name="Purchase", exact=True).is_visible()
    assert "You said yes." in card.inner_text() and not card.get_by_role("button").count()

    told = page.locator("#log").inner_text()
    page.reload()
    page.get_by_role("region", name="Purchase", exact=True).wait_for()
    assert page.locator("#log").inner_text() == told
    page.on("dialog", lambda asked: asked.accept())
    page.get_by_role("button", name="New").click()
    page.get_by_role("heading", name="What can I find for you?").wait_for()
    assert page.locator("#log").inner_text() == ""


def test_a_purchase_by_keyboard_alone(open_chat: Open) -> None:
    page = open_chat(make_chat(ScriptedLlm(script=[search("denim"), click(DENIM), click("red"), click("Buy Now"),
                                                   "As you wish.", click("Buy Now"), "Bought."])))  # fmt: skip
    keys = page.keyboard
    keys.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    keys.type("one")
    keys.press("Shift+Enter")
    keys.type("two")
    keys.press("Enter")
    answered(page, 1)
    assert page.locator("article.person p").inner_text() == "one\ntwo"
    assert focus(page) == "question-title"
    keys.press("Enter")
    assert page.locator("dialog").is_visible(), "Enter on the title answers nothing"
    stops = []
    for _ in range(6):
        keys.press("Tab")
        stops.append(focus(page))
    assert set(stops) - {""} == {"question-later", "question-no", "question-yes"}, "the keyboard stays in the dialog"
    while focus(page) != "question-no":
        keys.press("Tab")
    keys.press("Enter")
    answered(page, 2)
    assert "You said no" in page.locator(".question").inner_text() and focus(page) == "message"
    keys.type("well, do")
    keys.press("Enter")
    page.locator("dialog[open]").wait_for()
    while focus(page) != "question-yes":
        keys.press("Tab")
    keys.press("Space")
    answered(page, 4)
    assert page.locator(".receipt").is_visible()
    assert "Bought." in page.locator("#announce").text_content()


def focus(page: Any) -> str:
    return str(page.evaluate("document.activeElement?.id ?? ''"))


def test_a_small_screen(open_chat: Open) -> None:
    page = open_chat(make_chat(offline_model()), width=400, color_scheme="dark", reduced_motion="reduce")
    say(page, "a denim jacket for women", 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert not page.locator("#pane").is_visible()
    page.get_by_role("button", name="Page", exact=True).click()
    page.frame_locator("#page-frame").get_by_text("denim jacket for women").first.wait_for(state="visible")
    assert focus(page) == "pane-close"
    page.keyboard.press("Escape")
    assert not page.locator("#pane").is_visible() and focus(page) == "pane-toggle"
    page.locator("summary").click()
    page.get_by_role("button", name="Searching for").click()
    assert page.locator("#pane").is_visible()


def test_a_reload_finds_the_turn_and_stops_it(open_chat: Open) -> None:
    page = open_chat(make_chat(WaitingLlm()))
    page.get_by_label("Your message").fill("hello")
    page.keyboard.press("Enter")
    page.get_by_text("I am", exact=True).wait_for()
    assert page.locator(".dots").is_visible() and not page.get_by_role("button", name="Send").is_visible()
    page.reload()
    page.get_by_text("I am", exact=True).wait_for()
    page.get_by_role("button", name="Stop").click()
    page.get_by_text("Stopped.").first.wait_for()
    assert page.get_by_role("button", name="Send").is_visible()


def test_what_cannot_be_sent_is_said_and_kept(browser: Any, shop: None) -> None:
    with serving(make_chat(offline_model())) as base, contextlib.closing(browser.new_page()) as page:
        page.goto(f"{base}/chat")
        page.wait_for_timeout(200)
        field = page.get_by_label("Your message")
        page.route("**/chat/messages", lambda route: route.abort())
        field.fill("a jacket")
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("cannot be reached").wait_for()
        assert field.input_value() == "a jacket" and page.locator("#log").inner_text() == ""
        page.unroute("**/chat/messages")
        field.fill("x" * 4_001)
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("4001 characters").wait_for()
        page.context.clear_cookies()
        field.fill("a jacket")
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("needs a cookie").wait_for()
        page.route("**/chat/messages", lambda route: route.fulfill(content_type="text/event-stream", body=": \n\n"))
        page.keyboard.press("Enter")
        page.get_by_role("alert").get_by_text("connection was lost").wait_for()


def test_without_scripts_the_shop_is_named(open_chat: Open) -> None:
    page = open_chat(make_chat(offline_model()), java_script_enabled=False)
    link = page.get_by_role("link", name="browse the shop")
    assert link.is_visible() and link.get_attribute("href") == "shop/"


def test_hostile_products_and_answers_stay_text(
    open_chat: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    products = [
        product(
            f"B00000010{number}",
            f"shirt {attack}",
            10.0,
            price=f"$10{attack}",
            pricing=(),
            description=attack,
            bullets=(attack,),
            options={f"color {attack}".lower(): (attack.lower(), "red")},
            images=(("javascript:window.stolen=1", "data:text/html,x", "//x.example/y.png")[number % 3],),
        )
        for number, attack in enumerate(ATTACKS)
    ]
    build_shop(products, tmp_path / "hostile")
    monkeypatch.setenv("CATALOG_PATH", str(tmp_path / "hostile"))
    close_shared()
    script: list[Any] = [search("shirt")]
    for number, attack in enumerate(ATTACKS):
        script += [click(f"B00000010{number}"), click(attack), click("Description"), click("< Prev"), click("< Prev")]
    script += [*ATTACKS, click("B000000100"), click("red"), click("Buy Now"), ATTACKS[0]]
    page = open_chat(make_chat(ScriptedLlm(script=script)))
    say(page, ATTACKS[0], 1)
    for number in range(1, len(ATTACKS)):
        say(page, ATTACKS[number], number + 1)
    assert page.locator(".words").count() == len(ATTACKS)
    assert ATTACKS[0] in page.locator(".words").first.inner_text()
    assert page.locator("#log a[href^='javascript:'], #log script, #log iframe, #log [onerror]").count() == 0
    assert {image for image in page.locator("#log img").all()} == set()
    for _ in range(page.locator("#page-count").inner_text().count("of") * 8):
        page.get_by_role("button", name="Earlier page").click()
        page.wait_for_timeout(30)
    say(page, "buy", len(ATTACKS) + 1)
    page.locator("dialog[open]").wait_for()
    assert ATTACKS[0] in page.locator("dialog").inner_text()
    page.locator("#question-yes").click()
    answered(page, len(ATTACKS) + 2)
    assert page.locator(".receipt").is_visible()


@pytest.mark.parametrize(
    ("written", "html"),
    [
        ("a **b** c", "<p>a <strong>b</strong> c</p>"),
        ("*a* _b_ ~~c~~ `d`", "<p><em>a</em> <em>b</em> <s>c</s> <code>d</code></p>"),
        ("a * b * c snake_case_name 2*3*4", "<p>a * b * c snake_case_name 2<em>3</em>4</p>"),
        ("**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"),
        ("**open", "<p>**open</p>"),
        ("\\*a\\* `*b*`", "<p>*a* <code>*b*</code></p>"),
        ("one\ntwo\n\nthree", "<p>one<br>two</p><p>three</p>"),
        ("# A\n- b\n- c\n  1. d\n\n2. e", "<h3>A</h3><ul><li>b</li><li>c<ol><li>d</li></ol></li></ul>"
         '<ol start="2"><li>e</li></ol>'),
        ("3. a\n\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> a\n> b", "<blockquote><p>a<br>b</p></blockquote>"),
        ("```\n<b>\n```", '<pre tabindex="0"><code>&lt;b&gt;</code></pre>'),
        ("---", "<hr>"),
        ("<b>&amp;</b>", "<p>&lt;b&gt;&amp;amp;&lt;/b&gt;</p>"),
        ("[x](javascript:alert(1)) [y](data:text/html,z)", "<p>[x](javascript:alert(1)) [y](data:text/html,z)</p>"),
        ("[x](https://a.example/)", '<p><a href="https://a.example/" target="_blank" '
         'rel="noopener noreferrer nofollow">x</a></p>'),
        ("see https://a.example/b.", '<p>see <a href="https://a.example/b" target="_blank" '
         'rel="noopener noreferrer nofollow">https://a.example/b</a>.</p>'),
        ("| a | b |\n|---|:-:|\n| 1 | **2** |", '<div class="table" tabindex="0" role="region" aria-label="Table">'
         "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
         "<tbody><tr><td>1</td><td><strong>2</strong></td></tr></tbody></table></div>"),
    ],
    ids=range(17),
)  # fmt: skip
def test_markdown(written: str, html: str, page_with_modules: Any) -> None:
    assert render(page_with_modules, written) == html


def test_markdown_takes_no_time_over_anything(page_with_modules: Any) -> None:
    for text in ("*" * 20_000, "[" * 20_000, "_a" * 10_000, "`" * 9_999, "> " * 10_000, "- " * 10_000, "|" * 20_000,
                 "**a" * 7_000, "\n".join(["  " * n + "- x" for n in range(200)]), "|a|\n|-|\n" * 2_000):  # fmt: skip
        started = time.monotonic()
        render(page_with_modules, text)
        assert time.monotonic() - started < 2, text[:20]


@pytest.fixture(scope="module")
def page_with_modules(browser: Any) -> Iterator[Any]:
    with serving(make_chat(offline_model())) as base, contextlib.closing(browser.new_page()) as page:
        page.goto(f"{base}/chat")
        yield page


def render(page: Any, text: str) -> str:
    script = """async (text) => {
      const { markdown } = await import('/chat/static/markdown.js');
      const box = document.createElement('div');
      box.append(...markdown(text));
      return box.innerHTML;
    }"""
    return str(page.evaluate(script, text))


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (1400, "dark"), (400, "light")])
def test_axe_finds_nothing(width: int, scheme: str, open_chat: Open) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()

    def found() -> list[str]:
        return [violation["id"] for violation in axe.run(page).response["violations"]]

    # The page's own policy keeps axe out.
    page = open_chat(make_chat(offline_model()), width, color_scheme=scheme, bypass_csp=True)
    assert found() == []
    say(page, "a denim jacket for women", 1)
    say(page, "compare the first two", 2)
    say(page, "the first one", 3)
    page.locator("summary").first.click()
    assert found() == []
    say(page, "dark blue, small", 4)
    say(page, "buy it", 5)
    page.locator("dialog[open]").wait_for()
    assert found() == []
    page.keyboard.press("Escape")
    if width == 400:
        page.locator("#pane-toggle").click()
    assert found() == []
