"""The tool that searches the shop."""

from typing import Any

from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import MAX_QUERY_CHARS
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Search
from personalized_shopping.tools.visit import visit


async def search(keywords: str, tool_context: ToolContext) -> dict[str, Any]:  # noqa: D417 - the model reads this
    """Search the shop and show the first page of results, best match first. Works on every page.

    The words are matched against product titles, descriptions, features and options. Name the kind of product and its
    decisive properties ("women's denim jacket"); leave out prices and politeness.

    Args:
        keywords: The words to search for.

    Returns:
        The results page: `products` with their codes (press one with `click` to open it), `total_results`, `buttons`,
        and the page as text in `observation`. With an `error`, nothing was searched.
    """
    async with visit(tool_context) as here:
        if not keywords:
            return await here.answer(error="There is nothing to search for. Name the kind of product in `keywords`.")
        query = keywords[:MAX_QUERY_CHARS]
        here.show_instruction(f"Find me {query}.")
        await here.take(Search(query))
        cut = f"Only the first {MAX_QUERY_CHARS} characters were searched for." if len(keywords) > len(query) else None
        return await here.answer(error=cut)
