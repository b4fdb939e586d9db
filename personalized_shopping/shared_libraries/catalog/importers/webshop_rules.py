"""The rules of WebShop's loader: a raw record becomes a product, or says why it cannot.

Source: ``load_products`` of the published WebShop environment (NeurIPS 2022), restated; what stops its whole load
raises ``RecordError`` here, for this one record.
"""

import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from personalized_shopping.errors import RecordError, shorten
from personalized_shopping.shared_libraries.catalog.importers.side_files import NO_ENTRY, SideEntry
from personalized_shopping.shared_libraries.catalog.schema import NO_RATING, Product

MAX_ASIN_CHARS = 10
DEFAULT_PRICING = (100.0,)
DUMMY_ATTRIBUTES = ("DUMMY_ATTR",)
DROPPED_KEYS = (
    "product_information",
    "brand",
    "brand_url",
    "list_price",
    "availability_quantity",
    "availability_status",
    "total_reviews",
    "total_answered_questions",
    "seller_id",
    "seller_name",
    "fulfilled_by_amazon",
    "fast_track_message",
    "aplus_present",
    "small_description_old",
)
"""Fields that the loader takes off every record before it looks at it."""
REQUIRED_KEYS = (
    "category",
    "query",
    "product_category",
    "name",
    "full_description",
    "small_description",
    "customization_options",
    "images",
)

_NOT_PRICE = re.compile(r"[^\d.]")


def kept_fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a raw record without the fields that the loader drops."""
    kept = dict(record)
    for key in DROPPED_KEYS:
        kept.pop(key, None)
    return kept


def skip_reason(asin: Any) -> str | None:
    """Return why the loader passes over a record with this identifier, or ``None`` if it takes it.

    Raises:
        RecordError: for an identifier that is no text.
    """
    if not isinstance(asin, str):
        raise RecordError(f"asin is {shorten(asin)}, not text")
    if asin == "nan":
        return "asin is 'nan'"
    if len(asin) > MAX_ASIN_CHARS:
        return f"asin {shorten(asin)} is longer than {MAX_ASIN_CHARS} characters"
    return None


def parse_pricing(pricing: Any) -> tuple[float, ...]:
    """Return the one or two prices of a ``pricing`` text such as ``$19.99 - $27.99``; the default where it is empty.

    Raises:
        RecordError: where WebShop's loader would fail: no dollar sign, no number behind it, no text at all.
    """
    if not pricing:
        return DEFAULT_PRICING
    if not isinstance(pricing, str):
        raise RecordError(f"pricing is {shorten(pricing)}, not text such as '$12.99'")
    parts = pricing.split("$")[1:]
    if not parts:
        raise RecordError(f"pricing {shorten(pricing)} has no dollar sign")
    try:
        prices = [float(Decimal(_NOT_PRICE.sub("", part))) for part in parts]
    except InvalidOperation:
        raise RecordError(f"pricing {shorten(pricing)} has no number behind a dollar sign") from None
    if not all(map(math.isfinite, prices)):
        raise RecordError(f"pricing {shorten(pricing)} is not a finite amount")
    return tuple(prices[:2])


def price_tag(pricing: tuple[float, ...]) -> str:
    """Return the text that pages show for a price or a range, written as Python writes floats."""
    return " to ".join(f"${price}" for price in pricing)


def option_value(value: str) -> str:
    """Return an option's value as pages show it: stripped, lower-case, slashes set apart by bars."""
    return value.strip().replace("/", " | ").lower()


def parse_options(
    customization: Any,
) -> tuple[dict[str, tuple[str, ...]], dict[str, str | None]]:
    """Return ``(options, option_images)`` of a record's ``customization_options``."""
    options: dict[str, tuple[str, ...]] = {}
    images: dict[str, str | None] = {}
    if not customization:
        return options, images
    if not isinstance(customization, Mapping):
        raise RecordError(f"customization_options is {shorten(customization)}, not an object")
    for name, entries in customization.items():
        if entries is None:
            continue
        if not isinstance(entries, list):
            raise RecordError(f"option {shorten(name)} is {shorten(entries)}, not a list")
        values = []
        for entry in entries:
            value = entry.get("value") if isinstance(entry, Mapping) else None
            if not isinstance(value, str):
                raise RecordError(f"option {shorten(name)} has an entry without a text `value`: {shorten(entry)}")
            shown = option_value(value)
            values.append(shown)
            images[shown] = _text_or_none(entry.get("image"), "an option's image")
        options[name.lower()] = tuple(values)
    return options, images


def prepare(raw: Mapping[str, Any], side: SideEntry = NO_ENTRY) -> Product:
    """Return the product of a raw record whose identifier was already looked at.

    Args:
        raw: the record, as ``kept_fields`` leaves it.
        side: what the side files say about this product.

    Raises:
        RecordError: for any record on which WebShop's loader fails, and for values that no page could show.
    """
    missing = [key for key in REQUIRED_KEYS if key not in raw]
    if missing:
        raise RecordError(f"has no {', '.join(missing)}")
    bullets = raw["small_description"]
    if not isinstance(bullets, list):
        bullets = [bullets]
    images = raw["images"]
    if not isinstance(images, list) or not images:
        raise RecordError(f"images is {shorten(images)}, not a list with at least one address")
    query = raw["query"]
    if not isinstance(query, str):
        raise RecordError(f"query is {shorten(query)}, not text")
    pricing = parse_pricing(raw.get("pricing"))
    options, option_images = parse_options(raw["customization_options"])
    return Product(
        asin=raw["asin"],
        title=_text_or_none(raw["name"], "name"),
        description=_text_or_none(raw["full_description"], "full_description"),
        bullets=tuple(_text_or_none(bullet, "small_description") for bullet in bullets),
        category=_text_or_none(raw["category"], "category"),
        query=query.lower().strip(),
        product_category=_text_or_none(raw["product_category"], "product_category"),
        pricing=pricing,
        price=price_tag(pricing),
        options=options,
        option_images=option_images,
        attributes=DUMMY_ATTRIBUTES if side.attributes is None else side.attributes,
        images=tuple(_text_or_none(image, "images") for image in images),
        rating=NO_RATING if side.rating is None else side.rating,
        reviews=side.reviews,
        instruction_text=side.instruction,
        instruction_attributes=side.instruction_attributes,
        human_instructions=side.human,
    )


def _text_or_none(value: Any, field: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise RecordError(f"{field} holds {shorten(value)}, which is not text")
