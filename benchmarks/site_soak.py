"""Load the website for some time and report what it answers and needs; ``python -m benchmarks.site_soak --help``.

The website is started as a person starts it, in a process of its own, on the catalogue that is configured.
"""

import argparse
import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.site_clients import Shopper

SHOWN_FAILURES = 20
WARM_UP = 0.2
"""The part of the time, at the beginning, whose growth of memory does not count: caches fill."""


class Sample(NamedTuple):
    """The website at one moment: seconds since the beginning, requests answered so far, memory in MB."""

    seconds: float
    requests: int
    rss_mb: float
    peak_mb: float


class Report(NamedTuple):
    """What came of a soak. Latencies are in milliseconds; status 0 stands for no answer."""

    seconds: float
    statuses: Counter[int]
    failures: list[str]
    latencies_ms: dict[str, float]
    samples: list[Sample]

    @property
    def requests(self) -> int:
        """How many requests were made."""
        return self.statuses.total()

    @property
    def failed(self) -> int:
        """How many were answered by a failure of the server, or not at all."""
        return sum(count for status, count in self.statuses.items() if status >= 500 or status == 0)

    @property
    def growth_mb(self) -> float:
        """By how much the memory grew after the caches were filled."""
        warm = next((s for s in self.samples if s.seconds >= WARM_UP * self.seconds), self.samples[-1])
        return self.samples[-1].rss_mb - warm.rss_mb


def soak(
    seconds: float,
    clients: int,
    *,
    pause_s: float = 0.05,
    every_s: float = 30.0,
    catalog: Path | None = None,
    show: Callable[[Sample], None] = lambda _: None,
) -> Report:
    """Let shoppers visit a website for some time.

    Args:
        seconds: for how long.
        clients: how many shoppers at once.
        pause_s: between two requests of one shopper, in seconds.
        every_s: between two looks at the memory, in seconds.
        catalog: a built catalogue; ``None`` for the configured one.
        show: given every look at the memory.
    """
    with tempfile.TemporaryDirectory() as log, _website(Path(log), catalog) as (process, address):
        stop = threading.Event()
        shoppers = [Shopper(address, number, pause_s, stop) for number in range(clients)]
        began = time.monotonic()
        for shopper in shoppers:
            shopper.start()
        samples = []
        while not samples or samples[-1].seconds < seconds:
            left = seconds - (time.monotonic() - began)
            time.sleep(max(0.0, min(every_s, left)))
            made = sum(len(shopper.seconds) for shopper in shoppers)
            samples.append(Sample(time.monotonic() - began, made, *_memory_mb(process.pid)))
            show(samples[-1])
        stop.set()
        for shopper in shoppers:
            shopper.join()
    latencies = np.array([taken for shopper in shoppers for taken in shopper.seconds]) * 1000
    return Report(
        seconds=samples[-1].seconds,
        statuses=sum((shopper.statuses for shopper in shoppers), Counter[int]()),
        failures=[failure for shopper in shoppers for failure in shopper.failures],
        latencies_ms={f"p{part}": float(np.percentile(latencies, part)) for part in (50, 95, 99, 100)},
        samples=samples,
    )


@contextlib.contextmanager
def _website(log: Path, catalog: Path | None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the website; yield its process and its address."""
    command = [sys.executable, "-m", "personalized_shopping.cli", "site", "--port", "0", "--allow-chosen-ids"]
    command += ["--log", str(log), *(["--catalog", str(catalog)] if catalog else [])]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = next((line for line in process.stderr if "http://" in line), None)
        try:
            if said is None:
                raise SystemExit(f"The website did not start (exit code {process.wait()}).")
            # A pipe that nobody reads would stop the website once it is full.
            threading.Thread(target=process.stderr.read, daemon=True).start()
            yield process, said.split("open at ")[1].split()[0]
        finally:
            process.terminate()
            process.wait(30)


def _memory_mb(pid: int) -> tuple[float, float]:
    """Return a process's memory and the most it ever was, in MB; not a number where the system does not tell."""
    found = {"VmRSS": float("nan"), "VmHWM": float("nan")}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) / 1024
    return found["VmRSS"], found["VmHWM"]


def lines(report: Report) -> list[str]:
    """Return a report as lines of text."""
    last = report.samples[-1]
    said = [
        f"requests   {report.requests} in {report.seconds:.0f} s, {report.requests / report.seconds:.0f} a second",
        "statuses   " + ", ".join(f"{status}: {count}" for status, count in sorted(report.statuses.items())),
        f"failed     {report.failed}",
        "latency    " + ", ".join(f"{name} {value:.1f} ms" for name, value in report.latencies_ms.items()),
        f"memory     {last.rss_mb:.0f} MB, at most {last.peak_mb:.0f} MB; {report.growth_mb:+.1f} MB after warming up",
    ]
    return said + [f"  {failure}" for failure in report.failures[:SHOWN_FAILURES]]


def main() -> int:
    """Run the soak that was asked for; the exit code is 1 where a request failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.site_soak", description=(__doc__ or "").split(";")[0])
    parser.add_argument("--minutes", type=float, default=10.0, help="for how long (default: 10)")
    parser.add_argument("--clients", type=int, default=8, help="shoppers at once (default: 8)")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between requests of one (default: 0.05)")
    parser.add_argument("--every", type=float, default=30.0, help="seconds between looks at the memory (default: 30)")
    parser.add_argument("--catalog", type=Path, metavar="DIR", help="a built catalogue (default: the configured one)")
    options = parser.parse_args()
    report = soak(
        options.minutes * 60,
        options.clients,
        pause_s=options.pause,
        every_s=options.every,
        catalog=options.catalog,
        show=lambda sample: print(
            f"{sample.seconds:6.0f} s  {sample.requests:8} requests  {sample.rss_mb:7.1f} MB", flush=True
        ),
    )
    print("\n".join(lines(report)))
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
