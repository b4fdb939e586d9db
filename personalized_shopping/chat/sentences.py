"""The chat's words: what an action, a page or a failure is called."""

import re
from typing import Any

from google.adk.agents.invocation_context import LlmCallsLimitExceededError

from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.tools.plain_text import plain

_QUOTED_CHARS = 120
_CODE = re.compile(r"[A-Z0-9]{10}", re.IGNORECASE)
_READ = {label.lower(): f"Reading the {label.lower()}" for label in actions.SUB_PAGES}
_PRESSED = {
    actions.BACK_TO_SEARCH.lower(): "Going back to the search",
    actions.PREV_PAGE.lower(): "Going back one page",
    actions.NEXT_PAGE.lower(): "Looking at more results",
    actions.BUY_NOW.lower(): "Going to buy",
    **_READ,
}
_TOO_MANY = 429
_NOT_ALLOWED = (401, 403)


def quoted(text: str) -> str:
    """Return a text in quotation marks, on one line and not too long."""
    return f"“{plain(text, limit=_QUOTED_CHARS, one_line=True)}”"


def action_sentence(tool: str, arguments: dict[str, Any], titles: dict[str, str]) -> str:
    """Return what a tool call does, for people.

    Args:
        tool: the tool's name.
        arguments: as the model wrote them.
        titles: the titles of the products seen so far, by code.
    """
    if tool == "search":
        return f"Searching for {quoted(str(arguments.get('keywords', '')))}"
    if tool == "use_skill":
        return f"Using the skill {quoted(str(arguments.get('skill_id', '')).replace('_', ' '))}"
    if tool == "list_skills":
        return "Looking which skill helps"
    if tool != "click":
        return f"Using {quoted(tool)}"
    button = plain(str(arguments.get("button_name", "")), one_line=True)
    known = _PRESSED.get(button.lower())
    if known is not None:
        return known
    title = titles.get(button.upper())
    if title is not None or _CODE.fullmatch(button):
        return f"Opening {quoted(title or button)}"
    return f"Choosing {quoted(button)}"


def page_title(kind: str, answer: dict[str, Any]) -> str:
    """Return a page's title from what a tool told of it."""
    if kind == "search":
        return "The search page"
    if kind == "results":
        number = answer.get("page_number") or 1
        title = f"Results for {quoted(str(answer.get('query', '')))}"
        return title if number == 1 else f"{title}, page {number}"
    product = answer.get("product")
    title = plain(str(product.get("title") or product.get("asin")) if isinstance(product, dict) else "", one_line=True)
    prefix = {"item": "", "done": "Bought: "}.get(kind, f"{kind.capitalize()} of ")
    return f"{prefix}{title}"


def failure_sentence(error: BaseException) -> str:
    """Return what a failed run says to the person; what it says to the operator is in the log."""
    if isinstance(error, LlmCallsLimitExceededError):
        return "This took too many steps, so I stopped. Tell me how to go on, or ask for something simpler."
    code = getattr(error, "code", None) or getattr(error, "status_code", None)
    if code == _TOO_MANY:
        return "The language model has too much to do at the moment. Please wait a minute and try again."
    if code in _NOT_ALLOWED:
        return "The language model does not accept this server's key. Whoever runs the server can mend it."
    return "Something went wrong, and I could not finish. Nothing was bought without your yes. Please try again."
