"""Reading pages from their HTML with BeautifulSoup, as programs written for WebShop do.

The environment itself never does this: its observations come from the typed page. A property test holds the two equal.
"""

from collections.abc import Container

from bs4 import BeautifulSoup, Tag
from bs4.element import Comment, PageElement

_INVISIBLE = frozenset({"style", "script", "head", "title", "meta", "[document]"})


def parse_html(html: str) -> BeautifulSoup:
    """Parse a page."""
    return BeautifulSoup(html, "html.parser")


def tag_visible(element: PageElement) -> bool:
    """Return whether a text node belongs to what a reader sees."""
    parent = element.parent.name if element.parent is not None else "[document]"
    return parent not in _INVISIBLE and not isinstance(element, Comment)


def convert_html_to_text(html: str, *, simple: bool = False, url: str = "", visited: Container[str] = ()) -> str:
    """Return the text (``simple``) or rich text observation of a page from its HTML.

    Args:
        html: the page.
        simple: the plain form instead of the rich one.
        url: the page's address, which tells the rich form what was chosen.
        visited: identifiers of opened products, which the rich form marks.
    """
    texts = [t for t in parse_html(html).find_all(string=True) if tag_visible(t) and t != "\n"]
    if simple:
        return " [SEP] ".join(t.strip() for t in texts)
    lines, clicked = "", ""
    for text in texts:
        parent = text.parent
        if parent is None:
            continue
        classes = parent.get_attribute_list("class")
        if parent.name == "button":
            lines += f"[button] {text} [button_]\n"
        elif parent.name == "label":
            mark = "clicked " if f'"{text}"' in url else ""
            lines += f"  [{mark}button] {text} [{mark}button_]\n"
            clicked = f"You have clicked {text}.\n{clicked}" if mark else clicked
        elif classes == ["product-link"]:
            mark = "clicked " if str(text) in visited else ""
            lines += f"\n[{mark}button] {text} [{mark}button_]\n"
        else:
            lines += f"{text}\n"
    return clicked + lines


def text_to_clickable(html: str) -> dict[str, Tag]:
    """Return the elements that can be clicked, by lower-case label: buttons, then product links, then option values."""
    page = parse_html(html)
    found: dict[str, Tag] = {}
    for element in [*page.find_all(class_="btn"), *page.find_all(class_="product-link")]:
        found[element.get_text().lower()] = element
    for element in page.find_all("input", {"type": "radio"}):
        found[str(element["value"])] = element
    return found
