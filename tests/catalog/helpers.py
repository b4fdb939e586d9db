"""Raw records and files for the tests of the catalogue."""

import json
from pathlib import Path
from typing import Any


def webshop_record(asin: Any = "B000000001", **changes: Any) -> dict[str, Any]:
    """Return a whole raw record; ``changes`` replace fields, and the value ``...`` takes one away."""
    record = {
        "asin": asin,
        "name": f"Shirt {asin}",
        "full_description": "A shirt.",
        "small_description": ["Cotton", "Washable"],
        "pricing": "$12.99",
        "customization_options": {"Color": [{"value": "Red", "image": None}, {"value": "Navy/White"}]},
        "query": " Shirts ",
        "category": "fashion",
        "product_category": "Clothing › Men › Shirts",
        "images": [f"https://example.org/{asin}.jpg"],
    }
    record |= changes
    return {key: value for key, value in record.items() if value is not ...}


def write_json(path: Path, value: Any) -> Path:
    """Write a value as JSON and return the path."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path
