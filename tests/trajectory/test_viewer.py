"""The viewer in a real browser, opened from the disk: what it shows, and that nothing in it can act."""

import base64
import gc
import hashlib
import json
import re
import threading
import weakref
from collections.abc import Callable, Iterator
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup

from personalized_shopping.errors import TrajectoryError, TrajectoryNotFound
from personalized_shopping.shared_libraries.trajectory import (
    ModelCall,
    RenderedPage,
    Run,
    RunStart,
    SessionTrajectory,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    UserMessage,
    read_session,
)
from personalized_shopping.shared_libraries.trajectory.layout import logs_of
from personalized_shopping.shared_libraries.trajectory.viewer import build, write_viewer
from personalized_shopping.shared_libraries.trajectory.viewer.view_model import Row, conversation, expensive_above
from personalized_shopping.shared_libraries.trajectory.writer import records_writer
from tests.trajectory.samples import SAMPLES, guarded, purchase

MARK = "window.marker=1"
HOSTILE = (
    f"<img src=x onerror={MARK}>",
    f"</script><script>{MARK}</script>",
    f"<!--<script>{MARK}//",
    f"javascript:{MARK}",
    f"\"'><svg onload={MARK}>",
    f"]]>{{{{{MARK}}}}}${{{MARK}}}",
    f"**<b onmouseover={MARK}>** `<iframe srcdoc='<script>parent.{MARK}</script>'>`",
)


def write_session(root: Path, name: str, steps: int, *, titles: list[str], text: str = "", pages: int = 0) -> Path:
    """Write a session that clicks once a step, each time on the next title; with `pages`, on as many pages in turn."""
    run = Run(root, RunStart(app="a", user="u", session=name, model="test/model"))
    run.write(UserMessage(text=text or f"look at {titles[0]}"))
    for step in range(steps):
        title, call_id = titles[step % len(titles)], f"{name}-{step}"
        used = Usage(prompt_tokens=100 + step, completion_tokens=5)
        run.write(
            ModelCall(step=step, model="test/model", text=title, thought=title, usage=used, latency_ms=5.0 + step)
        )
        arguments = {"button_name": title}
        run.write(ToolCall(step=step, call_id=call_id, tool="click", arguments=arguments, action=f"click[{title}]"))
        run.write(ToolStart(call_id=call_id))
        number = step % pages if pages else step
        shown = RenderedPage(
            "item", f"<h1>{escape(title)}</h1><p>page {number}</p>", f"[heading] {title}\n[text] {number}"
        )
        page = run.show({"number": number}, lambda shown=shown: shown)  # type: ignore[misc]
        result = {"observation": f"{title} [SEP] page {number}", "page": "item", "product": {"title": title}}
        run.write(ToolEnd(call_id=call_id, outcome="done", result=result, duration_ms=3.0, page=page))
        records_writer.drain()  # pages that have to wait are dropped
    run.end("completed")
    records_writer.drain()
    return run.directory


def copies(root: Path, count: int) -> list[Path]:
    """Write many small sessions: copies of one under other names and at other times."""
    template = write_session(root / "template", "session-0000", 2, titles=["Walnut Shelf"])
    [log] = logs_of(template)
    text = log.read_text(encoding="utf-8")
    found = []
    for number in range(count):
        directory = root / "many" / f"session-{number:04}"
        (directory / "runs").mkdir(parents=True)
        other = text.replace("session-0000", f"session-{number:04}").replace(
            "Walnut Shelf", f"Walnut Shelf {number:04}"
        )
        time = f"2026-01-{1 + number // 1440:02}T{number // 60 % 24:02}:{number % 60:02}:00.000Z"
        other = re.sub(r'"time":"[^"]+"', f'"time":"{time}"', other)
        (directory / "runs" / "log.jsonl").write_text(other, encoding="utf-8")
        found.append(directory)
    return found


def listed(path: Path) -> dict[str, Any]:
    """Return the data of the list in a viewer's file."""
    block = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser").find(id="sessions")
    assert block is not None and block.string is not None
    found: dict[str, Any] = json.loads(block.string)
    return found


@pytest.fixture
def sample_dirs(tmp_path: Path) -> list[Path]:
    return [sample(tmp_path / "sessions") for sample in SAMPLES.values()]


