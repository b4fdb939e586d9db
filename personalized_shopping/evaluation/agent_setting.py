"""Which agent an evaluation plays."""

import os
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.metrics.cost import Price

Record = Literal["all", "failed", "none"]
"""Which episodes' trajectories are kept."""


class AgentSetting(Struct, frozen=True, kw_only=True):
    """Which agent plays.

    ``model`` is a name as in ``MODEL_NAME``, ``guard`` as in ``SAFETY_SYSTEM``, ``skills`` as in ``SKILLS_MODE``;
    ``max_steps`` are model calls. ``prices`` are in US dollars for a million tokens, by model.
    """

    model: str
    guard: str
    skills: str
    max_steps: int
    prices: dict[str, Price] = {}

    def apply(self, catalog: Path) -> None:
        """Set up this process: the agent is made by its settings when its module is imported."""
        os.environ.update(
            MODEL_NAME=self.model,
            SAFETY_SYSTEM=self.guard,
            SKILLS_MODE=self.skills,
            CATALOG_PATH=str(catalog),
            NUM_PRODUCTS="all",
        )

    def facts(self) -> dict[str, Any]:
        """Return what a run's manifest says about the agent."""
        from personalized_shopping.evaluation.agent_play import skill_library_hash

        learned = skill_library_hash() if self.skills != "off" else None
        return {**msgspec.to_builtins(self), "learned_skills_sha256": learned}
