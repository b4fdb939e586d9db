"""Measure the embedded search engine against Pyserini itself; ``python -m benchmarks.search --help``.

Both engines answer the same queries by turns in one process, so the ratios mean something on any machine, loaded or
not. Starting, opening and memory are measured in a fresh process for each engine.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import search_corpus
from personalized_shopping.shared_libraries.search_engine import (
    Document,
    SearchEngine,
    build_index,
    engine_status,
    open_index,
)

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "webshop_1k"
TARGETS = {1_000: 0.30, 10_000: 0.35, 50_000: 0.50}
"""Query time that the embedded engine may take, as a share of Pyserini's."""
WARM_UP = 200
_ALONE = "--one-engine"


class Row(NamedTuple):
    """One line of the table."""

    what: str
    value: str
    baseline: str
    ratio: str
    target: str


def measure(sizes: list[int], query_count: int, data: Path | None, directory: Path) -> Iterator[Row]:
    """Yield the lines of the table, the figures of one size after the other's."""
    real = search_corpus.real_documents(data)
    queries = search_corpus.queries(data, query_count)
    compared = engine_status("lucene").usable
    engines = ("bm25", "lucene") if compared else ("bm25",)
    for size in sizes:
        documents = real if size == len(real) else search_corpus.mixed_documents(real, size)
        places = {engine: directory / f"{engine}-{size}" for engine in engines}
        built = {engine: _build(engine, documents, places[engine]) for engine in engines}
        limit = "<= 20 s" if size == 50_000 else ""
        yield _row(f"{size:,}: build", built, "s", limit)
        opened = [open_index(engine, places[engine], catalog_id="benchmark") for engine in engines]
        same, sets, seconds = _by_turns(opened, queries)
        milliseconds = {engine: spent / len(queries) * 1000 for engine, spent in zip(engines, seconds, strict=True)}
        yield _row(f"{size:,}: one query", milliseconds, "ms", f"<= {TARGETS[size]:.2f}" if size in TARGETS else "")
        if compared:
            asked = f"{len(queries)} queries"
            target = ">= 99.9%" if size >= 10_000 else ""
            yield Row(f"{size:,}: same ordered hits", f"{same / len(queries):.2%}", asked, "", target)
            yield Row(f"{size:,}: same sets of hits", f"{sets / len(queries):.2%}", asked, "", target or "100%")
        alone = {engine: _alone(engine, places[engine], queries) for engine in engines}
        for key, what, unit in (
            ("cold", "start to first answer", "s"),
            ("open", "open", "s"),
            ("memory", "resident after queries", "MB"),
            ("disk", "index on disk", "MB"),
        ):
            yield _row(f"{size:,}: {what}", {engine: alone[engine][key] for engine in engines}, unit, "")


def _build(engine: str, documents: list[Document], directory: Path) -> float:
    start = time.perf_counter()
    build_index(engine, documents, directory, catalog_id="benchmark")
    return time.perf_counter() - start


def _by_turns(engines: list[SearchEngine], queries: list[str]) -> tuple[int, int, list[float]]:
    """Return how many queries have the same hits in order, and as sets, and the seconds that each engine took."""
    for query in queries[:WARM_UP]:
        for engine in engines:
            engine.search(query)
    same = sets = 0
    seconds = [0.0] * len(engines)
    for query in queries:
        found = []
        for number, engine in enumerate(engines):
            start = time.perf_counter()
            hits = engine.search(query)
            seconds[number] += time.perf_counter() - start
            found.append([hit.docid for hit in hits])
        same += found[0] == found[-1]
        sets += set(found[0]) == set(found[-1])
    return same, sets, seconds


def _alone(engine: str, directory: Path, queries: list[str]) -> dict[str, float]:
    """Return what a fresh process measured that uses one engine only."""
    command = [sys.executable, "-m", "benchmarks.search", _ALONE, engine, "--directory", str(directory)]
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin and process.stdout
        process.stdin.write(json.dumps(queries) + "\n")
        process.stdin.flush()
        process.stdout.readline()
        cold = time.perf_counter() - start
        figures: dict[str, float] = json.loads(process.stdout.readline())
    disk = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6
    return figures | {"cold": cold, "disk": disk}


def _serve(engine: str, directory: Path) -> None:
    queries = json.loads(sys.stdin.readline())
    engine_status(engine)  # imports the engine, which is no part of opening an index
    start = time.perf_counter()
    index = open_index(engine, directory, catalog_id="benchmark")
    opened = time.perf_counter() - start
    index.search(queries[0])
    print("answered", flush=True)
    for query in queries:
        index.search(query)
    print(json.dumps({"open": opened, "memory": _peak_mb()}), flush=True)


def _peak_mb() -> float:
    status = Path("/proc/self/status")
    if status.exists():
        # Not getrusage: on Linux a new process inherits its parent's peak.
        return next(float(line.split()[1]) / 1e3 for line in status.open() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def _row(what: str, figures: dict[str, float], unit: str, target: str) -> Row:
    value, *baseline = figures.values()
    shown = [f"{figure:.4g} {unit}" for figure in (value, *baseline)]
    ratio = f"{value / baseline[0]:.3f}" if baseline and baseline[0] else ""
    return Row(what, shown[0], shown[1] if baseline else "not installed", ratio, target)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.search",
        description="Compare the embedded engine with Pyserini: query time, parity, building, starting and memory. "
        "Without the engine lucene (personalized-shopping install lucene), only the embedded one is measured.",
    )
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=sorted(TARGETS), help="documents (default: %(default)s)"
    )
    parser.add_argument("--queries", type=int, default=1_000, help="queries a size (default: %(default)s)")
    parser.add_argument("--data", type=Path, default=SHARED, help="WebShop's 1,000 products; made-up ones if absent")
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    parser.add_argument(_ALONE, choices=("bm25", "lucene"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_engine:
        _serve(options.one_engine, options.directory)
        return
    print(f"{'documents':38}  {'bm25':>14}  {'Pyserini':>14}  {'ratio':>8}  target")
    with tempfile.TemporaryDirectory() as directory:
        for row in measure(options.sizes, options.queries, options.data, Path(directory)):
            print(f"{row.what:38}  {row.value:>14}  {row.baseline:>14}  {row.ratio:>8}  {row.target}", flush=True)


if __name__ == "__main__":
    main()
