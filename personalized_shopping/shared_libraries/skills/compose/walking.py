"""Taking the steps of a template one by one, as an agent does: with given arguments, or with others from the shop."""

import random
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from personalized_shopping.shared_libraries.catalog.schema import Product
from personalized_shopping.shared_libraries.skills.compose.templates import Hole, StepTemplate, Template
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import (
    BUY_NOW,
    NEXT_PAGE,
    SUB_PAGES,
    Click,
    Search,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop, Step

INSTRUCTION = "Look around."
MAX_TRIED = 300
"""Steps that are tried in the search for one set of other arguments."""
_LOOKED_AT = 400
"""Products that are looked at for one that suits."""
_QUERIES, _VALUES = 4, 12
"""Queries, and values of options, that are tried at one step."""
_WORD = re.compile(r"[a-z0-9]+")


class Walk(NamedTuple):
    """A way through the shop: where it began, with which arguments, and the place after each step."""

    start: ShopSession
    args: dict[str, str]
    places: tuple[ShopSession, ...]


Tried = tuple[ShopSession, Mapping[str, str]]


def walk(shop: Shop, template: Template, start: ShopSession, args: Mapping[str, str]) -> Walk | None:
    """Return the way that the steps lead with given arguments; ``None`` where the shop does not allow one of them."""
    places: list[ShopSession] = []
    for step in template.steps:
        at = places[-1] if places else start
        after = take(shop, at, shop.page(at), step, step.told(args))
        if after is None:
            return None
        places.append(after)
    return Walk(start, dict(args), tuple(places))


def take(shop: Shop, place: ShopSession, page: Page, step: StepTemplate, told: tuple[str, ...]) -> ShopSession | None:
    """Return where one step leads; ``None`` where it is not possible, or is another one than the template's."""
    verb, page_kind, label, leads_to = step.symbol
    if page_kind and page.kind != page_kind:
        return None
    if verb == "search":
        return shop.step(place, Search(told[0]), page).session
    pressed = label if verb == "press" else told[-1]
    button = page.clickables.get(pressed.lower())
    if button is None or pressed.lower() == BUY_NOW.lower():
        return None
    if verb == "open" and (button.kind != "product" or button.label != pressed):
        return None
    if verb == "choose" and (button.kind != "option" or (button.option, button.label) != told):
        return None
    taken: Step = shop.step(place, Click(pressed), page)
    return taken.session if taken.is_valid and taken.session.kind == leads_to else None


class Drawing:
    """Draws arguments and starting places from a shop with a generator of its own.

    Args:
        shop: the shop.
        template: the steps.
        rng: the generator.
    """

    def __init__(self, shop: Shop, template: Template, rng: random.Random) -> None:
        self._shop = shop
        self._template = template
        self._rng = rng
        self._left = 0

    def draw(self, page_kind: str, recorded: list[Tried]) -> Walk | None:
        """Return a way through the shop that nobody went, or ``None`` where this draw finds none.

        Args:
            page_kind: of the page on which it begins.
            recorded: what is not to be drawn.
        """
        self._left = MAX_TRIED
        start = self._start(page_kind)
        if start is None:
            return None
        for args, places in self._ways(start, 0, {}, recorded):
            if not any(one == args and self._same_start(at, start) for at, one in recorded):
                return Walk(start, args, places)
        return None

    def _same_start(self, one: ShopSession, other: ShopSession) -> bool:
        """Return whether two ways begin alike; a search leads to the same page from anywhere."""
        starts = ((place.kind, place.keywords, place.asin) for place in (one, other))
        return not self._template.page_kind or len(set(starts)) == 1

    def _start(self, kind: str) -> ShopSession | None:
        """Return a fresh session on a page of a kind."""
        place = self._shop.start(instruction=INSTRUCTION, seed=self._rng.randrange(1 << 16))
        product = self._product(-1)
        if kind == "search" or product is None:
            return place if kind == "search" else None
        place = self._shop.step(place, Search(self._words(product))).session
        page = self._shop.page(place)
        if kind == "results":
            turned = page.total_results > len(page.products) and self._rng.random() < 0.5
            return self._shop.step(place, Click(NEXT_PAGE)).session if turned else place
        listed = [card.asin for card in page.products]
        if not listed:
            return None
        asin = product.asin if product.asin in listed else self._rng.choice(listed)
        place = self._shop.step(place, Click(asin)).session
        label = next((label for label in SUB_PAGES if label.lower() == kind), None)
        if label is None:
            return place
        opened = self._shop.step(place, Click(label))
        return opened.session if opened.is_valid else None

    def _ways(
        self, place: ShopSession, number: int, args: dict[str, str], recorded: list[Tried]
    ) -> Iterator[tuple[dict[str, str], tuple[ShopSession, ...]]]:
        """Yield arguments with which the steps from a place on are possible, and where each of them leads."""
        if number == len(self._template.steps):
            yield args, ()
            return
        step = self._template.steps[number]
        page = self._shop.page(place)
        for told in self._told(number, step, page, args, recorded):
            if self._left <= 0:
                return
            self._left -= 1
            after = take(self._shop, place, page, step, told)
            if after is not None:
                more = {slot.name: text for slot, text in zip(step.slots, told, strict=True) if isinstance(slot, Hole)}
                for found, places in self._ways(after, number + 1, {**args, **more}, recorded):
                    yield found, (after, *places)

    def _told(
        self, number: int, step: StepTemplate, page: Page, args: dict[str, str], recorded: list[Tried]
    ) -> Iterator[tuple[str, ...]]:
        """Yield what a step could be told here, what nobody told it yet first."""
        open_holes = [slot.name for slot in step.slots if isinstance(slot, Hole) and slot.name not in args]
        if not open_holes:
            yield step.told(args)
            return
        choices = list(self._choices(number, step, page))
        choices = [told for told in choices if self._agrees(step, told, args)]
        used = {step.told(one) for _, one in recorded}
        yield from sorted(choices, key=lambda told: told in used)

    def _choices(self, number: int, step: StepTemplate, page: Page) -> Iterator[tuple[str, ...]]:
        if step.symbol.verb == "search":
            for _ in range(_QUERIES):
                product = self._product(number)
                if product is not None:
                    yield (self._words(product),)
        elif step.symbol.verb == "open":
            asins = [card.asin for card in page.products]
            self._rng.shuffle(asins)
            yield from ((asin,) for asin in asins)
        elif page.product is not None:
            pairs = [(name, value) for name, values in page.product.options.items() for value in values]
            yield from self._rng.sample(pairs, min(_VALUES, len(pairs)))

    def _agrees(self, step: StepTemplate, told: tuple[str, ...], args: dict[str, str]) -> bool:
        """Return whether a choice has the template's constants, and the arguments that are given already."""
        fixed = (args.get(slot.name) if isinstance(slot, Hole) else slot for slot in step.slots)
        return all(slot in (None, text) for slot, text in zip(fixed, told, strict=True))

    def _product(self, number: int) -> Product | None:
        """Return a product with the options that are chosen after a step; ``None`` where none was found."""
        catalog, wanted = self._shop.catalog, self._wanted(number)
        for _ in range(_LOOKED_AT if len(catalog) else 0):
            product = catalog.product_at(self._rng.randrange(len(catalog)))
            if all(_offers(product, choice.slots) for choice in wanted) and self._words(product):
                return product
        return None

    def _wanted(self, number: int) -> list[StepTemplate]:
        """Return what is chosen of the first product that is looked at after a step."""
        found: list[StepTemplate] = []
        opened = number < 0 and self._template.page_kind not in ("", "search", "results")
        for step in self._template.steps[number + 1 :]:
            if step.symbol.verb == "search" or (step.symbol.verb == "open" and opened):
                break
            opened = opened or step.symbol.verb == "open"
            found += [step] if step.symbol.verb == "choose" else []
        return found

    def _words(self, product: Product) -> str:
        """Return a few words that find a product; none where its texts have no words."""
        words = _WORD.findall((product.title or product.query or "").lower())
        if not words:
            return ""
        size = min(len(words), self._rng.randint(2, 4))
        first = self._rng.randint(0, len(words) - size)
        return " ".join(words[first : first + size])


def _offers(product: Product, slots: tuple[Hole | str, ...]) -> bool:
    option, value = slots
    if isinstance(option, Hole):
        return bool(product.options)
    values = product.options.get(option, ())
    return bool(values) if isinstance(value, Hole) else value in values
