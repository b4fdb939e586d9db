"""The visible strings of a page, in order, each with its role: what an HTML parser reads from the HTML rendering."""

import json
from collections.abc import Iterator
from typing import Literal, NamedTuple

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page

Role = Literal["text", "button", "label", "link"]
_HTML_SPACES = " \n\t\f\r"
_HTML_SAFE = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "'": "\\u0027"})


class Node(NamedTuple):
    """One text node of the page."""

    text: str
    role: Role = "text"


def outline(page: Page) -> list[Node]:
    """Return the page's text nodes as a parser of its HTML would give them.

    A string of nothing but white space becomes one space, or vanishes if it holds a line feed, and an empty string has
    no node: HTML parsers read layout so.
    """
    return [node for node in map(_parsed, _PARTS[page.kind](page)) if node is not None]


def safe_json(value: object) -> str:
    """Return JSON with sorted keys that is inert inside HTML: ``<``, ``>``, ``&`` and ``'`` are escaped."""
    return json.dumps(value, sort_keys=True).translate(_HTML_SAFE)


def _parsed(node: Node) -> Node | None:
    if node.text.strip(_HTML_SPACES):
        return node
    if not node.text or "\n" in node.text:
        return None
    return Node(" ", node.role)


def _search(page: Page) -> Iterator[Node]:
    yield Node("WebShop")
    yield Node("Instruction: ")
    yield Node(page.instruction or "")
    yield Node(actions.SEARCH_BUTTON, "button")


def _header(page: Page, *, previous: bool) -> Iterator[Node]:
    yield Node("Instruction:")
    yield Node(page.instruction or "")
    yield Node(actions.BACK_TO_SEARCH, "button")
    if previous:
        yield Node(actions.PREV_PAGE, "button")


def _results(page: Page) -> Iterator[Node]:
    yield from _header(page, previous=False)
    yield Node(f"Page {page.page_number} (Total results: {page.total_results})")
    if page.page_number > 1:
        yield Node(actions.PREV_PAGE, "button")
    yield Node(actions.NEXT_PAGE, "button")
    for card in page.products:
        yield Node(card.asin, "link")
        yield Node(shown(card.title))
        yield Node(card.price)


def _item(page: Page) -> Iterator[Node]:
    product = _product(page)
    yield from _header(page, previous=True)
    for name, values in product.options.items():
        yield Node(name)
        for value in values:
            yield Node(value, "label")
    yield Node(shown(product.title))
    yield Node(f"Price: {product.price}")
    yield Node(f"Rating: {product.rating}")
    for label in page.item_buttons:
        yield Node(label, "button")


def _description(page: Page) -> Iterator[Node]:
    yield from _header(page, previous=True)
    yield Node(shown(_product(page).description))


def _features(page: Page) -> Iterator[Node]:
    yield from _header(page, previous=True)
    for bullet in _product(page).bullets:
        yield Node(f" {shown(bullet)}")


def _reviews(page: Page) -> Iterator[Node]:
    yield from _header(page, previous=True)
    for review in _product(page).reviews:
        yield Node(f'"{review.title}"')
        yield Node(str(review.score))
        yield Node(review.body)


def _attributes(page: Page) -> Iterator[Node]:
    product = _product(page)
    yield from _header(page, previous=True)
    for attribute in product.attributes:
        yield Node(f" {attribute}")
    yield Node(shown(product.category))
    yield Node(product.query)
    yield Node(shown(product.product_category))


def _done(page: Page) -> Iterator[Node]:
    product = _product(page)
    yield Node("Thank you for shopping with us!")
    if page.reward is None:
        yield Node("Purchased")
        yield Node(shown(product.title))
        yield Node(f"Price: {product.price}")
        for name, value in page.options.items():
            yield Node(f"{name}: {value}")
        return
    yield from map(Node, ("Your code: ", "None", " (Paste it in your MTurk interface.)", "Purchased"))
    yield from map(Node, ("asin", product.asin, "options", safe_json(page.options), "attrs", "None"))
    yield from map(Node, ("category", "None", "query", "None", "product category", "None", "Target"))
    yield from map(Node, ("asin", "options", "attrs", "price upper", "instuction text", "category"))
    yield from map(Node, ("product category", "query", "Goal ", "None", "Reward"))
    yield from map(Node, ("Your score (min 0.0, max 1.0)", str(page.reward), "Reward Details ", "None"))


def shown(value: str | None) -> str:
    """Return how a page shows a field that may be missing."""
    return "None" if value is None else value


def _product(page: Page) -> Product:
    assert page.product is not None, f"a {page.kind} page has a product"
    return page.product


_PARTS = {
    "search": _search,
    "results": _results,
    "item": _item,
    "description": _description,
    "features": _features,
    "reviews": _reviews,
    "attributes": _attributes,
    "done": _done,
}