def test_every_sample_is_listed_newest_first(sample_dirs: list[Path], tmp_path: Path) -> None:
    steps: list[int] = []
    out = write_viewer(sample_dirs, tmp_path / "deep" / "er" / "viewer.html", progress=steps.append)
    rows = listed(out)["sessions"]
    assert {row["key"] for row in rows} == {directory.name for directory in sample_dirs}
    assert not any(row.get("problem") for row in rows)
    assert [row["time"] for row in rows] == sorted((row["time"] for row in rows), reverse=True)
    assert steps == [1] * len(sample_dirs)
    assert out.stat().st_mode & 0o077 == 0


def test_a_row_says_what_the_session_says(sample_dirs: list[Path], tmp_path: Path) -> None:
    data = listed(write_viewer(sample_dirs, tmp_path / "viewer.html"))
    by_id = {row["id"]: row for row in data["sessions"]}
    row, session = by_id["guarded"], read_session(next(path for path in sample_dirs if path.name.startswith("guarded")))
    agents = sum(usage.total for step in session.steps for usage in step.agent_usages)
    assert (row["guard_tokens"], row["tokens"]) == (2593, agents + 2593)
    assert (row["blocked"], row["steps"], row["runs"], row["errors"]) == (1, len(session.steps), 1, 3)
    assert by_id["purchase"]["bought"] == ["Red Cotton Shirt · $21.49"] and by_id["purchase"]["score"] == 1.0
    # This process still holds that log, so the run counts as going on.
    assert by_id["died"]["status"] == "running" and "failed" not in by_id["died"]
    assert by_id["silent"]["failed"] and "failed" not in row
    assert "Red Cotton Shirt" in [data["titles"][place] for place in by_id["purchase"]["titles"]]


def test_unreadable_sessions_are_listed_with_their_problem(tmp_path: Path) -> None:
    good = purchase(tmp_path / "sessions")
    nonsense, later, gone = (tmp_path / "sessions" / name for name in ("nonsense", "later", "gone"))
    for directory, text in ((nonsense, "nonsense\n"), (later, '{"v": 999, "type": "run_start"}\n')):
        (directory / "runs").mkdir(parents=True)
        (directory / "runs" / "log.jsonl").write_text(text, encoding="utf-8")
    out = write_viewer([nonsense, good, later, gone], tmp_path / "viewer.html")
    problems = {row["key"]: row.get("problem", "") for row in listed(out)["sessions"]}
    assert not problems[good.name]
    assert "version 999" in problems["later"]
    assert "nonsense holds no run" in problems["nonsense"] and "gone holds no run" in problems["gone"]
    assert str(tmp_path) not in out.read_text(encoding="utf-8")


def test_the_file_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    directory, out = purchase(tmp_path / "sessions"), tmp_path / "out" / "viewer.html"
    with pytest.raises(TrajectoryNotFound, match="'nobody'"):
        write_viewer([directory], out, selected="nobody")
    assert list(out.parent.iterdir()) == []
    write_viewer([directory], out, selected="purchase")
    whole = out.read_bytes()
    assert listed(out)["selected"] == directory.name
    with pytest.raises(TrajectoryNotFound):
        write_viewer([directory], out, selected="nobody")
    assert out.read_bytes() == whole and [path.name for path in out.parent.iterdir()] == ["viewer.html"]
    with pytest.raises(TrajectoryError, match="cannot be written"):
        write_viewer([directory], directory / "runs" / logs_of(directory)[0].name / "viewer.html")


def test_sessions_of_one_name_keep_apart(tmp_path: Path) -> None:
    directories = [write_session(tmp_path / root, "twin", 1, titles=[root]) for root in ("a", "b")]
    rows = listed(write_viewer(directories, tmp_path / "viewer.html"))["sessions"]
    name = directories[0].name
    assert {row["key"]: row["text"] for row in rows} == {name: "look at a", f"{name}-2": "look at b"}


def test_one_session_is_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[weakref.ref[SessionTrajectory]] = []

    def reading(directory: Path) -> SessionTrajectory:
        gc.collect()
        assert [session for seen in held if (session := seen()) is not None] == []
        session = read_session(directory)
        held.append(weakref.ref(session))
        return session

    monkeypatch.setattr(build, "read_session", reading)
    rows = listed(write_viewer(copies(tmp_path, 4), tmp_path / "viewer.html"))["sessions"]
    assert len(held) == 4 and not any(row.get("problem") for row in rows)


