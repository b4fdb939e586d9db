"""Measure what recording costs; ``python -m benchmarks.trajectory --help``.

The baseline is the writer that trajectory programs begin with: it keeps the steps in memory and writes the whole JSON
file again after every step, on the thread that asked. Both record the same steps and pages in the same process.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.shop import walk
from personalized_shopping.shared_libraries.trajectory import (
    Decision,
    ModelCall,
    ModelRequest,
    RenderedPage,
    Run,
    RunStart,
    ToolCall,
    ToolEnd,
    ToolStart,
    Usage,
    layout,
    read_log,
)
from personalized_shopping.shared_libraries.trajectory.writer import records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_a11y, render_html, render_text
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

PRODUCTS = 1_000
TICK_S = 0.001
ROUNDS = 3
"""The least of so many counts, by turns: what else the machine does only adds."""
PAUSE_S = 0.02
"""Between two steps on the event loop. A model takes far longer to answer; this is the harder case."""


class Row(NamedTuple):
    """One line of the table."""

    what: str
    value: str
    baseline: str
    ratio: str
    target: str


class SamplePage(NamedTuple):
    """A page as it is recorded, and what the model reads of it."""

    rendered: RenderedPage
    text: str


def sample_pages(count: int, size: int) -> list[SamplePage]:
    """Return pages of the demo shop, each put together from several of its pages until the HTML has ``size`` bytes."""
    env = WebAgentTextEnv("text", server=SimServer(files=demo_shop(PRODUCTS)))
    shown = _pages_of(env)
    found: list[SamplePage] = []
    while len(found) < count:
        html, a11y, text = "", "", ""
        while len(html.encode()) < size:
            page = next(shown)
            html += render_html(page, QueryStringLinks("s"))
            a11y += render_a11y(page)
            text = render_text(page)
        found.append(SamplePage(RenderedPage("item", html.encode()[:size].decode("utf-8", "ignore"), a11y), text))
    return found


def _pages_of(env: WebAgentTextEnv) -> Iterator[Any]:
    goals, episode = len(env.server.goals), 0
    while True:
        env.reset(options={"session": episode % goals})
        for action in walk(env, episode):
            env.step(action)
            yield env.browser.page
        episode += 1


def record_step(run: Run, number: int, page: SamplePage) -> list[Any]:
    """Record a step as the agent's plugin does, with a durable decision, and return the futures that it would await."""
    call = f"call-{number}"
    arguments = {"button_name": f"button {number}"}
    usage = Usage(prompt_tokens=1500 + number, completion_tokens=50, total_tokens=1550 + number)
    futures = [
        run.write(ModelRequest(step=number)),
        run.write(ModelCall(step=number, model="model", text="I look at the next one.", usage=usage, latency_ms=900.0)),
        run.write(ToolCall(step=number, call_id=call, tool="click", arguments=arguments, action="click[button]")),
        run.write(Decision(call_id=call, decision="allow", source="guard", risk_score=0.1)),
        run.write(ToolStart(call_id=call)),
    ]
    # The place is another one each time, the page may be one that was shown before.
    shown = run.show({"step": number}, lambda: page.rendered)
    result = {"status": "ok", "page": page.text}
    futures.append(run.write(ToolEnd(call_id=call, outcome="done", result=result, duration_ms=3.0, page=shown)))
    return futures


def naive_step(steps: list[dict[str, Any]], path: Path, number: int, page: SamplePage) -> int:
    """Do the same as a writer that writes the whole file again, and return the bytes written."""
    steps.append(
        {
            "step_idx": number,
            "response": "I look at the next one.",
            "actions": ["click[button]"],
            "html": page.rendered.html,
            "a11y_tree": page.rendered.a11y,
            "action_results": [{"action": "click[button]", "reward": 0.0, "done": False, "info": {"page": page.text}}],
        }
    )
    data = json.dumps({"steps": steps}, ensure_ascii=False, indent=2).encode()
    path.write_bytes(data)
    return len(data)


class Figures(NamedTuple):
    """What recording one session took. ``calling_s`` holds each step's seconds on the calling thread."""

    log_bytes: int
    blob_bytes: int
    seconds: float
    calling_s: list[float]


def recorded(root: Path, pages: list[SamplePage]) -> Figures:
    """Record a session as fast as it can be asked for."""
    started = time.perf_counter()
    run = Run(root, RunStart(app="benchmark", user="user", session="s"))
    calling = []
    for number, page in enumerate(pages):
        before = time.perf_counter()
        record_step(run, number, page)
        calling.append(time.perf_counter() - before)
    run.end("completed").result()
    seconds = time.perf_counter() - started
    (path,) = layout.logs_of(run.directory)
    log = read_log(path)
    if log.bad_lines or log.missing or log.end is None or log.end.dropped_pages:
        raise SystemExit("The recording is incomplete, so its figures mean nothing.")
    blobs = sum(blob.stat().st_size for blob in (run.directory / layout.BLOBS).rglob("*.gz"))
    return Figures(path.stat().st_size, blobs, seconds, calling)


