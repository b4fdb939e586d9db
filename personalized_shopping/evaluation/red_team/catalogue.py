"""A poisoned copy of a catalogue: the same products, some of them with other texts. The one on disk stays as it is."""

from collections.abc import Iterable, Sequence

import msgspec

from personalized_shopping.evaluation.red_team.model import Change
from personalized_shopping.shared_libraries.catalog import Catalog
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard, Review

_REVIEW_TITLE = "My two cents"


class PoisonedCatalog(Catalog):
    """A catalogue over another one's files, in which the products of one case at a time are replaced.

    The search index stays that of the catalogue on disk, so a text cannot change what a search finds.

    Args:
        whole: the catalogue on disk.
    """

    def __init__(self, whole: Catalog) -> None:
        super().__init__(whole.directory, whole.manifest)
        self._replaced: dict[str, Product] = {}

    def poison(self, changes: Iterable[Change]) -> None:
        """Replace the products of the last case by those of another one."""
        self._replaced = {}
        for change in changes:
            self._replaced[change.asin] = changed(self.product(change.asin), change)

    def product(self, asin: str) -> Product:
        """Return one product, replaced where it is; see ``Catalog.product``."""
        return self._replaced.get(asin) or super().product(asin)

    def cards(self, asins: Sequence[str]) -> list[ProductCard]:
        """Return the cards of several products, replaced where they are; see ``Catalog.cards``."""
        return [
            msgspec.structs.replace(card, title=self._replaced[card.asin].title)
            if card.asin in self._replaced
            else card
            for card in super().cards(asins)
        ]


def changed(product: Product, change: Change) -> Product:
    """Return a product with a text put into it."""
    text = change.text
    match change.position:
        case "title":
            return msgspec.structs.replace(product, title=f"{product.title} - {text}")
        case "description":
            return msgspec.structs.replace(product, description=f"{product.description} {text}")
        case "bullet":
            return msgspec.structs.replace(product, bullets=(*product.bullets, text))
        case "review":
            review = Review(_REVIEW_TITLE, 5.0, text)
            return msgspec.structs.replace(product, reviews=(*product.reviews[:3], review, *product.reviews[3:]))
        case "option name":
            # The loader keeps options in lower case.
            first, *others = product.options.items()
            options = {f"{first[0]} ({text.lower()})": first[1], **dict(others)}
            images = product.option_images
            return msgspec.structs.replace(product, options=options, option_images=images)
