"""The tool that presses a button."""

import difflib
from typing import Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.shared_libraries.web_agent_site.engine.actions import BUY_NOW, SEARCH_BUTTON, Click
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.tools.plain_text import plain
from personalized_shopping.tools.purchase import buy
from personalized_shopping.tools.visit import visit

_QUOTED_CHARS = 60


async def click(button_name: str, tool_context: ToolContext) -> dict[str, Any]:  # noqa: D417 - the model reads this
    """Press one button of the current page and show the page it leads to.

    What can be pressed is listed in the last answer's `buttons`: buttons such as `< Prev`, a product's code, which
    opens it, or the value of an option, which chooses it. `Buy Now` first asks the person whether to buy.

    Args:
        button_name: The button's label, a product's code, or an option's value, as the page shows it.

    Returns:
        The page that follows. With an `error` nothing was pressed, and the answer describes the page that still stands.
    """
    async with visit(tool_context) as here:
        label = pressed_label(here.page, button_name)
        if label is None:
            return await here.answer(error=_no_such_button(here.page, button_name))
        if label.lower() == BUY_NOW.lower():
            return await buy(here, tool_context)
        await here.take(Click(label))
        return await here.answer()


def pressed_label(page: Page, wanted: str) -> str | None:
    """Return the label that the shop knows for what the model wrote (cleaned), or nothing."""
    wanted = wanted.lower()
    if wanted in ("", SEARCH_BUTTON.lower()):
        return None
    if wanted in page.clickables:
        return wanted
    # The model saw labels without control and invisible characters and with single spaces; the shop's own may differ.
    return next((label for label in page.clickables if plain(label, one_line=True) == wanted), None)


def _no_such_button(page: Page, wanted: str) -> str:
    if page.kind == "search":
        return "The search page has no button to press. Use the search tool, which works on every page."
    if page.kind == "done":
        return "The purchase is made and this page has no buttons. A new search starts the next one."
    if wanted.lower() == SEARCH_BUTTON.lower():
        return "To search, use the search tool; it works on every page."
    if not wanted:
        return "Name the button to press; `buttons` lists what this page has."
    sentence = f"There is no button '{plain(wanted, limit=_QUOTED_CHARS)}' on this page."
    near = difflib.get_close_matches(wanted.lower()[:_QUOTED_CHARS], page.clickables, n=1, cutoff=0.75)
    return f"{sentence} Did you mean '{near[0]}'?" if near else f"{sentence} `buttons` lists what there is."
