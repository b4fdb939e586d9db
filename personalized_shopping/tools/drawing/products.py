"""The pages that show products: results, one product, and the purchase."""

from typing import NamedTuple
from xml.etree.ElementTree import Element

from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.drawing.images import picture
from personalized_shopping.tools.drawing.measure import row_count, text_width
from personalized_shopping.tools.drawing.xhtml import element
from personalized_shopping.tools.plain_text import money, plain

_ROW = 96 + 8
_LIST_END = 14
_NOTHING = 95
_PRODUCT = 220 + 2 * 20 + 2
_ACTIONS = 58
_TITLE_CHARS = 300
_VALUES_SHOWN = 30
_VALUE_CHARS = 40
_ROOM = 720 - 2 * 20 - 2 * 20 - 4
_GAP = 8


class Drawn(NamedTuple):
    """Part of a page and the height it takes, in pixels."""

    elements: list[Element]
    height: int


def draw_results(page: Page) -> Drawn:
    """Draw the lines of a results page."""
    if not page.products:
        return Drawn([element("div", "Nothing was found for these words.", css_class="nothing")], _NOTHING)
    rows = [_row(card, seen=card.asin in page.visited) for card in page.products]
    return Drawn([element("div", rows, css_class="list")], _ROW * len(rows) + _LIST_END)


def draw_item(page: Page) -> Drawn:
    """Draw a product's page: picture, facts, options and the buttons below them."""
    product = page.product
    assert product is not None
    elements = [_product(product)]
    height = _PRODUCT
    if product.options:
        chosen = {name.lower(): value for name, value in page.options.items()}
        drawn = [_option(name, values, chosen.get(name.lower())) for name, values in product.options.items()]
        elements.append(element("div", [child for part in drawn for child in part.elements], css_class="options"))
        height += 10 + 2 + 4 + 12 + sum(part.height for part in drawn)
    labels = page.item_buttons
    buttons = [element("div", label, css_class="button") for label in labels[:-1]]
    elements.append(element("div", buttons, element("div", labels[-1], css_class="button buy"), css_class="actions"))
    return Drawn(elements, height + _ACTIONS)


def draw_done(page: Page) -> Drawn:
    """Draw the page after a purchase."""
    product = page.product
    assert product is not None
    tick = element("div", "✓", css_class="tick")
    thanks = element("div", tick, "Thank you for shopping with us!", css_class="thanks")
    options = ", ".join(f"{name}: {value}" for name, value in page.options.items())
    score = None if page.reward is None else element("div", f"Score: {page.reward:.2f} of 1", css_class="meta")
    return Drawn([thanks, _product(product, options, score)], 72 + _PRODUCT + 20)


def stars(rating: float | str) -> Element | None:
    """Return a rating as five stars, or nothing where none is known."""
    if isinstance(rating, str):
        return None
    full = min(5, max(0, round(rating)))
    return element("span", "★" * full + "☆" * (5 - full), css_class="stars")


def _row(card: ProductCard, *, seen: bool) -> Element:
    title = plain(card.title or card.asin, limit=_TITLE_CHARS, one_line=True)
    rating = stars(card.rating)
    meta = element("div", element("span", card.asin, css_class="code"), css_class="meta")
    if rating is not None:
        rating.tail = f" {card.rating}"
        meta[-1].tail = "   "
        meta.append(rating)
    text = element("div", element("div", title, css_class="title", dir="auto"), meta, css_class="text")
    price = element("div", money(card.pricing, card.price), css_class="price")
    return element("div", picture(card.image, title, "thumb"), text, price, css_class="row seen" if seen else "row")


def _product(product: Product, options: str = "", score: Element | None = None) -> Element:
    title = plain(product.title or product.asin, limit=_TITLE_CHARS, one_line=True)
    rating = stars(product.rating)
    code = element("span", product.asin, css_class="code")
    if rating is None:
        meta = element("div", code, "  ·  not rated", css_class="meta")
    else:
        meta = element("div", code, "  ·  ", rating, f" {product.rating}", css_class="meta")
    facts = element(
        "div",
        element("div", title, css_class="title", dir="auto"),
        element("div", money(product.pricing, product.price), css_class="price"),
        meta,
        element("div", plain(options, one_line=True), css_class="chosen") if options else None,
        score,
        css_class="facts",
    )
    return element("div", picture(product.main_image, title, "photo"), facts, css_class="product")


def _option(name: str, values: tuple[str, ...], chosen: str | None) -> Drawn:
    shown = list(values[:_VALUES_SHOWN])
    # What was chosen is always to be seen.
    if chosen is not None and chosen in values and chosen not in shown:
        shown[-1] = chosen
    labels = [plain(value, limit=_VALUE_CHARS, one_line=True) for value in shown]
    boxes = [
        element("div", label, css_class="value on" if value == chosen else "value", dir="auto")
        for value, label in zip(shown, labels, strict=True)
    ]
    widths = [min(300, int(text_width(label) * 7.6) + 27) for label in labels]
    if len(values) > len(shown):
        boxes.append(element("div", f"and {len(values) - len(shown)} more", css_class="value more"))
        widths.append(100)
    head = element("div", plain(name, one_line=True), css_class="name")
    if chosen is None:
        head.append(element("span", "  choose one", css_class="picked"))
    height = 30 + 4 + row_count(widths, _ROOM, _GAP) * (30 + _GAP) - _GAP
    return Drawn([element("div", head, element("div", boxes, css_class="values"), css_class="option")], height)
