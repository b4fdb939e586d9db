"""What a task gives: a skill as a model would have it."""

from collections.abc import Callable
from typing import NamedTuple

from personalized_shopping.shared_libraries.skills.model import Skill

LoadPrompt = Callable[[str], str]
"""Gives the text of a prompt by its name."""


class Proposal(NamedTuple):
    """A skill as a model would have it, and why."""

    skill: Skill
    note: str = ""
