"""All five tasks on one skill, one after the other; each may leave the skill as it is."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct

from personalized_shopping.shared_libraries.asking import Answer, Ask
from personalized_shopping.shared_libraries.skills.capture.model import Capture
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.tasks import locators, naming, preconditions, programs
from personalized_shopping.shared_libraries.skills.tasks.programs import Trial
from personalized_shopping.shared_libraries.skills.tasks.proposal import LoadPrompt, Proposal
from personalized_shopping.shared_libraries.skills.tasks.signals import Page

Task = Literal["locators", "preconditions", "program", "prepare", "naming"]
TASKS: tuple[Task, ...] = ("locators", "preconditions", "prepare", "program", "naming")
"""In the order in which they build on each other."""
PROMPTS: dict[Task, str] = {
    "locators": locators.PROMPT,
    "preconditions": preconditions.PROMPT,
    "program": programs.PROGRAM_PROMPT,
    "prepare": programs.PREPARE_PROMPT,
    "naming": naming.PROMPT,
}
"""The names of the tasks' prompts."""
MAX_NOTE_CHARS = 1_000


class Refined(Struct, frozen=True):
    """A skill after the tasks: which of them changed something, and what was wrong with the replies that did not."""

    skill: Skill
    changed: tuple[Task, ...] = ()
    problems: dict[str, tuple[str, ...]] = {}
    notes: dict[str, str] = {}
    """What the model said about its changes; its own words."""
    asked: int = 0


def refine(
    skill: Skill,
    capture: Capture,
    ask: Ask,
    load_prompt: LoadPrompt,
    *,
    runtime: ProgramRuntime,
    trial: Trial,
    tasks: Sequence[Task] = TASKS,
    failure: str | None = None,
) -> Refined:
    """Let a model refine a skill that was built from a capture.

    Args:
        skill: the skill.
        capture: the page that it was built from.
        ask: asks the model.
        load_prompt: gives the prompts of ``PROMPTS`` by name.
        runtime: where programs have their dry runs.
        trial: runs a skill for real; what it finds wrong keeps code from being admitted.
        tasks: which tasks, in which order.
        failure: what was wrong with the skill's program, where it is to be repaired.

    Raises:
        SkillError: where the capture has no control of this skill.
    """
    changed: list[Task] = []
    problems: dict[str, tuple[str, ...]] = {}
    notes: dict[str, str] = {}
    asked = 0
    for task in tasks:
        if not _applies(task, skill):
            continue
        page, prompt = Page(capture, skill), load_prompt(PROMPTS[task])
        answer = _ANSWERS[task](page, ask, prompt, runtime, trial, failure)
        asked += answer.asked
        if answer.problems:
            problems[task] = answer.problems
        if answer.value is not None and answer.value.skill != skill:
            skill = _marked(answer.value.skill, task)
            changed.append(task)
            notes[task] = answer.value.note[:MAX_NOTE_CHARS]
    return Refined(skill, tuple(changed), problems, notes, asked)


def _applies(task: Task, skill: Skill) -> bool:
    """Return whether a task makes sense.

    The locators of a list name its entries and are not reordered. What buys is never run to try it out, so no model
    writes its code.
    """
    if task in ("program", "prepare") and skill.effect == "purchase":
        return False
    is_single = skill.locators.item_param is UNSET and not (skill.action == "select" and skill.evidence.tag == "input")
    return task != "locators" or is_single


def _marked(skill: Skill, task: Task) -> Skill:
    generator = "LLM" if task == "program" else skill.meta.generator.replace("template", "hybrid")
    return msgspec.structs.replace(skill, meta=msgspec.structs.replace(skill.meta, generator=generator))


_Run = Callable[[Page, Ask, str, ProgramRuntime, Trial, Any], Answer[Proposal]]
_ANSWERS: dict[Task, _Run] = {
    "locators": lambda page, ask, prompt, *_: locators.order_locators(page, ask, prompt),
    "preconditions": lambda page, ask, prompt, *_: preconditions.refine_preconditions(page, ask, prompt),
    "naming": lambda page, ask, prompt, *_: naming.name_skill(page, ask, prompt),
    "prepare": lambda page, ask, prompt, runtime, trial, _: programs.write_prepare(
        page, ask, prompt, runtime=runtime, trial=trial
    ),
    "program": lambda page, ask, prompt, runtime, trial, failure: programs.write_program(
        page, ask, prompt, runtime=runtime, trial=trial, failure=failure
    ),
}
