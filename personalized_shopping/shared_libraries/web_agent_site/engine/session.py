"""One shopper's place in the shop: a small value that can be written as JSON and continued anywhere."""

from typing import Any

import msgspec

from personalized_shopping.shared_libraries.web_agent_site.engine.page import PageKind


class ShopSession(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that the shop needs to know about one shopper.

    ``keywords`` and ``page_number`` stand for the results page behind the product ``asin``. ``options`` keeps the order
    in which values were first chosen. ``visited`` are the products opened since the last return to the search page;
    ``counts`` the actions since then. ``seed`` feeds the random query ``<r>``; ``goal_index`` names the goal of an
    evaluated episode, ``reward`` what its purchase earned.
    """

    kind: PageKind = "search"
    instruction: str | None = None
    keywords: tuple[str, ...] | None = None
    page_number: int = 1
    asin: str | None = None
    options: dict[str, str] = {}
    visited: tuple[str, ...] = ()
    counts: dict[str, int] = {}
    done: bool = False
    seed: int = 0
    goal_index: int | None = None
    reward: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the session as plain JSON types, defaults left out."""
        fields = msgspec.to_builtins(self).items()
        return {name: list(value) if isinstance(value, tuple) else value for name, value in fields}

    @classmethod
    def from_json(cls, value: Any) -> "ShopSession":
        """Read a session back.

        Raises:
            ValueError: if the value is not one that ``to_json`` gives.
        """
        return msgspec.convert(value, cls)
