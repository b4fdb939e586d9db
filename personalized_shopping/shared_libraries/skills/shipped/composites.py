"""The skills that come with the program for the shop itself, written by hand; their programs lie beside this module."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import UNSET

from personalized_shopping.shared_libraries.skills.model import (
    About,
    Effect,
    Evidence,
    Locators,
    Postconditions,
    Preconditions,
    Program,
    RoleLocator,
    Skill,
)

DOMAIN = "webshop"
CREATED_AT = "2026-11-21T00:00:00Z"
"""The same on every machine: shipped skills are data, and equal data has equal files."""
PROGRAMS = Path(__file__).with_name("programs")
TABS = ["Description", "Features", "Reviews"]
MAX_PAGES = 5
MAX_COMPARED = 5
_ANY_SHOP = r"^https?://[^/]+/"
_TEXT = {"type": "string", "minLength": 1, "maxLength": 500}
_PRICE = {"type": "number", "minimum": 0, "maximum": 1_000_000}
_TABS = {"type": "array", "items": {"type": "string", "enum": TABS}, "maxItems": 3}


@dataclass(frozen=True)
class _Written:
    """What differs from one of these skills to the next."""

    slug: str
    label: str
    description: str
    exists: list[str]
    pages: list[str]
    after: list[str]
    steps: list[str] = field(default_factory=list)
    properties: dict[str, Any] = field(default_factory=dict)
    required: list[str] = field(default_factory=list)
    effect: Effect = "navigate"
    role: RoleLocator | None = None


_EVERY_PAGE = ["search", "results", "item", "description", "features", "reviews", "attributes"]
_SUB_PAGES = ["description", "features", "reviews", "attributes"]
_SEARCH = ["back_to_search", "search"]
_READ = ["description", "features", "reviews", "prev"]

WRITTEN: tuple[_Written, ...] = (
    _Written(
        slug="search_products",
        label="Search_Products",
        description="Search the shop from any page and read the first page of results: asin, title and price of each.",
        exists=["#instruction-text"],
        pages=_EVERY_PAGE,
        after=["results"],
        steps=_SEARCH,
        properties={"query": _TEXT},
        required=["query"],
    ),
    _Written(
        slug="search_and_filter_by_price",
        label="Search_And_Filter_By_Price",
        description="Search the shop and keep the results of up to five pages that cost at most max_price US dollars.",
        exists=["#instruction-text"],
        pages=_EVERY_PAGE,
        after=["results"],
        steps=[*_SEARCH, "next"],
        properties={
            "query": _TEXT,
            "max_price": _PRICE,
            "pages": {"type": "integer", "minimum": 1, "maximum": MAX_PAGES},
        },
        required=["query", "max_price"],
    ),
    _Written(
        slug="open_result",
        label="Open_Result",
        description="Open one product of the results page and read title, price, rating and the values of its options.",
        exists=["#product-list"],
        pages=["results"],
        after=["item"],
        properties={"asin": _TEXT},
        required=["asin"],
    ),
    _Written(
        slug="gather_product_info",
        label="Gather_Product_Info",
        description="Read the product's Description, Features and Reviews in one go and come back to its page.",
        exists=[".purchase"],
        pages=["item"],
        after=["item"],
        steps=_READ,
        properties={"tabs": _TABS},
        effect="read",
    ),
    _Written(
        slug="select_options_and_check_price",
        label="Select_Options_And_Check_Price",
        description="Choose values of the product's options (value by option name) and read the price as it then is.",
        exists=[".purchase"],
        pages=["item"],
        after=["item"],
        properties={
            "options": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 500}},
            "max_price": _PRICE,
        },
        required=["options"],
        effect="write",
    ),
    _Written(
        slug="compare_items",
        label="Compare_Items",
        description="Open two to five products of the results page, read each with the given sub-pages, and come back.",
        exists=["#product-list"],
        pages=["results"],
        after=["results"],
        steps=["open_result", *_READ],
        properties={
            "asins": {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": MAX_COMPARED},
            "tabs": _TABS,
        },
        required=["asins"],
        effect="read",
    ),
    _Written(
        slug="back_to_results",
        label="Back_To_Results",
        description="Go back from a product or one of its sub-pages to the results page.",
        exists=["#instruction-text"],
        pages=["results", "item", *_SUB_PAGES],
        after=["results"],
        steps=["prev"],
    ),
    _Written(
        slug="buy_now",
        label="Buy_Now",
        description="Buy the product with the chosen options; the person is asked first.",
        exists=[".purchase"],
        pages=["item"],
        after=["done"],
        effect="purchase",
        role=RoleLocator(role="button", name="Buy Now", exact=True),
    ),
)


def shipped_composites() -> list[Skill]:
    """Return the hand-written skills of the shop."""
    return [_skill(written) for written in WRITTEN]


def _skill(written: _Written) -> Skill:
    entry = f"program__{written.slug}__{written.slug}"
    code = (PROGRAMS / f"{written.slug}.txt").read_text(encoding="utf-8")
    return Skill(
        id=written.slug,
        domain=DOMAIN,
        slug=written.slug[:32],
        label=written.label,
        description=written.description,
        action="submit" if written.effect == "purchase" else "navigate",
        preconditions=Preconditions(url_matches=[_ANY_SHOP], exists=written.exists, page_kind=written.pages),
        locators=Locators(selector=written.exists[0], by_role=written.role or UNSET, unique=len(written.pages) == 1),
        args_schema={
            "type": "object",
            "properties": written.properties,
            "required": written.required,
            "additionalProperties": False,
        },
        program=Program(entry=entry, code=code),
        postconditions=Postconditions(page_kind=written.after),
        effect=written.effect,
        steps=written.steps,
        evidence=Evidence(source="hand"),
        meta=About(created_at=CREATED_AT, generator="hand", source_files=[f"programs/{written.slug}.txt"]),
    )
