"""WebShop as a Gymnasium environment that is played at a website, through a real browser."""

import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import gymnasium
import numpy as np
from bs4 import Tag
from gymnasium.error import ResetNeeded

from personalized_shopping.config import MAX_ACTION_CHARS
from personalized_shopping.errors import GoalError, SettingError, ShoppingError, shorten
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Search, read_action, split_action
from personalized_shopping.shared_libraries.web_agent_site.engine.render import page_url
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.envs import html_reading
from personalized_shopping.shared_libraries.web_agent_site.envs.own_site import OwnSite
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.site_browser import Shown, SiteBrowser
from personalized_shopping.shared_libraries.web_agent_site.envs.site_page import (
    PRODUCT,
    SEARCH_BUTTON,
    SEARCH_FIELD,
    SitePage,
)
from personalized_shopping.shared_libraries.web_agent_site.envs.spaces import UnicodeText
from personalized_shopping.shared_libraries.web_agent_site.envs.web_agent_text_env import OBSERVATION_MODES
from personalized_shopping.shared_libraries.web_agent_site.site.addresses import Address, address_path, split_query

END = "end"
_RANDOM_ID_LENGTH = 10
_SHOWN_BUTTONS = 60
_FIRST_ERROR = 400
_NOT_FOUND = 404
"""HTTP statuses."""