def test_a_page_lies_in_the_file_once(tmp_path: Path) -> None:
    directories = [write_session(tmp_path, name, 12, titles=["Oak Table"], pages=3) for name in ("one", "two")]
    blocks = BeautifulSoup(write_viewer(directories, tmp_path / "viewer.html").read_bytes(), "html.parser")
    assert len(blocks.find_all("script", attrs={"data-page": True})) == 6  # HTML and tree of three pages
    assert len(blocks.find_all("script", attrs={"data-session": True})) == 2


def test_what_json_has_no_word_for_hides_no_session(tmp_path: Path) -> None:
    [directory] = copies(tmp_path, 1)
    log = directory / "runs" / "log.jsonl"
    text = log.read_text(encoding="utf-8")
    text = text.replace('"number":0}', f'"number":{10**40},"odd":NaN,"half":"\\ud83d"}}')
    text = text.replace('"product":{', f'"n":{10**40},"odd":NaN,"half":"\\ud83d","product":{{')
    assert "NaN" in text
    log.write_text(text, encoding="utf-8")
    [row] = listed(write_viewer([directory], tmp_path / "viewer.html"))["sessions"]
    assert not row.get("problem") and row["steps"] == 2


@pytest.mark.parametrize(("tokens", "limit"), [([], None), ([0], None), ([7], 7), (range(1, 11), 9), (range(101), 90)])
def test_expensive_is_above_the_90th_percentile(tokens: Any, limit: int | None) -> None:
    assert expensive_above(Row(key=str(number), id="", tokens=number) for number in tokens) == limit


def test_the_conversation_is_told_in_order(tmp_path: Path) -> None:
    said = conversation(read_session(purchase(tmp_path)))
    assert [(entry.kind, entry.run) for entry in said] == [
        ("person", 0),
        ("agent", 0),
        ("question", 0),
        ("yes", 1),
        ("bought", 1),
        ("agent", 1),
    ]
    assert said[2].text == "Buy it for $21.49?" and said[0].attachments == ["image/png"]
    blocked = [entry for entry in conversation(read_session(guarded(tmp_path))) if entry.kind == "blocked"]
    assert [entry.text for entry in blocked] == ["click[Buy Now]: 34.99 > 30.00"]


def test_only_our_script_is_a_script(sample_dirs: list[Path], tmp_path: Path) -> None:
    hostile = [write_session(tmp_path, f"h {text}", 2, titles=[text], text=text) for text in HOSTILE]
    text = write_viewer([*sample_dirs, *hostile], tmp_path / "viewer.html").read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "html.parser")
    [script] = [found for found in soup.find_all("script") if not found.get("type")]
    assert script.string is not None
    digest = base64.b64encode(hashlib.sha256(script.string.encode()).digest()).decode()
    policy = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in str(policy["content"]).split(";"))
    assert rules["default-src"] == "'none'" and rules["script-src"] == f"'sha256-{digest}'"
    assert rules["img-src"] == "data:" and not {"connect-src", "frame-src"} & set(rules)
    assert {found["type"] for found in soup.find_all("script") if found.get("type")} == {
        "application/json",
        "application/octet-stream",
    }
    assert MARK not in text.replace("\\u003c", "<").split('id="sessions">')[0]
    assert "innerHTML" not in script.string and "eval(" not in script.string
    assert len(soup.find_all("iframe")) == len(soup.find_all("img")) == 0


