"""The two text observations of WebShop, character for character."""

from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.outline import outline

SEPARATOR = " [SEP] "


def render_text(page: Page) -> str:
    """Return the plain observation: the page's strings, stripped, joined by ``[SEP]``."""
    return SEPARATOR.join([node.text.strip() for node in outline(page)])


def render_rich_text(page: Page, url: str) -> str:
    """Return the rich observation: one string a line, with buttons and earlier clicks marked.

    An option counts as clicked where its value stands in double quotes in the address. So the published environment
    decides, with two effects that are kept: a quoted word of the query marks an option of that name, and values beyond
    ASCII are never marked.
    """
    body = []
    clicked = ""
    for text, role in outline(page):
        if role == "button":
            body.append(f"[button] {text} [button_]\n")
        elif role == "label":
            mark = "clicked " if f'"{text}"' in url else ""
            body.append(f"  [{mark}button] {text} [{mark}button_]\n")
            if mark:
                clicked = f"You have clicked {text}.\n{clicked}"
        elif role == "link":
            mark = "clicked " if text in page.visited else ""
            body.append(f"\n[{mark}button] {text} [{mark}button_]\n")
        else:
            body.append(f"{text}\n")
    return clicked + "".join(body)
