"""Make the numbers of docs/evaluation.md again: `python -m benchmarks.evaluation` (`make results`).

Every run keeps its manifest and its summary below eval/results; the tables of the document are written from them. The
demo catalogue is made by the program itself. WebShop's small catalogue belongs to others: --webshop names its file.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "eval" / "results"
DOCUMENT = ROOT / "docs" / "evaluation.md"
KEPT = ("manifest.json", "summary.json", "summary.md")
POLICIES = ("random", "rule", "offline", "oracle")
BEGIN, END = "<!-- results: {part} -->", "<!-- end of results -->"

Runs = dict[str, tuple[str, ...]]


class Part(NamedTuple):
    """A table of the document: the runs in it, by name, with the arguments of `eval`."""

    name: str
    runs: Runs


def parts(webshop: str = "items_shuffle_1000.json") -> list[Part]:
    """Return all tables."""
    agent = ("webshop", "--model", "offline", "--split", "test", "--limit", "40", "--trajectories", "none")
    demo: Runs = {f"demo-{name}": ("webshop", "--policy", name, "--trajectories", "none") for name in POLICIES}
    small: Runs = {f"webshop-{name}": (*demo[f"demo-{name}"], "--file-path", webshop) for name in POLICIES}
    agents: Runs = {"agent": agent, "agent-without-skills": (*agent, "--skills", "off")}
    talks: Runs = {"conversations": ("conversations", "--trajectories", "none")}
    return [Part("webshop", small), Part("demo", demo), Part("agent", agents | talks)]


def main() -> None:
    """Run what can be run here, and write the document's tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--webshop", type=Path, metavar="FILE", help="items_shuffle_1000.json, its side files beside it"
    )
    parser.add_argument("--workers", default="2", help="worker processes [2]")
    parser.add_argument("--only", choices=[part.name for part in parts()], help="only one table's runs")
    arguments = parser.parse_args()
    for part in parts(str(arguments.webshop)):
        if (part.name == "webshop" and arguments.webshop is None) or arguments.only not in (None, part.name):
            continue
        for name, run in part.runs.items():
            _evaluate(name, [*run, "--workers", arguments.workers])
    DOCUMENT.write_text(with_tables(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")


def with_tables(document: str) -> str:
    """Return the document with its tables as the kept results have them."""
    for part in parts():
        begin = BEGIN.format(part=part.name)
        head, rest = document.split(begin, 1)
        _, tail = rest.split(END, 1)
        document = f"{head}{begin}\n{table(part)}\n{END}{tail}"
    return document


def table(part: Part) -> str:
    """Return the table of a part in Markdown."""
    lines = [
        "| run | episodes | score | success rate | score by product | success by product | steps |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in part.runs:
        path = RESULTS / name / "summary.json"
        if path.exists():
            lines.append(_row(name, json.loads(path.read_text(encoding="utf-8"))))
    return "\n".join(lines)


def _row(name: str, summary: dict[str, Any]) -> str:
    def shown(measure: str) -> str:
        low, high = summary[f"{measure}_interval"]
        spread = "" if low is None else f" ({low * 100:.1f} to {high * 100:.1f})"
        return f"{summary[measure] * 100:.1f}{spread}"

    measures = ("score", "success_rate", "score_by_product", "success_rate_by_product")
    cells = [f"[{name}](../eval/results/{name}/summary.md)", f"{summary['judged']:,}", *map(shown, measures)]
    return f"| {' | '.join(cells)} | {summary['steps']:.1f} |"


def _evaluate(name: str, arguments: list[str]) -> None:
    print(f"== {name}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / name
        command = [sys.executable, "-m", "personalized_shopping.cli", "eval", *arguments, "--out", str(out)]
        # What this machine's agent has learned is no part of it.
        environment = {**os.environ, "SKILL_LIBRARY_DIR": str(Path(scratch) / "skills")}
        subprocess.run(command, check=True, cwd=ROOT, env=environment)
        target = RESULTS / name
        target.mkdir(parents=True, exist_ok=True)
        for file in KEPT:
            shutil.copyfile(out / file, target / file)


if __name__ == "__main__":
    main()