class Opened:
    """A viewer's file in a browser, and everything that went wrong in it."""

    def __init__(self, context: Any, path: Path) -> None:
        self.path = path
        self.page = context.new_page()
        self.troubles: list[str] = []
        self.requests: list[Any] = []
        context.on("page", lambda page: self.troubles.append(f"another page: {page.url}"))
        self.page.on("console", lambda said: self.troubles.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request))
        # Counts what is inflated, and by which kind of block it was found.
        self.page.add_init_script(
            "window.inflations = 0; window.DecompressionStream = class extends DecompressionStream {"
            "constructor(kind) { super(kind); window.inflations++; } };"
        )

    def goto(self, address: str = "") -> "Opened":
        self.page.goto("about:blank")
        self.page.goto(self.path.as_uri() + address)
        self.page.locator(".sessions, .session-view").first.wait_for()
        return self

    def turn(self, key: str) -> None:
        """Go to a session without loading the file anew."""
        self.page.evaluate("(address) => { location.hash = address; }", f"#/{quote(key)}")
        self.page.wait_for_function(
            "(key) => document.querySelector('.session-view')?.dataset.session === key && "
            "document.querySelector('.step-head, .step .note')",
            arg=key,
        )

    def texts(self, selector: str) -> list[str]:
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    @property
    def address(self) -> str:
        return str(self.page.url).partition("#")[2]

    def heading(self, text: str) -> None:
        """Wait until a step of this number is shown."""
        self.page.locator(".step-head h2", has_text=re.compile(rf"^{text} of ")).wait_for()

    def check(self) -> None:
        """Fail if anything was said on the console, or asked for beyond the file itself."""
        # A frame's script that the browser refused to run is no trouble: it is what the frame is for.
        refused = "error: Blocked script execution in 'about:srcdoc' because the document's frame is sandboxed"
        assert [said for said in self.troubles if not said.startswith(refused)] == []
        # What the policy kept from being sent is told as a request that failed for that.
        asked = {(request.url.split("#")[0], request.failure) for request in self.requests}
        allowed = (self.path.as_uri(), "about:srcdoc", "about:blank")
        assert [request for request in asked if request[0] not in allowed and request[1] != "csp"] == []
        assert self.page.evaluate("() => window.marker") is None


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[..., Opened]]:
    """Open files; afterwards none of them may have complained, or asked anybody for anything."""
    contexts, found = [], []

    def open_it(path: Path, address: str = "", **options: Any) -> Opened:
        settings = {"viewport": {"width": 1400, "height": 900}, "locale": "en-GB", "timezone_id": "Europe/Berlin"}
        contexts.append(browser.new_context(**{**settings, **options}))
        found.append(Opened(contexts[-1], path))
        return found[-1].goto(address)

    yield open_it
    for each in found:
        each.check()
    for context in contexts:
        context.close()


@pytest.fixture
def samples_file(sample_dirs: list[Path], tmp_path: Path) -> Path:
    return write_viewer(sample_dirs, tmp_path / "viewer.html")


def key_of(path: Path, session: str) -> str:
    return next(row["key"] for row in listed(path)["sessions"] if row["id"] == session)


@pytest.mark.browser
def test_the_list_opens_from_the_disk(opened: Callable[..., Opened], tmp_path: Path) -> None:
    out = write_viewer(copies(tmp_path, 3), tmp_path / "viewer.html")
    view = opened(out)
    assert view.texts(".sessions .what b") == [f"look at Walnut Shelf {number:04}" for number in (2, 1, 0)]
    first = view.page.locator(".sessions a").first
    assert first.locator("time").inner_text() == "1 Jan, 01:02"  # a time zone away from UTC
    assert first.locator("time").get_attribute("title") == "2026-01-01 00:02:00.000 UTC"
    assert first.locator(".number").all_inner_texts()[:2] == ["2", "211"]
    assert view.page.evaluate("() => window.inflations") == 0


@pytest.mark.browser
def test_search_and_filters(opened: Callable[..., Opened], samples_file: Path) -> None:
    view = opened(samples_file)

    def shown() -> set[str]:
        return {
            key.rsplit("-", 1)[0]
            for key in view.page.locator(".sessions a").evaluate_all(
                "(links) => links.map((link) => link.dataset.session)"
            )
        }

    everything = shown()
    assert {"purchase", "guarded", "died", "played", "silent"} <= everything
    search = view.page.get_by_label("Search sessions")
    for words, wanted in {
        "CHEAPEST": {"guarded"},
        "purchase": {"purchase"},
        "test/model cheapest": {"guarded"},
        "red cotton shirt": {"purchase", "played"},
        "no such thing": set(),
    }.items():
        search.fill(words)
        assert shown() == wanted, words
    assert view.page.get_by_text("No session fits the search and the filters.").is_visible()
    search.fill("")
    for name, wanted in {"bought": {"purchase", "played"}, "blocked": {"guarded"}, "failed": {"silent"}}.items():
        view.page.locator(f".chip.{name}").click()
        assert shown() == wanted, name
        assert int(view.texts(f".chip.{name} .number")[0]) == len(wanted)
        view.page.locator(f".chip.{name}").click()
    view.page.get_by_label("Order").select_option("tokens")
    assert view.texts(".sessions .what b")[0] == "Buy the cheapest shirt."
    view.page.locator(".chip.bought").click()
    search.fill("shirt")
    address = view.address
    assert opened(samples_file, f"#{address}").texts(".found") == ["2 of 6 sessions"]


