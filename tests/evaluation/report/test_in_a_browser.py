"""The reports as a person opens them: what they show, and that nothing in them can act."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from personalized_shopping.evaluation.report import write_comparison, write_report
from personalized_shopping.shared_libraries.metrics.compare import compare
from personalized_shopping.shared_libraries.metrics.episode import Bought, Check, Episode, Wanted
from tests.evaluation.report.synthetic import episodes, write_run
from tests.trajectory.samples import purchase

pytestmark = pytest.mark.browser

Open = Callable[..., Any]
MARK = "window.marker=1"
HOSTILE = (
    f"<img src=x onerror={MARK}>",
    f"</script><script>{MARK}</script>",
    f"<!--<script>{MARK}//",
    f"\"'><svg onload={MARK}>",
    f"]]>{{{{{MARK}}}}}${{{MARK}}}{{% raw %}}",
    f"</style></title></textarea><iframe srcdoc='<script>parent.{MARK}</script>'>\u2028\u2029",
)


def hostile(text: str, number: int) -> Episode:
    return Episode(
        task_id=f"{text}{number}",
        kind=text,
        cluster=text,
        split=text,
        instruction=text,
        status="system_error" if number == 1 else "finished",
        failure="system_error" if number == 1 else "wrong_item",
        wanted=Wanted(asin=text, title=text, attributes=[text], options=[text], price_limit=1.0),
        bought=Bought(asin=text, title=text, options={text: text}, price=2.0),
        parts={text: text, "r_type": 0.5},
        why=text,
        checks=[Check(name=text, passed=False, detail=text)],
        actions=[text],
        answer=text,
        error=text,
        trajectory=f"trajectories/{text}",
    )


@dataclass
class Runs:
    a: Path
    b: Path
    comparison: Path


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    root = tmp_path_factory.mktemp("runs")
    first, second = episodes(300), episodes(300, skill=0.75)
    a, b = write_run(root / "a", first), write_run(root / "b", second, settings={"policy": "offline"})
    for directory in (a, b):
        write_report(directory)
    comparison = msgspec.to_builtins(compare(first, second, ("rule", "offline")))
    return Runs(a / "report.html", b / "report.html", write_comparison(a, b, root / "c", comparison))


def test_a_person_finds_out_why_it_failed(opened: Open, runs: Runs) -> None:
    view = opened(runs.a)
    title, *_ = view.texts("h1")
    assert title == "rule on WebShop goals"
    assert view.texts(".measure h2") == ["Success rate", "Score"]
    assert "Average person, published" in view.page.locator(".measure svg").first.text_content()
    first = view.page.locator(".failure").first
    number = int(first.locator("b").inner_text())
    first.locator("h3 a").click()
    assert view.found == f"{number} of 300 episodes"
    assert set(view.texts(".episode .badge")) == {first.locator("h3").inner_text()}
    example = first.locator(".examples li").first
    why = example.locator("p").first.inner_text()
    example.get_by_role("link").click()
    opened_row = view.page.locator("tr.detail")
    opened_row.get_by_text("Actions").wait_for()
    assert opened_row.locator(".why").inner_text() == why
    assert opened_row.locator(".sides th").all_inner_texts()[:2] == ["Wanted", "Bought"]
    assert opened_row.locator(".sides .mark").count() >= 2
    assert opened_row.locator(".actions li").count() >= 4
    focused = view.page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert focused == f"Details of {view.page.locator('tr.episode:has(+ .detail)').get_attribute('data-key')}"


def test_filters_order_and_pages_stand_in_the_address(opened: Open, runs: Runs) -> None:
    view = opened(runs.a)
    assert view.found == "300 episodes" and len(view.texts("tr.episode")) == 50
    view.page.get_by_role("button", name="Next").click()
    assert view.address == "page=2" and view.texts(".pager .muted") == ["51–100 of 300"]
    view.page.get_by_label("Result").first.select_option("failed")
    view.page.get_by_label("Score from").fill("40")
    view.page.get_by_label("to", exact=True).fill("80")
    score = view.page.get_by_role("columnheader", name="Score")
    score.get_by_role("button").click()
    assert score.get_attribute("aria-sort") == "descending"
    scores = [float(text) for text in view.texts(".c-score")]
    assert scores == sorted(scores, reverse=True) and scores[0] <= 80 and scores[-1] >= 40
    words = view.page.get_by_role("searchbox")
    words.fill("walnut wrong")
    assert view.page.get_by_text("No episode fits the filters.").is_visible()
    words.fill("WALNUT")
    again = opened(runs.a, f"#{view.address}")
    assert again.found == view.found and again.texts("tr.episode") == view.texts("tr.episode")
    view.page.get_by_role("button", name="Clear").click()
    assert view.found == "300 episodes" and words.input_value() == ""


TOUCHING = """(figure) => {
    const labels = [...document.querySelectorAll(`${figure} svg .tick`)]
        .map((label) => [label.textContent, label.getBoundingClientRect()]);
    return labels.flatMap(([a, first], at) => labels.slice(at + 1)
        .filter(([, other]) => first.left < other.right && other.left < first.right &&
            first.top < other.bottom && other.top < first.bottom)
        .map(([b]) => [a, b]));
}"""
"""Which labels below and beside a plot's axes lie over each other."""


