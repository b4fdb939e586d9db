"""The accessibility tree of a page: the role and the name of everything that a reader or a keyboard reaches."""

from collections.abc import Iterator
from typing import NamedTuple

from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.outline import Node, outline

_ROLES = {"text": "text", "button": "button", "link": "link", "label": "radio"}


class A11yNode(NamedTuple):
    """One node: its ARIA role, its accessible name, and for an option value whether it is chosen."""

    role: str
    name: str
    checked: bool | None = None

    def __str__(self) -> str:
        state = "" if self.checked is None else f" ({'checked' if self.checked else 'not checked'})"
        return f"[{self.role}] {self.name}{state}"


def a11y_tree(page: Page) -> list[A11yNode]:
    """Return a page's accessibility tree, flat and in reading order, from the page itself."""
    return [A11yNode("document", f"WebShop: {page.kind}"), *_nodes(page)]


def render_a11y(page: Page) -> str:
    """Return the tree as text, one node a line: ``[button] Buy Now``."""
    return "\n".join(map(str, a11y_tree(page)))


def _nodes(page: Page) -> Iterator[A11yNode]:
    options = iter(button for button in page.buttons if button.kind == "option")
    for node in outline(page):
        if node.role == "label":
            # A value without any text has no node.
            button = next(button for button in options if button.label.split() == node.text.split())
            chosen = page.options.get((button.option or "").lower())
            yield A11yNode("radio", _name(node), chosen is not None and chosen == button.label.lower())
            continue
        if page.has_search_bar and node.role == "button":
            yield A11yNode("searchbox", page.query)
        if name := _name(node):
            yield A11yNode(_ROLES[node.role], name)


def _name(node: Node) -> str:
    return " ".join(node.text.split())