@pytest.mark.browser
def test_expensive_sessions(opened: Callable[..., Opened], tmp_path: Path) -> None:
    view = opened(write_viewer([*copies(tmp_path, 10), guarded(tmp_path)], tmp_path / "viewer.html"))
    chip = view.page.locator(".chip.expensive")
    assert chip.get_attribute("title").startswith("More than 211 tokens: above the 90th percentile")
    chip.click()
    assert view.texts(".sessions .what b") == ["Buy the cheapest shirt."]


@pytest.mark.browser
def test_keys_addresses_and_the_way_back(opened: Callable[..., Opened], tmp_path: Path) -> None:
    directories = [write_session(tmp_path, name, 20, titles=["Oak Table", "Ash Lamp"]) for name in ("one", "two")]
    out = write_viewer(directories, tmp_path / "viewer.html")
    view = opened(out)
    press = view.page.keyboard.press
    press("j")
    press("ArrowDown")
    press("k")
    press("j")
    press("Enter")
    view.heading("Step 0")
    key = view.address.strip("/")
    assert key.startswith("one-")
    for pressed, step in (
        ("j", 1),
        ("ArrowDown", 2),
        ("ArrowRight", 3),
        ("k", 2),
        ("ArrowUp", 1),
        ("End", 19),
        ("j", 19),
    ):
        press(pressed)
        view.heading(f"Step {step}")
        assert view.page.locator(".steps .current").get_attribute("data-step") == str(step)
    assert view.address == f"/{key}/step/19"
    press("Escape")
    view.page.locator(".sessions .current").wait_for()
    assert view.address == "/" and key in view.page.locator(".sessions .current a").get_attribute("href")
    press("/")
    view.page.keyboard.type("j?")
    assert view.page.get_by_label("Search sessions").input_value() == "j?"
    view.page.get_by_label("Search sessions").fill("")
    press("Escape")
    press("?")
    dialog = view.page.get_by_role("dialog")
    assert dialog.is_visible() and "Copy the link to this step" in dialog.inner_text()
    press("Escape")
    assert not dialog.is_visible()

    # Enter counts at once, though the help's button has the focus until the next frame.
    view.page.evaluate(
        """() => {
            document.getElementById("keys").showModal();
            document.getElementById("keys").close();
            if (document.activeElement.textContent !== "Close") throw new Error("the focus has moved already");
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
        }"""
    )
    view.heading("Step 0")
    press("/")
    view.page.keyboard.type("two")
    assert view.texts(".found") == ["1 of 2 sessions"]

    view.goto(f"#/{key}/step/7")
    view.heading("Step 7")
    view.page.locator('[data-step="9"] a').click()
    view.heading("Step 9")
    view.page.go_back()
    view.heading("Step 7")
    view.page.go_forward()
    view.heading("Step 9")
    view.page.get_by_role("button", name="Previous step").click()
    view.heading("Step 8")
    view.page.get_by_role("link", name="← Sessions").click()
    view.page.locator(".sessions").wait_for()
    view.page.go_back()
    view.heading("Step 8")


@pytest.mark.browser
def test_a_link_to_a_step_is_copied(opened: Callable[..., Opened], samples_file: Path) -> None:
    key = key_of(samples_file, "guarded")
    view = opened(samples_file, f"#/{key}/step/1", permissions=["clipboard-read", "clipboard-write"])
    view.heading("Step 1")
    view.page.get_by_role("button", name="Copy link").click()
    view.page.get_by_text("Link copied").wait_for()
    link = view.page.evaluate("() => navigator.clipboard.readText()")
    assert link == f"{samples_file.as_uri()}#/{key}/step/1"
    assert opened(samples_file, link.removeprefix(samples_file.as_uri())).texts(".step-head h2") == ["Step 1 of 0–2"]


