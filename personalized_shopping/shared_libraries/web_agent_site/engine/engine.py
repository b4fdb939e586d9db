"""WebShop's import path ``engine.engine``: its names over this project's design.

Everything here is compatibility; the design is in the modules beside it (``shop``, ``page``, ``query``, ``render``).
Random draws use Python's global generator unless one is passed, so ``random.seed`` works as it does in WebShop.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from personalized_shopping.config import PAGE_SIZE
from personalized_shopping.shared_libraries.catalog import Product, ProductCard, Review, SourceRecord, open_source
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import DROPPED_KEYS
from personalized_shopping.shared_libraries.catalog.reference_record import reference_record
from personalized_shopping.shared_libraries.search_engine.base import TOP_K, SearchEngine
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import (
    ATTRIBUTES,
    BACK_TO_SEARCH,
    DESCRIPTION,
    FEATURES,
    NEXT_PAGE,
    PREV_PAGE,
    REVIEWS,
    split_action,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW as END_BUTTON
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import draw_price
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.query import (
    ATTRIBUTE_QUERY,
    CATEGORY_QUERY,
    QUERY_QUERY,
    RANDOM_QUERY,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import (
    TEMPLATE_DIR,
    TEMPLATES,
    QueryStringLinks,
    render_html,
)
from personalized_shopping.shared_libraries.web_agent_site.shop_files import configured_shop

__all__ = [
    "ACTION_TO_TEMPLATE",
    "BACK_TO_SEARCH",
    "END_BUTTON",
    "NEXT_PAGE",
    "PREV_PAGE",
    "PRODUCT_WINDOW",
    "SEARCH_RETURN_N",
    "TEMPLATE_DIR",
    "clean_product_keys",
    "generate_product_prices",
    "get_product_per_page",
    "get_top_n_product_from_keywords",
    "init_search_engine",
    "load_products",
    "map_action_to_html",
    "parse_action",
    "read_html_template",
]

SEARCH_RETURN_N = TOP_K
PRODUCT_WINDOW = PAGE_SIZE
ACTION_TO_TEMPLATE = {label: TEMPLATES[label.lower()] for label in (DESCRIPTION, FEATURES, REVIEWS, ATTRIBUTES)}

parse_action = split_action


def load_products(
    filepath: str | Path, num_products: int | None = None, human_goals: bool = True, rng: Any = random
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]], dict[str, float], dict[str, set[str]]]:
    """Load a raw WebShop file whole.

    Returns:
        All products, products by identifier, drawn prices by identifier, and identifiers by attribute.
    """
    products = [
        reference_record(item.product, item.raw, human=human_goals)
        for item in open_source(filepath, fmt="webshop", limit=num_products)
        if isinstance(item, SourceRecord)
    ]
    by_attribute: dict[str, set[str]] = defaultdict(set)
    for product in products:
        for attribute in product["Attributes"]:
            by_attribute[attribute].add(product["asin"])
    prices = generate_product_prices(products, rng)
    return products, {product["asin"]: product for product in products}, prices, by_attribute


def clean_product_keys(products: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Remove the fields that WebShop does not use from raw products, in place."""
    for product in products:
        for field in DROPPED_KEYS:
            product.pop(field, None)
    return products


def generate_product_prices(all_products: Iterable[Mapping[str, Any]], rng: Any = random) -> dict[str, float]:
    """Return a price for every product, drawn where it has a range."""
    return {product["asin"]: draw_price(product["pricing"], rng) for product in all_products}


def init_search_engine(num_products: int | None = None) -> SearchEngine:
    """Open the configured search engine over the configured catalogue, or over its first records."""
    return configured_shop(num_products).engine()


def get_top_n_product_from_keywords(
    keywords: Sequence[str],
    search_engine: SearchEngine,
    all_products: Sequence[dict[str, Any]],
    product_item_dict: Mapping[str, dict[str, Any]],
    attribute_to_asins: Mapping[str, set[str]] | None = None,
    rng: Any = random,
) -> list[dict[str, Any]]:
    """Return the products that a query finds, best first; ``keywords`` is a list of words."""
    first, rest = (keywords[0], list(keywords[1:])) if keywords else ("", [])
    words = " ".join(rest).strip()
    if first == RANDOM_QUERY:
        return rng.sample(list(all_products), min(TOP_K, len(all_products)))
    if first == ATTRIBUTE_QUERY:
        asins = (attribute_to_asins or {}).get(words, set())
        return [product for product in all_products if product["asin"] in asins]
    if first == CATEGORY_QUERY:
        return [product for product in all_products if rest and product["category"] == rest[0].strip()]
    if first == QUERY_QUERY:
        return [product for product in all_products if product["query"] == words]
    hits = search_engine.search(" ".join(keywords), TOP_K)
    return [product_item_dict[hit.docid] for hit in hits if hit.docid in product_item_dict]


