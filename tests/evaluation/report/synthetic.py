"""Plausible runs for the report's tests: what a shopper that is right half of the time would leave behind."""

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from personalized_shopping.shared_libraries.metrics.episode import Bought, Ending, Episode, Timing, Wanted
from personalized_shopping.shared_libraries.metrics.failures import explain_goal
from personalized_shopping.shared_libraries.metrics.summary import summarise

_ADJECTIVES = [
    "Slim Fit",
    "Rustic",
    "Hypoallergenic",
    "Portable",
    "Machine Washable",
    "Long Lasting",
    "Gluten Free",
    "Heavy Duty",
]
_MADE_OF = ["Cotton", "Walnut", "Stainless Steel", "Bamboo", "Ceramic", "Faux Leather", "Linen", "Memory Foam"]
_THINGS = [
    "Shirt",
    "Bookshelf",
    "Water Bottle",
    "Desk Lamp",
    "Running Shoes",
    "Throw Pillow",
    "Tea Sampler",
    "Phone Case",
    "Ottoman",
]
_COLOURS = ["black", "navy blue", "forest green", "rose gold", "white", "heather gray"]
_SIZES = ["small", "medium", "large", "x-large", "4 pack", "12 ounce"]
_CONVERSATIONS = [
    "find",
    "compare",
    "budget",
    "options",
    "not_available",
    "change_of_mind",
    "read_before_buy",
    "refuse",
]


def product(number: int) -> tuple[str, str, float]:
    """Return the ASIN, title and price of a made-up product."""
    draw = random.Random(number)
    title = f"{draw.choice(_ADJECTIVES)} {draw.choice(_MADE_OF)} {draw.choice(_THINGS)}, Model {number}"
    return (
        f"B0{number:08d}",
        f"{title} for Home, Office and Travel, with a Two Year Warranty",
        draw.randint(800, 9000) / 100,
    )


def episode(number: int, *, seed: int = 0, skill: float = 0.55, trial: int = 0, suite: str = "webshop") -> Episode:
    """Return a made-up episode; ``skill`` is the chance that each thing goes right."""
    draw = random.Random(f"{seed}/{number}/{trial}")
    wanted_number = number // 4
    asin, title, cost = product(wanted_number)
    colour, size = draw.choice(_COLOURS), draw.choice(_SIZES)
    limit = float(round(cost * draw.uniform(1.05, 1.6), -1) + 10)
    wanted = Wanted(
        asin=asin, title=title, attributes=["easy to clean", "long lasting"], options=[colour, size], price_limit=limit
    )
    text = f"i need a {title.split(',')[0].lower()} that is easy to clean, {colour} and {size}, under ${limit:.2f}"
    actions = [f"search[{title.split(',')[0].lower()}]"]
    listed = {asin} if draw.random() < 0.7 + skill * 0.3 else set()
    ended: Ending = "bought"
    roll = draw.random()
    if roll < 0.02:
        ended = "max_steps"
    elif roll < 0.035:
        ended = "model_error"
    elif roll < 0.05:
        ended = "error"
    bought, parts = None, {}
    score = 0.0
    if ended == "bought":
        right = draw.random() < skill + 0.15 and bool(listed)
        bought_asin, bought_title, bought_price = product(wanted_number if right else wanted_number + 1000)
        kept = draw.random() < skill + 0.2
        chosen = {"color": colour if kept else draw.choice(_COLOURS), "size": size}
        bought = Bought(asin=bought_asin, title=bought_title, options=chosen, price=bought_price)
        matched = 1.0 if chosen["color"] == colour else 0.5
        r_type, r_att = (1.0, 1.0) if right else (draw.choice([0.1, 0.5, 1.0]), draw.choice([0.0, 0.5, 1.0]))
        parts = {"r_type": r_type, "r_att": r_att, "r_option": matched, "r_price": bought_price <= limit}
        score = r_type * (2 * r_att + 2 * matched + (bought_price <= limit)) / 5
        actions += [f"click[{bought_asin.lower()}]", f"click[{chosen['color']}]", f"click[{size}]", "click[buy now]"]
    extra = draw.randint(0, 9)
    actions[1:1] = [draw.choice(["click[next >]", "click[< prev]", "click[back to search]"]) for _ in range(extra)]
    success = score >= 1.0
    verdict = explain_goal(
        ended,
        success=success,
        wanted=wanted,
        bought=bought,
        parts=parts,
        listed=listed,
        error="HTTP 503 from the model",
    )
    tokens = 900 * len(actions) + draw.randint(0, 4000)
    return Episode(
        task_id=f"{suite}-{number:05d}",
        trial=trial,
        suite=suite,
        kind=_CONVERSATIONS[number % 7] if suite == "conversations" else "",
        cluster=asin,
        goal_index=number,
        split=("dev", "test", "train", "train")[wanted_number % 4],
        instruction=text,
        status="system_error" if ended == "error" else "finished",
        ended=ended,
        score=round(score, 4),
        success=success,
        parts=parts,
        wanted=wanted,
        bought=bought,
        failure=verdict.failure,
        why=verdict.why,
        actions=actions,
        answer="" if success else "I bought what came closest.",
        steps=len(actions),
        model_calls=len(actions),
        input_tokens=tokens,
        output_tokens=40 * len(actions),
        cost_usd=tokens * 3e-7 if suite == "conversations" else None,
        error="HTTP 503 from the model" if ended in ("error", "model_error") else "",
    )


def episodes(count: int, *, trials: int = 1, **options: Any) -> list[Episode]:
    return [episode(number, trial=trial, **options) for number in range(count) for trial in range(trials)]


def write_run(directory: Path, played: Sequence[Episode], *, timed: bool = True, **manifest: Any) -> Path:
    """Write a run's directory as the evaluation does, but for its reports."""
    directory.mkdir(parents=True, exist_ok=True)
    settings = {"policy": "rule", "split": "all", "goals": "synthetic", "seed": 0, "trials": 1}
    suite = played[0].suite if played else "webshop"
    about = {"suite": suite, "started_at": "2026-01-02T03:04:05Z", "git_hash": "0123456789" * 4}
    catalog = {"catalog": {"name": "demo", "products": 1000, "sha256": "ab" * 32}}
    _write(directory / "manifest.json", {**about, **catalog, "settings": settings, **manifest})
    _write(directory / "summary.json", summarise(played))
    _write_lines(directory / "episodes.jsonl", played)
    if timed:
        draw = random.Random(7)
        times = (Timing(key=one.key, seconds=draw.lognormvariate(1.2, 0.7)) for one in played)
        _write_lines(directory / "timings.jsonl", times)
    return directory


def _write(path: Path, value: Any) -> None:
    path.write_bytes(msgspec.json.encode(value))


def _write_lines(path: Path, values: Iterable[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(value) + b"\n" for value in values))
