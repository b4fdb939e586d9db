"""A page as data. Text, rich text, HTML and drawings are renderings of it; nothing parses them back."""

from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from personalized_shopping.shared_libraries.catalog.schema import Product, ProductCard
from personalized_shopping.shared_libraries.web_agent_site.engine import actions

PageKind = Literal["search", "results", "item", "description", "features", "reviews", "attributes", "done"]
ButtonKind = Literal["button", "product", "option"]


class Button(NamedTuple):
    """Something that ``click`` accepts. ``option`` names the option whose value the label is."""

    label: str
    kind: ButtonKind = "button"
    option: str | None = None


class Page(msgspec.Struct, frozen=True, dict=True):
    """What a shopper sees at one moment.

    ``products`` are the lines of a results page, ``total_results`` counts all pages of them. ``product`` is set on
    the item page, its sub-pages and the done page; ``options`` are the chosen values. ``instruction`` is the task that
    the page shows, ``None`` where the shopper has none. ``reward`` is shown on the done page of an evaluated episode;
    where it is ``None``, the page speaks to a customer and carries neither score nor code.
    """

    kind: PageKind
    instruction: str | None = None
    keywords: tuple[str, ...] = ()
    page_number: int = 1
    total_results: int = 0
    products: tuple[ProductCard, ...] = ()
    product: Product | None = None
    options: dict[str, str] = {}
    visited: tuple[str, ...] = ()
    show_attributes: bool = False
    reward: float | None = None

    @property
    def query(self) -> str:
        """The keywords as they were typed."""
        return " ".join(self.keywords)

    @cached_property
    def buttons(self) -> tuple[Button, ...]:
        """Everything that can be pressed, in the order of the page: buttons, then products, then option values."""
        return tuple(self._buttons())

    def _buttons(self) -> list[Button]:
        if self.kind == "done":
            return []
        if self.kind == "search":
            return [Button(actions.SEARCH_BUTTON)]
        found = [Button(actions.BACK_TO_SEARCH)]
        if self.kind != "results" or self.page_number > 1:
            found.append(Button(actions.PREV_PAGE))
        if self.kind == "results":
            found.append(Button(actions.NEXT_PAGE))
            found.extend(Button(card.asin, "product") for card in self.products)
        elif self.kind == "item" and self.product is not None:
            found.extend(Button(label) for label in self.item_buttons)
            for name, values in self.product.options.items():
                found.extend(Button(value, "option", name) for value in values)
        return found

    @property
    def item_buttons(self) -> tuple[str, ...]:
        """The labels below a product: its sub-pages and ``Buy Now``."""
        subs = actions.SUB_PAGES if self.show_attributes else actions.SUB_PAGES[:3]
        return (*subs, actions.BUY_NOW)

    @cached_property
    def clickables(self) -> dict[str, Button]:
        """What ``click`` accepts, by lower-case label.

        Where two options share a value, the label stands for the last one, as in the published environment.
        """
        found: dict[str, Button] = {}
        for button in self.buttons:
            found[button.label if button.kind == "option" else button.label.lower()] = button
        return found

    @property
    def has_search_bar(self) -> bool:
        """Whether the page shows the search field; searching works on every page all the same."""
        return self.kind == "search"
