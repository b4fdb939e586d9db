"""The pages that a skill has read, as if they had been opened one after the other."""

from collections.abc import Iterator, Mapping
from typing import Any

from personalized_shopping.models.offline.pages import SUB_PAGES, View, read_view


def skill_views(answer: Mapping[str, Any]) -> Iterator[View]:
    """Return the product pages that the evidence of a skill tells of, in order; none where it tells of none."""
    evidence = answer.get("evidence")
    if not isinstance(evidence, Mapping):
        return
    yield from _content_views(evidence.get("content"), answer.get("product"))
    items = evidence.get("items")
    for item in items if isinstance(items, list) else []:
        if isinstance(item, Mapping):
            product = _product(item)
            yield read_view({"page": "item", "product": product})
            yield from _content_views(item.get("content"), product)


def _content_views(content: Any, product: Any) -> Iterator[View]:
    if not isinstance(content, Mapping):
        return
    for label, kind in SUB_PAGES.items():
        if label in content:
            blocks = content[label]
            yield read_view({"page": kind, "product": product, "content": _blocks(kind, blocks)})


def _blocks(kind: str, blocks: Any) -> list[Any]:
    found = blocks if isinstance(blocks, list) else []
    if kind != "reviews":
        return found
    return [_review(block) if isinstance(block, Mapping) else {"body": block} for block in found]


def _review(block: Mapping[str, Any]) -> dict[str, Any]:
    title, score = str(block.get("title", "")).strip().strip('"'), str(block.get("score", "")).strip()
    try:
        return {"title": title, "score": float(score), "body": block.get("body")}
    except ValueError:
        return {"title": title, "score": None, "body": block.get("body")}


def _product(item: Mapping[str, Any]) -> dict[str, Any]:
    options, rating = item.get("options"), str(item.get("rating", ""))
    named = options.items() if isinstance(options, Mapping) else ()
    try:
        stars: float | None = float(rating)
    except ValueError:
        stars = None
    return {
        "asin": item.get("asin"),
        "title": item.get("title"),
        "price": item.get("price"),
        "rating": stars,
        "options": [{"name": name, "values": values, "chosen": None} for name, values in named],
    }
