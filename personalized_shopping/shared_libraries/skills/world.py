"""The world in which programs run: one page that can be looked at and acted on, in process or in a real browser.

A selector is CSS, or has an engine in front: ``role=button[name="Buy Now"]`` (exact name; ``[name~="buy"]`` contains
it, ignoring case), ``text="Back to Search"`` (the whole visible text of an element) or ``index=12`` (the element's
place in the document). Every method that acts needs a selector that matches exactly one element.
"""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from personalized_shopping.errors import SkillError

State = Literal["visible", "attached", "hidden"]


class WorldError(SkillError):
    """An action could not be taken. ``reason`` says why, in one of the words of ``Reason``."""

    def __init__(self, reason: "Reason", message: str) -> None:
        super().__init__(message)
        self.reason = reason


Reason = Literal["missing", "ambiguous", "hidden", "covered", "disabled", "refused", "timeout", "failed"]


@dataclass(frozen=True)
class Signals:
    """What a program's ``prepare`` and the preconditions look at. ``page_kind`` is ``None`` on pages of other sites."""

    url: str
    page_kind: str | None
    title: str
    viewport: tuple[int, int] | None
    cookies: tuple[str, ...] = ()
    login_state: str | None = None


class World(Protocol):
    """What a runner and, through ``Env``, a program may do."""

    def signals(self) -> Signals:
        """Return where the world stands."""

    def count(self, selector: str, *, visible: bool = False) -> int:
        """Return how many elements match; only the visible ones where that is asked for.

        Raises:
            WorldError: ``failed`` for a selector that cannot be read.
        """

    def html(self) -> str:
        """Return the page's HTML."""

    def text_of_page(self) -> str:
        """Return the page's visible text."""

    def click(self, selector: str, timeout_ms: int | None = None) -> None:
        """Press the one element that matches, or the visible label that stands for it."""

    def click_role(self, role: str, name: str) -> dict[str, Any]:
        """Press the one element of this role and name; return ``{"url", "page_kind"}``."""

    def type(self, selector: str, text: str, delay_ms: int | None = None) -> None:
        """Replace the content of a text field."""

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a list, or of a group of radio buttons."""

    def press(self, selector: str, key: str) -> None:
        """Press a key in an element; ``Enter`` in a search field submits it."""

    def exists(self, selector: str, timeout_ms: int | None = None) -> bool:
        """Return whether anything matches, waiting at most so long."""

    def text(self, selector: str) -> str:
        """Return the visible text of the one element that matches."""

    def texts(self, selector: str) -> list[str]:
        """Return the visible text of every element that matches, in document order."""

    def wait_for_selector(self, selector: str, state: State = "visible", timeout_ms: int | None = None) -> None:
        """Wait until an element is in a state.

        Raises:
            WorldError: ``timeout``.
        """

    def scroll_into_view(self, selector: str) -> None:
        """Scroll to the element."""

    def highlight(self, selector: str) -> None:
        """Show a person which element is meant; does nothing where nobody looks."""

    def clear_highlights(self) -> None:
        """Take the highlights away."""

    def viewport_size(self) -> dict[str, int] | None:
        """Return ``{"width", "height"}`` in CSS pixels, or ``None`` where there is no window."""

    def current_url(self) -> str:
        """Return the address of the page."""


ENV_METHODS: frozenset[str] = frozenset(
    {
        "click",
        "click_role",
        "type",
        "select",
        "press",
        "exists",
        "text",
        "texts",
        "wait_for_selector",
        "scroll_into_view",
        "highlight",
        "clear_highlights",
        "viewport_size",
        "current_url",
    }
)
"""What a program may call on ``env``; everything else of a world belongs to the runner."""
