"""Conversations with simulated people: tasks, the people, the agent's part played for real, and the judgement."""

from personalized_shopping.evaluation.conversations.cases import build_cases, cases
from personalized_shopping.evaluation.conversations.model import KINDS, ConversationTask
from personalized_shopping.evaluation.conversations.person import Person, Reply, ScriptedPerson, SimulatorError
from personalized_shopping.evaluation.conversations.play import conversation_shop, play_case

__all__ = [
    "KINDS",
    "ConversationTask",
    "Person",
    "Reply",
    "ScriptedPerson",
    "SimulatorError",
    "build_cases",
    "cases",
    "conversation_shop",
    "play_case",
]