class WebAgentSiteEnv(gymnasium.Env[str, str]):
    """Shop for one goal at the website, as people do: a browser types, presses buttons and opens pages.

    Actions, observations, rewards and what ``info`` holds are those of ``WebAgentTextEnv``, with these differences.

    - ``end`` is an action too: it gives up. The episode terminates with reward 0 and nothing bought; it is not
      truncated, because the agent and not a limit ended it.
    - ``html`` observations are the website's pages without what it adds for people; texts and buttons are the same,
      links and layout are its own.
    - What the website refuses (a query beyond its longest address, a page of results beyond its last number) leaves the
      shopper where they were; ``info["error"]`` has its words. Queries are cut where its search field cuts them.
    - ``<r>`` draws its random products by the website's session.
    - At a website that is not this environment's own, goals and prices are the website's: a goal is drawn from the
      session's id, ``goal_index`` is known where it was named, and ``price`` and ``noun_tagger`` are ``None``.

    The ``url`` observation has WebShop's plain form and this environment's session, whatever the browser shows. Every
    episode begins in a browser without cookies.

    Args:
        observation_mode: ``html``, ``text``, ``text_rich`` or ``url``.
        base_url: the address of a website that runs; ``None`` serves one of its own, at a free port of this machine.
            To name sessions there it has to allow it (``personalized-shopping site --allow-chosen-ids``).
        server: the shop that the own website serves; ``None`` for one of the arguments that follow.
        file_path: a raw WebShop file or a built catalogue; ``None`` for the configured one.
        human_goals: whether goals are the requests that people wrote instead of the synthetic ones.
        show_attrs: whether product pages offer the ``Attributes`` page.
        session: the first episode's goal index or session id; later ones are named by ``reset``.
        session_prefix: what every session id starts with.
        pause: seconds to wait after every page, for people who watch.
        render: whether the browser has a window; the same as ``render_mode="human"``.
        render_mode: ``human``, ``ansi`` or ``html``.

    Raises:
        SettingError: where no browser can be started, or no website answers at ``base_url``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "render_modes": ["human", "ansi", "html"],
        "render_fps": 1,
    }

    def __init__(
        self,
        observation_mode: str = "html",
        *,
        base_url: str | None = None,
        server: SimServer | None = None,
        file_path: str | Path | None = None,
        human_goals: bool | int | None = None,
        show_attrs: bool = False,
        session: int | str | None = None,
        session_prefix: str | None = None,
        pause: float = 0.0,
        render: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if observation_mode not in OBSERVATION_MODES:
            raise ValueError(f"Unknown observation_mode {observation_mode!r}; use {', '.join(OBSERVATION_MODES)}.")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"Unknown render_mode {render_mode!r}; use human, ansi or html.")
        if base_url is not None and server is not None:
            raise ValueError("A website that runs has its own shop; give base_url or server, not both.")
        self.observation_mode = observation_mode
        self.render_mode = "human" if render and render_mode is None else render_mode
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText(samples=("search[red shoes]", "click[back to search]", "click[next >]"))
        self.pause = pause
        self.session: str | None = None
        self.session_prefix = session_prefix
        self.instruction_text = ""
        self.server: SimServer | None = server
        self._own: OwnSite | None = None
        if base_url is None:
            self.server = server or SimServer(file_path=file_path, human_goals=human_goals, show_attrs=show_attrs)
            self._own = OwnSite(self.server)
        self.site_address = (self._own.address if self._own else base_url or "").rstrip("/")
        self.base_url = self.site_address if self.server is None else self.server.base_url
        self.browser = SiteBrowser(visible=render or render_mode == "human")
        self._finalizer = weakref.finalize(self, _close, self.browser, self._own)
        self._visited: tuple[str, ...] = ()
        self._ended = False
        try:
            self.reset(options={"session": session} if session is not None else None)
        except BaseException:
            self.close()
            raise

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode at the website's search page.

        Args:
            seed: of the goals and session ids that are drawn when none is named.
            options: ``session``, a goal's index or a session id (then the goal is drawn); ``instruction_text``, what
                ``instruction_text`` shall say instead of the goal's text (the page keeps the goal's).

        Returns:
            The observation, and what is known about the episode.

        Raises:
            GoalError: if there is no goal of that index, or the website lets nobody name sessions.
        """
        super().reset(seed=seed)
        options = options or {}
        unknown = set(options) - {"session", "instruction_text"}
        if unknown:
            raise ValueError(f"reset knows the options session and instruction_text, not {', '.join(sorted(unknown))}.")
        named = options.get("session")
        session_id, goal_index = self._named(named)
        self.session = f"{self.session_prefix or ''}{session_id}"
        number = int(self.np_random.integers(2**31))
        if self._own is not None or isinstance(named, int | np.integer):
            site_id = str(number) if goal_index is None else f"{number}-fixed_{goal_index}"
        else:
            site_id = self.session
        self._enter(site_id, may_be_another=named is None)
        chosen = options.get("instruction_text")
        self.instruction_text = self.get_instruction_text() if chosen is None else chosen
        self._ended = False
        time.sleep(self.pause)
        return self.observation, {**self._info(), "goal_index": goal_index, "session": self.session}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Returns:
            Observation, reward, whether the purchase was made or the agent gave up, ``False``, and what happened:
            ``is_valid``, ``is_effective``, ``page``, ``available_actions``, ``error`` and, after a purchase,
            ``reward_info``, ``success``, ``asin``, ``options`` and ``price``.

        Raises:
            ResetNeeded: after the end of the episode.
            ShoppingError: where the browser or the website fails.
        """
        if self._ended:
            raise ResetNeeded("The episode is over; call reset() before the next step().")
        if _gives_up(action):
            self._ended = True
            return self.observation, 0.0, True, False, self._info()
        before = self._place
        parsed, error = read_action(action)
        is_valid = parsed is not None
        if isinstance(parsed, Search):
            error = self._search(parsed.keywords)
        elif parsed is not None:
            is_valid, error = self._click(parsed.button)
        info = {**self._info(), "is_valid": is_valid, "is_effective": self._place != before, "error": error}
        reward = 0.0
        if self._page.address.kind == "done":
            self._ended = True
            reward = self._page.reward
            info |= self._purchase_info(reward)
        time.sleep(self.pause)
        return self.observation, reward, self._ended, False, info

    @property
    def observation(self) -> str:
        """The current page in the environment's mode."""
        return self._render(self.observation_mode)

    @property
    def state(self) -> dict[str, str]:
        """The page's ``url`` and ``html``, and the ``instruction_text``."""
        return {"url": self._url, "html": self._page.observed, "instruction_text": self.instruction_text}

    def get_available_actions(self) -> dict[str, Any]:
        """Return whether the page has a search bar, and the labels that can be clicked, lower-case."""
        return {"has_search_bar": self._page.has_search_bar, "clickables": list(self._page.targets)}

    def get_instruction_text(self) -> str:
        """Return the instruction as the page's heading says it."""
        return self._page.instruction_text

    @property
    def text_to_clickable(self) -> dict[str, Tag]:
        """The page's elements that can be clicked, by label, read from its HTML."""
        return html_reading.text_to_clickable(self._page.observed)

    def convert_html_to_text(self, html: str, simple: bool = False) -> str:
        """Return the (plain or rich) text observation of a page from its HTML."""
        return html_reading.convert_html_to_text(html, simple=simple, url=self._url, visited=self._visited)

    def render(self) -> str | None:
        """Return the page as rich text (``ansi``) or HTML (``html``); nothing where the browser's window shows it."""
        if self.render_mode in (None, "human"):
            return None
        return self._render("text_rich" if self.render_mode == "ansi" else "html")

    def close(self) -> None:
        """Close the browser and the own website. Closing twice is harmless."""
        self._finalizer()

    def _named(self, session: Any) -> tuple[str, int | None]:
        """Return the session id and the goal that ``session`` names; a website that is not ours draws its own."""
        if session is None:
            letters = self.np_random.choice(list("abcdefghijklmnopqrstuvwxyz"), size=_RANDOM_ID_LENGTH)
            return "".join(letters), self._draw_goal()
        if isinstance(session, bool) or not isinstance(session, int | np.integer | str):
            raise ValueError(f"A session is a goal's index or a text, not {type(session).__name__}.")
        if isinstance(session, str):
            return session, self._draw_goal()
        index = int(session)
        return str(index), index if self.server is None else self.server.goal_index(index)

    def _draw_goal(self) -> int | None:
        return None if self.server is None else self.server.draw_goal(self.np_random)

    def _enter(self, site_id: str, *, may_be_another: bool) -> None:
        """Come to the search page as a new shopper; where nobody may name sessions, perhaps with the website's name."""
        if self._own is not None:
            self._own.forget()
        shown = self.browser.begin(f"{self.site_address}/{quote(site_id, safe='')}")
        if shown.status == _NOT_FOUND and may_be_another:
            shown = self.browser.begin(f"{self.site_address}/")
        page = SitePage(shown._replace(url=self.site_address), self.site_address)
        if shown.status == _NOT_FOUND:
            raise GoalError(
                f"{self.site_address} has no session {shorten(site_id)} ({page.complaint}). Either there is no such "
                "goal, or nobody may name sessions there: personalized-shopping site --allow-chosen-ids."
            )
        if shown.status >= _FIRST_ERROR:
            raise ShoppingError(f"{self.site_address} answered {shown.status}: {page.complaint}")
        if not page.has_search_bar:
            raise SettingError(f"{self.site_address} is no website of WebShop: its first page has no search field.")
        self._page, self._visited = SitePage(shown, self.site_address), ()
        # Where the website named the session, its addresses carry that name.
        self._site_id = urlsplit(shown.url).path.rpartition("/")[2]

    def _search(self, keywords: str) -> str | None:
        """Search by the field where the page has it and it can hold the words, else by the address of the results."""
        text = keywords.encode("utf-8", "replace").decode()
        if self._page.has_search_bar and text.strip() and text.isprintable():
            return self._go(lambda: self.browser.type(SEARCH_FIELD, text, SEARCH_BUTTON))
        path = address_path(self._site_id, Address("results", split_query(text)))
        return self._go(lambda: self.browser.open(self.site_address + path))

    def _click(self, button: str) -> tuple[bool, str | None]:
        """Press what a label stands for; return whether the page has it, and what went wrong."""
        target = self._page.target(button.lower())
        if target is None:
            return False, self._no_such_button(button)
        if self._page.is_chosen(target):
            return True, None  # a radio button that is chosen leads nowhere
        error = self._go(lambda: self.browser.press(target.selector, target.number))
        if error is None and target.label == actions.BACK_TO_SEARCH:
            self._visited = ()
        elif error is None and target.selector == PRODUCT and target.label not in self._visited:
            self._visited = (*self._visited, target.label)
        return True, error

    def _go(self, move: Callable[[], Shown]) -> str | None:
        """Go to another page; where the website refuses, come back and return what it said."""
        shown = move()
        if shown.status < _FIRST_ERROR:
            self._page = SitePage(shown, self.site_address)
            return None
        complaint = SitePage(shown._replace(url=self.site_address), self.site_address).complaint
        back = self.browser.open(self._page.shown.url)
        if back.status >= _FIRST_ERROR:
            raise ShoppingError(f"{self.site_address} answered {back.status} to a page that it had shown before.")
        return f"The website answered {shown.status}: {complaint}"

    @property
    def _place(self) -> tuple[ShopSession, tuple[str, ...]]:
        """Where the shopper stands, read from the page's address."""
        address = self._page.address
        session = ShopSession(
            kind=address.kind,
            keywords=address.keywords,
            page_number=address.page_number,
            asin=address.asin,
            options=self._page.options,
        )
        return session, self._visited

    @property
    def _url(self) -> str:
        return page_url(self.base_url, self.session or "", self._place[0])

    def _render(self, mode: str) -> str:
        if mode == "html":
            return self._page.observed
        if mode == "url":
            return self._url
        return self.convert_html_to_text(self._page.observed, simple=mode == "text")

    def _info(self) -> dict[str, Any]:
        return {
            "is_valid": True,
            "is_effective": True,
            "page": self._page.address.kind,
            "available_actions": self.get_available_actions(),
            "error": None,
            "noun_tagger": self.server.tagger_name if self.server is not None else None,
        }

    def _purchase_info(self, reward: float) -> dict[str, Any]:
        asin = self._page.address.asin or ""
        return {
            "reward_info": self._page.reward_info,
            "success": reward == 1.0,
            "asin": asin,
            "options": self._page.options,
            "price": self.server.product_prices[asin] if self.server is not None else None,
        }

    def _no_such_button(self, wanted: str) -> str:
        labels = list(self._page.targets)
        more = len(labels) - _SHOWN_BUTTONS
        listed = ", ".join(labels[:_SHOWN_BUTTONS]) + (f" and {more} more" if more > 0 else "")
        return f"There is no button {shorten(wanted)} on this page. Buttons: {listed}."


def _gives_up(action: object) -> bool:
    return isinstance(action, str) and len(action) <= MAX_ACTION_CHARS and split_action(action)[0] == END


def _close(browser: SiteBrowser, own: OwnSite | None) -> None:
    browser.close()
    if own is not None:
        own.close()
