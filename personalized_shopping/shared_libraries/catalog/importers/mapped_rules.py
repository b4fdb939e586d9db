"""The rules for people's own shops: fields are mapped, identifiers made to fit."""

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from personalized_shopping.errors import RecordError, shorten
from personalized_shopping.shared_libraries.catalog.importers import field_values as values
from personalized_shopping.shared_libraries.catalog.importers.field_mapping import look_up
from personalized_shopping.shared_libraries.catalog.importers.outcomes import Skip
from personalized_shopping.shared_libraries.catalog.importers.side_files import SideTables
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import MAX_ASIN_CHARS, price_tag
from personalized_shopping.shared_libraries.catalog.schema import NO_RATING, Product

DEFAULT_CATEGORY = "general"

# Pages find a product by the upper-case form of the button that was pressed.
_FITTING_ASIN = re.compile(r"[A-Z0-9]{1,10}", re.A)


def derived_asin(source_id: str, attempt: int = 0) -> str:
    """Return ten letters and digits that stand for an identifier which does not fit; always the same ones."""
    text = source_id if attempt == 0 else f"{source_id}\n{attempt}"
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode("ascii")[:MAX_ASIN_CHARS]


class MappedRules:
    """Make products of records in any schema, with a mapping from our fields to theirs."""

    def __init__(self, mapping: Mapping[str, str]) -> None:
        """Use a complete mapping, as ``complete_mapping`` gives it."""
        self._mapping = dict(mapping)
        self._option_fields = {
            target.removeprefix("options."): path
            for target, path in self._mapping.items()
            if target.startswith("options.")
        }

    def describe(self) -> dict[str, Any]:
        """Return what the manifest says about these rules."""
        return {"schema": "mapped", "mapping": dict(sorted(self._mapping.items()))}

    def identifier(self, record: Mapping[str, Any]) -> str | None:
        """Return what the source calls a record, if it says so."""
        found = self._field(record, "asin")
        return str(found) if isinstance(found, (str, int)) else None

    def product(self, record: Mapping[str, Any], tables: SideTables) -> tuple[Product, dict[str, Any]]:
        """Return a record's product and the raw fields to keep; raise ``RecordError`` or ``Skip``."""
        title = values.as_text(self._field(record, "title"), "title")
        if title is None:
            raise RecordError("has no title")
        source_id = self._source_id(record)
        pricing = values.as_pricing(self._field(record, "price"))
        category = values.as_text(self._field(record, "category"), "category") or DEFAULT_CATEGORY
        kind = values.as_text(self._field(record, "query"), "query")
        path = values.as_path(self._field(record, "product_category"), "product_category")
        if path is None:
            path = values.as_path([category, kind], "category") or category
        options, option_images = self._options(record)
        side = tables.entry(source_id)
        product = Product(
            asin=self._asin(source_id, tables),
            title=title,
            description=values.as_text(self._field(record, "description"), "description") or "",
            bullets=values.as_list(self._field(record, "bullets"), "bullets"),
            category=category,
            query=(kind or path.rpartition(values.PATH_SEPARATOR)[2]).lower().strip(),
            product_category=path,
            pricing=pricing,
            price=price_tag(pricing),
            options=options,
            option_images=option_images,
            attributes=self._attributes(record) or side.attributes or (),
            images=values.as_images(self._field(record, "images")),
            rating=self._rating(record, side.rating),
            reviews=values.as_reviews(self._field(record, "reviews")) or side.reviews,
            instruction_text=side.instruction,
            instruction_attributes=side.instruction_attributes,
            human_instructions=side.human,
        )
        return product, {"source_id": source_id, "source_record": dict(record)}

    def _field(self, record: Mapping[str, Any], target: str) -> Any:
        path = self._mapping.get(target)
        return None if path is None else look_up(record, path)

    def _source_id(self, record: Mapping[str, Any]) -> str:
        if "asin" in self._mapping:
            found = values.as_text(self._field(record, "asin"), "asin")
            if found is None:
                raise RecordError(f"has no {self._mapping['asin']}, which identifies it")
            return found
        # Without an identifier the whole record is one: stable when records are moved about.
        text = json.dumps(record, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def _asin(self, source_id: str, tables: SideTables) -> str:
        """Return the record's identifier in the form that pages need; no two identifiers get the same one."""
        attempt = 0
        candidate = source_id.upper()
        if not _FITTING_ASIN.fullmatch(candidate):
            candidate = derived_asin(source_id)
        while (taken_by := tables.original(candidate)) is not None:
            if taken_by == source_id:
                raise Skip(f"identifier {shorten(source_id)} was seen before")
            attempt += 1
            candidate = derived_asin(source_id, attempt)
        return candidate

    def _options(self, record: Mapping[str, Any]) -> tuple[dict[str, tuple[str, ...]], dict[str, str | None]]:
        options, images = values.as_options(self._field(record, "options"))
        for name, path in self._option_fields.items():
            more, more_images = values.as_options({name: look_up(record, path)})
            options |= more
            images |= more_images
        return options, images

    def _attributes(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        found = self._field(record, "attributes")
        if isinstance(found, Mapping):  # such as {"material": "cotton"}
            found = [text for each in found.values() for text in values.as_list(each, "attributes")]
        texts = values.as_list(found, "attributes", separators=r"\n|\||,|;")
        return tuple(dict.fromkeys(text.lower() for text in texts))

    def _rating(self, record: Mapping[str, Any], elsewhere: float | str | None) -> float | str:
        rating = values.as_rating(self._field(record, "rating"))
        return elsewhere if rating == NO_RATING and elsewhere is not None else rating
