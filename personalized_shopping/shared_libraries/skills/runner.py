"""Running a skill: arguments, preconditions, locators, ``prepare``, program, postconditions; and what became of it."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import msgspec
from msgspec import UNSET

from personalized_shopping.errors import ShoppingError, SkillError
from personalized_shopping.shared_libraries.skills.args import args_problems
from personalized_shopping.shared_libraries.skills.chain import (
    Found,
    Link,
    Tried,
    chain,
    find,
    given_locators,
    hole_values,
    still_there,
)
from personalized_shopping.shared_libraries.skills.conditions import (
    Unmet,
    unmet_after,
    unmet_by_page,
    unmet_by_place,
)
from personalized_shopping.shared_libraries.skills.model import Program, Skill
from personalized_shopping.shared_libraries.skills.runs import Outcome, Problem, SkillRun, Stage
from personalized_shopping.shared_libraries.skills.runtime.base import (
    DEFAULT_LIMITS,
    Limits,
    ProgramResult,
    ProgramRuntime,
)
from personalized_shopping.shared_libraries.skills.runtime.form import syntax_problems
from personalized_shopping.shared_libraries.skills.runtime.host_calls import Cancel, HostCall
from personalized_shopping.shared_libraries.skills.world import World

__all__ = ["Problem", "Settling", "SkillRun", "check_skill", "run_skill"]

SETTLE_ROUNDS = 40
"""How often a page that is still moving is looked at again before a condition counts as unmet."""
FORMS_KEPT = 512
"""Programs whose form is remembered, so that it is checked once."""
MAX_MESSAGE_CHARS = 1_000
"""Longest message of a run."""
_CAUSES: tuple[Outcome, ...] = ("bad_args", "mismatch")
"""What a program may say, as ``evidence["cause"]``, of a failure that is not its own."""


@runtime_checkable
class Settling(Protocol):
    """A world whose page goes on by itself, as one in a browser does."""

    def settle(self) -> None:
        """Wait a moment."""


class _End(Exception):
    """The run ends before its program could succeed."""

    def __init__(self, outcome: Outcome, *problems: Problem) -> None:
        super().__init__(outcome)
        self.outcome: Outcome = outcome
        self.problems = problems


def run_skill(
    skill: Skill,
    world: World,
    args: Mapping[str, Any],
    *,
    runtime: ProgramRuntime,
    options: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    cancel: Cancel | None = None,
) -> SkillRun:
    """Run a skill on a page.

    Args:
        skill: the skill.
        world: the page, and what can be done to it.
        args: the skill's arguments, which ``args_schema`` describes.
        runtime: where its programs run.
        options: what the caller asks of the programs; JSON.
        limits: what each program may use.
        cancel: an event that stops the run.

    Returns:
        What became of it. Whatever is wrong with the skill, the arguments or the page is told there; only mistakes of
        the world's or the runtime's own code are raised.
    """
    return _Run(skill, world, args, runtime, options or {}, limits, cancel).run()


def check_skill(skill: Skill, world: World, args: Mapping[str, Any]) -> SkillRun:
    """Return whether a skill could run on a page as it stands: nothing is pressed, and no program runs.

    Args:
        skill: the skill.
        world: the page.
        args: the skill's arguments.

    Returns:
        As of ``run_skill``; ``ok`` where arguments, preconditions and locators fit.
    """
    return _Run(skill, world, args, None, {}, DEFAULT_LIMITS, None).run()


class _Run:
    """One run: what is known of it so far."""

    def __init__(
        self,
        skill: Skill,
        world: World,
        args: Mapping[str, Any],
        runtime: ProgramRuntime | None,
        options: Mapping[str, Any],
        limits: Limits,
        cancel: Cancel | None,
    ) -> None:
        self._skill = skill
        self._world = world
        self._args = args
        self._runtime = runtime
        self._options = options
        self._limits = limits
        self._cancel = cancel
        self._values: dict[str, str] = {}
        self._notes: tuple[Problem, ...] = ()
        self._found = Found(None, ())
        self._evidence: dict[str, Any] = {}
        self._calls: tuple[HostCall, ...] = ()

    def run(self) -> SkillRun:
        try:
            message = self._steps()
        except _End as end:
            return self._ended(end.outcome, _sentence(end.problems), (*self._notes, *end.problems))
        except ShoppingError as error:
            # The page itself failed while it was looked at: nobody can say that it was the skill's fault.
            problem = Problem("page", type(error).__name__, str(error)[:300])
            return self._ended("mismatch", _sentence((problem,)), (*self._notes, problem))
        return self._ended("ok", message, self._notes)

    def _steps(self) -> str:
        self._check_args()
        self._check(lambda: unmet_by_place(self._skill.preconditions, self._world.signals()))
        if self._runtime is not None:
            self._prepare(self._runtime)
        self._check(lambda: unmet_by_page(self._skill.preconditions, self._world, self._values, own=self._own()))
        winner = self._locate()
        if self._runtime is None:
            return "It could run here."
        url = self._world.current_url()
        locators = given_locators(self._skill, winner, self._values)
        result = self._program(self._runtime, self._skill.program, locators, self._args, "program")
        if not result.ok:
            raise _End(self._blame(result), Problem("program", result.failure or "reported", result.message))
        post = self._skill.postconditions
        unmet = self._until(lambda: unmet_after(post, self._world, self._values, url))
        if unmet:
            raise _End("damage", *(Problem("postconditions", one.condition, str(one)) for one in unmet))
        return result.message

    def _check_args(self) -> None:
        try:
            problems = args_problems(self._args, self._skill.args_schema)
        except SkillError as error:
            raise _End("damage", Problem("arguments", "args_schema", str(error)[:300])) from None
        if problems:
            raise _End("bad_args", *(Problem("arguments", "args_schema", problem) for problem in problems))
        item = self._skill.locators.item_param
        self._values = hole_values(self._args, item)
        if item is not UNSET and "item" not in self._values:
            raise _End("bad_args", Problem("arguments", item, f"{item} is missing: it picks one of the list."))

    def _check(self, unmet: Callable[[], list[Unmet]]) -> None:
        found = self._until(unmet)
        if found:
            raise _End("mismatch", *(Problem("preconditions", one.condition, str(one)) for one in found))

    def _until(self, unmet: Callable[[], list[Unmet]]) -> list[Unmet]:
        """Return what does not hold once the page has had its time."""
        found = _asked(unmet)
        if isinstance(self._world, Settling):
            for _ in range(SETTLE_ROUNDS):
                if not found or self._is_cancelled():
                    break
                self._world.settle()
                found = _asked(unmet)
        return found

    def _own(self) -> str | None:
        """Return the selector for which the chain answers; a fallback may well find what it does not find any more."""
        return self._skill.locators.selector

    def _prepare(self, runtime: ProgramRuntime) -> None:
        if self._skill.prepare is UNSET:
            return
        unmet = unmet_by_page(self._skill.preconditions, self._world, self._values)
        ctx = {**msgspec.to_builtins(self._world.signals()), "unmet": [one.condition for one in unmet]}
        result = self._program(runtime, self._skill.prepare, {}, ctx, "prepare")
        if result.failure == "cancelled":
            raise _End("cancelled", Problem("prepare", "cancelled", result.message))
        if not result.ok:
            # It only makes ready; whether it was needed, the preconditions tell.
            self._notes = (Problem("prepare", result.failure or "reported", result.message),)

    def _locate(self) -> Link:
        links = chain(self._skill.locators, self._skill.effect, self._values)
        by_place = [link for link in links if link.place == "by_dom_index"]
        sure = [link for link in links if link.place != "by_dom_index"]
        self._found = find(self._world, sure, group=self._skill.action == "select")
        if self._found.winner is None and by_place and still_there(self._skill, self._world.html(), self._values):
            last = find(self._world, by_place)
            self._found = Found(last.winner, self._found.tried + last.tried)
        if self._found.winner is not None:
            return self._found.winner
        problems = [Problem("locators", tried.place, _came_of(tried)) for tried in self._found.tried]
        if self._skill.locators.item_param is not UNSET:
            raise _End("bad_args", *problems)
        if self._found.nothing_there and self._skill.locators.selector in self._skill.preconditions.exists:
            raise _End("mismatch", *problems)
        raise _End("damage", *problems)

    def _program(
        self,
        runtime: ProgramRuntime,
        program: Program,
        locators: dict[str, Any],
        args: Mapping[str, Any],
        stage: Stage,
    ) -> ProgramResult:
        if problems := _form(program.code, program.entry):
            raise _End("damage", *(Problem(stage, "syntax", problem) for problem in problems))
        try:
            result = runtime.run(
                program.code,
                program.entry,
                self._world,
                locators,
                args,
                self._options,
                self._limits,
                cancel=self._cancel,
            )
        except SkillError as error:
            # The runtime cannot run anything here: it is not installed any more, or its process was forked.
            raise _End("cancelled", Problem(stage, "runtime", str(error)[:300])) from None
        self._calls += result.calls
        if stage == "program":
            self._evidence = result.evidence
        return result

    def _blame(self, result: ProgramResult) -> Outcome:
        """Return whose fault it is that a program did not succeed."""
        if result.failure in ("cancelled", "busy") or any(call.reason == "refused" for call in result.calls):
            return "cancelled"
        cause = result.evidence.get("cause")
        if result.failure == "reported" and cause in _CAUSES:
            return "bad_args" if cause == "bad_args" else "mismatch"
        broken = next((call for call in reversed(result.calls) if call.reason is not None), None)
        if (
            broken is not None
            and broken.reason == "missing"
            and any(ascii(text)[1:-1] in broken.given for text in _texts(self._args))
        ):
            # What the page does not have was named by an argument.
            return "bad_args"
        return "damage"

    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_set()

    def _ended(self, outcome: Outcome, message: str, problems: tuple[Problem, ...]) -> SkillRun:
        winner = self._found.winner
        try:
            stands = self._world.signals()
        except ShoppingError:
            stands = None
        return SkillRun(
            skill_id=self._skill.id,
            outcome=outcome,
            message=message,
            problems=problems,
            winner=None if winner is None else winner.place,
            selector=None if winner is None else winner.selector,
            tried=self._found.tried,
            evidence=self._evidence,
            calls=self._calls,
            stands=stands,
        )


def _asked(unmet: Callable[[], list[Unmet]]) -> list[Unmet]:
    """Return what does not hold; a page that cannot be looked at now holds nothing."""
    try:
        return unmet()
    except ShoppingError as error:
        return [Unmet("page", "that can be looked at", str(error)[:300])]


@lru_cache(FORMS_KEPT)
def _form(code: str, entry: str) -> tuple[str, ...]:
    return tuple(syntax_problems(code, entry))


def _came_of(tried: Tried) -> str:
    return tried.error or f"{tried.selector} matches {tried.matched or 'nothing'}"[:300]


def _sentence(problems: tuple[Problem, ...]) -> str:
    text = " ".join(f"{problem.stage}: {problem.detail or problem.what}" for problem in problems)
    return text if len(text) <= MAX_MESSAGE_CHARS else text[: MAX_MESSAGE_CHARS - 1] + "…"


def _texts(value: object) -> list[str]:
    """Return the texts in a skill's arguments that are long enough to be told from others."""
    if isinstance(value, str):
        return [value] if len(value) > 1 else []
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]