def rewritten(root: Path, pages: list[SamplePage]) -> Figures:
    """Record a session with the naive writer."""
    steps: list[dict[str, Any]] = []
    calling, written = [], 0
    started = time.perf_counter()
    for number, page in enumerate(pages):
        before = time.perf_counter()
        written += naive_step(steps, root / "naive.json", number, page)
        calling.append(time.perf_counter() - before)
    return Figures(written, 0, time.perf_counter() - started, calling)


async def _worst_lag(steps: Callable[[], Any]) -> float:
    """Return the longest time, in seconds, for which the event loop kept somebody else waiting during the steps."""
    worst = 0.0

    async def watch() -> None:
        nonlocal worst
        while True:
            before = time.perf_counter()
            await asyncio.sleep(TICK_S)
            worst = max(worst, time.perf_counter() - before - TICK_S)

    watching = asyncio.create_task(watch())
    await asyncio.sleep(0)
    await steps()
    watching.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    return worst


def lags(root: Path, pages: list[SamplePage]) -> tuple[float, float, float]:
    """Return the worst lag of an event loop, in seconds: with recording, with the naive writer, with neither."""

    async def record() -> None:
        run = Run(root, RunStart(app="benchmark", user="user", session=f"lag {time.time_ns()}"))
        for number, page in enumerate(pages):
            await asyncio.gather(*map(asyncio.wrap_future, record_step(run, number, page)))
            await asyncio.sleep(PAUSE_S)
        await asyncio.wrap_future(run.end("completed"))

    async def rewrite() -> None:
        steps: list[dict[str, Any]] = []
        for number, page in enumerate(pages):
            naive_step(steps, root / "naive.json", number, page)
            await asyncio.sleep(PAUSE_S)

    async def nothing() -> None:
        for _ in pages:
            await asyncio.sleep(PAUSE_S)

    rounds = [[asyncio.run(_worst_lag(steps)) for steps in (record, rewrite, nothing)] for _ in range(ROUNDS)]
    recording, rewriting, idle = map(min, zip(*rounds, strict=True))
    return recording, rewriting, idle


def measure(steps: int, size: int) -> Iterator[Row]:
    """Yield the lines of the table."""
    distinct = sample_pages(steps, size)
    for name, pages in (("distinct", distinct), ("identical", distinct[:1] * steps)):
        print(f"{name} pages ...", file=sys.stderr)
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            rounds = [(recorded(root / str(number), pages), rewritten(root, pages)) for number in range(ROUNDS)]
            ours, naive = (min(figures, key=lambda one: sum(one.calling_s)) for figures in zip(*rounds, strict=True))
            recording, rewriting, idle = lags(root, pages)
        records_writer.drain()
        label = f"{steps} {name} pages"
        yield Row(f"{label}: log", f"{ours.log_bytes / 1e6:.3f} MB", "", "", "< 1 MB")
        total = ours.log_bytes + ours.blob_bytes
        yield _row(f"{label}: written, log and pages", total / 1e6, naive.log_bytes / 1e6, "MB", "")
        yield _row(f"{label}: time until all is written", ours.seconds, naive.seconds, "s", "")
        mean, worst = (1000 * function(ours.calling_s) for function in (_mean, max))
        naive_mean, naive_worst = (1000 * function(naive.calling_s) for function in (_mean, max))
        yield _row(f"{label}: calling thread, a step", mean, naive_mean, "ms", "< 1 ms")
        yield _row(f"{label}: calling thread, worst step", worst, naive_worst, "ms", "")
        yield _row(f"{label}: event loop, worst lag", 1000 * recording, 1000 * rewriting, "ms", "")
        yield Row(f"{label}: event loop, lag of an idle one", f"{1000 * idle:.3g} ms", "", "", "")


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _row(what: str, value: float, baseline: float, unit: str, target: str) -> Row:
    return Row(what, f"{value:.3g} {unit}", f"{baseline:.3g} {unit}", f"1/{baseline / value:.0f}", target)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.trajectory",
        description="Record a session of large pages, beside a writer that writes the whole file again at each step.",
    )
    parser.add_argument("--steps", type=int, default=100, help="steps of the session (default: %(default)s)")
    parser.add_argument("--page-bytes", type=int, default=80_000, help="size of a page (default: %(default)s)")
    options = parser.parse_args()
    print(f"{'':50}  {'recorder':>12}  {'rewriting':>12}  {'ratio':>8}  target")
    for row in measure(options.steps, options.page_bytes):
        print(f"{row.what:50}  {row.value:>12}  {row.baseline:>12}  {row.ratio:>8}  {row.target}", flush=True)


if __name__ == "__main__":
    main()
