"""What either way of capturing a page finds out about an element; everything else follows from it."""

import re
from dataclasses import dataclass, field

from personalized_shopping.shared_libraries.skills.capture.model import Box, Visible
from personalized_shopping.shared_libraries.skills.capture.roles import input_type
from personalized_shopping.shared_libraries.skills.capture.states import States

MAX_FACT_CHARS = 4_000
"""Longest attribute value that is looked at, so that an address can still be taken apart."""
SECRET_WORDS = (
    "csrf|xsrf|token|nonce|secret|passw|pwd|otp|session|auth|api.?key|card|cvv|cvc|iban|ssn|one-time-code|cc-"
)
"""A field whose name, id, type or ``autocomplete`` contains one of these (ignoring case) keeps its value to itself."""
_SECRET = re.compile(SECRET_WORDS, re.IGNORECASE)
_SECRET_SOURCES = ("name", "id", "type", "autocomplete", "property")
_CHOSEN = frozenset({"button", "checkbox", "image", "radio", "reset", "submit"})
_USER = re.compile(r"(?<=//)[^/?#@]*@")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One element, as a page's HTML or a browser tells it. ``attributes`` hold no secrets (see ``safe_attributes``)."""

    index: int
    parent: int | None
    tag: str
    attributes: dict[str, str]
    role: str | None
    name: str
    states: States
    text: str
    labels: list[int]
    label_texts: list[str]
    visible: Visible
    bbox: Box | None = None
    page_bbox: Box | None = None
    in_viewport: bool | None = None
    occlusion_ratio: float | None = None
    covered_by: int | None = None
    looks: dict[str, str] = field(default_factory=dict)
    """Computed styles: ``z_index``, ``opacity``, ``pointer_events``, ``border_radius``."""

    @property
    def input_type(self) -> str | None:
        """The type of an ``input``."""
        return input_type(self.attributes) if self.tag == "input" else None

    @property
    def classes(self) -> list[str]:
        """The element's classes."""
        return self.attributes.get("class", "").split()


def safe_attributes(tag: str, attributes: dict[str, str]) -> dict[str, str]:
    """Return an element's attributes without what may be secret: passwords, tokens, users in addresses.

    The words of a button and the values among which a person chooses are no secrets.
    """
    kept = {name: _USER.sub("", value[:MAX_FACT_CHARS]) for name, value in attributes.items()}
    if tag == "meta" and _is_secret(kept):
        kept.pop("content", None)
    if tag == "input":
        kind = input_type(kept)
        if kind == "password" or (kind not in _CHOSEN and _is_secret(kept)):
            kept.pop("value", None)
    return kept


def safe_url(url: str) -> str:
    """Return an address without a user and a password in it."""
    return _USER.sub("", url, count=1)


def _is_secret(attributes: dict[str, str]) -> bool:
    return any(_SECRET.search(attributes.get(name, "")) for name in _SECRET_SOURCES)
