"""The website's pages: those of the environment in the site's layout, and what only people see around them."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from personalized_shopping.config import MAX_QUERY_CHARS, PAGE_SIZE
from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
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
from personalized_shopping.shared_libraries.web_agent_site.site.shoppers import Receipt, Shopper
from personalized_shopping.shared_libraries.web_agent_site.utils import generate_mturk_code

_LAYOUT = "site/layout.html"


class Surroundings(NamedTuple):
    """What a page of the site needs besides the page itself.

    ``static`` turns the name of one of our files into its address; ``root`` is the path below which the site is
    mounted.
    """

    shopper: Shopper
    links: SiteLinks
    token: str
    static: Callable[[str], str]
    root: str = ""
    refinement: Refinement = UNREFINED


def render_page(page: Page, around: Surroundings, **more: Any) -> str:
    """Return a page of the shop as the site shows it."""
    return _render(f"site/{TEMPLATES[page.kind]}", page, around, **more)


def render_receipt(page: Page, around: Surroundings, receipt: Receipt) -> str:
    """Return the page after a purchase, with the code and what WebShop tells of the goal."""
    return _render("site/done_page.html", page, around, details=_details(around.shopper, receipt))


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
        "last_page": max(1, -(-page.total_results // PAGE_SIZE)),
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
