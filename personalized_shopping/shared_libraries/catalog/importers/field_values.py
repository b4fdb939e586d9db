"""Make typed values of what people's own sources hold: numbers or texts, lists or separated texts."""

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from personalized_shopping.errors import RecordError, shorten
from personalized_shopping.shared_libraries.catalog.importers.webshop_rules import option_value
from personalized_shopping.shared_libraries.catalog.schema import NO_RATING, Review

PATH_SEPARATOR = " › "
"""What WebShop puts between the parts of a product category."""

_NOTHING = {"", "n/a", "na", "nan", "none", "null", "-"}
_AMOUNT = re.compile(r"(?:US)?\$?\s*(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(?:USD)?", re.I | re.A)
_BETWEEN_AMOUNTS = re.compile(r"\s*(?:-|–|—|\bto\b)\s*|(?<=\d)(?=\$)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.A)
_IMAGE_KEYS = ("url", "src", "link", "hi_res", "large", "image", "thumb")
_RATING_KEYS = ("rate", "average", "value", "score", "stars", "rating")


def is_nothing(value: Any) -> bool:
    """Return whether a value says that there is none: null, NaN, an empty text or list, or a word such as ``n/a``."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return True
    if isinstance(value, str):
        return value.strip().lower() in _NOTHING
    return isinstance(value, (list, dict)) and not value


def as_text(value: Any, field: str) -> str | None:
    """Return a value as text: numbers are written out, lists of texts become lines."""
    if is_nothing(value):
        return None
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(text for each in value if (text := as_text(each, field)))
    if isinstance(value, Mapping):
        raise RecordError(f"{field} is an object, {shorten(value)}. Map one of its fields: {field}=FIELD.NAME.")
    return str(value)


def as_pricing(value: Any) -> tuple[float, ...]:
    """Return one price, or the lowest and the highest of several, in US dollars.

    Numbers, and texts such as ``12.99``, ``$1,299.00``, ``12 USD`` and ``$5 - $7``, alone or in a list.

    Raises:
        RecordError: where there is no price, or it is not in dollars.
    """
    if is_nothing(value):
        raise RecordError("has no price")
    amounts = [amount for each in (value if isinstance(value, list) else [value]) for amount in _amounts(each)]
    low, high = min(amounts), max(amounts)
    return (low,) if low == high else (low, high)


def _amounts(value: Any) -> list[float]:
    if isinstance(value, str):
        matches = [_AMOUNT.fullmatch(part) for part in _BETWEEN_AMOUNTS.split(value.strip())]
        numbers = [float(Decimal(match.group(1).replace(",", ""))) for match in matches if match]
        if len(numbers) < len(matches):
            raise RecordError(f"price {shorten(value)} is not an amount in US dollars such as 12.99 or $12.99")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        numbers = [float(value)] if abs(value) < 1e15 else [math.inf]
    else:
        raise RecordError(f"price {shorten(value)} is neither a number nor a text. Map the field with the amount.")
    for number in numbers:
        if not (math.isfinite(number) and number >= 0):
            raise RecordError(f"price {shorten(value)} is not an amount of money")
    return numbers


def as_list(value: Any, field: str, separators: str = r"\n|\|") -> tuple[str, ...]:
    """Return a list of texts: from a list, from a JSON list in a text, or from a text with separators."""
    value = _unpacked(value)
    if is_nothing(value):
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in re.split(separators, value) if part.strip())
    if not isinstance(value, list):
        value = [value]
    return tuple(text for each in value if (text := as_text(each, field)))


def as_images(value: Any) -> tuple[str | None, ...]:
    """Return the addresses of images; a single ``None`` where there is none, for every product shows a first one."""
    value = _unpacked(value)
    if isinstance(value, Mapping):
        value = [value]
    if isinstance(value, list):
        value = [_first(each, _IMAGE_KEYS) if isinstance(each, Mapping) else each for each in value]
    if isinstance(value, str) and value.startswith("data:"):
        value = [value]  # such an address may hold any of the separators
    return as_list(value, "images") or (None,)


def as_path(value: Any, field: str) -> str | None:
    """Return a category, its parts set apart as WebShop does: from a list, or from a text with ``>`` or bars."""
    texts = as_list(value, field)
    parts = [part for text in texts for part in as_list(text, field, separators=r"\s*[›>|\n]\s*")]
    return PATH_SEPARATOR.join(parts) or None


def as_options(value: Any) -> tuple[dict[str, tuple[str, ...]], dict[str, str | None]]:
    """Return ``(options, option_images)``.

    Either an object of lists, a list of objects with ``name`` and ``values``, those as JSON in a text, or a text such
    as ``Color: Red | Blue; Size: S | M``. A value is a text, a number, or an object with ``value`` and ``image``.
    """
    value = _unpacked(value)
    if is_nothing(value):
        return {}, {}
    if isinstance(value, str):
        value = {name: values for name, _, values in (part.partition(":") for part in value.split(";")) if name.strip()}
    elif isinstance(value, list) and all(isinstance(each, Mapping) for each in value):
        value = {each.get("name"): each.get("values") for each in value}
    if not isinstance(value, Mapping):
        raise RecordError(f"options {shorten(value)} are neither an object nor a list of names with values")
    options: dict[str, tuple[str, ...]] = {}
    images: dict[str, str | None] = {}
    for name, values in value.items():
        if not isinstance(name, str) or not name.strip():
            raise RecordError(f"an option has no name: {shorten(values)}")
        if isinstance(values, list):
            entries = [each if isinstance(each, Mapping) else {"value": each} for each in values]
        else:
            separators = r"\n|\|" if isinstance(values, str) and "|" in values else r"\n|,"
            entries = [{"value": each} for each in as_list(values, name, separators)]
        shown = []
        for entry in entries:
            text = as_text(entry.get("value"), f"option {name}")
            if text is not None:
                shown.append(option_value(text))
                images[shown[-1]] = as_text(entry.get("image"), f"option {name}")
        if shown:
            options[name.strip().lower()] = tuple(shown)
    return options, images


def as_rating(value: Any) -> float | str:
    """Return a rating: a number, the first number of a text, or a field of an object such as ``{"rate": 4.1}``."""
    if isinstance(value, Mapping):
        value = _first(value, _RATING_KEYS)
    if is_nothing(value):
        return NO_RATING
    if isinstance(value, str):
        match = _NUMBER.match(value.strip())
        if match:
            return float(match.group())
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 100:
        return float(value)
    raise RecordError(f"rating {shorten(value)} is not a number of stars")


def as_reviews(value: Any) -> tuple[Review, ...]:
    """Return reviews from a list of objects or texts; a bare number, a count of reviews, gives none."""
    value = _unpacked(value)
    if is_nothing(value) or isinstance(value, (int, float)) or (isinstance(value, str) and value.strip().isdigit()):
        return ()
    return tuple(_review(each) for each in (value if isinstance(value, list) else [value]))


def _review(value: Any) -> Review:
    if isinstance(value, str):
        return Review(title="", score=NO_RATING, body=value)
    if not isinstance(value, Mapping):
        raise RecordError(f"a review is neither a text nor an object: {shorten(value)}")
    title = as_text(_first(value, ("title", "headline", "summary")), "a review's title")
    body = as_text(_first(value, ("body", "review", "text", "comment", "content")), "a review's text")
    score = as_rating(_first(value, ("score", "stars", "rating", "overall")))
    return Review(title=title or "", score=score, body=body or "")


def _first(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((value[name] for name in names if value.get(name) is not None), None)


def _unpacked(value: Any) -> Any:
    """Return what a text holds if it is a JSON list or object, as cells of a CSV often are."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
