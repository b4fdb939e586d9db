"""Which field of a source holds which of ours: given by the user, guessed from usual names otherwise."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from personalized_shopping.errors import CatalogError, shorten

TARGETS = (
    "asin",
    "title",
    "description",
    "price",
    "bullets",
    "images",
    "category",
    "query",
    "product_category",
    "attributes",
    "options",
    "rating",
    "reviews",
)
"""Our fields. ``options.NAME`` is one too: a field that holds the values of one option."""

# In order of preference. Compared without case, spaces and hyphens counting as underscores.
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "asin": ("asin", "id", "product_id", "productid", "sku", "item_id", "uniq_id", "handle", "parent_asin", "gtin"),
    "title": ("title", "name", "product_name", "product_title", "item_name"),
    "description": ("description", "full_description", "product_description", "long_description", "body", "body_html",
                    "details", "summary"),
    "price": ("price", "pricing", "price_usd", "sale_price", "selling_price", "current_price", "final_price",
              "discounted_price", "unit_price", "variant_price", "retail_price", "list_price", "amount", "cost"),
    "bullets": ("bullets", "bullet_points", "features", "highlights", "key_features", "small_description",
                "about_product"),
    "images": ("images", "image", "image_url", "image_urls", "image_link", "image_src", "img", "img_link", "picture",
               "pictures", "thumbnail", "photo"),
    "category": ("category", "main_category", "department", "product_category", "categories"),
    "query": ("query", "search_query", "search_term", "style", "subcategory", "sub_category", "product_type", "type"),
    "product_category": ("product_category", "category_path", "breadcrumbs", "breadcrumb", "google_product_category",
                         "taxonomy", "categories"),
    "attributes": ("attributes", "tags", "labels", "keywords"),
    "options": ("options", "customization_options", "variations"),
    "options.color": ("color", "colors", "colour", "colours"),
    "options.size": ("size", "sizes"),
    "options.flavor": ("flavor", "flavors", "flavour", "flavours"),
    "rating": ("rating", "average_rating", "avg_rating", "stars", "review_score", "rating_value"),
    "reviews": ("reviews", "customer_reviews"),
}  # fmt: skip


def parse_mapping(entries: Iterable[str]) -> dict[str, str]:
    """Return the mapping of texts such as ``title=name`` or ``price=offer.amount``.

    Raises:
        CatalogError: for a text without an equals sign, and for a field that is not ours.
    """
    mapping = {}
    for entry in entries:
        target, equals, path = (part.strip() for part in entry.partition("="))
        if not equals or not target or not path:
            raise CatalogError(f"{shorten(entry)} is no field mapping. Write OURS=THEIRS, such as title=name.")
        mapping[target] = path
    check_targets(mapping)
    return mapping


def check_targets(mapping: Mapping[str, str]) -> None:
    """Raise ``CatalogError`` where a mapping names a field that is not ours."""
    for target in mapping:
        if target not in TARGETS and not (target.startswith("options.") and len(target) > len("options.")):
            raise CatalogError(f"{shorten(target)} is not one of our fields: {', '.join(TARGETS)}, options.NAME.")


def complete_mapping(given: Mapping[str, str], records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the given mapping with guesses, from the first records of the source, for what it leaves open.

    Raises:
        CatalogError: where a given field occurs in no record, or nothing gives a title or a price.
    """
    check_targets(given)
    fields = list(dict.fromkeys(str(key) for record in records for key in record))
    seen = f"Its fields are: {', '.join(fields[:30])}."
    for target, path in given.items():
        if records and all(look_up(record, path) is None for record in records):
            raise CatalogError(f"No record at the start of the source has {shorten(path)}, mapped to {target}. {seen}")
    by_plain_name: dict[str, str] = {}
    for field in fields:
        by_plain_name.setdefault(_plain(field), field)
    mapping = dict(given)
    for target, names in USUAL_NAMES.items():
        found = next((by_plain_name[name] for name in names if name in by_plain_name), None)
        if target not in mapping and found is not None and not (target.startswith("options.") and "options" in mapping):
            mapping[target] = found
    for needed in ("title", "price"):
        if needed not in mapping and records:
            raise CatalogError(f"No field looks like the {needed}. {seen} Name it with --map {needed}=FIELD.")
    return mapping


def look_up(value: Any, path: str) -> Any:
    """Return what a dotted path finds, or ``None``.

    A name leads into an object, a number into a list; a name on a list collects that field of all its elements.
    A field whose own name has dots is found first.
    """
    if isinstance(value, Mapping):
        if path in value:
            return value[path]
        name, dot, rest = path.partition(".")
        return look_up(value[name], rest) if dot and name in value else None
    if isinstance(value, list):
        name, dot, rest = path.partition(".")
        if name.isascii() and name.isdigit():
            found = value[int(name)] if int(name) < len(value) else None
            return look_up(found, rest) if dot else found
        collected = [item for each in value if (item := look_up(each, path)) is not None]
        return collected or None
    return None


def _plain(field: str) -> str:
    return re.sub(r"[\s\-]+", "_", field.strip()).lower()
