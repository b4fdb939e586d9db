"""How the tables of cases become tasks: which products fulfil a wish, and which parts are left to be asked for."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from personalized_shopping.evaluation.conversations.model import (
    Change,
    ConversationTask,
    Kind,
    Line,
    Moment,
    Part,
    Wish,
)
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.catalog.schema import Product

_CENT = 0.005


class Builder:
    """Makes tasks over one catalogue.

    Args:
        catalog: the demo catalogue.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.tasks: list[ConversationTask] = []

    def add(
        self,
        kind: Kind,
        name: str,
        opening: str,
        wish: Wish,
        *lines: Line,
        told: Sequence[str] = (),
        parts: Sequence[Part] = (),
        change: tuple[Moment, str, Wish] | None = None,
        facts: Sequence[tuple[str, ...]] = (),
        reads: Sequence[str] = (),
        about: Sequence[str] = (),
        compared: Sequence[str] = (),
        buys: bool = True,
        denial: bool = False,
        must_ask: bool = False,
    ) -> None:
        """Add a task.

        Args:
            kind: of which kind.
            name: tells it apart from the others of its kind.
            opening: the first message.
            wish: what is wanted.
            lines: what the person means to say, in order.
            told: what of the options and of ``limit`` the opening tells already.
            parts: parts in words of their own.
            change: when the mind changes, the words for it, and what is wanted then.
            facts: what answers must name.
            reads: pages one of which must be read.
            about: products that the talk is about; only they fulfil the wish.
            compared: products that are set against each other.
            buys: whether something is to be bought in the end.
            denial: whether the right answer is that there is no such thing.
            must_ask: whether the question before a purchase has to come up.
        """
        own = {part.about for part in parts}
        held = [Part(about=name, value=value) for name, value in wish.options.items() if name not in {*told, *own}]
        if wish.limit_usd is not None and "limit" not in {*told, *own}:
            held.append(Part(about="limit", value=f"{wish.limit_usd:g}"))
        self.tasks.append(
            ConversationTask(
                id=f"{kind}/{name}",
                kind=kind,
                opening=opening,
                wish=wish,
                asins=tuple(about) or self.fulfilling(wish),
                parts=(*parts, *held),
                lines=lines,
                outcome="buys" if buys else "nothing",
                change=Change(at=change[0], words=change[1], wish=change[2], asins=self.fulfilling(change[2]))
                if change is not None
                else None,
                facts=tuple(facts),
                reads=tuple(reads),
                about=tuple(about),
                compared=tuple(compared),
                denial=denial,
                must_ask=must_ask,
            )
        )

    def fulfilling(self, wish: Wish) -> tuple[str, ...]:
        """Return the products that fulfil a wish, cheapest first."""
        fitting = [product for product in self.products if fulfils(product, wish)]
        return tuple(
            product.asin for product in sorted(fitting, key=lambda product: (max(product.pricing), product.asin))
        )

    @cached_property
    def products(self) -> list[Product]:
        """All products of the catalogue."""
        return list(self._products())

    def product(self, asin: str) -> Product:
        """Return one product."""
        return self._catalog.product(asin)

    def _products(self) -> Iterator[Product]:
        for record in self._catalog.iter_records():
            yield record.product


def fulfils(product: Product, wish: Wish) -> bool:
    """Return whether a product is what a wish asks for, as its pages and its attributes tell."""
    if product.query != wish.product:
        return False
    if any(value not in product.options.get(name, ()) for name, value in wish.options.items()):
        return False
    if wish.limit_usd is not None and max(product.pricing, default=float("inf")) > wish.limit_usd + _CENT:
        return False
    return all(has_feature(product, feature) for feature in wish.features)


def has_feature(product: Product, feature: str) -> bool:
    """Return whether a product has a feature: by an attribute, or by its own words."""
    texts = (product.title, product.description, *product.bullets)
    return feature in product.attributes or any(_plain(feature) in _plain(text) for text in texts if text)


def _plain(text: str) -> str:
    return f" {re.sub(r'[^a-z0-9]+', ' ', text.lower()).strip()} "
