"""The shop in this process as a world: its pages are read as HTML, and every press is a step of the shop."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from personalized_shopping.config import MAX_QUERY_CHARS, SITE_PORT
from personalized_shopping.errors import shorten
from personalized_shopping.shared_libraries.skills.capture.dom import Dom
from personalized_shopping.shared_libraries.skills.capture.selectors import role_selector
from personalized_shopping.shared_libraries.skills.world import Signals, State, WorldError
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks, render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.url import page_url
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Purchase, Shop

BASE_URL = f"http://127.0.0.1:{SITE_PORT}"
SESSION_ID = "session"
MAX_LISTED_VALUES = 20
"""Values of a group that an error names."""

OnStep = Callable[[str, ShopSession, Page], None]

_CONTROLS = frozenset({"a", "button", "input", "label", "select", "textarea"})
_TEXT_TYPES = frozenset({"", "text", "search", "email", "url", "tel", "number"})
_RESERVED = frozenset(
    label.lower()
    for label in (
        actions.BACK_TO_SEARCH,
        actions.NEXT_PAGE,
        actions.PREV_PAGE,
        actions.BUY_NOW,
        actions.SEARCH_BUTTON,
        *actions.SUB_PAGES,
    )
)
"""Labels that the shop takes for its own buttons, whatever else has them."""


class _Shown:
    """A page as it is shown: its HTML, its elements, and what was typed into its fields."""

    def __init__(self, page: Page, session_id: str) -> None:
        self.page = page
        self.typed: dict[int, str] = {}
        self._session_id = session_id

    @cached_property
    def html(self) -> str:
        return render_html(self.page, QueryStringLinks(self._session_id))

    @cached_property
    def dom(self) -> Dom:
        return Dom(self.html)


class ShopWorld:
    """A shopper's page in the shop.

    Args:
        shop: the shop.
        session: where the shopper stands.
        on_step: told of every step that was taken: the action as text, the session and the page that followed.
        allow_purchase: whether ``Buy Now`` may be pressed.
        base_url: what the addresses of the pages begin with.
        session_id: the session's name in the addresses.
    """

    def __init__(
        self,
        shop: Shop,
        session: ShopSession,
        *,
        on_step: OnStep | None = None,
        allow_purchase: bool = False,
        base_url: str = BASE_URL,
        session_id: str = SESSION_ID,
    ) -> None:
        self._shop = shop
        self._session = session
        self._on_step = on_step
        self._allow_purchase = allow_purchase
        self._base_url = base_url
        self._session_id = session_id
        self._shown = _Shown(shop.page(session), session_id)
        self.purchase: Purchase | None = None

    @property
    def session(self) -> ShopSession:
        """Where the shopper stands now."""
        return self._session

    @property
    def page(self) -> Page:
        """The page that the shopper sees."""
        return self._shown.page

    def signals(self) -> Signals:
        """Return where the world stands."""
        return Signals(self.current_url(), self.page.kind, self._shown.dom.title, None)

    def count(self, selector: str, *, visible: bool = False) -> int:
        """Return how many elements match; only the visible ones where that is asked for."""
        return len(self._shown.dom.select(selector, visible))

    def html(self) -> str:
        """Return the page's HTML."""
        return self._shown.html

    def text_of_page(self) -> str:
        """Return the page's visible text."""
        return self._shown.dom.page_text()

    def current_url(self) -> str:
        """Return the address of the page."""
        return page_url(self._base_url, self._session_id, self._session)

    def viewport_size(self) -> dict[str, int] | None:
        """Return ``None``: there is no window."""
        return None

    def exists(self, selector: str, timeout_ms: int | None = None) -> bool:
        """Return whether anything matches; nothing here comes later, so that nobody waits."""
        return self.count(selector) > 0

    def text(self, selector: str) -> str:
        """Return the visible text of the one element that matches."""
        return self._shown.dom.text(self._one(selector))

    def texts(self, selector: str) -> list[str]:
        """Return the visible text of every element that matches, in document order."""
        return [self._shown.dom.text(index) for index in self._shown.dom.select(selector)]

    def wait_for_selector(self, selector: str, state: State = "visible", timeout_ms: int | None = None) -> None:
        """Return if an element is in a state.

        Raises:
            WorldError: ``timeout`` where it is not: nothing here comes later.
        """
        found = self.count(selector, visible=state != "attached")
        if (found == 0) is not (state == "hidden"):
            raise WorldError("timeout", f"{shorten(selector)} is not {state} on this page.")

    def scroll_into_view(self, selector: str) -> None:
        """Check that there is such an element; a page without a window shows all of itself."""
        self._one(selector)

    def highlight(self, selector: str) -> None:
        """Do nothing: nobody looks."""

    def clear_highlights(self) -> None:
        """Do nothing: nobody looks."""

    def click(self, selector: str, timeout_ms: int | None = None) -> None:
        """Press the one element that matches; a label presses its field, and a text the control around it."""
        self._click(self._one(selector))

    def click_role(self, role: str, name: str) -> dict[str, Any]:
        """Press the one element of this role and name; return ``{"url", "page_kind"}``."""
        self._click(self._one(role_selector(role, name)))
        return {"url": self.current_url(), "page_kind": self.page.kind}

    def type(self, selector: str, text: str, delay_ms: int | None = None) -> None:
        """Replace the content of a text field."""
        index = self._control(self._one(selector))
        if index is None or not self._is_text_field(index):
            raise WorldError("failed", f"{shorten(selector)} is no text field.")
        self._require_usable(index)
        self._shown.typed[index] = " ".join(text.splitlines())

    def press(self, selector: str, key: str) -> None:
        """Press a key: ``Enter`` submits a field or presses a control, ``Space`` presses one; others do nothing."""
        index = self._one(selector)
        control = self._control(index)
        if control is None:
            return
        if self._is_text_field(control):
            if key == "Enter":
                self._require_usable(control)
                self._search(control)
            elif key == "Space" or len(key) == 1:
                self._shown.typed[control] = self._shown.typed.get(control, "") + (" " if key == "Space" else key)
        elif (key == "Enter" and not self._is_radio(control)) or (key in ("Space", " ") and not self._is_link(control)):
            self._click(control)

    def select(self, selector: str, value: str) -> None:
        """Choose a value of a group of radio buttons, which the selector names one by one or by what is around them."""
        dom = self._shown.dom
        found = dom.select(selector)
        if not found:
            raise self._missing(selector)
        radios = [index for index in found if self._is_radio(index)]
        if not radios and len(found) == 1:
            radios = [index for index in dom.select('input[type="radio"]') if self._is_within(index, found[0])]
        names = {dom.attributes(index).get("name", "") for index in radios}
        if not radios or (len(radios) < len(found) and len(found) > 1):
            raise WorldError("failed", f"{shorten(selector)} is no group of values to choose from.")
        if len(names) > 1:
            raise WorldError("ambiguous", f"{shorten(selector)} stands for {len(names)} groups of values.")
        chosen = self._with_value(radios, value)
        if chosen is None:
            listed = ", ".join(dom.attributes(index).get("value", "") for index in radios[:MAX_LISTED_VALUES])
            raise WorldError("missing", f"There is no value {shorten(value)}. There are: {listed}.")
        self._click(chosen)

    def _one(self, selector: str) -> int:
        found = self._shown.dom.select(selector)
        if not found:
            raise self._missing(selector)
        if len(found) > 1:
            raise WorldError("ambiguous", f"{shorten(selector)} matches {len(found)} elements; one is needed.")
        return found[0]

    def _missing(self, selector: str) -> WorldError:
        return WorldError("missing", f"Nothing on the {self.page.kind} page matches {shorten(selector)}.")

    def _control(self, index: int) -> int | None:
        """Return the control that a press on an element presses; a label stands for its field."""
        dom = self._shown.dom
        at: int | None = index
        while at is not None and dom.tag(at) not in _CONTROLS:
            at = dom.parent(at)
        if at is None or dom.tag(at) != "label":
            return at
        target = dom.attributes(at).get("for")
        if target is not None:
            return dom.by_id(target)
        fields = (field for field in dom.select("input, select, textarea, button") if self._is_within(field, at))
        return next(fields, None)

    def _click(self, index: int) -> None:
        control = self._control(index)
        if control is None:
            return
        self._require_usable(control, index)
        dom = self._shown.dom
        if self._is_radio(control):
            self._choose(control)
        elif self._is_link(control):
            self._open(control)
        elif dom.tag(control) == "button" or dom.attributes(control).get("type", "") in ("submit", "image"):
            field = self._search_field(control)
            if field is not None:
                self._search(field)
            else:
                self._take(Click(self._label(control)))

    def _choose(self, radio: int) -> None:
        """Choose an option's value, as the shop knows it; one that is chosen already stays so."""
        attributes = self._shown.dom.attributes(radio)
        group, value = attributes.get("name", ""), attributes.get("value", "")
        if "checked" in attributes:
            return
        button = self.page.clickables.get(value.lower())
        if button is None or button.option != group or value.lower() in _RESERVED:
            why = f"The shop takes {shorten(value)} for something else than a value of {shorten(group)}."
            raise WorldError("ambiguous", why)
        self._take(Click(value))

    def _open(self, link: int) -> None:
        label = self._label(link)
        button = self.page.clickables.get(label.lower())
        if button is None or button.kind != "product":
            raise WorldError("failed", f"The link {shorten(label)} leads to no page of the shop.")
        self._take(Click(button.label))

    def _search(self, field: int) -> None:
        query = self._shown.typed.get(field, self._shown.dom.attributes(field).get("value", ""))
        query = query[:MAX_QUERY_CHARS].lower()
        if query.strip():
            self._take(Search(query))

    def _take(self, action: Action) -> None:
        """Take a step of the shop, and tell who wants to know."""
        if isinstance(action, Click) and action.button.lower() == actions.BUY_NOW.lower() and not self._allow_purchase:
            raise WorldError("refused", "Buying was not allowed here; nothing was bought.")
        step = self._shop.step(self._session, action, self.page)
        if not step.is_valid:
            raise WorldError("failed", step.error or "The shop did not take this action.")
        self._session = step.session
        self.purchase = step.purchase or self.purchase
        self._shown = _Shown(step.page, self._session_id)
        if self._on_step is not None:
            written = f"search[{action.keywords}]" if isinstance(action, Search) else f"click[{action.button}]"
            self._on_step(written, step.session, step.page)

    def _require_usable(self, control: int, pressed: int | None = None) -> None:
        dom = self._shown.dom
        attributes = dom.attributes(control)
        if "disabled" in attributes or attributes.get("aria-disabled", "").lower() == "true":
            raise WorldError("disabled", f"{shorten(self._label(control))} cannot be used now.")
        shown = [control, *dom.labels(control), *([] if pressed is None else [pressed])]
        if all(dom.is_hidden(index) for index in shown):
            raise WorldError("hidden", f"{shorten(self._label(control))} is not shown.")

    def _label(self, control: int) -> str:
        return self._shown.dom.text(control) or self._shown.dom.name(control)

    def _search_field(self, control: int) -> int | None:
        """Return the text field that a button sends, if there is one in its form."""
        dom = self._shown.dom
        form = dom.closest(control, "form")
        fields = (index for index in dom.select("input") if form is not None and self._is_within(index, form))
        return next((index for index in fields if self._is_text_field(index)), None)

    def _with_value(self, radios: list[int], value: str) -> int | None:
        dom = self._shown.dom
        wanted = value.strip().lower()
        for index in radios:
            if dom.attributes(index).get("value") == value:
                return index
        for index in radios:
            if wanted in (dom.attributes(index).get("value", "").strip().lower(), dom.name(index).strip().lower()):
                return index
        return None

    def _is_within(self, index: int, above: int) -> bool:
        at: int | None = index
        while at is not None and at != above:
            at = self._shown.dom.parent(at)
        return at is not None

    def _is_radio(self, index: int) -> bool:
        dom = self._shown.dom
        return dom.tag(index) == "input" and dom.attributes(index).get("type", "").lower() == "radio"

    def _is_link(self, index: int) -> bool:
        return self._shown.dom.tag(index) == "a"

    def _is_text_field(self, index: int) -> bool:
        dom = self._shown.dom
        return dom.tag(index) == "input" and dom.attributes(index).get("type", "").lower() in _TEXT_TYPES
