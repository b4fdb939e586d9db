"""The pages as artifacts, for the people who watch."""

import logging
from collections.abc import Mapping

from google.adk.tools.tool_context import ToolContext
from google.genai import types

from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_html
from personalized_shopping.tools.drawing import draw_page, embedded_image
from personalized_shopping.tools.plain_text import plain

logger = logging.getLogger(__name__)

HTML_NAME = "page.html"
DRAWING_NAME = "page.svg"


async def save_page(context: ToolContext, page: Page) -> None:
    """Save a page as ``page.html`` and ``page.svg``; a shop without artifact storage, or with a full one, goes on.

    The drawing comes last, because ``adk web`` shows the last artifact of a call in the chat, and is an image because
    ``adk web`` draws images there; HTML it only offers for download.
    """
    pages = ((HTML_NAME, "text/html", page_html), (DRAWING_NAME, "image/svg+xml", draw_page))
    for name, mime_type, render in pages:
        try:
            data = render(page).encode("utf-8", "replace")
            await context.save_artifact(name, types.Part.from_bytes(data=data, mime_type=mime_type))
        except Exception as error:
            logger.warning("The page could not be saved as %s: %s", name, error)


def page_html(page: Page) -> str:
    """Return the page as an inert document: its links lead nowhere, and only images inside the document are shown."""
    return plain(render_html(page, _NoLinks(), image=embedded_image))


class _NoLinks:
    """The links of a saved page: it stands alone."""

    def index(self) -> str:
        return "#"

    def results(self, page: Page, page_number: int) -> str:
        return "#"

    def item(self, page: Page, asin: str, options: Mapping[str, str]) -> str:
        return "#"

    def sub_page(self, page: Page, name: str) -> str:
        return "#"

    def done(self, page: Page) -> str:
        return "#"
