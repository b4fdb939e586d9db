"""What the shipped composites do, in the steps of which patterns consist."""

import re
from collections.abc import Sequence

from personalized_shopping.shared_libraries.skills.compose.actions import Symbol

_TAB = r"press (?:description|features|reviews) from item;"
_UP = r"press < prev from (?:description|features|reviews|attributes);"
_BACK = r"press < prev from item;"
_READ = f"(?:{_TAB}{_UP})"

SHIPPED: dict[str, str] = {
    "search_products": r"search;",
    "search_and_filter_by_price": r"search;(?:press next > from results;){0,4}",
    "open_result": r"open;",
    "gather_product_info": f"{_READ}{{1,3}}",
    "select_options_and_check_price": r"(?:choose;)+",
    "compare_items": f"(?:open;{_READ}{{0,3}}{_BACK}){{2,5}}",
    "back_to_results": f"(?:{_UP})?{_BACK}",
}
"""By the id of a shipped composite, the steps that one call of it stands for."""


def shipped_for(symbols: Sequence[Symbol]) -> str | None:
    """Return the id of the shipped composite that takes such steps in one call, if there is one."""
    steps = "".join(_word(symbol) for symbol in symbols)
    return next((name for name, pattern in SHIPPED.items() if re.fullmatch(pattern, steps)), None)


def _word(symbol: Symbol) -> str:
    if symbol.verb == "press":
        return f"press {symbol.label.lower()} from {symbol.page_kind};"
    return f"{symbol.verb};"
