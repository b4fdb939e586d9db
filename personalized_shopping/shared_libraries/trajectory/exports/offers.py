"""What can be clicked on a page, and what the page says about it: from the page, or from its record."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from personalized_shopping.shared_libraries.web_agent_site.engine.actions import SEARCH_BUTTON, Click, read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Button, Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.outline import shown
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import text_to_clickable


class Offer(NamedTuple):
    """A click, and the words that tell what it is."""

    action: str
    text: str


def offers_of_page(page: Page) -> list[Offer]:
    """Return what a page offers, in its order. Searching, which every page allows, is not among it."""
    told = {card.asin: f"{shown(card.title)} {card.price}" for card in page.products}

    def text(button: Button) -> str:
        if button.kind == "product":
            return told[button.label]
        return f"{button.option}: {button.label}" if button.kind == "option" else button.label

    return [
        Offer(f"click[{label}]", _plain(text(button)))
        for label, button in page.clickables.items()
        if not (page.has_search_bar and button.label == SEARCH_BUTTON)
    ]


def offers_of_record(kind: str, html: str, a11y: str) -> list[Offer]:
    """Return what a recorded page offers: the exact labels from its HTML, their texts from the accessibility tree."""
    texts = dict(_told(a11y))
    labels = [label for label in text_to_clickable(html) if not (kind == "search" and label == SEARCH_BUTTON.lower())]
    return [Offer(f"click[{label}]", texts.get(_plain(label).lower(), _plain(label))) for label in labels]


def position_of(action: str, candidates: Sequence[str]) -> int | None:
    """Return where an action stands among candidates; ``None`` for a search and for what is not on offer."""
    parsed, _ = read_action(action)
    if not isinstance(parsed, Click):
        return None
    wanted = f"click[{parsed.button}]"
    return candidates.index(wanted) if wanted in candidates else None


def _told(a11y: str) -> Iterator[tuple[str, str]]:
    """Yield labels in lower case with their texts: of links what follows them, of option values their option."""
    option, link, words = "", "", []
    for line in a11y.split("\n"):
        role, _, name = line.partition("] ")
        role = role[1:]
        if role == "text":
            option = name
            words.append(name)
            continue
        if link:
            yield link, " ".join(words)
        link, words = (name.lower(), []) if role == "link" else ("", [])
        if role == "radio":
            value = name.removesuffix(" (not checked)").removesuffix(" (checked)")
            yield value.lower(), f"{option}: {value}"
        elif role == "button":
            yield name.lower(), name
    if link:
        yield link, " ".join(words)


def _plain(text: str) -> str:
    return " ".join(text.split())
