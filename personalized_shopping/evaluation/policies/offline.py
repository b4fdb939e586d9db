"""The offline shopper as a policy: it plays the shop's pages directly, and decides as the chat's model decides."""

from personalized_shopping.models.offline.dialogue import Called, Step
from personalized_shopping.models.offline.memory import begin, extend
from personalized_shopping.models.offline.policy import decide_in
from personalized_shopping.models.offline.shop_pages import view_of
from personalized_shopping.models.offline.steps import Call
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page

ERRAND = "Choose what fits and buy it for me, without asking back."
"""What is added to an instruction so that the shopper goes to the till by itself."""


def errand(instruction: str) -> str:
    """Return the message that hands an instruction over as an errand; an agent's model is told the same."""
    return f"{instruction.rstrip(' .')}. {ERRAND}"


class OfflinePolicy:
    """One errand of the offline shopper.

    It knows the instruction and the pages that it is shown. Each page is read once and adds to what is known, so that
    a step late in an episode costs no more than an early one.

    Args:
        instruction: the task in words.
    """

    def __init__(self, instruction: str) -> None:
        self._now = begin(errand(instruction))
        self._call: Call | None = None

    def act(self, page: Page) -> str | None:
        """Return the next action, or ``None`` when the shopper gives up.

        Args:
            page: what the shop shows now.
        """
        if self._call is not None:
            self._now = extend(self._now, Step(Called(self._call.name, self._call.args), view_of(page)))
        decision = decide_in(self._now)
        if not isinstance(decision, Call):
            return None
        self._call = decision
        return f"{decision.name}[{decision.argument}]"
