"""What must hold after a skill ran, as far as the page says where its control leads."""

import re
from urllib.parse import urldefrag, urljoin, urlsplit

from personalized_shopping.shared_libraries.skills.build.groups import Group, PageFacts
from personalized_shopping.shared_libraries.skills.build.locators import css_of
from personalized_shopping.shared_libraries.skills.capture.model import Element
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text
from personalized_shopping.shared_libraries.skills.capture.webshop_url import page_kind
from personalized_shopping.shared_libraries.skills.model import MAX_PATTERN_CHARS, Locators, Postconditions
from personalized_shopping.shared_libraries.web_agent_site.engine import actions

_LEADS_TO = {
    actions.BACK_TO_SEARCH: "search",
    actions.NEXT_PAGE: "results",
    actions.DESCRIPTION: "description",
    actions.FEATURES: "features",
    actions.REVIEWS: "reviews",
    actions.ATTRIBUTES: "attributes",
    actions.BUY_NOW: "done",
}
"""The shop's own buttons, and the pages that they open."""
_BACK = {"results": "results", "item": "results"}
"""Where ``< Prev`` leads; from a sub-page to the item."""


def find_postconditions(facts: PageFacts, group: Group, locators: Locators, *, searches: bool) -> Postconditions:
    """Return what has to hold after a group's skill ran; nothing where the page does not tell.

    Args:
        facts: the page.
        group: the controls.
        locators: of the skill.
        searches: whether the skill sends a search.
    """
    element = group.element
    if facts.page_kind is not None:
        if kind := _kind_after(facts, facts.page_kind, group, searches):
            return Postconditions(page_kind=[kind])
        if element.href is None or not element.href.startswith("#"):
            return Postconditions()  # the shop's other addresses name a session
    if searches:
        return Postconditions(url_changes=True)
    if group.node.action == "open":
        return _opened(element, locators)
    if group.kind == "single" and element.input_type == "radio" and (css := css_of(locators)):
        return Postconditions() if _moves(element) else Postconditions(exists=[f"{css}:checked"])
    if element.href is not None and element.attrs.get("target", "_self") in ("", "_self"):
        return _followed(facts, group)
    return Postconditions()


def _kind_after(facts: PageFacts, kind: str, group: Group, searches: bool) -> str | None:
    """Return the kind of the shop's page that follows."""
    element, name = group.element, matching_text(group.node.name)
    if searches:
        return "results"
    if group.kind == "options" or element.input_type == "radio":
        return "item" if kind == "item" else None
    if element.tag == "button" and name == actions.PREV_PAGE:
        return _BACK.get(kind, "item")
    if element.tag == "button" and name in _LEADS_TO:
        return _LEADS_TO[name]
    if element.tag == "a" and element.href and not element.href.startswith("#"):
        address = urljoin(str(facts.capture.meta.get("url", "")), element.href)
        if kind == "results" and "product-link" in element.classes:
            return "item"
        return page_kind(address, shows_search=_is_index(facts, address))
    return None


def _is_index(facts: PageFacts, address: str) -> bool:
    """Return whether an address is the one of the shop's search page in the same session."""
    try:
        return urlsplit(address).path.strip("/") == facts.session
    except ValueError:
        return False


def _followed(facts: PageFacts, group: Group) -> Postconditions:
    """Return where a link leads: to its address, if that is one of its own and no list decides."""
    here = str(facts.capture.meta.get("url", ""))
    try:
        there = urljoin(here, (group.element.href or "").strip())
        parts = urlsplit(there)
    except ValueError:
        return Postconditions()
    if parts.scheme not in ("http", "https", "file") or "download" in group.element.attrs:
        return Postconditions()
    if there == here or (group.kind == "list" and any(each.href == group.element.href for each in group.elements[1:])):
        return Postconditions()
    pattern = re.escape(urldefrag(there).url.rstrip("/"))
    is_same_page = urldefrag(there).url == urldefrag(here).url
    if is_same_page:
        return Postconditions(url_changes=True) if parts.fragment else Postconditions()
    if group.kind == "list" or len(pattern) > MAX_PATTERN_CHARS - 20 or "…" in there:
        return Postconditions(url_changes=True)
    return Postconditions(url_matches=[f"^{pattern}/?(?:[?#&].*)?$"])


def _opened(element: Element, locators: Locators) -> Postconditions:
    css = css_of(locators)
    if css is None or element.attrs.get("aria-expanded") != "false":
        return Postconditions()
    exists = f'{css}[aria-expanded="true"]'
    return Postconditions(exists=[exists])


def _moves(element: Element) -> bool:
    """Return whether choosing a value leads to another page."""
    return any(name in element.attrs for name in ("data-url", "data-href", "onchange", "onclick"))