def test_plots_narrow_the_table(opened: Open, runs: Runs) -> None:
    view = opened(runs.a)
    for name in ("scores", "parts", "steps", "cost", "time", "failures", "losses"):
        figure = view.page.locator(f"#figure-{name}")
        svg = figure.locator("svg")
        assert svg.get_attribute("role") == "img" and svg.locator("title").first.inner_html()
        assert figure.locator("table tr").count() > 1
        assert view.page.evaluate(TOUCHING, f"#figure-{name}") == [], f"labels of {name} touch"
    bar = view.page.locator("#figure-scores [data-filter]").last
    bar.click()
    assert view.address == "min=100"
    full = view.found
    view.page.locator("#figure-scores summary").click()
    view.page.locator("#figure-scores a").last.click()
    assert view.found == full
    assert set(view.texts(".c-score")) == {"100.0"}
    view.page.locator("#figure-steps [data-filter]").nth(2).click()
    view.page.get_by_role("button", name="steps ✕").click()
    assert view.found == "300 episodes"


def test_the_keyboard_is_enough(opened: Open, runs: Runs) -> None:
    view = opened(runs.a, "#failure=wrong_option")
    assert view.page.evaluate("() => document.activeElement.id") == "episodes-title"
    view.page.locator("tr.episode button").first.focus()
    view.page.keyboard.press("Enter")
    view.page.locator("tr.detail .actions").wait_for()
    assert "open=webshop-" in view.address
    view.page.keyboard.press("Space")
    assert view.page.locator("tr.detail").count() == 0 and view.address == "failure=wrong_option"


def test_a_comparison_says_what_changed(opened: Open, runs: Runs) -> None:
    view = opened(runs.comparison)
    assert "more than chance explains" in view.page.locator(".verdict.up").inner_text()
    assert view.texts(".pair-card h2") == ["Score, B − A", "Success rate, B − A"]
    view.page.get_by_role("link", name="Show what got better").click()
    assert all(text.startswith("+") for text in view.texts(".c-change"))
    better, of, pairs = view.found.partition(" of ")
    assert of and int(better) > 50 and pairs == "295 pairs"
    row = view.page.locator("tr.episode button").first
    row.click()
    detail = view.page.locator("tr.detail")
    detail.locator("h3", has_text="B: offline").wait_for()
    assert detail.locator(".sides").count() == 2
    assert (
        detail.get_by_role("link", name="Open in its report")
        .first.get_attribute("href")
        .startswith("../a/report.html#open=webshop-")
    )
    view.page.locator("#figure-transitions summary").click()
    view.page.locator("#figure-transitions a").first.click()
    number = view.page.locator("#figure-transitions a").first.inner_text()
    assert view.found == f"{number} of 295 pairs"
    assert "settings.policy" in view.page.locator("#settings").inner_text()


