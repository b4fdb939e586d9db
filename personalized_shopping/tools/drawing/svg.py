"""The drawing of a page: XHTML inside an SVG's ``foreignObject``, which chats and browsers show as an image.

It holds no script and no address outside itself. Its height is computed from the same numbers as the style sheet's.
"""

from xml.etree.ElementTree import Element, tostring

from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.drawing.products import Drawn, draw_done, draw_item, draw_results
from personalized_shopping.tools.drawing.reading import draw_reading
from personalized_shopping.tools.drawing.xhtml import element, style_sheet
from personalized_shopping.tools.plain_text import plain

WIDTH = 720
_BAR = 56
_BORDERS = 2
_TOOLS = 52
_QUERY_CHARS = 120


def draw_page(page: Page) -> str:
    """Return a page as an SVG document."""
    body = _body(page)
    height = _BAR + body.height + _BORDERS
    drawn = element("div", _bar(page), body.elements, css_class="page", xmlns="http://www.w3.org/1999/xhtml")
    drawn.insert(0, element("style", style_sheet()))
    drawn.set("style", f"height:{height}px")
    root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "width": str(WIDTH), "height": str(height)})
    root.set("viewBox", f"0 0 {WIDTH} {height}")
    frame = Element("foreignObject", {"x": "0", "y": "0", "width": str(WIDTH), "height": str(height)})
    frame.append(drawn)
    root.append(frame)
    return tostring(root, encoding="unicode")


def _body(page: Page) -> Drawn:
    if page.kind == "search":
        return Drawn([element("div", element("b", "What are you looking for?"), _HINT, css_class="welcome")], 150)
    if page.kind == "done":
        return draw_done(page)
    if page.kind == "results":
        drawn = draw_results(page)
        note = f"Page {page.page_number} · {page.total_results} results"
    elif page.kind == "item":
        drawn = draw_item(page)
        note = ""
    else:
        drawn = draw_reading(page)
        note = ""
    return Drawn([_tools(page, note), *drawn.elements], _TOOLS + drawn.height)


_HINT = "Describe it in a few words: kind, colour, material, size."


def _bar(page: Page) -> Element:
    query = plain(page.query, limit=_QUERY_CHARS, one_line=True)
    field = element("div", query, css_class="field", dir="auto") if query else _empty_field()
    return element("div", element("div", "WebShop", css_class="brand"), field, css_class="bar")


def _empty_field() -> Element:
    return element("div", "Search the shop", css_class="field empty")


def _tools(page: Page, note: str) -> Element:
    wanted = {actions.BACK_TO_SEARCH, actions.PREV_PAGE, actions.NEXT_PAGE}
    labels = [button.label for button in page.buttons if button.kind == "button" and button.label in wanted]
    buttons = [element("div", label, css_class="button") for label in labels]
    return element("div", buttons, element("div", note, css_class="note"), css_class="tools")
