from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from tests.skills.test_runner import CLOSE, PRESS, prepare, skill


@pytest.fixture(scope="module", params=["monty", "restricted"])
def runtime(request: pytest.FixtureRequest) -> ProgramRuntime:
    return open_runtime(request.param)


@pytest.mark.parametrize(
    "admitted",
    [
        skill(),
        skill(prepare=prepare(CLOSE)),
        skill(
            PRESS.replace('locators["selector"]', 'locators["chain"][0] + args["item"]'),
            args_schema={"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]},
            locators={"selector": "#{item}", "item_param": "item"},
        ),
    ],
)
def test_sound_skills_are_admitted(admitted: Skill, runtime: ProgramRuntime) -> None:
    assert admission_problems(admitted, runtime) == []


@pytest.mark.parametrize(
    ("refused", "says"),
    [
        ({"body": '\n    return {"ok": True}\n'}, "never calls env"),
        ({"body": '\n    import os\n    return {"ok": True}\n'}, "an import"),
        ({"body": '\n    env.click("#go")\n    return {"ok": True}\n'}, "no element is there (error)"),
        ({"args_schema": {"oneOf": []}}, "A schema of arguments has no 'oneOf'"),
        ({"prepare": prepare("\n    return 3\n")}, "prepare: The program came to no result"),
        ({"prepare": prepare('\n    env.clik("x")\n    return {"ok": True}\n')}, "prepare: line 2: env has no method"),
    ],
)
def test_others_are_refused_and_told_why(refused: dict[str, Any], says: str, runtime: ProgramRuntime) -> None:
    problems = admission_problems(skill(**refused), runtime)
    assert any(says in problem for problem in problems), problems


def test_types_are_checked_where_that_is_asked_for(runtime: ProgramRuntime) -> None:
    wrong = skill(PRESS.replace('env.click(locators["selector"])', 'env.click(locators["selector"], timeout_ms="5")'))
    assert "Expected `int | None`" in admission_problems(wrong, runtime)[0]
    assert "every element is there" not in " ".join(admission_problems(wrong, runtime, check_types=False))
