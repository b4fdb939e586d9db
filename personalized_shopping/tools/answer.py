"""What a tool tells the model about a page: its text, and the same facts in order."""

from typing import Any

from personalized_shopping.config import MAX_ANSWER_BLOCKS, MAX_BLOCK_CHARS, MAX_OBSERVATION_CHARS
from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BACK_TO_SEARCH
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_text
from personalized_shopping.tools.plain_text import money, plain


def describe(page: Page, error: str | None = None) -> dict[str, Any]:
    """Return a tool's answer.

    Args:
        page: the page that stands now.
        error: what went wrong, if the page still stands because of that.

    Returns:
        A JSON mapping without any id of the session and without times, so that the same calls give the same answers.
    """
    answer: dict[str, Any] = {"observation": observation(page), "page": page.kind}
    if page.kind == "results":
        answer["query"] = plain(page.query)
        answer["page_number"] = page.page_number
        answer["total_results"] = page.total_results
        answer["products"] = [_describe_card(card) for card in page.products]
    if page.product is not None:
        answer["product"] = describe_product(page.product, page.options)
        blocks = content(page, page.product)
        if blocks is not None:
            answer["content"] = blocks
    if page.kind == "done":
        answer["purchased"] = True
        if page.reward is not None:
            answer["reward"] = page.reward
    answer["buttons"] = [plain(button.label, one_line=True) for button in page.buttons]
    if error is not None:
        answer["error"] = error
    return answer


def observation(page: Page) -> str:
    """Return the page as text, from ``Back to Search`` on: what comes before is the task, which the model knows."""
    text = render_text(page)
    start = max(text.find(BACK_TO_SEARCH), 0)
    return plain(text[start:], limit=MAX_OBSERVATION_CHARS)


def describe_product(product: Product, chosen: dict[str, str]) -> dict[str, Any]:
    """Return a product's facts with its options and what is chosen of each."""
    by_name = {name.lower(): value for name, value in chosen.items()}
    return {
        **_describe_card(product),
        "options": [
            {
                "name": plain(name, one_line=True),
                "values": [plain(value, one_line=True) for value in values],
                "chosen": plain(by_name[name.lower()], one_line=True) if name.lower() in by_name else None,
            }
            for name, values in product.options.items()
        ],
    }


def content(page: Page, product: Product) -> list[Any] | None:
    """Return the blocks of text of a reading page, or ``None`` for other pages."""
    texts: list[str | None]
    if page.kind == "reviews":
        return [
            {"title": _block(review.title), "score": review.score, "body": _block(review.body)}
            for review in product.reviews[:MAX_ANSWER_BLOCKS]
        ]
    if page.kind == "description":
        texts = [product.description]
    elif page.kind == "features":
        texts = list(product.bullets)
    elif page.kind == "attributes":
        texts = [*product.attributes, product.category, product.query, product.product_category]
    else:
        return None
    return [_block(text) for text in texts if text and text.strip()][:MAX_ANSWER_BLOCKS]


def _describe_card(card: Product | ProductCard) -> dict[str, Any]:
    return {
        "asin": card.asin,
        "title": _block(card.title or ""),
        "price": plain(money(card.pricing, card.price), one_line=True),
        "price_usd": list(card.pricing),
        "rating": card.rating,
    }


def _block(text: str) -> str:
    return plain(text, limit=MAX_BLOCK_CHARS).strip()
