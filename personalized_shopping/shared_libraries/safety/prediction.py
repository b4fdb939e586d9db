"""What a call leads to, predicted before it is made: the deterministic world model asks the shop itself.

The shop is a function, so it can be asked without being moved.
"""

from typing import Any

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.safety.situation import Situation
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import a11y_tree
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

MAX_ELEMENTS = 20
_NAME_CHARS = 80


class ElementChanges(Struct, frozen=True):
    """Controls that appear and disappear."""

    new_elements: list[str] = []
    removed_elements: list[str] = []


class Prediction(Struct, frozen=True, kw_only=True):
    """What a call leads to, under the names of the SafePred layout.

    ``page_after`` is the kind of the page it leads to, ``unchanged`` or ``unknown``. ``risk_score`` is 0 to 1.
    """

    semantic_delta: str
    element_changes: ElementChanges = ElementChanges()
    long_term_impact: str | None = None
    risk_explanation: str = ""
    violated_policy_ids: list[str] = []
    optimization_guidance: str | None = None
    risk_score: float = 0.0
    page_after: str = "unknown"
    irreversible: bool = False


def predict(shop: Shop, situation: Situation) -> Prediction:
    """Return what a call leads to, from the shop itself.

    Raises:
        ShoppingError: where the shop cannot answer.
    """
    action = action_of(situation)
    if action is None:
        return Prediction(semantic_delta="Nothing changes: the page has no such button.", page_after="unchanged")
    step = shop.step(situation.place, action, situation.page)
    if not step.is_valid:
        return Prediction(semantic_delta="Nothing changes: the page has no such button.", page_after="unchanged")
    before, after = _controls(situation.page), _controls(step.page)
    irreversible = step.purchase is not None
    return Prediction(
        semantic_delta=_delta(situation, step.page, bought=irreversible, moved=step.is_effective),
        element_changes=ElementChanges(
            new_elements=[name for name in after if name not in before][:MAX_ELEMENTS],
            removed_elements=[name for name in before if name not in after][:MAX_ELEMENTS],
        ),
        long_term_impact="An order is placed; it cannot be taken back." if irreversible else "Can be undone.",
        page_after=step.page.kind if step.is_effective else "unchanged",
        irreversible=irreversible,
    )


def action_of(situation: Situation) -> Action | None:
    """Return a call as an action of the shop; ``None`` for a button that does not exist."""
    if situation.tool == "search":
        return Search(situation.argument)
    return Click(situation.label) if situation.label is not None else None


def came_true(prediction: Prediction, before: Page, after: Page) -> bool:
    """Return whether the page that stands after a call is of the predicted kind."""
    if prediction.page_after == "unknown":
        return True
    return after.kind == (before.kind if prediction.page_after == "unchanged" else prediction.page_after)


def _delta(situation: Situation, after: Page, *, bought: bool, moved: bool) -> str:
    product = after.product
    if bought and product is not None:
        options = ", ".join(sorted(situation.place.options.values())) or "no options"
        return f"{product.asin} is ordered ({options}) for {product.price}."
    if not moved:
        return "The page stays as it is."
    if after.kind == "results":
        return f"Results page {after.page_number}: {after.total_results} products are listed."
    if after.kind == "item" and product is not None and situation.page.kind == "item":
        return f"An option of {product.asin} is chosen."
    if product is not None:
        return f"The {after.kind} page of {product.asin} is shown."
    return f"The {after.kind} page is shown."


def _controls(page: Page) -> list[str]:
    return [
        f"[{node.role}] {node.name[:_NAME_CHARS]}"
        for node in a11y_tree(page)
        if node.role in ("button", "link", "radio", "searchbox")
    ]


def seed_fields(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as the trajectory holds it."""
    fields: dict[str, Any] = msgspec.to_builtins(prediction)
    return fields
