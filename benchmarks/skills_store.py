"""Measure a large library of skills: finding what fits a page, health updates, opening; ``--help`` tells more.

Finding is measured on three libraries: skills of many sites, of one site with several kinds of pages, and all for one
kind of page, which is the worst there can be. The baseline looks at every skill in turn. Selectors are looked for in a
parsed page, as they are when a shop is open.
"""

import argparse
import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills import health
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.index import query_words
from personalized_shopping.shared_libraries.skills.library import Outcome, SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import skill_key, skill_path
from personalized_shopping.shared_libraries.skills.model import Skill, read_skill, skill_bytes
from personalized_shopping.shared_libraries.skills.world import Signals

SKILLS = 5_000
TARGET_MS = 5.0
KINDS = ("search", "results", "item", "item_sub", "done")
LAYOUTS = {"many sites": (100, 5), "one site": (1, 5), "one kind of page": (1, 1)}
"""How many domains there are, and how many kinds of pages each has."""
_SYLLABLES = tuple(first + second for first in "bdfgklmnprstvz" for second in ("an", "el", "ok"))
WORDS = tuple(first + second for first in _SYLLABLES for second in _SYLLABLES)
FREQUENCIES = tuple(1 / (rank + 10) for rank in range(len(WORDS)))
"""A few words are in many skills and most in few, as in any language."""
GOAL_WORDS, OTHER_WORDS = 4, 6
"""How many words of a goal skills have too, and how many are the shopper's own."""
SHOWN_CONTROLS = 30


class Row(NamedTuple):
    """One line of the table. Times are milliseconds; ``cpu_p95`` leaves out what other programs of the machine took."""

    what: str
    p50: float
    p95: float
    cpu_p95: float
    target: str = ""


def words(rng: random.Random, count: int) -> list[str]:
    """Return words as they occur."""
    return rng.choices(WORDS, FREQUENCIES, k=count)


def make_skill(number: int, rng: random.Random, domains: int, kinds: int) -> Skill:
    """Return a skill such as a capture gives, with made-up words."""
    kind = KINDS[rng.randrange(kinds)]
    domain = "webshop" if domains == 1 else f"shop{number % domains}.example"
    host = "[^/]+" if domains == 1 else re.escape(domain)
    return read_skill(
        {
            "id": f"d{number}",
            "domain": domain,
            "label": " ".join(words(rng, 3))[:40],
            "description": " ".join(words(rng, 12)),
            "action": "click",
            "status": "verified",
            "preconditions": {
                "url_matches": [f"^https?://{host}/{kind}/"],
                "exists": [f"#control-{rng.randrange(4 * SHOWN_CONTROLS)}"],
                "page_kind": [kind] if domains == 1 else [],
            },
            "locators": {"selector": f"#control-{number}", "by_text": words(rng, 1)},
            "program": {
                "entry": f"program__d{number}",
                "code": f"def program__d{number}(env, locators, args, options):",
            },
            "meta": {"created_at": "2026-01-01T00:00:00+00:00"},
            "health": {"health_score": rng.random(), "success_count": rng.randrange(50)},
        }
    )


def fill(directory: Path, skills: list[Skill]) -> None:
    """Write skills where a library has them, without its locks and versions."""
    for skill in skills:
        path = skill_path(directory, skill_key(skill.domain, skill.id))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(skill_bytes(skill))


def timed(action: Callable[[int], object], rounds: int) -> tuple[float, float, float]:
    """Return the median and the 95th percentile of the time of an action, and the latter of its processor time."""
    wall, cpu = [], []
    for number in range(rounds):
        start, start_cpu = time.perf_counter(), time.thread_time()
        action(number)
        cpu.append((time.thread_time() - start_cpu) * 1_000)
        wall.append((time.perf_counter() - start) * 1_000)
    if rounds == 1:
        return wall[0], wall[0], cpu[0]
    return statistics.median(wall), statistics.quantiles(wall, n=20)[-1], statistics.quantiles(cpu, n=20)[-1]


