"""The product as every room of the project knows it."""

from typing import Any

import msgspec

NO_RATING = "N.A."


class Review(msgspec.Struct, frozen=True, gc=False):
    """One customer review."""

    title: str
    score: float | str
    body: str = ""


class HumanInstruction(msgspec.Struct, frozen=True):
    """A request that a person wrote for one product."""

    instruction: str
    attributes: tuple[str, ...]
    options: tuple[str, ...] | dict[str, str] = ()


class Product(msgspec.Struct, frozen=True):
    """One product, prepared by the loader's rules.

    ``options`` maps an option's name to its values, in catalogue order; names and values are lower-case.
    ``pricing`` holds one price or a range (low, high) in US dollars, in the order of the source;
    ``price`` is the text that pages show for it. ``rating`` is ``"N.A."`` where none is known.
    """

    asin: str
    title: str | None
    description: str | None
    bullets: tuple[str | None, ...]
    category: str | None
    query: str
    product_category: str | None
    pricing: tuple[float, ...]
    price: str
    options: dict[str, tuple[str, ...]]
    option_images: dict[str, str | None]
    attributes: tuple[str, ...]
    images: tuple[str | None, ...]
    rating: float | str = NO_RATING
    reviews: tuple[Review, ...] = ()
    instruction_text: str | None = None
    instruction_attributes: tuple[str, ...] | None = None
    human_instructions: tuple[HumanInstruction, ...] = ()

    @property
    def main_image(self) -> str | None:
        """The first image: the one that result lists and the product page show."""
        return self.images[0]


class ProductCard(msgspec.Struct, frozen=True, gc=False):
    """What one line of a results page shows of a product."""

    asin: str
    title: str | None
    price: str
    image: str | None
    pricing: tuple[float, ...] = ()
    rating: float | str = NO_RATING


class SourceRecord(msgspec.Struct, frozen=True):
    """A product on its way into a store: where it stood in the source, and its raw fields as kept there.

    ``position`` counts the source's records from 0, rejected ones included; ``raw`` holds the fields
    that WebShop's loader keeps on its product mappings, and is stored apart from the product.
    """

    position: int
    product: Product
    raw: dict[str, Any]
