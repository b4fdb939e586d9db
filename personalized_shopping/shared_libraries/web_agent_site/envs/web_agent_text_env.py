"""WebShop as a Gymnasium environment in text."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import numpy.typing as npt
from bs4 import BeautifulSoup, Tag
from gymnasium.error import ResetNeeded

from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.goals import DEFAULT_SEED
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_rich_text, render_text
from personalized_shopping.shared_libraries.web_agent_site.engine.render.text import SEPARATOR
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Step
from personalized_shopping.shared_libraries.web_agent_site.envs import html_reading
from personalized_shopping.shared_libraries.web_agent_site.envs.browser import SimBrowser
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import tag_visible
from personalized_shopping.shared_libraries.web_agent_site.envs.server import BASE_URL, SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.spaces import UnicodeText

if TYPE_CHECKING:
    from personalized_shopping.shared_libraries.catalog.image_features import ImageFeatures

__all__ = ["OBSERVATION_MODES", "SimBrowser", "SimServer", "WebAgentTextEnv", "tag_visible"]

OBSERVATION_MODES = ("html", "text", "text_rich", "url")
_RANDOM_ID_LENGTH = 10


class WebAgentTextEnv(gymnasium.Env[str, str]):
    """Shop for one goal: read the page, search and click, and buy; the purchase ends the episode.

    An observation is the page as text (one string of any length), an action the string ``search[words]`` or
    ``click[button]``. The reward is 0 until the purchase and then between 0 and 1.

    Args:
        observation_mode: ``html``, ``text``, ``text_rich`` or ``url``.
        file_path: a raw WebShop file or a built catalogue; ``None`` for the configured one.
        server: a server to share with other environments, instead of one of its own.
        filter_goals: keeps the goals for which ``filter_goals(index, goal)`` is true.
        limit_goals: how many goals to keep, drawn by weight; -1 for all.
        num_products: how many records of the file to take; ``None`` for all.
        human_goals: whether goals are the requests that people wrote instead of the synthetic ones.
        session: the first episode's goal index or session id; later ones are named by ``reset``.
        session_prefix: what every session id starts with.
        show_attrs: whether product pages offer the ``Attributes`` page.
        num_prev_obs: earlier observations that ``step`` puts before the current one.
        num_prev_actions: earlier actions that ``step`` puts before the current observation.
        get_image: image features to read: the path of a converted file, or ``True`` for none but zeros.
        seed: of prices and price limits.
        nouns: the noun tagger of the type reward, ``str -> list[str]``; ``None`` for the configured one.
        render_mode: ``ansi`` or ``html``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - declared so by Gymnasium
        "render_modes": ["ansi", "html"],
        "render_fps": 1,
    }

    def __init__(
        self,
        observation_mode: str = "html",
        file_path: str | Path | None = None,
        server: SimServer | None = None,
        *,
        filter_goals: Callable[[int, dict[str, Any]], bool] | None = None,
        limit_goals: int = -1,
        num_products: int | None = None,
        human_goals: bool | int | None = None,
        session: int | str | None = None,
        session_prefix: str | None = None,
        show_attrs: bool = False,
        num_prev_obs: int = 0,
        num_prev_actions: int = 0,
        get_image: bool | int | str | Path | None = None,
        seed: int = DEFAULT_SEED,
        nouns: NounTagger | None = None,
        render_mode: str | None = None,
    ) -> None:
        if observation_mode not in OBSERVATION_MODES:
            raise ValueError(
                f"Unknown observation_mode {observation_mode!r}; use one of {', '.join(OBSERVATION_MODES)}."
            )
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"Unknown render_mode {render_mode!r}; use ansi or html.")
        self.observation_mode = observation_mode
        self.render_mode = render_mode
        self.observation_space = UnicodeText()
        self.action_space = UnicodeText(samples=("search[red shoes]", "click[back to search]", "click[next >]"))
        self.server = server or SimServer(
            BASE_URL,
            file_path,
            filter_goals,
            limit_goals,
            num_products,
            human_goals,
            show_attrs,
            seed=seed,
            nouns=nouns,
        )
        self._tagger_name = "custom" if nouns is not None else self.server.tagger_name
        self.base_url = self.server.base_url
        self.browser = SimBrowser(self.server, nouns=nouns)
        self.session: str | None = None
        self.session_prefix = session_prefix
        self.num_prev_obs = num_prev_obs
        self.num_prev_actions = num_prev_actions
        self.prev_obs: list[str] = []
        self.prev_actions: list[str] = []
        self.features = _open_features(get_image)
        self.next_sessions: Sequence[int | str] = ()
        """What the coming resets play that name no session, in order: goal indices or session ids."""
        self.instruction_text = ""
        self._ended = False
        self.reset(options={"session": session} if session is not None else None)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: of the goals and session ids that are drawn when none is named.
            options: ``session``, a goal's index or a session id (then the goal is drawn); ``instruction_text``, what
                ``instruction_text`` shall say instead of the goal's text (the page keeps the goal's). Without
                ``session`` the next one of ``next_sessions`` is played, and when none is left, a goal is drawn.

        Returns:
            The observation, and what is known about the episode.

        Raises:
            GoalError: if there is no goal of that index.
        """
        super().reset(seed=seed)
        options = options or {}
        unknown = set(options) - {"session", "instruction_text"}
        if unknown:
            raise ValueError(f"reset knows the options session and instruction_text, not {', '.join(sorted(unknown))}.")
        session = options.get("session")
        if session is None and len(self.next_sessions):
            session, *self.next_sessions = self.next_sessions
        session_id, goal_index = self._named(session)
        self.session = f"{self.session_prefix or ''}{session_id}"
        page = self.browser.open(self.session, goal_index, seed=int(self.np_random.integers(2**31)))
        chosen = options.get("instruction_text")
        self.instruction_text = self.get_instruction_text() if chosen is None else chosen
        self._ended = False
        observation = self.observation
        self.prev_obs, self.prev_actions = [observation][: self.num_prev_obs], []
        return observation, {**self._info(page), "goal_index": goal_index, "session": self.session}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Returns:
            Observation (with the history that was asked for), reward, whether the purchase was made, ``False``, and
            what happened: ``is_valid``, ``is_effective``, ``page``, ``available_actions``, ``error`` and, after a
            purchase, ``reward_info``, ``success``, ``asin``, ``options`` and ``price``.

        Raises:
            ResetNeeded: after the purchase.
        """
        if self._ended:
            raise ResetNeeded("The purchase was made and the episode is over; call reset() before the next step().")
        parsed, error = read_action(action)
        if parsed is None:
            step = Step(self.browser.visit.session, self.browser.page, False, False, error)
        else:
            step = self.browser.act(parsed)
        reward = 0.0
        info = {**self._info(step.page), "is_valid": step.is_valid, "is_effective": step.is_effective}
        info["error"] = step.error
        if step.purchase is not None:
            self._ended = True
            reward = step.session.reward or 0.0
            info |= self._purchase_info(step, reward)
        observation = self.observation
        text = self._with_history(str(action), observation)
        return text, reward, self._ended, False, info

    @property
    def observation(self) -> str:
        """The current page in the environment's mode, without history."""
        return self._render(self.observation_mode)

    @property
    def state(self) -> dict[str, str]:
        """The page's ``url`` and ``html``, and the ``instruction_text``."""
        return {
            "url": self.browser.current_url,
            "html": self.browser.page_source,
            "instruction_text": self.instruction_text,
        }

    def get_available_actions(self) -> dict[str, Any]:
        """Return whether the page has a search bar, and the labels that can be clicked, lower-case."""
        return _available(self.browser.page)

    def get_instruction_text(self) -> str:
        """Return the instruction as the page's heading says it."""
        page = self.browser.page
        return f"Instruction:{' ' if page.kind == 'search' else ''}{page.instruction or ''}"

    def get_image(self) -> npt.NDArray[np.float32]:
        """Return the 512 features of the page's product image; zeros where none are known."""
        image = self._parse_html().find(id="product-image")
        source = str(image["src"]) if isinstance(image, Tag) else None
        if self.features is None or source is None:
            return np.zeros(512, dtype=np.float32)
        return self.features.get(source)

    @property
    def text_to_clickable(self) -> dict[str, Tag]:
        """The page's elements that can be clicked, by label, read from its HTML."""
        return html_reading.text_to_clickable(self.browser.page_source)

    def convert_html_to_text(self, html: str, simple: bool = False) -> str:
        """Return the (plain or rich) text observation of a page from its HTML."""
        visited = self.browser.visit.session.visited
        return html_reading.convert_html_to_text(html, simple=simple, url=self.browser.current_url, visited=visited)

    def _parse_html(self, html: str | None = None) -> BeautifulSoup:
        return html_reading.parse_html(self.browser.page_source if html is None else html)

    def render(self) -> str | None:
        """Return the page as rich text (``ansi``) or HTML (``html``); nothing without a render mode."""
        if self.render_mode is None:
            return None
        return self._render("text_rich" if self.render_mode == "ansi" else "html")

    def close(self) -> None:
        """Do nothing: the server may serve others. Closing twice is harmless."""

    def _named(self, session: Any) -> tuple[str, int | None]:
        """Return the session id and the goal that ``session`` names."""
        if session is None:
            letters = self.np_random.choice(list("abcdefghijklmnopqrstuvwxyz"), size=_RANDOM_ID_LENGTH)
            return "".join(letters), self.server.draw_goal(self.np_random)
        if isinstance(session, bool) or not isinstance(session, int | np.integer | str):
            raise ValueError(
                f"A session is a goal's index or a text, not {type(session).__name__}. Give each sub-environment of a "
                "vector environment its own with envs.vector.reset_to_goals."
            )
        if isinstance(session, str):
            return session, self.server.draw_goal(self.np_random)
        return str(int(session)), self.server.goal_index(int(session))

    def _render(self, mode: str) -> str:
        if mode == "html":
            return self.browser.page_source
        if mode == "url":
            return self.browser.current_url
        page = self.browser.page
        return render_text(page) if mode == "text" else render_rich_text(page, self.browser.current_url)

    def _info(self, page: Page) -> dict[str, Any]:
        return {
            "is_valid": True,
            "is_effective": True,
            "page": page.kind,
            "available_actions": _available(page),
            "error": None,
            "noun_tagger": self._tagger_name,
        }

    def _purchase_info(self, step: Step, reward: float) -> dict[str, Any]:
        assert step.purchase is not None
        parts = self.browser.visit.reward
        return {
            "reward_info": parts.info() if parts else {},
            "success": reward == 1.0,
            "asin": step.purchase.asin,
            "options": dict(step.purchase.options),
            "price": self.server.product_prices[step.purchase.asin],
        }

    def _with_history(self, action: str, observation: str) -> str:
        """Put earlier actions and observations before the current one, oldest first."""
        if not self.num_prev_obs and not self.num_prev_actions:
            return observation
        self.prev_actions = [action, *self.prev_actions][: self.num_prev_actions]
        newest_first = [observation]
        for i in range(max(self.num_prev_obs, self.num_prev_actions)):
            newest_first += self.prev_actions[i : i + 1]
            newest_first += self.prev_obs[i : i + 1]
        self.prev_obs = [observation, *self.prev_obs][: self.num_prev_obs]
        return SEPARATOR.join(reversed(newest_first))


def _open_features(get_image: bool | int | str | Path | None) -> "ImageFeatures | None":
    if not isinstance(get_image, str | Path):
        return None
    from personalized_shopping.shared_libraries.catalog.image_features import ImageFeatures

    return ImageFeatures.open(get_image)


def _available(page: Page) -> dict[str, Any]:
    return {"has_search_bar": page.has_search_bar, "clickables": list(page.clickables)}
