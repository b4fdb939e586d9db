"""The programs of composites: sound in form, safe with any text, and telling where they stop."""

import ast
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.compose.actions import Symbol
from personalized_shopping.shared_libraries.skills.compose.programs import literal, navigations, program, text_chars
from personalized_shopping.shared_libraries.skills.compose.templates import Hole, Slot, StepTemplate, Template
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.runtime.base import MAX_OUTPUT_BYTES
from personalized_shopping.shared_libraries.skills.runtime.gates import gate_problems, syntax_problems
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.agent.helpers import DENIM, NASTY

ENTRY = "program__x"
RESULTS = ShopSession(kind="results", keywords=("denim",))
ITEM = ShopSession(kind="item", keywords=("jacket",), asin=DENIM)
HOSTILE = (
    NASTY,
    '"]; env.click_role("button", "Buy Now") #',
    "'''\"\"\"\\",
    "{args} {env} {stage}",
    "a\nb\r\u2028c",
    "\ud800 lone",
    "\U0001f600 </script><script>alert(1)</script>",
)


def press(label: str, page_kind: str, leads_to: str) -> StepTemplate:
    return StepTemplate(Symbol("press", page_kind, label, leads_to), ())


QUERY, ASIN = Hole("query"), Hole("asin")


def search(slot: Slot = QUERY) -> StepTemplate:
    return StepTemplate(Symbol("search", "", "", "results"), (slot,))


def open_(slot: Slot = ASIN) -> StepTemplate:
    return StepTemplate(Symbol("open", "results", "", "item"), (slot,))


def choose(option: Slot, value: Slot) -> StepTemplate:
    return StepTemplate(Symbol("choose", "item", "", "item"), (option, value))


def template(*steps: StepTemplate) -> Template:
    roles = {slot.name: slot.name for step in steps for slot in step.slots if isinstance(slot, Hole)}
    return Template(steps, roles)


EVERY_STEP = template(
    search(),
    press("Next >", "results", "results"),
    press("< Prev", "results", "results"),
    open_(),
    choose("size", Hole("size")),
    choose(Hole("option"), Hole("value")),
    press("Attributes", "item", "attributes"),
    press("Back to Search", "attributes", "search"),
)


@pytest.fixture(scope="module", params=["monty", "restricted"])
def each_runtime(request: pytest.FixtureRequest) -> ProgramRuntime:
    return open_runtime(request.param)


def run(runtime: ProgramRuntime, shop: Shop, start: ShopSession, what: Template, **args: str) -> tuple[Any, ShopWorld]:
    world = ShopWorld(shop, start)
    return runtime.run(program(what, ENTRY), ENTRY, world, {}, args, {}), world


def test_a_program_of_every_kind_of_step_passes_the_gates(each_runtime: ProgramRuntime) -> None:
    args = {name: "sample" for name in EVERY_STEP.roles}
    assert gate_problems(program(EVERY_STEP, ENTRY), ENTRY, runtime=each_runtime, locators={}, args=args) == []


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_a_literal_and_nothing_else(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text
    code = program(template(search(text), open_(text), choose(text, text)), ENTRY)
    assert code.replace("\n", "").isprintable() and syntax_problems(code, ENTRY) == []
    tree = ast.parse(code)
    holes = [node for node in ast.walk(tree) if isinstance(node, ast.FormattedValue)]
    assert {ast.unparse(hole.value) for hole in holes} == {"stage", "error"}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    methods = {ast.unparse(call.func).rpartition(".")[2] for call in calls}
    assert methods <= {"append", "click_role", "exists", "press", "select", "texts", "type", "wait_for_selector"}
    pressed = [ast.literal_eval(call.args[1]) for call in calls if ast.unparse(call.func) == "env.click_role"]
    assert sorted(pressed) == sorted(["Back to Search", text])


def test_all_steps_are_done_and_told(each_runtime: ProgramRuntime, shop: Shop) -> None:
    what = template(open_(), choose("size", Hole("size")), press("Features", "item", "features"))
    result, world = run(each_runtime, shop, RESULTS, what, asin=DENIM, size="small")
    assert result.ok, result.message
    assert result.evidence["done"] == ["1. open", "2. choose size", "3. press Features"]
    assert result.evidence["content"]["1. open"][0] == "denim jacket for women"
    assert result.evidence["content"]["3. press Features"] == ["First point", "Second point"]
    assert world.session.options == {"size": "small"} and world.page.kind == "features"


def test_results_are_listed_where_it_ends_among_them(each_runtime: ProgramRuntime, shop: Shop) -> None:
    result, world = run(
        each_runtime, shop, ITEM, template(search(), press("Next >", "results", "results")), query="jacket"
    )
    assert result.ok, result.message
    assert [row["asin"] for row in result.evidence["content"]["results"]] == [card.asin for card in world.page.products]
    assert world.session.page_number == 2


@pytest.mark.parametrize(
    ("start", "steps", "args", "stopped", "cause", "done"),
    [
        (RESULTS, [open_()], {"asin": "B999"}, "1. open", "bad_args", []),
        (RESULTS, [open_("B999")], {}, "1. open", "mismatch", []),
        (
            RESULTS,
            [open_(), choose("length", Hole("v"))],
            {"asin": DENIM, "v": "x"},
            "2. choose length",
            "mismatch",
            ["1. open"],
        ),
        (ITEM, [choose(Hole("o"), Hole("v"))], {"o": 'no "such" \\', "v": "x"}, "1. choose", "bad_args", []),
        (ITEM, [choose("size", Hole("v"))], {"v": "huge"}, "1. choose size", "bad_args", []),
        (ITEM, [choose("size", "huge")], {}, "1. choose size", "mismatch", []),
        (RESULTS, [press("< Prev", "results", "results")], {}, "1. press < Prev", "mismatch", []),
        (ITEM, [press("Attributes", "item", "attributes")], {}, "1. press Attributes", None, []),
        (ITEM, [search()], {"query": " "}, "1. search", None, []),
    ],
)
def test_it_says_where_it_stopped_and_whose_fault_it_is(
    runtime: ProgramRuntime, shop: Shop, start: ShopSession, steps: Any, args: Any, stopped: str, cause: Any, done: Any
) -> None:
    result, _ = run(runtime, shop, start, template(*steps), **args)
    assert result.failure == "reported" and stopped in result.message + str(result.evidence)
    assert result.evidence["stopped_at"] == stopped and result.evidence.get("cause") == cause
    assert result.evidence["done"] == done


def test_what_is_returned_stays_within_its_limit(runtime: ProgramRuntime, shop: Shop) -> None:
    tabs = [(label, kind) for label, kind in (("Description", "description"), ("Features", "features")) * 2]
    steps = [step for label, kind in tabs for step in (press(label, "item", kind), press("< Prev", kind, "item"))]
    what = template(*steps)
    assert text_chars(what) * 8 * 4 * len("\\u001b") < MAX_OUTPUT_BYTES
    odd = ShopSession(kind="item", keywords=("odd",), asin="B000000003")
    assert run(runtime, shop, odd, what)[0].ok


def test_navigations_count_the_way_back_to_the_search_page() -> None:
    assert navigations(template(search(), open_(), search())) == 5
