"""What a shopper can do, and the text form of it: ``search[words]`` and ``click[button]``."""

import re
from typing import NamedTuple

from personalized_shopping.config import MAX_ACTION_CHARS

SEARCH_BUTTON = "Search"
BACK_TO_SEARCH = "Back to Search"
NEXT_PAGE = "Next >"
PREV_PAGE = "< Prev"
BUY_NOW = "Buy Now"
DESCRIPTION = "Description"
FEATURES = "Features"
REVIEWS = "Reviews"
ATTRIBUTES = "Attributes"
SUB_PAGES = (DESCRIPTION, FEATURES, REVIEWS, ATTRIBUTES)

_ACTION = re.compile(r"(.+)\[(.+)\]")
"""Greedy and open-ended as in the published environment: ``click[x] please`` is a click on ``x``."""


class Search(NamedTuple):
    """Search the catalogue; possible on every page."""

    keywords: str


class Click(NamedTuple):
    """Press a button, open a product or choose an option, by its label."""

    button: str


Action = Search | Click


def split_action(text: str) -> tuple[str, str | None]:
    """Split ``name[argument]`` into its two parts, the argument lower-case as the pages compare it.

    Returns:
        The whole text and ``None`` where it has no such form.
    """
    match = _ACTION.match(text)
    if match is None:
        return text, None
    return match[1], match[2].lower()


def read_action(text: object) -> tuple[Action | None, str | None]:
    """Read an action string; return the action, or ``None`` with a sentence that says what is wrong."""
    if not isinstance(text, str):
        return None, f"An action is a string such as 'search[red shoes]', not {type(text).__name__}."
    if len(text) > MAX_ACTION_CHARS:
        return None, f"The action has {len(text)} characters; at most {MAX_ACTION_CHARS} are read."
    name, argument = split_action(text)
    if argument is None:
        return None, "An action has the form search[words] or click[button], with something between the brackets."
    if name == "search":
        return Search(argument), None
    if name == "click":
        return Click(argument), None
    return None, "There are two actions: search[words] and click[button]."
