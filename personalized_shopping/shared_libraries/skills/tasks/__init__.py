"""The five tasks in which a model helps to build a skill; its replies are checked, and a bad one changes nothing."""

from personalized_shopping.shared_libraries.asking import Answer, Ask
from personalized_shopping.shared_libraries.skills.tasks.proposal import LoadPrompt, Proposal
from personalized_shopping.shared_libraries.skills.tasks.refining import PROMPTS, TASKS, Refined, Task, refine
from personalized_shopping.shared_libraries.skills.tasks.signals import Page

__all__ = ["PROMPTS", "TASKS", "Answer", "Ask", "LoadPrompt", "Page", "Proposal", "Refined", "Task", "refine"]