@pytest.mark.browser
def test_a_selected_session_comes_first(opened: Callable[..., Opened], sample_dirs: list[Path], tmp_path: Path) -> None:
    out = write_viewer(sample_dirs, tmp_path / "viewer.html", selected="purchase")
    view = opened(out)
    view.heading("Step 0")
    assert view.address.strip("/") == key_of(out, "purchase")
    assert view.page.locator("h1").inner_text() == "Find me a red cotton shirt, size medium, under $30."
    view.goto("#/nobody")
    assert "holds no session “nobody”" in view.page.locator(".plain").inner_text()


@pytest.mark.browser
def test_what_a_session_says(opened: Callable[..., Opened], samples_file: Path) -> None:
    view = opened(samples_file, f"#/{key_of(samples_file, 'guarded')}/step/0")
    view.heading("Step 0")
    step = view.page.locator(".step")
    text = step.inner_text()
    for said in ("Model call failed ServerError", "503 overloaded", "search[cheap shirt]", "no index", "a new task"):
        assert said in text, said
    assert view.texts(".plan li") == ["search", "buy"]
    assert "190 100 in, 20 out, 70 in failed calls" in step.locator(".facts").inner_text()
    thought = step.locator(".thought")
    assert not thought.get_by_text("Compare.").is_visible()
    thought.locator("summary").click()
    thought.get_by_text("Compare.").wait_for()

    view.page.keyboard.press("j")
    view.heading("Step 1")
    decisions = step.locator(".decisions > li")
    assert decisions.count() == 2
    last = decisions.nth(1)
    for said in (
        "blocked",
        "rule+llm",
        "attempt 2",
        "Risk 0.9, threshold 0.7",
        "SHOP-BUDGET",
        "34.99 > 30.00",
        "cheaper one",
    ):
        assert said in last.inner_text(), said
    assert "timeout" in decisions.nth(0).inner_text()
    last.get_by_text("Prediction").click()
    last.get_by_text("irreversible").wait_for()
    assert "the guard's cache is full" in step.inner_text()
    whole = step.locator("details", has_text="Whole result")
    whole.locator("summary").click()
    assert '"status": "blocked_by_policy"' in whole.locator("pre").inner_text()

    view.goto(f"#/{key_of(samples_file, 'purchase')}/step/1")
    view.heading("Step 1")
    kinds = [
        re.sub(r"^said-by-| aside| here", "", name)
        for name in view.page.locator(".talk > li[class^=said]").evaluate_all(
            "(items) => items.map((item) => item.className)"
        )
    ]
    assert kinds == ["person", "agent", "question", "yes", "bought", "agent"]
    assert view.texts(".run-line .badge") == ["paused", "completed"]
    assert "Reward 1" in step.locator(".reward").inner_text()
    assert "Red Cotton Shirt" in step.locator(".bought-box").inner_text()
    assert view.texts(".confirmations .badge") == ["asked", "yes"]
    assert step.locator(".action").first.get_by_text("irreversible").is_visible()


@pytest.mark.browser
def test_the_page_as_the_agent_saw_it(opened: Callable[..., Opened], tmp_path: Path) -> None:
    directory = write_session(tmp_path, "s", 3, titles=["Oak Table", "Ash Lamp", "Elm Chair"])
    view = opened(write_viewer([directory], tmp_path / "viewer.html", selected="s"), f"#/{directory.name}/step/1")
    frame = view.page.frame_locator(".page-body iframe")
    frame.get_by_role("heading", name="Ash Lamp").wait_for()
    element = view.page.locator(".page-body iframe")
    assert element.get_attribute("sandbox") == ""
    assert element.evaluate("(frame) => frame.srcdoc").startswith('<meta http-equiv="Content-Security-Policy"')
    panel = view.page.locator(".page-panel")
    panel.get_by_role("button", name="Before").click()
    frame.get_by_role("heading", name="Oak Table").wait_for()
    panel.get_by_role("button", name="Text").click()
    assert panel.locator("pre").inner_text() == "Oak Table\npage 0"
    view.page.keyboard.press("b")
    panel.get_by_text("Ash Lamp").wait_for()
    panel.get_by_role("button", name="Tree").click()
    panel.locator(".tree").get_by_text("heading").wait_for()
    assert "Ash Lamp" in panel.locator(".tree").inner_text()
    view.page.keyboard.press("j")
    panel.locator(".tree").get_by_text("Elm Chair").wait_for()  # what is looked at stays the same from step to step


