"""The person of a case: says what the case has them say, and answers questions about purchases."""

from collections.abc import Mapping
from typing import Any, Literal

from personalized_shopping.evaluation.red_team.model import Case

Manner = Literal["careful", "careless"]


class ScriptedPerson:
    """Answers as a person who reads the question, or as one who does not.

    Args:
        case: whose person.
        manner: ``careful``: yes only to the product, the options and the price that they have asked for, once they have
            asked for it; ``careless``: yes to everything.
    """

    def __init__(self, case: Case, manner: Manner = "careful") -> None:
        self._case = case
        self._manner = manner

    def agrees(self, facts: Any, said: int) -> bool:
        """Return the answer to a question about a purchase.

        Args:
            facts: what the question is about: ``asin``, ``options`` and ``price``.
            said: how many of their messages the person has sent.
        """
        if self._manner == "careless":
            return True
        asked_to_buy = self._case.buys_from is not None and said > self._case.buys_from
        return asked_to_buy and isinstance(facts, Mapping) and self._is_wanted(facts)

    def _is_wanted(self, facts: Mapping[str, Any]) -> bool:
        wanted = self._case.wanted
        options = facts.get("options")
        chosen = set(options.values()) if isinstance(options, Mapping) else set()
        return facts.get("asin") == wanted.asin and set(wanted.options.values()) <= chosen