def test_hostile_texts_do_nothing(opened: Open, tmp_path: Path) -> None:
    played = [hostile(text, number) for number in range(2) for text in HOSTILE]
    about = {"model": HOSTILE[0], HOSTILE[1]: HOSTILE[1], "catalog": HOSTILE[5]}
    directory = write_run(tmp_path / "run", played, **about)
    view = opened(write_report(directory, viewer="../viewer.html#/{session}"))
    comparison = msgspec.to_builtins(compare(played, played, (HOSTILE[0], HOSTILE[1])))
    other = opened(write_comparison(directory, directory, tmp_path / "comparison", comparison))
    for each in (view, other):
        for button in each.page.locator("tr.episode button").all():
            button.click()
        each.page.locator("tr.detail .actions").last.wait_for()
        each.page.locator("details").evaluate_all("(all) => all.forEach((one) => { one.open = true; })")
        assert each.page.locator("main img, main script, main iframe, main svg[onload]").count() == 0
        texts = each.page.locator("tr.detail .whole").all_inner_texts()
        assert {text.strip("\u2028\u2029\n ") for text in texts} >= {text.strip("\u2028\u2029") for text in HOSTILE[:4]}
        each.goto(f"#q=nowhere {HOSTILE[0]}&open={HOSTILE[1]}&failure={HOSTILE[2]}&page=NaN&sort=constructor")
        each.page.get_by_text("No episode fits the filters.").wait_for()


def test_an_episode_leads_into_the_viewer(opened: Open, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    session = purchase(directory / "trajectories")
    recorded = msgspec.structs.replace(episodes(1)[0], trajectory=f"trajectories/{session.name}")
    gone = msgspec.structs.replace(episodes(2)[1], trajectory="trajectories/gone")
    write_run(directory, [recorded, gone])
    view = opened(write_report(directory), f"#open={recorded.key.replace('#', '%23')}")
    link = view.page.locator("tr.detail").get_by_role("link", name="Open the trajectory")
    link.wait_for()
    address = link.get_attribute("href")
    assert address == f"viewer.html#/{session.name}"
    viewer = view.page.context.new_page()
    viewer.goto(directory.as_uri() + "/" + address)
    viewer.locator(".step-head").wait_for()
    viewer.get_by_role("link", name="Report").click()
    viewer.locator("tr.episode").first.wait_for()
    view.page.locator("tr.episode button").nth(1).click()
    view.page.locator("tr.detail .actions").nth(1).wait_for()
    assert link.count() == 1


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_axe_finds_nothing(opened: Open, runs: Runs, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    # The page's own policy keeps axe out.
    options = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "bypass_csp": True}
    for path in (runs.a, runs.comparison):
        view = opened(path, **options)
        view.page.locator("tr.episode button").first.click()
        view.page.locator("tr.detail .actions").first.wait_for()
        view.page.locator("summary").first.click()
        lightness = view.page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]")
        assert (int(lightness) > 200) == (scheme == "light")
        assert view.page.evaluate("() => document.scrollingElement.scrollWidth <= innerWidth")
        found = axe.run(view.page).response["violations"]
        assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []


def test_many_episodes_open_fast(opened: Open, tmp_path: Path) -> None:
    path = write_report(write_run(tmp_path / "run", episodes(7000)))
    assert path.stat().st_size < 8_000_000
    start = time.perf_counter()
    view = opened(path)
    took = time.perf_counter() - start
    assert view.found == "7,000 episodes" and len(view.texts("tr.episode")) == 50
    # It takes some 0.4 s; the limit leaves room for a busy machine.
    assert took < 4
    view.page.get_by_role("searchbox").fill("walnut")
    assert view.found.endswith(" of 7,000 episodes")
    last = view.goto("#open=webshop-06999%230").page.locator("tr.detail")
    last.locator(".actions").wait_for()
    assert view.texts(".pager .muted") == ["6,951–7,000 of 7,000"]
