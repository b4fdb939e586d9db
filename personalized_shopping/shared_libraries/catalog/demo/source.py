"""The demo catalogue as a source of products, prepared by the same loader rules as every other catalogue."""

from collections.abc import Iterator
from typing import Any

from personalized_shopping.shared_libraries.catalog.demo.content import fingerprint
from personalized_shopping.shared_libraries.catalog.demo.raw_records import (
    DEFAULT_PRODUCTS,
    DEFAULT_SEED,
    DemoRecord,
    demo_raw,
)
from personalized_shopping.shared_libraries.catalog.importers.side_files import SideEntry
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import prepare
from personalized_shopping.shared_libraries.catalog.schema import HumanInstruction, Review, SourceRecord

GENERATOR_VERSION = 1
"""Raised whenever the generator's code makes other products from the same words."""


class DemoSource:
    """A demo catalogue of so many products; iterate it as often as you like, each time from the start."""

    def __init__(self, products: int, seed: int) -> None:
        """Name the catalogue; ``demo_source`` is the way to make one."""
        self._products = products
        self._seed = seed

    @property
    def description(self) -> dict[str, Any]:
        """What the manifest says about the source: equal descriptions mean equal products."""
        return {
            "generator": "demo",
            "version": GENERATOR_VERSION,
            "words": fingerprint(),
            "products": self._products,
            "seed": self._seed,
        }

    def __len__(self) -> int:
        """Return the number of products."""
        return self._products

    def __iter__(self) -> Iterator[SourceRecord]:
        """Yield the products, made as they are asked for."""
        for position, record in enumerate(demo_raw(self._products, self._seed)):
            product = prepare(record.raw, _side_entry(record))
            yield SourceRecord(position=position, product=product, raw=record.raw)


def demo_source(n: int = DEFAULT_PRODUCTS, seed: int = DEFAULT_SEED) -> DemoSource:
    """Describe a demo catalogue; nothing is made before it is iterated.

    Args:
        n: how many products.
        seed: which catalogue: the same number and seed give the same products on every machine.
    """
    return DemoSource(n, seed)


def demo_records(n: int = DEFAULT_PRODUCTS, seed: int = DEFAULT_SEED) -> Iterator[SourceRecord]:
    """Stream the products of a demo catalogue."""
    return iter(DemoSource(n, seed))


def _side_entry(record: DemoRecord) -> SideEntry:
    ins = record.ins
    wanted = ins.get("instruction_attributes")
    return SideEntry(
        attributes=tuple(ins["attributes"]),
        instruction=ins.get("instruction"),
        instruction_attributes=None if wanted is None else tuple(wanted),
        human=tuple(
            HumanInstruction(
                ask["instruction"], tuple(ask["instruction_attributes"]), tuple(ask["instruction_options"])
            )
            for ask in record.human
        ),
        reviews=tuple(
            Review(review["title"], float(review["stars"]), review["review"]) for review in record.reviews["reviews"]
        ),
        rating=record.reviews["average_rating"],
    )
