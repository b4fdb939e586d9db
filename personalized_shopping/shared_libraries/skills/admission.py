"""Whether a skill's programs may be admitted: the gates, with arguments and locators made for them."""

from typing import Any

from msgspec import UNSET

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.args import sample_args
from personalized_shopping.shared_libraries.skills.chain import chain, given_locators, hole_values
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runtime.base import ProgramRuntime
from personalized_shopping.shared_libraries.skills.runtime.gates import gate_problems


def admission_problems(skill: Skill, runtime: ProgramRuntime, *, check_types: bool = True) -> list[str]:
    """Return what keeps a skill's programs from being admitted; nothing if they pass every gate.

    The last gate, a real run in which the postconditions hold, is ``run_skill``.

    Args:
        skill: the skill.
        runtime: where the dry runs take place.
        check_types: whether the types are checked, which needs pydantic-monty.

    Raises:
        SkillError: when the types are to be checked and pydantic-monty is not installed.
    """
    try:
        args = sample_args(skill.args_schema)
    except SkillError as error:
        return [str(error)]
    values = hole_values(args, skill.locators.item_param)
    links = chain(skill.locators, skill.effect, values)
    locators = given_locators(skill, links[0], values)
    program, prepare = skill.program, skill.prepare
    found = gate_problems(
        program.code, program.entry, runtime=runtime, locators=locators, args=args, check_types=check_types
    )
    if prepare is not UNSET:
        ctx: dict[str, Any] = {"url": "http://localhost/", "page_kind": None, "title": "", "viewport": None}
        ctx |= {"cookies": [], "login_state": None, "unmet": []}
        made = gate_problems(
            prepare.code, prepare.entry, runtime=runtime, locators={}, args=ctx, check_types=check_types
        )
        found += [f"prepare: {problem}" for problem in made]
    return found
