"""The simulated browser: one shopper at one server."""

from collections.abc import Sequence
from typing import Any

from bs4 import Tag

from personalized_shopping.shared_libraries.web_agent_site.engine.actions import Action, Click, Search
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.reward import NounTagger
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Step
from personalized_shopping.shared_libraries.web_agent_site.envs.server import SimServer
from personalized_shopping.shared_libraries.web_agent_site.envs.views import Visit


class SimBrowser:
    """Holds where one shopper stands; the page's HTML is made when it is asked for.

    Args:
        server: the shop; many browsers may share one.
        nouns: the noun tagger to score purchases with; ``None`` for the server's.
    """

    def __init__(self, server: SimServer, nouns: NounTagger | None = None) -> None:
        self.server = server
        self._nouns = nouns
        self.session_id: str | None = None
        self._visit: Visit | None = None
        self._page: Page | None = None
        self._source: str | None = None

    def open(self, session_id: str, goal_index: int | None, seed: int = 0) -> Page:
        """Begin at the search page with this goal, whatever this session id did before."""
        self._visit, self._page = self.server.start(session_id, goal_index, seed)
        self.session_id, self._source = session_id, None
        return self._page

    def act(self, action: Action) -> Step:
        """Take one action and stand on the page that it leads to."""
        step, self._visit = self.server.act(self._session_id(), self.visit, action, self.page, self._nouns)
        self._page, self._source = step.page, None
        return step

    def get(self, url: str, session_id: str | None = None, session_int: int | None = None) -> None:
        """Open the search page of a session; its id is the end of the address unless it is given."""
        session_id = url.split("/")[-1] if session_id is None else session_id
        known = self.server.visit(session_id)
        if session_int is not None:
            index: int | None = self.server.goal_index(session_int)
        elif known is not None:
            index = known.session.goal_index
        else:
            index = self.server.first_goal(session_id)
        self.open(session_id, index)

    def search(self, keywords: Sequence[str] | str) -> dict[str, Any]:
        """Search for a list of words (or one text); return ``{"reward", "done"}``."""
        return _status(self.act(Search(keywords if isinstance(keywords, str) else " ".join(keywords))))

    def click(self, clickable_name: str, text_to_clickable: dict[str, Tag] | None = None) -> dict[str, Any]:
        """Press what this label stands for; return ``{"reward", "done"}``.

        Args:
            clickable_name: the label.
            text_to_clickable: accepted for WebShop's callers; the page knows its own buttons.
        """
        return _status(self.act(Click(clickable_name)))

    @property
    def page(self) -> Page:
        """The page on which the shopper stands."""
        if self._page is None:
            raise RuntimeError("The browser has opened no page yet; call get() first.")
        return self._page

    @property
    def visit(self) -> Visit:
        """The shopper's state."""
        if self._visit is None:
            raise RuntimeError("The browser has opened no page yet; call get() first.")
        return self._visit

    @property
    def current_url(self) -> str:
        """The page's address, in WebShop's form."""
        return self.server.url(self._session_id(), self.visit.session)

    @property
    def page_source(self) -> str:
        """The page's HTML."""
        if self._source is None:
            self._source = self.server.html(self._session_id(), self.page)
        return self._source

    def _session_id(self) -> str:
        return self.session_id or ""


def _status(step: Step) -> dict[str, Any]:
    bought = step.purchase is not None
    return {"reward": (step.session.reward or 0.0) if bought else 0.0, "done": bought}
