"""Steps a second, resets, opening and memory of the text environment, over the demo catalogue.

The workload is one search, one product, one option or sub-page, and the ways back: one search in six steps. The
baseline walks through the same pages, but renders each from the template's source and parses the HTML twice, for the
text and for what can be clicked, as the published environment does at every step.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jinja2 import DictLoader, Environment
from tqdm import tqdm

from personalized_shopping.config import MAX_USER_SESSIONS
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import (
    TEMPLATE_DIR,
    TEMPLATES,
    QueryStringLinks,
    safe_image,
    safe_json,
)
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import (
    convert_html_to_text,
    text_to_clickable,
)
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

BASELINE_STEPS = 150
LIVE_SESSIONS = 10_000
QUERIES = (
    "red cotton shirt", "wireless headphones with long battery", "gluten free snack", "table lamp for bedroom",
    "women's running shoes size 8", "natural shampoo", "storage basket", "green tea", "usb cable 6 ft", "wool blanket",
)  # fmt: skip


class Row(NamedTuple):
    """One line of the table, in words."""

    what: str
    value: str
    baseline: str = ""
    ratio: str = ""
    target: str = ""


def measure(sizes: list[int], steps: int, episodes: int) -> list[Row]:
    """Run every measurement and return the table."""
    rows: list[Row] = []
    for size in sizes:
        demo_shop(size)
        rows += _stepping(size, steps)
    largest = max(sizes)
    rows += [Row(*line.split("|")) for line in _in_new_process("opening", largest)]
    rows += [Row(*line.split("|")) for line in _in_new_process("sessions", min(sizes))]
    rows += [Row(*line.split("|")) for line in _in_new_process("episodes", min(sizes), episodes)]
    return rows


def walk(env: WebAgentTextEnv, episode: int) -> Iterator[str]:
    """Yield the actions of one episode; each looks at the page that stands when it is asked for."""
    # A number that changes, so that no search is remembered from an earlier one.
    yield f"search[{QUERIES[episode % len(QUERIES)]} {episode}]"
    products = [card.asin for card in env.browser.page.products]
    if not products:
        return
    yield f"click[{products[episode % len(products)]}]"
    options = [button.label for button in env.browser.page.buttons if button.kind == "option"]
    yield f"click[{options[episode % len(options)]}]" if options else "click[description]"
    if not options:
        yield "click[< prev]"
    yield "click[features]"
    yield "click[< prev]"
    yield "click[buy now]"


def play(env: WebAgentTextEnv, steps: int, bar: tqdm | None = None) -> tuple[int, float, float]:
    """Play episodes; return the steps taken, the seconds they took, and the seconds of one reset."""
    taken, stepping, resetting, episodes = 0, 0.0, 0.0, 0
    goals = len(env.server.goals)
    while taken < steps:
        started = time.perf_counter()
        env.reset(options={"session": episodes % goals})
        middle = time.perf_counter()
        before = taken
        for action in walk(env, episodes):
            env.step(action)
            taken += 1
        stepping += time.perf_counter() - middle
        resetting += middle - started
        episodes += 1
        if bar is not None:
            bar.update(taken - before)
    return taken, stepping, resetting / episodes


def _stepping(size: int, steps: int) -> list[Row]:
    env = WebAgentTextEnv("text", server=SimServer(files=demo_shop(size)))
    play(env, 200)
    with tqdm(total=steps, desc=f"{size} products", file=sys.stderr) as bar:
        taken, seconds, reset = play(env, steps, bar)
    rate, slow = taken / seconds, _baseline(env)
    target = ">= 2000" if size <= 1_000 else ">= 1500"
    return [
        Row(f"steps a second, {size} products", f"{rate:.0f}", f"{slow:.0f}", f"{rate / slow:.1f}x", target),
        Row(f"reset, {size} products", f"{reset * 1e3:.3f} ms", target="< 0.3 ms"),
    ]


def _baseline(env: WebAgentTextEnv) -> float:
    """Return the steps a second of an environment that renders and parses every page as the published one does."""
    taken, seconds, episode = 0, 0.0, 0
    while taken < BASELINE_STEPS:
        env.reset(options={"session": 0})
        for action in walk(env, episode):
            env.step(action)
            started = time.perf_counter()
            html = _render_from_source(env.browser.page)
            convert_html_to_text(html, simple=True)
            text_to_clickable(html)
            seconds += time.perf_counter() - started
            taken += 1
        episode += 1
    return taken / seconds


def _render_from_source(page: Page) -> str:
    sources = {path.name: path.read_text(encoding="utf-8") for path in TEMPLATE_DIR.glob("*.html")}
    environment = Environment(loader=DictLoader(sources), autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["safe_json"] = safe_json
    template = environment.get_template(TEMPLATES[page.kind])
    links = QueryStringLinks("s")
    return template.render(page=page, product=page.product, links=links, image=safe_image, actions=actions)


def _in_new_process(part: str, *arguments: int) -> list[str]:
    """Run a measurement of memory in a process of its own and return its lines."""
    print(f"measuring {part} ...", file=sys.stderr)
    command = [sys.executable, "-m", "benchmarks.shop", part, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.splitlines()


def _resident_mb() -> float:
    """Return the resident memory now, in MB; where the system does not tell, the most there was."""
    try:
        with open("/proc/self/status", encoding="ascii") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def _opening(size: int) -> None:
    started = time.perf_counter()
    env = WebAgentTextEnv("text", server=SimServer(files=demo_shop(size)))
    opened = time.perf_counter() - started
    play(env, 600)
    print(f"opening {size} products and their index|{opened * 1e3:.0f} ms|||< 500 ms")
    print(f"memory of the process after 600 steps, {size} products|{_resident_mb():.0f} MB|||< 200 MB")


def _sessions(size: int) -> None:
    server = SimServer(files=demo_shop(size))
    play(WebAgentTextEnv("text", server=server), 600)
    before = _resident_mb()
    environments = []
    for number in range(LIVE_SESSIONS):
        env = WebAgentTextEnv("text", server=server, session=number % len(server.goals))
        env.step(f"search[{QUERIES[number % len(QUERIES)]}]")
        environments.append(env)
    print(f"{LIVE_SESSIONS} live sessions|{_resident_mb() - before:.0f} MB more|||< 100 MB")


def _episodes(size: int, episodes: int) -> None:
    env = WebAgentTextEnv("text", server=SimServer(files=demo_shop(size)))
    goals = len(env.server.goals)

    def run(count: int) -> None:
        for number in tqdm(range(count), desc="episodes", file=sys.stderr):
            env.reset(options={"session": f"s{number}"} if number % 2 else {"session": number % goals})
            env.step(f"search[{QUERIES[number % len(QUERIES)]}]")

    # As many first as fill every bounded memory: sessions, queries, products.
    run(max(episodes // 5, 3 * MAX_USER_SESSIONS))
    before = _resident_mb()
    run(episodes)
    print(f"memory gained over {episodes} episodes|{_resident_mb() - before:.1f} MB|||flat")


_PARTS: dict[str, Callable[..., None]] = {"opening": _opening, "sessions": _sessions, "episodes": _episodes}

if __name__ == "__main__":
    _PARTS[sys.argv[1]](*map(int, sys.argv[2:]))
