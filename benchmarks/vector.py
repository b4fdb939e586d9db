"""Measure vector environments; ``python -m benchmarks.vector --help``.

All of it over the demo catalogue, each row in a process of its own. The baseline of a sync one is one environment in a
loop of its own; of the opening, environments that each open the catalogue.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium

from benchmarks.shop import QUERIES, Row, _resident_mb, play
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import demo_shop

NAME = "WebAgentTextEnv-v0"


def actions(infos: dict[str, Any], numbers: list[int]) -> list[str]:
    """Return the next action of each sub-environment: search, the first product, the purchase, and a reset."""
    shown = infos["available_actions"]["clickables"]
    found = []
    for place, (kind, labels) in enumerate(zip(infos["page"], shown, strict=True)):
        if kind == "search":
            numbers[place] += 1
            found.append(f"search[{QUERIES[numbers[place] % len(QUERIES)]} {numbers[place]}.{place}]")
        else:
            buy = kind == "item" or len(labels) < 3
            found.append("click[buy now]" if buy else f"click[{labels[2]}]")
    return found


def rate(mode: str, count: int, steps: int) -> float:
    """Return the steps a second of a vector environment, over all its sub-environments."""
    envs = gymnasium.make_vec(NAME, num_envs=count, vectorization_mode=mode, observation_mode="text")
    _, infos = envs.reset(seed=0)
    numbers = [0] * count
    for _ in range(8):
        *_, infos = envs.step(tuple(actions(infos, numbers)))
    rounds, seconds = steps // count, 0.0
    for _ in range(rounds):
        chosen = tuple(actions(infos, numbers))
        started = time.perf_counter()
        *_, infos = envs.step(chosen)
        seconds += time.perf_counter() - started
    envs.close()
    return rounds * count / seconds


def rates(count: int, steps: int) -> list[Row]:
    """Return the rows of stepping."""
    one = rate("sync", 1, steps)
    rows = []
    for mode in ("sync", "async"):
        many = rate(mode, count, steps)
        what = f"steps a second, {count} environments, {mode}"
        rows.append(Row(what, f"{many:.0f}", f"{one:.0f}", f"{many / one:.2f}x"))
    return rows


def opening(shared: int, count: int) -> tuple[float, float]:
    """Return the seconds and the MB that it takes to open environments and search in each, after a first one."""
    files = demo_shop()
    play(WebAgentTextEnv("text", server=SimServer(files=files)), 600)
    before, started = _resident_mb(), time.perf_counter()
    make: Callable[[], Any] = (lambda: gymnasium.make(NAME, observation_mode="text")) if shared else _alone
    envs = gymnasium.vector.SyncVectorEnv([make] * count)
    envs.reset(seed=0)
    seconds = time.perf_counter() - started
    envs.step(tuple(f"search[{query}]" for query in (QUERIES * count)[:count]))
    return seconds, _resident_mb() - before


def _alone() -> WebAgentTextEnv:
    return WebAgentTextEnv("text")


def measure(count: int, steps: int) -> list[Row]:
    """Run every measurement and return the table."""
    demo_shop()
    (time_s, memory_mb), (alone_s, alone_mb) = (_in_new_process("opening", shared, count) for shared in (1, 0))
    return [
        Row(f"opening {count}", f"{time_s * 1e3:.0f} ms", f"{alone_s * 1e3:.0f} ms", f"1/{alone_s / time_s:.0f}"),
        Row(f"memory of {count}", f"{memory_mb:.1f} MB", f"{alone_mb:.1f} MB", f"1/{alone_mb / memory_mb:.0f}"),
        *rates(count, steps),
    ]


def _in_new_process(part: str, *arguments: int) -> list[float]:
    command = [sys.executable, "-m", "benchmarks.vector", "--part", part, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [float(value) for value in done.stdout.split()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.vector", description="Vector environments beside one environment, and beside others."
    )
    parser.add_argument("--environments", type=int, default=64, help="sub-environments (default: %(default)s)")
    parser.add_argument("--steps", type=int, default=64_000, help="steps a measurement takes (default: %(default)s)")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(*opening(int(options.part[1]), int(options.part[2])))
        return
    print(f"{'':44}  {'measured':>10}  {'baseline':>10}  {'ratio':>7}")
    for row in measure(options.environments, options.steps):
        print(f"{row.what:44}  {row.value:>10}  {row.baseline:>10}  {row.ratio:>7}", flush=True)


if __name__ == "__main__":
    main()