def look_at_all(skills: list[Skill], signals: Signals, goal: str, exists: Callable[[str], bool]) -> list[Skill]:
    """Return what fits, by looking at every skill in turn: the baseline."""
    words, now = set(query_words(goal)), datetime.now(UTC)
    found = []
    for skill in skills:
        conditions = skill.preconditions
        if conditions.page_kind and signals.page_kind not in conditions.page_kind:
            continue
        if not any(re.search(pattern, signals.url) for pattern in conditions.url_matches):
            continue
        if all(exists(selector) for selector in conditions.exists):
            text = len(words & set(query_words(f"{skill.label} {skill.description}")))
            found.append((text + health.rank(skill.health, now), skill))
    return [skill for _, skill in sorted(found, key=lambda each: -each[0])[:5]]


def measure(size: int, rounds: int, directory: Path) -> Iterator[Row]:
    """Yield the lines of the table."""
    for layout, (domains, kinds) in LAYOUTS.items():
        rng = random.Random(size)
        skills = [make_skill(number, rng, domains, kinds) for number in range(size)]
        goals = [" ".join([*words(rng, GOAL_WORDS), *(f"own{n}" for n in range(OTHER_WORDS))]) for _ in range(rounds)]
        host, kind = ("127.0.0.1:3000", KINDS[0]) if domains == 1 else ("shop7.example", None)
        signals = Signals(f"http://{host}/{KINDS[0]}/x", kind, "", None)
        place = directory / layout.replace(" ", "-")
        fill(place, skills)
        for row in measure_library(place, skills, signals, goals):
            yield row._replace(what=f"{layout}: {row.what}")


def measure_library(place: Path, skills: list[Skill], signals: Signals, goals: list[str]) -> Iterator[Row]:
    """Yield what using one library costs."""
    body = "".join(f'<button id="control-{number}">x</button>' for number in range(SHOWN_CONTROLS))
    dom = Dom(f"<!doctype html><html><body>{body}</body></html>")
    library = SkillLibrary(place)

    def exists(selector: str) -> bool:
        return bool(dom.select(selector))

    def find(number: int) -> None:
        assert library.fitting(signals, goals[number], exists), "nothing fits: the benchmark measures nothing"

    def run(number: int) -> None:
        skill = skills[number % len(skills)]
        library.record_outcome(skill.domain, skill.id, "ok", winner="selector", page_kind=KINDS[0])
        find(number)

    yield Row("first use, index built", *timed(find, 1))
    yield Row("what fits", *timed(find, len(goals)), f"p95 < {TARGET_MS:g} ms")
    yield Row(
        "the same, baseline", *timed(lambda n: look_at_all(skills, signals, goals[n], exists), min(len(goals), 20))
    )
    yield Row("an outcome kept, then what fits", *timed(run, min(len(goals), 100)))
    many = [Outcome(skill.domain, skill.id, "ok", winner="selector") for skill in skills[:1_000]]
    yield Row(f"{len(many):,} outcomes in one batch", *timed(lambda _: library.record_outcomes(many), 1))
    library.close()
    yield Row("first use, index there", *timed(find, 1))
    library.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.skills_store", description=__doc__)
    parser.add_argument("--skills", type=int, default=SKILLS, help="skills in a library (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=300, help="queries a library (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    options = parser.parse_args()
    rows = []
    print(f"{f'{options.skills:,} skills, milliseconds':52}  {'p50':>9}  {'p95':>9}  {'p95 (CPU)':>9}  target")
    with tempfile.TemporaryDirectory() as directory:
        for row in measure(options.skills, options.rounds, Path(directory)):
            rows.append(row._asdict())
            print(f"{row.what:52}  {row.p50:9.2f}  {row.p95:9.2f}  {row.cpu_p95:9.2f}  {row.target}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
