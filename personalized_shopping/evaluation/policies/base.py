"""What a policy is: shown a page, it names an action."""

import re
from typing import Protocol

from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page

_BRACKETS = re.compile(r"[\[\]\s]+")


class Policy(Protocol):
    """Plays one episode; a new one is made for each."""

    def act(self, page: Page) -> str | None:
        """Return the next action, ``search[words]`` or ``click[label]``; ``None`` to end without a purchase.

        Args:
            page: what the shopper sees. Its ``instruction`` is the task; on the first call it is the start page.
        """
        ...


def search_for(words: str) -> str:
    """Return the action that searches for words. Brackets are left out: in an action they mean something else."""
    return f"search[{_BRACKETS.sub(' ', words).strip()}]"