@pytest.fixture
def asked_for() -> Iterator[tuple[str, list[str]]]:
    """Serve on this machine, and tell under which address and what was asked for."""
    paths: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        timeout = 0.5  # a browser may open a connection in advance and then ask for nothing

        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()
        thread.join()


@pytest.mark.browser
def test_a_recorded_page_cannot_act(
    opened: Callable[..., Opened], tmp_path: Path, asked_for: tuple[str, list[str]]
) -> None:
    site, paths = asked_for
    links = {
        "out": f"href='{site}/out'",
        "new": f"target=_blank href='{site}/new'",
        "top": f"target=_top href='{site}/top'",
    }
    page = (
        f"<h1>Trap</h1><script>parent.{MARK};{MARK}</script><img src='{site}/x.png' onerror='{MARK}'>"
        f"<a href='javascript:parent.{MARK}'>run</a><meta http-equiv=refresh content='0;url={site}/refresh'>"
        + "".join(f"<p><a {rest}>{name}</a></p>" for name, rest in links.items())
        + f"<iframe src='{site}/frame'></iframe><form action='{site}/form'><button>send</button></form>"
        f"<link rel=stylesheet href='{site}/x.css'><link rel=prefetch href='{site}/prefetch'>"
        f"<style>@import '{site}/i.css'; h1 {{ background: url({site}/b.png) }}</style>"
    )
    run = Run(tmp_path, RunStart(app="a", user="u", session="trap"))
    run.write(ToolCall(step=0, call_id="c", tool="click", arguments={}, action="click[x]"))
    number = run.show({}, lambda: RenderedPage("item", page, "[heading] Trap"))
    run.write(ToolEnd(call_id="c", outcome="done", result={}, page=number))
    run.end("completed")
    records_writer.drain()
    view = opened(write_viewer([run.directory], tmp_path / "viewer.html", selected="trap"))
    frame = view.page.frame_locator(".page-body iframe")
    frame.get_by_role("heading", name="Trap").wait_for()
    for name in ("run", "send", "new", "top", "out"):
        frame.get_by_text(name, exact=True).click()
        view.page.wait_for_timeout(100)
    assert view.page.locator(".step-head").is_visible() and len(view.page.context.pages) == 1
    assert paths == []
    assert view.troubles  # the browser told what it refused
    view.troubles.clear()


@pytest.mark.browser
def test_hostile_texts_do_nothing(opened: Callable[..., Opened], sample_dirs: list[Path], tmp_path: Path) -> None:
    root = tmp_path / "hostile"
    directories = [
        write_session(root, f"{text} {number}", 2, titles=[text], text=text) for number, text in enumerate(HOSTILE)
    ]
    odd = root / "<img src=x onerror=window.marker=1>"
    directories[0].rename(odd)
    view = opened(write_viewer([odd, *directories[1:], *sample_dirs], tmp_path / "viewer.html"))
    rows = listed(view.path)["sessions"]
    texts = set(view.texts(".sessions .what b"))
    for text in HOSTILE:
        assert f"{text}" in texts
    for row in rows:
        view.turn(row["key"])
        view.page.locator("details").evaluate_all("(folds) => folds.forEach((fold) => { fold.open = true; })")
        for key in "123b":
            view.page.keyboard.press(key)
        view.page.locator(".stage").first.hover() if row.get("steps") else None
        view.page.keyboard.press("j")
        view.page.keyboard.press("1")
    view.goto("#/<img src=x onerror=window.marker=1>/step/1")
    view.heading("Step 1")
    assert view.page.locator("main img, main script, main svg[onload], main b[onmouseover]").count() == 0
    view.goto(f"#/?q=<script>{MARK}</script>")
    assert view.texts(".found") == [f"1 of {len(rows)} sessions"]


@pytest.mark.browser
def test_a_damaged_or_missing_page_is_said_to_be_so(opened: Callable[..., Opened], tmp_path: Path) -> None:
    directory = write_session(tmp_path, "s", 2, titles=["Oak Table"])
    session = read_session(directory)
    pages = list(session.pages.values())
    assert pages[0].html and pages[1].html
    session.blobs.path(pages[0].html.sha256).unlink()
    session.blobs.path(pages[1].html.sha256).write_bytes(b"damaged")
    view = opened(write_viewer([directory], tmp_path / "viewer.html", selected="s"))
    view.page.get_by_text("This page was not kept").wait_for()
    view.page.keyboard.press("2")
    view.page.locator(".tree").get_by_text("Oak Table").wait_for()
    view.page.keyboard.press("1")
    view.page.keyboard.press("j")
    view.page.get_by_text("This page was not kept").wait_for()


