import pytest

from personalized_shopping.shared_libraries.skills.runtime.form import MAX_PROBLEMS, syntax_problems
from tests.skills.runtime import programs

ENTRY = programs.ENTRY


def test_a_plain_program_has_a_good_form() -> None:
    assert syntax_problems(programs.CLICK, ENTRY) == []
    loops = programs.program(
        "found = []",
        "for tab in args['tabs']:",
        "    try:",
        "        env.click_role('button', tab)",
        "    except RuntimeError as error:",
        "        return {'ok': False, 'message': f'{tab}: {error}'}",
        "    found = [*found, *env.texts('.product-info')]",
        "while len(found) > 5:",
        "    found = found[:-1]",
        "count = 0",
        "count += len(found)",
        "return {'ok': True, 'message': ', '.join(sorted(found, key=lambda text: len(text)))}",
    )
    assert syntax_problems(loops, ENTRY) == []


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["import os"], "an import"),
        (["from os import path"], "an import"),
        (["class A:", "    pass"], "a class"),
        (["yield 1"], "yield"),
        (["del args['x']"], "del"),
        (["with env.click('a') as x:", "    pass"], "with"),
        (["global x"], "global"),
        (["return args.__class__"], "__class__"),
        (["return env._world"], "_world"),
        (["env.click = 3"], "not assigned"),
        (["f = env.click", "f('#a')"], "env is only used as"),
        (["return [env]"], "env is only used as"),
        (["env = 3"], "env is only used as"),
        (["return (lambda env: env.click('a'))(1)"], "parameter of program__x alone"),
        (["env.clik('#a')"], "no method clik"),
        (["return eval('1')"], "the name eval"),
        (["return open('x')"], "the name open"),
        (["return getattr(env, 'click')"], "the name getattr"),
        (["return __builtins__"], "the name __builtins__"),
        (["_x = 1"], "the name _x"),
        (["return '{0.real}'.format(1)"], "f-string"),
        (["try:", "    env.click('a')", "except:", "    pass"], "names the errors"),
        (["args['n'] += 1"], "a[k] = a[k] + b"),
        (["match args:", "    case {}:", "        pass"], "match"),
        (["return (x := 1)"], "within an expression"),
        (["def inner(_y):", "    return 1"], "underscore"),
        (["@str", "def inner(y):", "    return 1"], "decorator"),
        (["async def inner(y):", "    return 1"], "async"),
    ],
)
def test_what_a_program_may_not_have_is_named(lines: list[str], says: str) -> None:
    problems = syntax_problems(programs.program(*lines), ENTRY)
    assert problems
    assert any(says in problem for problem in problems), problems
    assert all("line " in problem for problem in problems)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("", "one function named"),
        ("x = 1\n" + programs.CLICK, "nothing beside it"),
        (programs.CLICK + programs.CLICK, "nothing beside it"),
        ("async def program__x(env, locators, args, options):\n    pass", "one function named"),
        (programs.CLICK.replace("program__x", "other"), "is called other"),
        (programs.CLICK.replace("options):", "options, more):"), "takes (env, locators, args, options)"),
        (programs.CLICK.replace("options):", "options=None):"), "takes (env"),
        (programs.CLICK.replace("options):", "*options):"), "takes (env"),
        ("@staticmethod\n" + programs.CLICK, "decorator"),
        ("def program__x(:", "line 1"),
        ("def program__x(env, locators, args, options):\n    return " + "(" * 5_000, "parentheses|parse"),
        ("x" * 20_001, "20001 characters"),
        ("def program__x(env, locators, args, options):\n    return '\0'", "line|parse"),
    ],
)
def test_a_program_is_one_function(code: str, says: str) -> None:
    problems = syntax_problems(code, ENTRY)
    assert problems
    assert any(word in problem for problem in problems for word in says.split("|")), problems


def test_prepare_takes_a_context() -> None:
    assert syntax_problems(programs.program("return {'ok': True}", entry="prepare"), "prepare") == []
    assert syntax_problems("def prepare(env, locators, args, options):\n    return {'ok': True}\n", "prepare")


def test_only_so_many_problems_are_listed() -> None:
    many = programs.program(*["eval('1')"] * 100)
    assert len(syntax_problems(many, ENTRY)) == MAX_PROBLEMS
