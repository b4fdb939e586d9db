"""What became of a run of a skill, as data."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from personalized_shopping.shared_libraries.skills.chain import Tried
from personalized_shopping.shared_libraries.skills.runtime.host_calls import HostCall
from personalized_shopping.shared_libraries.skills.world import Signals

Outcome = Literal["ok", "mismatch", "bad_args", "cancelled", "damage"]
"""``mismatch``: the page is not one for this skill; ``bad_args``: the arguments do not fit the skill or the page;
``cancelled``: somebody stopped it, or did not allow it; ``damage``: it should have worked and did not."""
Stage = Literal["page", "arguments", "preconditions", "prepare", "locators", "program", "postconditions"]


class Problem(Struct, frozen=True, omit_defaults=True):
    """One thing that failed: at which stage, what (a condition, a locator, a call), and how."""

    stage: Stage
    what: str
    detail: str = ""


class SkillRun(Struct, frozen=True, omit_defaults=True):
    """What became of a run.

    ``winner`` is the locator that found the control, by its place in the chain; ``tried`` are those that were asked.
    ``calls`` are the calls of ``env`` by ``prepare`` and program. ``stands`` is where the page is now, ``None`` where
    that cannot be told any more.
    """

    skill_id: str
    outcome: Outcome
    message: str
    problems: tuple[Problem, ...] = ()
    winner: str | None = None
    selector: str | None = None
    tried: tuple[Tried, ...] = ()
    evidence: dict[str, Any] = {}
    calls: tuple[HostCall, ...] = ()
    stands: Signals | None = None

    @property
    def ok(self) -> bool:
        """Whether the skill did what it is for."""
        return self.outcome == "ok"

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain JSON types, defaults left out."""
        value: dict[str, Any] = msgspec.to_builtins(self)
        return value