def get_product_per_page(top_n_products: Sequence[Any], page: int) -> Sequence[Any]:
    """Return the products of one results page; pages count from 1."""
    return top_n_products[(page - 1) * PRODUCT_WINDOW : page * PRODUCT_WINDOW]


def read_html_template(path: str | Path) -> str:
    """Return a template's source."""
    return Path(path).read_text(encoding="utf-8")


def map_action_to_html(action: str, **values: Any) -> str:
    """Render the page that an action leads to, from WebShop's arguments.

    Args:
        action: ``start``, ``search``, ``click[Description]`` (or another sub-page), ``click[Buy Now]``, or any other
            click, which shows the item.
        **values: ``session_id`` and ``instruction_text``; for results ``products``, ``keywords``, ``page``, ``total``;
            for products ``product_info``, ``keywords``, ``page``, ``options``, ``show_attrs``; for the end ``asin``,
            ``options`` and ``reward``.

    Raises:
        ValueError: for an action that leads to no page.
    """
    name, argument = parse_action(action)
    return render_html(_page_of(name, argument, values), QueryStringLinks(str(values.get("session_id", ""))))


def _page_of(name: str, argument: str | None, values: Mapping[str, Any]) -> Page:
    keywords = tuple(values.get("keywords") or ())
    common: dict[str, Any] = {
        "instruction": values.get("instruction_text"),
        "keywords": keywords,
        "page_number": int(values.get("page") or 1),
        "options": dict(values.get("options") or {}),
    }
    if name == "start":
        return Page(kind="search", instruction=values.get("instruction_text"))
    if name == "search":
        cards = tuple(card_from_mapping(product) for product in values["products"])
        return Page(kind="results", products=cards, total_results=int(values["total"]), **common)
    if name == "click" and argument == END_BUTTON.lower():
        product = product_from_mapping({"asin": values["asin"], **(values.get("product_info") or {})})
        return Page(kind="done", product=product, reward=float(values["reward"]), **common)
    if name == "click":
        kind = argument if argument in {label.lower() for label in ACTION_TO_TEMPLATE} else "item"
        product = product_from_mapping(values["product_info"])
        return Page(kind=kind, product=product, show_attributes=bool(values.get("show_attrs")), **common)  # type: ignore[arg-type]
    raise ValueError(f"The action {action_name(name)} leads to no page; use start, search or click[...].")


def action_name(name: str) -> str:
    """Return an action's name, shortened for a message."""
    return ascii(name[:80])


def card_from_mapping(product: Mapping[str, Any]) -> ProductCard:
    """Return the results line of a product in WebShop's mapping."""
    return ProductCard(asin=product["asin"], title=product["Title"], price=product["Price"], image=product["MainImage"])


def product_from_mapping(record: Mapping[str, Any]) -> Product:
    """Return the product of WebShop's mapping; missing fields are empty."""
    attributes = record.get("instruction_attributes")
    return Product(
        asin=record.get("asin", ""),
        title=record.get("Title", record.get("name")),
        description=record.get("Description", ""),
        bullets=tuple(record.get("BulletPoints", ())),
        category=record.get("category"),
        query=record.get("query", ""),
        product_category=record.get("product_category"),
        pricing=tuple(record.get("pricing", ())),
        price=record.get("Price", ""),
        options={name: tuple(values) for name, values in record.get("options", {}).items()},
        option_images=dict(record.get("option_to_image", {})),
        attributes=tuple(record.get("Attributes", ())),
        images=(record.get("MainImage"),),
        rating=record.get("Rating", "N.A."),
        reviews=tuple(
            Review(r.get("title", ""), r.get("score", ""), r.get("body", "")) for r in record.get("Reviews", ())
        ),
        instruction_text=record.get("instruction_text"),
        instruction_attributes=None if attributes is None else tuple(attributes),
    )
