"""The website's pages: those of the environment in the site's layout, and what only people see around them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from personalized_shopping.config import MAX_QUERY_CHARS, PAGE_SIZE, SITE_MAX_REFINED
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.query import CATEGORY_QUERY, RANDOM_QUERY
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import (
    TEMPLATES,
    render_template,
    template_environment,
)
from personalized_shopping.shared_libraries.web_agent_site.site.images import shown_image
from personalized_shopping.shared_libraries.web_agent_site.site.links import SiteForms, SiteLinks
from personalized_shopping.shared_libraries.web_agent_site.site.refinements import (
    ORDERS,
    PRICES,
    RATINGS,
    UNREFINED,
    Refinement,
)
from personalized_shopping.shared_libraries.web_agent_site.site.shelves import Shelves
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Receipt, Shopper
from personalized_shopping.shared_libraries.web_agent_site.utils import generate_mturk_code

_LAYOUT = "site/layout.html"
_NUMBERS_SHOWN = 5
_TITLE_CHARS = 80


class Surroundings(NamedTuple):
    """What a page of the site needs besides the page itself.

    ``static`` turns the name of one of our files into its address; ``root`` is the path below which the site is
    mounted; ``shelves`` is what the search page shows besides its field; ``left_out`` counts results that were too many
    to be filtered.
    """

    shopper: Shopper
    links: SiteLinks
    token: str
    static: Callable[[str], str]
    shelves: Shelves
    root: str = ""
    refinement: Refinement = UNREFINED
    left_out: int = 0


def render_page(page: Page, around: Surroundings) -> str:
    """Return a page of the shop as the site shows it."""
    return _render(f"site/{TEMPLATES[page.kind]}", page, around)


def render_receipt(page: Page, around: Surroundings, receipt: Receipt) -> str:
    """Return the page after a purchase, with the code and what WebShop tells of the goal."""
    return _render("site/done_page.html", page, around, details=_details(around.shopper, receipt), receipt=receipt)


def render_question(page: Page, around: Surroundings) -> str:
    """Return the page that asks whether to buy, for whoever opens the address of a purchase that was not made."""
    return _render("site/question_page.html", page, around)


def render_error(status: int, title: str, message: str, static: Callable[[str], str], root: str) -> str:
    """Return a page that says what went wrong and where to go on."""
    template = template_environment().get_template("site/error_page.html")
    return template.render(status=status, title=title, message=message, static=static, root=root)


def chosen_picture(product: Product, options: Mapping[str, str]) -> str | None:
    """Return the image of the value that was chosen last and has one, else the product's first image."""
    for value in reversed(options.values()):  # type: ignore[call-overload]
        if shown_image(product.option_images.get(value)):
            return product.option_images[value]
    return product.main_image


def page_numbers(page: Page) -> range:
    """Return the numbers of the pages of results around the one that is shown; none where there is only one."""
    last = -(-page.total_results // PAGE_SIZE)
    if last <= 1:
        return range(0)
    first = max(1, min(page.page_number - _NUMBERS_SHOWN // 2, last - _NUMBERS_SHOWN + 1))
    return range(first, min(last, first + _NUMBERS_SHOWN - 1) + 1)


def price_range(low: float, high: float) -> str:
    """Return how a range of prices is named."""
    if high == float("inf"):
        return f"${low:.0f} and up"
    return f"${low:.0f} to ${high:.0f}" if low else f"Under ${high:.0f}"


def _heading(page: Page) -> str:
    if page.keywords[:1] == (CATEGORY_QUERY,):
        return " ".join(page.keywords[1:]).capitalize()
    return "Random products" if page.keywords[:1] == (RANDOM_QUERY,) else f"Results for “{page.query}”"


def _title(page: Page) -> str:
    about = (page.product.title or page.product.asin) if page.product else _heading(page)
    return "WebShop" if page.kind == "search" else f"{about[:_TITLE_CHARS]} - WebShop"


def _render(name: str, page: Page, around: Surroundings, **more: Any) -> str:
    product = page.product
    values: dict[str, Any] = {
        "links": around.links,
        "image": shown_image,
        "forms": SiteForms(around.token),
        "layout": _LAYOUT,
        "picture": chosen_picture(product, page.options) if product else None,
        "around": around,
        "orders": ORDERS,
        "prices": PRICES,
        "ratings": RATINGS,
        "max_query_chars": MAX_QUERY_CHARS,
        "max_refined": SITE_MAX_REFINED,
        "price_range": price_range,
        "heading": _heading(page),
        "title": _title(page),
        "page_numbers": page_numbers(page),
    }
    return render_template(name, page, **values, **more)


def _details(shopper: Shopper, receipt: Receipt) -> dict[str, Any]:
    goal = shopper.goal
    return {
        "code": generate_mturk_code(shopper.session_id),
        "goal": goal,
        "goal_text": json.dumps(goal.as_dict() if goal else None, indent=1, ensure_ascii=False),
        "reward_info": json.dumps(receipt.reward.info() if receipt.reward else None, indent=1),
    }
