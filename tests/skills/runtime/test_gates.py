import pytest

from personalized_shopping.shared_libraries.skills.runtime import open_runtime
from personalized_shopping.shared_libraries.skills.runtime.base import ProgramRuntime
from personalized_shopping.shared_libraries.skills.runtime.gates import (
    annotated,
    dry_run_problems,
    gate_problems,
    stubs,
    type_problems,
)
from personalized_shopping.shared_libraries.skills.world import ENV_METHODS
from tests.skills.runtime import programs

ENTRY = programs.ENTRY


@pytest.fixture(scope="module")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


def gates(code: str, runtime: ProgramRuntime, entry: str = ENTRY) -> list[str]:
    return gate_problems(code, entry, runtime=runtime, locators={"selector": "#a"}, args={"value": "x"})


def test_a_sound_program_passes_every_gate(runtime: ProgramRuntime) -> None:
    assert gates(programs.CLICK, runtime) == []


def test_the_first_gate_that_fails_tells_why(runtime: ProgramRuntime) -> None:
    assert "an import" in gates(programs.program("import os"), runtime)[0]
    assert "timeout" in gates(programs.CLICK.replace("timeout_ms", "timeout"), runtime)[0]
    assert "never calls env" in gates(programs.program("return {'ok': True}"), runtime)[0]


def test_stubs_declare_every_method() -> None:
    declared = stubs()
    assert all(f"def {method}(self" in declared for method in ENV_METHODS)
    assert "state: Literal['visible', 'attached', 'hidden'] = 'visible'" in declared


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("env.click(3)", "Expected `str`"),
        ("env.click('a', timeout_ms='5')", "Expected `int | None`"),
        ("env.wait_for_selector('a', state='gone')", "Literal"),
        ("env.viewport_size()['width']", "None"),
        ("env.click()", "selector"),
        ("return undefined_name", "undefined_name"),
    ],
)
def test_types_are_checked_before_anything_runs(line: str, says: str) -> None:
    problems = type_problems(programs.program(line, "return {'ok': True}"), ENTRY)
    assert problems
    assert says in " ".join(problems)
    if "env." in line:
        assert ":2:" in problems[0]


def test_annotating_keeps_lines_and_given_types() -> None:
    code = "def program__x(env, locators: dict,\n    args, options):\n    return {}\n"
    assert annotated(code, ENTRY) == (
        "def program__x(env: Env, locators: dict,\n    args: dict, options: dict):\n    return {}\n"
    )
    assert type_problems("def program__x(env, locators, args, options):\n    'é'; env.clik('a')\n", ENTRY)


def test_a_program_that_raises_where_nothing_is_there_is_refused(runtime: ProgramRuntime) -> None:
    problems = gates(programs.program("env.click('#a')", "return {'ok': True, 'message': 'pressed'}"), runtime)
    assert "where no element is there (error)" in problems[0]


def test_a_program_that_does_not_notice_is_refused(runtime: ProgramRuntime) -> None:
    careless = programs.program(
        "try:",
        "    env.click('#a')",
        "except Exception:",
        "    pass",
        "return {'ok': True}",
    )
    assert "says ok where none" in gates(careless, runtime)[0]


def test_a_program_that_returns_something_else_is_refused(runtime: ProgramRuntime) -> None:
    assert "came to no result" in gates(programs.program("env.exists('#a')", "return 3"), runtime)[0]
    assert "(time)" in gates(programs.program("env.exists('#a')", "while True:", "    pass"), runtime)[0]


def test_prepare_may_find_nothing_to_do(runtime: ProgramRuntime) -> None:
    close = programs.program(
        "if env.exists('.modal'):",
        "    env.click('.modal .close')",
        "return {'ok': True, 'message': ctx.get('url', '')}",
        entry="prepare",
    )
    assert gates(close, runtime, "prepare") == []


def test_dry_run_gives_the_arguments(runtime: ProgramRuntime) -> None:
    program = programs.program("env.text('#a')", "return {'ok': args['n'] == 3 and options['m'] == 4}")
    problems = dry_run_problems(program, ENTRY, runtime=runtime, locators={}, args={"n": 3}, options={"m": 4})
    assert [problem for problem in problems if "is there" in problem and "every" in problem] == []
