"""Answers to the person, held to the pages that were read."""

from collections.abc import Sequence

from google.adk.events.event import Event
from google.adk.models.llm_response import LlmResponse

from personalized_shopping.plugins.guard_situation import GUARDED_TOOLS, Memory, person_messages
from personalized_shopping.shared_libraries.safety.policies import PolicySet
from personalized_shopping.shared_libraries.safety.rules.answers import AnswerProblem, answer_problems, mended
from personalized_shopping.shared_libraries.safety.wishes import read_wishes
from personalized_shopping.shared_libraries.trajectory import Decision

_TITLES = 5


def is_answer(response: LlmResponse) -> bool:
    """Return whether a model's response is an answer to the person, and not a call."""
    parts = (response.content.parts if response.content else None) or []
    return any(part.text and not part.thought for part in parts) and not any(part.function_call for part in parts)


def mend_answer(
    response: LlmResponse, memory: Memory, events: Sequence[Event], policies: PolicySet
) -> list[AnswerProblem]:
    """Change an answer in place so that it says nothing that no page bears out, and return what was wrong with it.

    An answer is left alone where the guard has not seen all that the agent has read: in a conversation that another
    process began.
    """
    answered = sum(response.name in GUARDED_TOOLS for event in events for response in event.get_function_responses())
    parts = (response.content.parts if response.content else None) or []
    if answered > memory.ended or not parts:
        return []
    wishes = read_wishes(person_messages(events))
    seen = memory.seen()
    found: list[AnswerProblem] = []
    for part in parts:
        if not part.text or part.thought:
            continue
        problems = [
            problem
            for problem in answer_problems(part.text, seen, wishes, titles=_titles)
            if problem.policy_id in policies
        ]
        if problems:
            part.text = mended(part.text, problems)
            found += problems
    return found


def answer_decision(problems: Sequence[AnswerProblem]) -> Decision:
    """Return the record of what was changed in an answer; it belongs to no call."""
    return Decision(
        call_id="",
        decision="allow_logged",
        source="rule",
        violated_policy_ids=list(dict.fromkeys(problem.policy_id for problem in problems)),
        risk_explanation="; ".join(dict.fromkeys(problem.evidence for problem in problems))[:1_000],
        extra={"left_out": sum(not problem.note for problem in problems), "notes": sum(map(bool, _notes(problems)))},
    )


def _notes(problems: Sequence[AnswerProblem]) -> list[str]:
    return [problem.note for problem in problems]


def _titles(words: str) -> list[str]:
    """Return the titles of the products that the shop finds first for a few words."""
    from personalized_shopping.shared_libraries.init_env import get_shop

    shop = get_shop()
    cards = shop.catalog.cards([hit.docid for hit in shop.engine.search(words, _TITLES)])
    return [card.title for card in cards if card.title]
