"""The tasks in which a model writes code: what is admitted, and what never gets that far."""

from typing import Any

import msgspec
import pytest

from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runner import run_skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.tasks import Refined, refine
from personalized_shopping.shared_libraries.skills.tasks.programs import Trial, write_prepare, write_program
from personalized_shopping.shared_libraries.skills.tasks.signals import Page
from tests.skills.html_world import HtmlWorld
from tests.skills.tasks.conftest import COVERED, NOW, Model, PageOf, covered_capture, same

GOOD = '''def {entry}(env, locators, args, options):
    """Open the description.

    Returns: the address.
    """
    target = locators["selector"]
    for attempt in range(2):
        try:
            env.wait_for_selector(target, state="attached")
            env.click(target)
            return {{"ok": True, "message": "Opened.", "evidence": {{"url": env.current_url()}}}}
        except Exception as error:
            why = str(error)
    return {{"ok": False, "message": why, "evidence": {{}}}}
'''
HOSTILE = {
    "an import": "import os\n",
    "an import inside": "def {entry}(env, locators, args, options):\n    import os\n    return {{'ok': True}}\n",
    "dunder": GOOD.replace("target = ", "spy = env.__class__\n    target = "),
    "eval": GOOD.replace("target = ", "eval('1')\n    target = "),
    "open": GOOD.replace("target = ", "open('/etc/passwd')\n    target = "),
    "another method": GOOD.replace("env.click(", "env.goto("),
    "the env handed on": GOOD.replace("target = ", "other = env\n    target = "),
    "a format": GOOD.replace("str(error)", "'{{0}}'.format(error)"),
    "no end": "def {entry}(env, locators, args, options):\n    while True:\n        pass\n",
    "a bomb": GOOD.replace("target = ", "x = 'a' * 10 ** 10\n    target = "),
    "another name": GOOD.replace("def {entry}", "def main"),
    "two functions": GOOD + "\ndef more():\n    pass\n",
    "no result": "def {entry}(env, locators, args, options):\n    env.click(locators['selector'])\n",
    "always ok": "def {entry}(env, locators, args, options):\n    return {{'ok': True, 'message': 'done'}}\n",
    "a wrong type": GOOD.replace("env.click(target)", 'env.click(target, timeout_ms="5")'),
    "not Python": "click the button",
    "buys": GOOD.replace("env.click(target)", 'env.click_role("button", "Buy Now")'),
    "buys as well": GOOD.replace("env.click(target)", 'env.click(target)\n            env.click("button.purchase")'),
    "buys if hidden": GOOD.replace(
        'env.wait_for_selector(target, state="attached")',
        'env.exists("#x") or env.click("text=\\"Buy Now\\"")',
    ),
    "does nothing": GOOD.replace("env.click(target)", "env.exists(target)"),
    "too long": "#" * 20_001,
    "empty": "",
}


def write(page: Page, model: Model, runtime: ProgramRuntime, trial: Trial, **more: Any) -> Any:
    return write_program(page, model, "prompt", runtime=runtime, trial=trial, **more)


def code(page: Page, template: str) -> dict[str, str]:
    return {"python_code": template.format(entry=page.skill.program.entry), "rationale": "shorter"}


