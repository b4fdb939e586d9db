"""Goals: what an evaluated shopper is asked to find, drawn as WebShop draws them but from a seed.

All draws happen in WebShop's order from one generator: first a price for every product with a price range, then a
price limit for every instruction, so that seed 233 gives what the published program gives after ``random.seed(233)``.
The goals are then shuffled by a second generator that always starts from 233. The result is a table of a few numbers a
goal, kept as memory-mapped arrays beside the catalogue; a ``Goal`` is made when it is asked for.
"""

import itertools
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from personalized_shopping.errors import GoalError
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.catalog.schema import Product

DEFAULT_SEED = 233
GOALS_FORMAT = 1
"""Raised whenever an older program could misread the arrays."""
SHUFFLE_SEED = 233
PRICE_RANGE: tuple[float, ...] = tuple(10.0 * i for i in range(1, 100))
"""The price limits that an instruction may name, in US dollars."""
NO_PRICE_LIMIT = 1_000_000
_CANDIDATES = 4

GoalKind = Literal["human", "synthetic"]
GOAL_KINDS: tuple[GoalKind, ...] = ("human", "synthetic")


class Goal(msgspec.Struct, frozen=True):
    """One task: the product it was written for, and what a purchase is measured against.

    ``goal_options`` are bare texts for a human goal and values by option name for a synthetic one; ``price_upper`` is
    in US dollars.
    """

    asin: str
    category: str | None
    query: str
    name: str | None
    product_category: str | None
    instruction_text: str
    attributes: tuple[str, ...]
    price_upper: float
    goal_options: tuple[str, ...] | dict[str, str]
    weight: float

    def as_dict(self) -> dict[str, Any]:
        """Return the goal as WebShop's mapping, in plain JSON types."""
        fields = msgspec.structs.asdict(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}


def price_limits(price: float) -> tuple[float, ...]:
    """Return the limits that may be drawn for a product of this price: the next four above it."""
    start = bisect_right(PRICE_RANGE, price)
    return PRICE_RANGE[start : start + _CANDIDATES]


def draw_price_limit(price: float, rng: random.Random) -> float:
    """Draw a price limit: the larger of two of the candidates, or none where fewer than two are left."""
    candidates = price_limits(price)
    return max(rng.sample(candidates, 2)) if len(candidates) >= 2 else NO_PRICE_LIMIT


def price_clause(price_upper: float) -> str:
    """Return how an instruction names its price limit; nothing where there is none."""
    return "" if price_upper >= NO_PRICE_LIMIT else f", and price lower than {price_upper:.2f} dollars"


def draw_price(pricing: Sequence[float], rng: random.Random) -> float:
    """Return the price that a purchase is charged: fixed, or drawn once from the product's range."""
    if not pricing:
        return 100.0
    return pricing[0] if len(pricing) == 1 else rng.uniform(pricing[0], pricing[1])


class _Entry(NamedTuple):
    """The goals of one instruction: which product, which variants of it, and its attributes."""

    row: int
    price: float
    variants: tuple[int, ...]
    attributes: tuple[str, ...]
    one_draw_each: bool


class GoalTable(Sequence[Goal]):
    """All goals of one kind and seed, in their shuffled order.

    Args:
        catalog: the catalogue of the goals' products.
        kind: ``human`` or ``synthetic``.
        directory: where ``write_goals`` left the arrays.
    """

    def __init__(self, catalog: Catalog, kind: GoalKind, directory: Path) -> None:
        self._catalog = catalog
        self.kind = kind
        self._rows = _open(directory, f"{kind}-rows")
        self._variants = _open(directory, f"{kind}-variants")
        self._limits = _open(directory, f"{kind}-limits")
        self._weights = _open(directory, f"{kind}-weights")
        self.cum_weights: npt.NDArray[np.float64] = _open(directory, f"{kind}-cum_weights")
        """Running sums of the weights, from 0: one more than there are goals."""

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        try:
            product = self._catalog.product_at(int(self._rows[index]))
        except IndexError:
            raise GoalError(f"There is no goal {index}: the {self.kind} goals are 0 to {len(self) - 1}.") from None
        limit = float(self._limits[index])
        variant = int(self._variants[index])
        if self.kind == "human":
            return _human_goal(product, variant, limit)
        return _synthetic_goal(product, variant, limit, float(self._weights[index]))

    def __iter__(self) -> Iterator[Goal]:
        return (self[i] for i in range(len(self)))


def open_prices(directory: Path) -> npt.NDArray[np.float64]:
    """Return every product's drawn price in US dollars, by row."""
    return _open(directory, "prices")


