"""The view of a shop's page taken from the page itself, for a shopper who plays the shop without any tool between."""

from functools import lru_cache

from personalized_shopping.models.offline.pages import (
    MAX_BLOCK_CHARS,
    MAX_BLOCKS,
    MAX_BUTTONS,
    MAX_TITLE_CHARS,
    Card,
    Review,
    View,
)
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard
from personalized_shopping.shared_libraries.requests.options import Option
from personalized_shopping.shared_libraries.requests.text import clean
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page

_CARDS_KEPT = 4_096


def view_of(page: Page) -> View:
    """Return what a page shows, and nothing that it does not: a product's texts only on the page that prints them."""
    product = page.product
    return View(
        kind=page.kind,
        query=clean(page.query) if page.kind == "results" else "",
        page_number=page.page_number if page.kind == "results" else 1,
        total_results=page.total_results if page.kind == "results" else 0,
        products=tuple(_listed(card) for card in page.products) if page.kind == "results" else (),
        product=_opened(product, page.options) if product is not None else None,
        blocks=_blocks(page.kind, product) if product is not None else (),
        reviews=_reviews(product) if product is not None and page.kind == "reviews" else (),
        buttons=tuple(button.label for button in page.buttons[:MAX_BUTTONS]),
        purchased=page.kind == "done",
    )


@lru_cache(maxsize=_CARDS_KEPT)
def _listed(card: ProductCard) -> Card:
    return Card(
        asin=card.asin,
        title=clean(card.title, MAX_TITLE_CHARS),
        low_usd=min(card.pricing) if card.pricing else None,
        high_usd=max(card.pricing) if card.pricing else None,
        rating=_stars(card.rating),
    )


def _opened(product: Product, chosen: dict[str, str]) -> Card:
    by_name = {name.lower(): value for name, value in chosen.items()}
    return Card(
        asin=product.asin,
        title=clean(product.title, MAX_TITLE_CHARS),
        low_usd=min(product.pricing) if product.pricing else None,
        high_usd=max(product.pricing) if product.pricing else None,
        rating=_stars(product.rating),
        options=tuple(
            Option(name, tuple(dict.fromkeys(value for value in values if value.strip())), by_name.get(name.lower()))
            for name, values in product.options.items()
            if any(value.strip() for value in values)
        ),
    )


def _stars(rating: float | str) -> float | None:
    return float(rating) if isinstance(rating, int | float) and 0 < rating <= 5 else None


def _blocks(kind: str, product: Product) -> tuple[str, ...]:
    if kind == "description":
        texts = [product.description]
    elif kind == "features":
        texts = list(product.bullets)
    elif kind == "attributes":
        texts = [*product.attributes, product.category, product.query, product.product_category]
    else:
        return ()
    blocks = (clean(text, MAX_BLOCK_CHARS) for text in texts[:MAX_BLOCKS] if text)
    return tuple(block for block in blocks if block)


def _reviews(product: Product) -> tuple[Review, ...]:
    return tuple(
        Review(
            clean(review.title, 200),
            _stars(review.score),
            clean(review.body, MAX_BLOCK_CHARS),
        )
        for review in product.reviews[:MAX_BLOCKS]
    )