def test_a_program_is_admitted_after_it_ran(item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    page, ran = item(), []
    model = Model(code(page, GOOD))

    def noted(skill: Skill) -> list[str]:
        ran.append(skill)
        return trial(skill)

    answer = write(page, model, runtime, noted, failure="it was slow", examples=("one",))
    skill = answer.value.skill
    assert "attempt" in skill.program.code and ran == [skill]
    assert admission_problems(skill, runtime) == []
    question = model.question()
    assert question["entry"] == skill.program.entry
    assert question["parameters"] == ["env", "locators", "args", "options"]
    assert (question["failure"], question["examples"]) == ("it was slow", ["one"])
    assert question["previous"] == page.skill.program.code
    assert "def click(self, selector: str" in question["env"]


@pytest.mark.parametrize("name", HOSTILE)
def test_code_that_is_never_admitted(name: str, item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    page, ran = item(), []
    reply = code(page, HOSTILE[name])

    def noted(skill: Skill) -> list[str]:
        ran.append(name)
        return trial(skill)

    answer = write(page, Model(reply, reply), runtime, noted)
    assert answer.value is None and answer.asked == 2 and len(answer.problems) == 2
    # Only what harms nobody is ever run: it acts on its own control alone, and does not do what it should.
    assert ran == (["does nothing"] * 2 if name == "does nothing" else [])


def test_bad_code_may_be_mended_once(item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    page = item()
    model = Model(code(page, HOSTILE["another method"]), code(page, GOOD))
    answer = write(page, model, runtime, trial)
    assert answer.value.skill.program.code == code(page, GOOD)["python_code"]
    assert "env has no method goto" in model.asked[1][1]


@pytest.mark.parametrize("reply", ["no", {"code": "x"}, {"python_code": 3}, {"python_code": ["x"]}])
def test_replies_of_the_wrong_form(reply: Any, item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    assert write(item(), Model(reply, reply), runtime, trial).value is None


CLOSE = '''def prepare(env, ctx, options):
    """Close the dialog."""
    if env.exists(".modal"):
        try:
            env.click_role("button", "Close")
        except Exception as error:
            return {"ok": False, "message": str(error)}
    return {"ok": True, "message": "ready"}
'''


class Dialog(HtmlWorld):
    """A page with a dialog that its button closes."""

    def __init__(self) -> None:
        closes = COVERED.replace("<button>Close", '<button data-go="closed">Close')
        super().__init__({"start": closes, "closed": COVERED.replace('class="modal"', 'class="modal" hidden')})

    def current_url(self) -> str:
        return "https://www.example.com/a/page"


def at_dialog(runtime: ProgramRuntime) -> Trial:
    def try_out(skill: Skill) -> list[str]:
        found = run_skill(skill, Dialog(), {}, runtime=runtime)
        return [] if found.ok else [found.message]

    return try_out


def test_a_preparation(covered: Page, runtime: ProgramRuntime) -> None:
    model = Model({"python_code": CLOSE})
    answer = write_prepare(covered, model, "", runtime=runtime, trial=at_dialog(runtime))
    assert answer.value is not None, answer.problems
    world = Dialog()
    assert run_skill(answer.value.skill, world, {}, runtime=runtime).ok
    assert world.pressed == ['role=button[name="Close"]', "#go"]
    signals = model.question()["context_signals"]
    assert signals["covers"][0]["close"] == ['role=button[name="Close"]']
    assert signals["not_exists"] == [".modal", ".toast"]


def test_no_preparation_where_none_is_needed(covered: Page, runtime: ProgramRuntime) -> None:
    answer = write_prepare(covered, Model({"python_code": " "}), "", runtime=runtime, trial=at_dialog(runtime))
    assert answer.value is not None
    assert answer.value.skill.prepare is msgspec.UNSET


@pytest.mark.parametrize(
    "bad",
    [
        CLOSE.replace('env.click_role("button", "Close")', 'env.click("#go")'),
        CLOSE.replace('env.click_role("button", "Close")', 'env.click_role("link", "Sign out")'),
        CLOSE.replace('if env.exists(".modal"):', "import os\n    if True:"),
        CLOSE.replace("def prepare", "def ready"),
        CLOSE.replace("(env, ctx, options)", "(env, locators, args, options)"),
        CLOSE.replace('return {"ok": True, "message": "ready"}', "return True"),
        CLOSE.replace('env.click_role("button", "Close")', "pass"),
    ],
)
def test_preparations_that_are_refused(bad: str, covered: Page, runtime: ProgramRuntime) -> None:
    reply = {"python_code": bad}
    answer = write_prepare(covered, Model(reply, reply), "", runtime=runtime, trial=at_dialog(runtime))
    assert answer.value is None, bad


def refined(model: Model, runtime: ProgramRuntime, **more: Any) -> tuple[Skill, Refined]:
    capture = covered_capture()
    (skill,) = [each for each in build_skills(capture, now=NOW) if each.locators.selector == "#go"]
    trial = at_dialog(runtime)
    return skill, refine(skill, capture, model, lambda name: name, runtime=runtime, trial=trial, **more)


def test_all_tasks_on_one_skill(runtime: ProgramRuntime) -> None:
    (skill,) = [each for each in build_skills(covered_capture(), now=NOW) if each.locators.selector == "#go"]
    model = Model(
        {"primary": "#go", "fallbacks": ['role=button[name="Go on"]'], "rationale": "an id"},
        {"preconditions": msgspec.to_builtins(skill.preconditions) | {"visible": ["#go"]}, "notes": "seen"},
        {"python_code": CLOSE},
        {"python_code": GOOD.format(entry=skill.program.entry)},
        {"label": "Go_On", "slug": "go_on"},
    )
    _, done = refined(model, runtime)
    assert done.problems == {}
    assert done.changed == ("locators", "preconditions", "prepare", "program", "naming")
    assert [system for system, _ in model.asked] == [
        "skill_locators",
        "skill_preconditions",
        "skill_prepare",
        "skill_program",
        "skill_naming",
    ]
    assert (done.skill.label, done.skill.meta.generator, done.asked) == ("Go_On", "LLM", 5)
    assert done.notes["locators"] == "an id"
    assert run_skill(done.skill, Dialog(), {}, runtime=runtime).ok


def test_where_every_reply_is_bad_the_template_stands(runtime: ProgramRuntime) -> None:
    skill, done = refined(Model(*["nonsense"] * 10), runtime)
    assert same(done.skill, skill)
    assert (done.changed, done.asked) == ((), 10)
    assert set(done.problems) == {"locators", "preconditions", "prepare", "program", "naming"}


def test_only_the_tasks_that_are_asked_for(runtime: ProgramRuntime) -> None:
    _, done = refined(Model({"label": "Go_On", "slug": "go_on"}), runtime, tasks=["naming"])
    assert (done.changed, done.asked, done.skill.meta.generator) == (("naming",), 1, "hybrid")


def test_a_program_that_buys_is_not_written_by_a_model(item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    page = item("Click_Buy_Now")
    model = Model()
    done = refine(
        page.skill,
        page.capture,
        model,
        lambda name: name,
        runtime=runtime,
        trial=trial,
        tasks=["program", "prepare"],
    )
    assert (done.asked, done.skill) == (0, page.skill)


def test_the_locators_of_lists_and_options_stay(item: PageOf, runtime: ProgramRuntime, trial: Trial) -> None:
    page = item("Select_Color")
    done = refine(
        page.skill, page.capture, Model(), lambda name: name, runtime=runtime, trial=trial, tasks=["locators"]
    )
    assert done.skill == page.skill
