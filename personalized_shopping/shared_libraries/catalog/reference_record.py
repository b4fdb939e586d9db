"""The product mapping of the reference: raw keys kept, derived ones beside them."""

from typing import Any

from personalized_shopping.shared_libraries.catalog.schema import Product


def reference_record(product: Product, raw: dict[str, Any], *, human: bool) -> dict[str, Any]:
    """Return a product as the dict that WebShop's loader leaves behind, with the same keys and JSON types.

    Args:
        product: the prepared product.
        raw: the raw fields kept beside it; what a source of another schema lacks of WebShop's fields is filled in.
        human: whether the instructions are people's (``instructions``) or synthetic (``instruction_text``).
    """
    record = {**_webshop_fields(product), **raw}
    record |= {
        "asin": product.asin,
        "Title": product.title,
        "Description": product.description,
        "Reviews": [{"title": r.title, "score": r.score, "body": r.body} for r in product.reviews],
        "Rating": product.rating,
        "BulletPoints": list(product.bullets),
        "pricing": list(product.pricing),
        "Price": product.price,
        "options": {name: list(values) for name, values in product.options.items()},
        "option_to_image": dict(product.option_images),
        "Attributes": list(product.attributes),
        "MainImage": product.images[0] if product.images else None,
        "query": product.query,
    }
    if not human:
        attributes = product.instruction_attributes
        record["instruction_text"] = product.instruction_text
        record["instruction_attributes"] = None if attributes is None else list(attributes)
    elif product.human_instructions:
        record["instructions"] = [
            {
                "instruction": each.instruction,
                "instruction_attributes": list(each.attributes),
                "instruction_options": dict(each.options) if isinstance(each.options, dict) else list(each.options),
            }
            for each in product.human_instructions
        ]
    return record


def _webshop_fields(product: Product) -> dict[str, Any]:
    return {
        "asin": product.asin,
        "category": product.category,
        "query": product.query,
        "product_category": product.product_category,
        "name": product.title,
        "full_description": product.description,
        "small_description": list(product.bullets),
        "images": list(product.images),
        "customization_options": {
            name: [{"value": value, "image": product.option_images.get(value)} for value in values]
            for name, values in product.options.items()
        },
    }
