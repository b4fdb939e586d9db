"""The program task and the prepare task: code that a model wrote, admitted only after every gate and a real run."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from personalized_shopping.shared_libraries.asking import Answer, Ask, BadReply, ask_for, read_json
from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.args import sample_args
from personalized_shopping.shared_libraries.skills.capture.selectors import role_selector
from personalized_shopping.shared_libraries.skills.chain import chain, given_locators, hole_values
from personalized_shopping.shared_libraries.skills.model import MAX_CODE_CHARS, Program, Skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.runtime.form import parameters
from personalized_shopping.shared_libraries.skills.runtime.gates import MissingPage, PresentPage, stubs
from personalized_shopping.shared_libraries.skills.tasks.proposal import Proposal
from personalized_shopping.shared_libraries.skills.tasks.signals import Cover, Page
from personalized_shopping.shared_libraries.skills.verify import verify
from personalized_shopping.shared_libraries.skills.verify_places import Places

PROGRAM_PROMPT = "skill_program"
PREPARE_PROMPT = "skill_prepare"
MAX_SHOWN_PROBLEMS = 5
CONSTRAINTS = (
    "one function with exactly this name and these parameters, and nothing beside it",
    "no import, class, async, with, global, del, yield, match, := and no name that begins with an underscore",
    "only the methods of env, called as env.method(...); nothing else of env",
    'returns {"ok": bool, "message": str, "evidence": dict}; errors of env are caught and returned as ok=False',
    "acts on the selectors that it is given and on no others; at most two further tries; no endless loop",
)
_ACTING = ("click", "type", "select", "press")

Trial = Callable[[Skill], list[str]]
"""Runs a skill for real, its postconditions included, and returns what was wrong."""


class ProgramQuestion(Struct, frozen=True, kw_only=True):
    """What a program is written from. ``failure`` says what was wrong with ``previous``, where it is to be repaired."""

    entry: str
    parameters: list[str]
    action: str
    effect: str
    locators: dict[str, Any]
    args_schema: dict[str, Any]
    postconditions: dict[str, Any]
    constraints: list[str]
    env: str
    previous: str
    failure: str | None
    examples: list[str]


class PrepareQuestion(Struct, frozen=True, kw_only=True):
    """What a preparation is written from."""

    entry: str
    parameters: list[str]
    context_signals: dict[str, Any]
    constraints: list[str]
    env: str
    previous: str | None


class CodeReply(Struct, frozen=True, kw_only=True):
    """Code that a model wrote; empty where none is needed."""

    python_code: str
    rationale: str = ""


def trial_at(places: Places, runtime: ProgramRuntime) -> Trial:
    """Return the trial that runs a skill on fresh pages."""

    def try_out(skill: Skill) -> list[str]:
        found = verify(skill, places, runtime)
        return [] if found.is_green else [found.why]

    return try_out


def write_program(
    page: Page,
    ask: Ask,
    prompt: str,
    *,
    runtime: ProgramRuntime,
    trial: Trial,
    failure: str | None = None,
    examples: tuple[str, ...] = (),
) -> Answer[Proposal]:
    """Return the skill with a program that a model wrote or repaired, and that passed the gates and a real run.

    Args:
        page: the page, with the skill.
        ask: asks the model.
        prompt: of the task.
        runtime: where the dry runs take place.
        trial: runs the skill for real.
        failure: what was wrong with the program that the skill has.
        examples: programs that worked or did not, with what came of them.
    """
    skill = page.skill
    question = ProgramQuestion(
        entry=skill.program.entry,
        parameters=list(parameters(skill.program.entry)),
        action=skill.action,
        effect=skill.effect,
        locators=msgspec.to_builtins(skill.locators),
        args_schema=skill.args_schema,
        postconditions=msgspec.to_builtins(skill.postconditions),
        constraints=list(CONSTRAINTS),
        env=stubs(),
        previous=skill.program.code,
        failure=failure,
        examples=list(examples),
    )

    def read(reply: str) -> Proposal:
        program = msgspec.structs.replace(skill.program, code=read_code(reply))
        written = msgspec.structs.replace(skill, program=program)
        _admit(written, runtime, trial, foreign_selectors(written, runtime))
        return Proposal(written, _note(reply))

    return ask_for(ask, prompt, question, read)


def write_prepare(page: Page, ask: Ask, prompt: str, *, runtime: ProgramRuntime, trial: Trial) -> Answer[Proposal]:
    """Return the skill with a preparation that a model wrote; without one where the model says that none is needed.

    Args:
        page: the page, with the skill.
        ask: asks the model.
        prompt: of the task.
        runtime: where the dry runs take place.
        trial: runs the skill for real.
    """
    skill, covers = page.skill, page.covers()
    question = PrepareQuestion(
        entry="prepare",
        parameters=list(parameters("prepare")),
        context_signals=_context(page, covers),
        constraints=list(CONSTRAINTS),
        env=stubs(),
        previous=None if skill.prepare is UNSET else skill.prepare.code,
    )
    allowed = {each for cover in covers for each in (cover.selector, *cover.close)}

    def read(reply: str) -> Proposal:
        code = read_json(reply, CodeReply).python_code
        if not code.strip():
            return Proposal(msgspec.structs.replace(skill, prepare=UNSET), _note(reply))
        prepared = msgspec.structs.replace(skill, prepare=Program(entry="prepare", code=read_code(reply)))
        _admit(prepared, runtime, trial, foreign_in_prepare(prepared, runtime, allowed))
        return Proposal(prepared, _note(reply))

    return ask_for(ask, prompt, question, read)


def read_code(reply: str) -> str:
    """Return the code of a reply.

    Raises:
        BadReply: where there is none, or too much.
    """
    code = read_json(reply, CodeReply).python_code.strip("\n") + "\n"
    if not code.strip() or len(code) > MAX_CODE_CHARS:
        raise BadReply(f"python_code has {len(code)} characters; between 1 and {MAX_CODE_CHARS} are taken.")
    return code


def _note(reply: str) -> str:
    return read_json(reply, CodeReply).rationale


def _admit(skill: Skill, runtime: ProgramRuntime, trial: Trial, foreign: Callable[[], list[str]]) -> None:
    """Raise unless a skill passes the gates, keeps to its selectors and works; each step only after the one before."""
    gates: tuple[Callable[[], list[str]], ...] = (
        lambda: admission_problems(skill, runtime),
        foreign,
        lambda: trial(skill),
    )
    for gate in gates:
        if problems := gate():
            raise BadReply(" ".join(problems[:MAX_SHOWN_PROBLEMS]))


def foreign_selectors(skill: Skill, runtime: ProgramRuntime) -> Callable[[], list[str]]:
    """Return what finds out whether a program acts on anything but its own control."""

    def find() -> list[str]:
        args = sample_args(skill.args_schema)
        values = hole_values(args, skill.locators.item_param)
        links = chain(skill.locators, skill.effect, values)
        given = given_locators(skill, links[0], values)
        allowed = {*given["chain"], *filter(None, [given.get("proxy")])}
        return _foreign(skill.program, given, args, allowed, runtime)

    return find


def foreign_in_prepare(skill: Skill, runtime: ProgramRuntime, allowed: set[str]) -> Callable[[], list[str]]:
    """Return what finds out whether a preparation acts on anything but what lies over the page."""

    def find() -> list[str]:
        if skill.prepare is UNSET:
            return []
        ctx: dict[str, Any] = {"url": "http://localhost/", "page_kind": None, "title": "", "viewport": None}
        ctx |= {"cookies": [], "login_state": None, "unmet": skill.preconditions.not_exists}
        return _foreign(skill.prepare, {}, ctx, allowed, runtime)

    return find


def _foreign(
    program: Program, locators: Mapping[str, Any], args: Mapping[str, Any], allowed: set[str], runtime: ProgramRuntime
) -> list[str]:
    touched: set[str] = set()
    for page in (_Noting(touched), _NotingNothingThere(touched), _NotingStubborn(touched)):
        runtime.run(program.code, program.entry, page, locators, args, {})
    strange = sorted(touched - allowed)
    return [f"The program acts on {each[:200]!a}, which it was not given." for each in strange]


class _Noting(PresentPage):
    """A page on which everything is there, and which notes what a program acts on."""

    def __init__(self, touched: set[str]) -> None:
        super().__init__()
        self._touched = touched

    def answer(self, method: str, given: Mapping[str, Any]) -> Any:
        """Note what is acted on, and answer as the page does."""
        if method in _ACTING:
            self._touched.add(str(given.get("selector")))
        elif method == "click_role":
            self._touched.add(role_selector(str(given.get("role")), str(given.get("name"))))
        return super().answer(method, given)


class _NotingStubborn(_Noting):
    """A page on which nothing is said to exist, and everything can be acted on."""

    def answer(self, method: str, given: Mapping[str, Any]) -> Any:
        """Deny that anything exists."""
        answer = super().answer(method, given)
        return False if method == "exists" else answer


class _NotingNothingThere(_Noting):
    """A page on which there is nothing."""

    def answer(self, method: str, given: Mapping[str, Any]) -> Any:
        """Note what is acted on, and answer that it is not there."""
        super().answer(method, given)
        return MissingPage().answer(method, given)


def _context(page: Page, covers: list[Cover]) -> dict[str, Any]:
    return {
        "covers": msgspec.to_builtins(covers),
        "control": msgspec.to_builtins(page.described()),
        "occlusion_ratio": page.element.occlusion_ratio,
        "not_exists": page.skill.preconditions.not_exists,
        "texts": page.texts(),
    }
