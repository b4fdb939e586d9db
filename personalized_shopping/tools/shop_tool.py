"""What every tool of the shop promises: odd arguments and failures become answers, never exceptions."""

import inspect
import json
import logging
from typing import Any, get_origin

from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.tool_context import ToolContext

from personalized_shopping.config import MAX_ACTION_CHARS
from personalized_shopping.errors import ShoppingError
from personalized_shopping.tools.plain_text import plain
from personalized_shopping.tools.visit import PurchasePending, visit

logger = logging.getLogger(__name__)


class ShopTool(FunctionTool):
    """A function over the shop whose arguments are texts, or objects.

    Arguments arrive as the model wrote them: missing, of another type, a megabyte long, or with characters that belong
    in no text. They are made plain or refused with a sentence before the function sees them. Whatever goes wrong in
    the function, the model gets an answer with an ``error`` and the conversation goes on.
    """

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """Run the function on cleaned arguments; see ``BaseTool.run_async``."""
        try:
            checked, problem = self._checked(args)
            if problem:
                async with visit(tool_context) as here:
                    return await here.answer(error=problem)
            return await super().run_async(args=checked, tool_context=tool_context)
        except PurchasePending as error:
            return {"error": str(error), "status": "refused"}
        except ShoppingError as error:
            return {"error": str(error)}
        except Exception:
            logger.exception("The tool %s failed", self.name)
            return {"error": "The shop failed to answer; its log says why. Try again, or search for something else."}

    def _checked(self, args: dict[str, Any]) -> tuple[dict[str, Any], str | None]:
        checked: dict[str, Any] = {}
        for name, parameter in inspect.signature(self.func).parameters.items():
            if parameter.annotation is str:
                text = _text(args.get(name))
                if text is None:
                    return {}, f"{self.name} needs {name} as a text, and got {_given(args.get(name))}."
                checked[name] = text
            elif get_origin(parameter.annotation) is dict:
                mapping = _mapping(args.get(name))
                if mapping is None:
                    return {}, f"{self.name} needs {name} as an object, and got {_given(args.get(name))}."
                checked[name] = mapping
        return checked, None


def _text(value: Any) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)  # a shoe size
    if not isinstance(value, str):
        return None
    # Cut before cleaning: a megabyte is not worth reading for what is refused or cut off anyway.
    return plain(value[: MAX_ACTION_CHARS + 1], one_line=True)


def _mapping(value: Any) -> dict[str, Any] | None:
    """Return an object; nothing at all is an empty one, and some models write it as a text."""
    if value is None:
        return {}
    if isinstance(value, str) and len(value) <= MAX_ACTION_CHARS:
        try:
            value = json.loads(value or "{}")
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _given(value: Any) -> str:
    return "nothing" if value is None else f"a value of type {type(value).__name__}"