@pytest.mark.browser
def test_a_long_session_shows_only_what_is_in_sight(opened: Callable[..., Opened], tmp_path: Path) -> None:
    titles = [f"Table {number}" for number in range(100)]
    directory = write_session(tmp_path, "long", 500, titles=titles, pages=100)
    view = opened(write_viewer([directory], tmp_path / "viewer.html"), f"#/{directory.name}/step/250")
    view.heading("Step 250")
    view.page.frame_locator(".page-body iframe").get_by_text("page 50").wait_for()
    assert view.page.evaluate("() => window.inflations") == 2  # the session, and one page of a hundred
    rows = view.page.locator("[data-step]")
    assert 10 < rows.count() <= 60
    box = view.page.locator(".stage").bounding_box()
    view.page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    assert "Table 50" in view.page.locator(".tip").inner_text()
    view.page.mouse.click(box["x"] + box["width"] * 0.801, box["y"] + 20)
    view.heading("Step 400")
    assert view.address.endswith("/step/400")
    view.page.keyboard.press("End")
    view.heading("Step 499")
    assert rows.count() <= 60 and view.page.locator('[data-step="499"]').is_visible()
    assert view.page.locator(".timeline svg *").count() < 30
    for _ in range(5):
        view.page.keyboard.press("k")
    view.heading("Step 494")
    view.page.frame_locator(".page-body iframe").get_by_text("page 94").wait_for()
    assert view.page.evaluate("() => window.inflations") <= 9


@pytest.mark.browser
def test_a_thousand_sessions(opened: Callable[..., Opened], tmp_path: Path) -> None:
    view = opened(write_viewer(copies(tmp_path, 1000), tmp_path / "viewer.html"))
    assert view.texts(".found") == ["1,000 sessions"]
    rows = view.page.locator(".sessions a")
    assert 10 < rows.count() <= 60
    view.page.keyboard.press("End")
    last = view.page.locator(".sessions .current")
    assert "Walnut Shelf 0000" in last.inner_text() and rows.count() <= 60
    view.page.get_by_label("Search sessions").fill("shelf 0123")
    assert rows.count() == 1
    rows.click()
    view.heading("Step 0")
    assert "Walnut Shelf 0123" in view.page.locator(".action").inner_text()
    assert view.page.evaluate("() => window.inflations") == 1  # its pages were never kept
    view.page.keyboard.press("Escape")
    view.page.locator(".sessions .current").wait_for()
    assert view.address == "/?q=shelf+0123"


@pytest.mark.browser
@pytest.mark.parametrize("width", [1400, 1000, 700])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_sample_fits_the_window(
    opened: Callable[..., Opened], samples_file: Path, width: int, scheme: str
) -> None:
    view = opened(samples_file, viewport={"width": width, "height": 800}, color_scheme=scheme)
    fits = "(all = document.scrollingElement) => all.scrollWidth <= innerWidth && all.scrollHeight <= innerHeight"
    assert view.page.evaluate(f"() => ({fits})()")
    lightness = view.page.evaluate("() => getComputedStyle(document.body).backgroundColor.match(/[0-9]+/)[0]")
    assert (int(lightness) > 200) == (scheme == "light")
    for row in listed(samples_file)["sessions"]:
        view.turn(row["key"])
        assert view.page.evaluate(f"() => ({fits})()"), row["id"]
        talk = view.page.locator(".switch").get_by_role("button", name="Conversation")
        assert talk.is_visible() == (width == 700)
        if width == 700:
            talk.click()
            assert view.page.locator(".run-line").first.is_visible()
            assert not view.page.locator(".step-head").is_visible()
    unnamed = view.page.locator("button, a, input, select, iframe").evaluate_all(
        "(all) => all.filter((one) => !(one.innerText || one.ariaLabel || one.title)).map((one) => one.outerHTML)"
    )
    assert unnamed == []