def write_goals(catalog: Catalog, directory: Path, seed: int = DEFAULT_SEED) -> dict[str, int]:
    """Draw prices and goals and write their arrays.

    Returns:
        The number of goals of each kind.
    """
    rng = random.Random(seed)
    products = catalog.iter_products()
    prices: list[float] = []
    human: list[_Entry] = []
    synthetic: list[_Entry] = []
    for row, product in enumerate(products):
        price = draw_price(product.pricing, rng)
        prices.append(price)
        kept = tuple(i for i, written in enumerate(product.human_instructions) if written.attributes)
        human.extend(_Entry(row, price, (i,), product.human_instructions[i].attributes, True) for i in kept)
        if product.instruction_text is not None and product.instruction_attributes:
            combinations = 1
            for values in product.options.values():
                combinations *= len(values)
            synthetic.append(_Entry(row, price, tuple(range(combinations)), product.instruction_attributes, False))
    directory.mkdir(parents=True, exist_ok=True)
    np.save(directory / "prices.npy", np.array(prices, dtype=np.float64))
    state = rng.getstate()
    counts: dict[str, int] = {}
    for kind, entries in (("human", human), ("synthetic", synthetic)):
        rng.setstate(state)
        counts[kind] = _write_kind(directory, kind, entries, rng)
    return counts


def _write_kind(directory: Path, kind: str, entries: list[_Entry], rng: random.Random) -> int:
    limits = [draw_price_limit(entry.price, rng) for entry in entries]
    sizes = np.array([len(entry.variants) for entry in entries], dtype=np.int64)
    order = list(range(int(sizes.sum()) if len(sizes) else 0))
    random.Random(SHUFFLE_SEED).shuffle(order)
    shuffled = np.array(order, dtype=np.int64)

    def spread(values: list[Any], dtype: type) -> npt.NDArray[Any]:
        return np.repeat(np.array(values, dtype=dtype), sizes)[shuffled]

    variants = list(itertools.chain.from_iterable(entry.variants for entry in entries))
    weights = spread(_weights(kind, entries), np.float64)
    np.save(directory / f"{kind}-rows.npy", spread([entry.row for entry in entries], np.int32))
    np.save(directory / f"{kind}-variants.npy", np.array(variants, dtype=np.int32)[shuffled])
    np.save(directory / f"{kind}-limits.npy", spread(limits, np.float64))
    np.save(directory / f"{kind}-weights.npy", weights)
    np.save(directory / f"{kind}-cum_weights.npy", np.concatenate([[0.0], np.cumsum(weights)]))
    return len(order)


def _weights(kind: str, entries: list[_Entry]) -> list[float]:
    """Return each entry's sampling weight: 1, or the mean rarity of its attributes over all synthetic goals."""
    if kind == "human":
        return [1.0] * len(entries)
    counts: Counter[str] = Counter()
    for entry in entries:
        for attribute in entry.attributes:
            counts[attribute] += len(entry.variants)
    return [
        sum(1.0 / counts[a] for a in entry.attributes) / len(entry.attributes) if entry.variants else 0.0
        for entry in entries
    ]


def _human_goal(product: Product, variant: int, limit: float) -> Goal:
    written = product.human_instructions[variant]
    text = written.instruction.strip(".") + price_clause(limit)
    return _goal(product, text, written.attributes, limit, written.options, 1)


def _synthetic_goal(product: Product, variant: int, limit: float, weight: float) -> Goal:
    chosen: dict[str, str] = {}
    rest = variant
    for name in sorted(product.options, reverse=True):
        values = product.options[name]
        rest, position = divmod(rest, len(values))
        chosen[name] = values[position]
    options = {name: chosen[name] for name in sorted(chosen)}
    listed = ", and ".join(f"{name}: {value}" for name, value in options.items())
    text = f"{product.instruction_text}{' with ' + listed if listed else ''}{price_clause(limit)}"
    return _goal(product, text, product.instruction_attributes or (), limit, options, weight)


def _goal(
    product: Product,
    text: str,
    attributes: tuple[str, ...],
    limit: float,
    options: tuple[str, ...] | dict[str, str],
    weight: float,
) -> Goal:
    return Goal(
        asin=product.asin,
        category=product.category,
        query=product.query,
        name=product.title,
        product_category=product.product_category,
        instruction_text=text,
        attributes=attributes,
        price_upper=int(limit) if limit >= NO_PRICE_LIMIT else limit,
        goal_options=options,
        weight=weight,
    )


def _open(directory: Path, name: str) -> npt.NDArray[Any]:
    path = directory / f"{name}.npy"
    try:
        return np.load(path, mmap_mode="r")
    except (OSError, ValueError) as error:
        raise GoalError(f"The goals beside the catalogue cannot be read ({path}: {error}). Build it again.") from error
