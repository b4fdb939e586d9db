"""The pages with text about one product: description, features, reviews, attributes."""

from xml.etree.ElementTree import Element

from personalized_shopping.shared_libraries.catalog.schema import Product, Review
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.drawing.images import picture
from personalized_shopping.tools.drawing.measure import line_count
from personalized_shopping.tools.drawing.products import Drawn, stars
from personalized_shopping.tools.drawing.xhtml import element
from personalized_shopping.tools.plain_text import money, plain

_ABOUT = 64
_FRAME = 14 + 16 + 1 + 16
_HEADING = 30
_LINE = 21
_PER_LINE = 84
"""Characters that surely fit on a line of 640 pixels; most texts need less room than this leaves them."""
_BLOCK_CHARS = 1_800
_BLOCKS_SHOWN = 14
_MORE = 29
_EMPTY = {
    "description": "This product has no description.",
    "features": "No features are listed.",
    "reviews": "Nobody has reviewed this product yet.",
    "attributes": "No attributes are listed.",
}


def draw_reading(page: Page) -> Drawn:
    """Draw a page with text about a product."""
    product = page.product
    assert product is not None
    drawn = _parts(page, product) or [_block(_EMPTY[page.kind])]
    shown = drawn[:_BLOCKS_SHOWN]
    height = _ABOUT + _FRAME + _HEADING + sum(part.height for part in shown)
    parts = [child for part in shown for child in part.elements]
    if len(drawn) > len(shown):
        parts.append(element("div", f"… and {len(drawn) - len(shown)} more", css_class="more"))
        height += _MORE
    heading = element("h2", page.kind.capitalize())
    return Drawn([_about(product), element("div", heading, parts, css_class="reading")], height)


def _parts(page: Page, product: Product) -> list[Drawn]:
    if page.kind == "reviews":
        return [_review(review) for review in product.reviews]
    if page.kind == "description":
        return [_block(product.description)] if product.description and product.description.strip() else []
    attributes = (*product.attributes, product.category, product.product_category)
    points = product.bullets if page.kind == "features" else attributes
    return [_point(point) for point in points if point and point.strip()]


def _about(product: Product) -> Element:
    title = plain(product.title or product.asin, limit=200, one_line=True)
    return element(
        "div",
        picture(product.main_image, title, "thumb"),
        element("div", title, css_class="title", dir="auto"),
        element("div", money(product.pricing, product.price), css_class="price"),
        css_class="about",
    )


def _block(text: str) -> Drawn:
    text = plain(text, limit=_BLOCK_CHARS).strip()
    return Drawn([element("div", text, css_class="block", dir="auto")], line_count(text, _PER_LINE) * _LINE + 10)


def _point(text: str) -> Drawn:
    text = plain(text, limit=_BLOCK_CHARS).strip()
    dot = element("div", css_class="dot")
    drawn = element("div", dot, element("div", text, dir="auto"), css_class="point")
    return Drawn([drawn], line_count(text, _PER_LINE - 2) * _LINE + 10)


def _review(review: Review) -> Drawn:
    body = plain(review.body, limit=_BLOCK_CHARS).strip()
    title = plain(review.title, limit=120, one_line=True)
    head = element("div", stars(review.score), "  ", element("b", title), css_class="head", dir="auto")
    block = element("div", body, css_class="block", dir="auto") if body else None
    height = 9 + _LINE + 9 + 1 + (line_count(body, _PER_LINE) * _LINE + 2 if body else 0)
    return Drawn([element("div", head, block, css_class="review")], height)
