import threading
import time
from typing import Any

import msgspec
import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.model import Skill, read_skill
from personalized_shopping.shared_libraries.skills.runner import check_skill, run_skill
from personalized_shopping.shared_libraries.skills.runs import SkillRun
from personalized_shopping.shared_libraries.skills.runtime import Limits, ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.world import Signals, WorldError
from tests.skills.html_world import HtmlWorld

PAGES = {
    "start": """<title>Start</title><h1>Start</h1><button id="go" data-go="next">Go on</button>
<button class="twin" data-go="next">Twin</button><button class="twin" data-go="next">Twin</button>
<input id="q" name="q"><input type="radio" name="c" value="red"><input type="radio" name="c" value="blue">
<a class="item" data-go="next" title="B01">B01</a><a class="item" data-go="next" title="B02">B02</a>
<button id="buy" data-refused="">Buy Now</button>""",
    "next": "<title>Next</title><h1>Next</h1><p>Here you are: B02</p>",
    "modal": """<h1>Start</h1><div class="modal"><button id="close" data-go="start">Close</button></div>
<button id="go" data-go="next">Go on</button>""",
}
PRESS = """
    try:
        env.click(locators["selector"])
    except Exception as error:
        return {"ok": False, "message": str(error), "evidence": {"winner": locators["winner"]}}
    return {"ok": True, "message": "pressed", "evidence": {"url": env.current_url(), "given": locators}}
"""
CLOSE = """
    if env.exists(".modal"):
        env.click("#close")
        return {"ok": True, "message": "closed", "evidence": {"ctx": ctx}}
    return {"ok": True, "message": "nothing to do"}
"""


@pytest.fixture(scope="module")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


def skill(body: str = PRESS, **changes: Any) -> Skill:
    """Return a skill that presses ``#go``; ``changes`` replace its parts."""
    value: dict[str, Any] = {
        "id": "d1",
        "domain": "site.test",
        "action": "click",
        "preconditions": {"url_matches": ["^http://site\\.test/"], "exists": ["#go"]},
        "locators": {"selector": "#go"},
        "program": {"entry": "program__d1", "code": f"def program__d1(env, locators, args, options):{body}"},
        "meta": {"created_at": "2026-01-01T00:00:00Z"},
    }
    for name, change in changes.items():
        known = value.get(name)
        value[name] = {**known, **change} if isinstance(known, dict) and name != "args_schema" else change
    return read_skill(value)


def prepare(body: str = CLOSE) -> dict[str, str]:
    return {"entry": "prepare", "code": f"def prepare(env, ctx, options):{body}"}


def run(
    runtime: ProgramRuntime, skill: Skill, world: HtmlWorld | None = None, args: Any = None, **more: Any
) -> SkillRun:
    return run_skill(skill, world or HtmlWorld(PAGES), {} if args is None else args, runtime=runtime, **more)


def test_a_skill_that_works(runtime: ProgramRuntime) -> None:
    world = HtmlWorld(PAGES)
    done = run(runtime, skill(postconditions={"url_matches": ["/next$"], "url_changes": True, "exists": ["h1"]}), world)
    assert (done.outcome, done.message, done.winner, done.problems) == ("ok", "pressed", "selector", ())
    assert done.ok
    assert done.evidence["url"] == "http://site.test/next"
    assert done.stands == Signals("http://site.test/next", None, "Next", (1280, 800))
    assert [call.method for call in done.calls] == ["click", "current_url"]
    told = done.to_json()
    assert told["stands"]["url"] == "http://site.test/next"
    assert msgspec.json.decode(msgspec.json.encode(told)) == told | {
        "stands": {**told["stands"], "viewport": [1280, 800], "cookies": []},
        "calls": msgspec.json.decode(msgspec.json.encode(told["calls"])),
        "tried": msgspec.json.decode(msgspec.json.encode(told["tried"])),
    }


@pytest.mark.parametrize(
    ("args", "says"),
    [({}, "value is missing"), ({"value": 3}, "must be of type string"), ({"value": "x", "y": 1}, "no known argument")],
)
def test_wrong_arguments_reach_nothing(runtime: ProgramRuntime, args: dict[str, Any], says: str) -> None:
    world = HtmlWorld(PAGES)
    takes = skill(args_schema={"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]})
    done = run(runtime, takes, world, args)
    assert done.outcome == "bad_args"
    assert says in done.message
    assert (world.pressed, done.calls, done.tried) == ([], (), ())


def test_a_schema_that_cannot_be_used_is_damage(runtime: ProgramRuntime) -> None:
    done = run(runtime, skill(args_schema={"oneOf": []}))
    assert (done.outcome, done.problems[0].stage) == ("damage", "arguments")


@pytest.mark.parametrize(
    ("conditions", "what"),
    [
        ({"url_matches": ["^http://other\\.test/"]}, "url_matches"),
        ({"url_matches": ["(a)\\1"]}, "url_matches"),
        ({"page_kind": ["item"]}, "page_kind"),
        ({"exists": ["#go", ".gone"]}, "exists"),
        ({"not_exists": ["h1"]}, "not_exists"),
        ({"visible": ["title"]}, "visible"),
        ({"enabled": [".gone"]}, "enabled"),
        ({"text_contains": ["Nowhere"]}, "text_contains"),
        ({"viewport": {"min_width": 5_000}}, "viewport.min_width"),
        ({"cookies": ["sid"]}, "cookies"),
        ({"login_state": "logged_in"}, "login_state"),
    ],
)
def test_a_page_that_does_not_fit_is_a_mismatch(runtime: ProgramRuntime, conditions: Any, what: str) -> None:
    world = HtmlWorld(PAGES)
    done = run(runtime, skill(preconditions=conditions), world)
    assert (done.outcome, [problem.what for problem in done.problems]) == ("mismatch", [what])
    assert done.problems[0].stage == "preconditions"
    assert world.pressed == []
    assert done.stands is not None and done.stands.url == "http://site.test/start"


def test_a_fallback_wins_where_the_first_locator_is_gone(runtime: ProgramRuntime) -> None:
    locators = {
        "selector": "#old",
        "by_role": {"role": "button", "name": "Old"},
        "selector_alt": [".twin", "button[", "#go"],
        "by_text": ["Go on"],
    }
    done = run(runtime, skill(locators=locators, preconditions={"exists": ["#old"]}))
    assert (done.outcome, done.winner, done.selector) == ("ok", "selector_alt[2]", "#go")
    assert [(tried.place, tried.matched) for tried in done.tried] == [
        ("selector", 0),
        ("by_role", 0),
        ("selector_alt[0]", 2),
        ("selector_alt[1]", 0),
        ("selector_alt[2]", 1),
    ]
    given = done.evidence["given"]
    assert (given["selector"], given["winner"], len(given["chain"])) == ("#go", "selector_alt[2]", 6)


def test_no_locator_wins(runtime: ProgramRuntime) -> None:
    ambiguous = run(runtime, skill(locators={"selector": ".twin"}))
    assert (ambiguous.outcome, ambiguous.problems[0].stage) == ("damage", "locators")
    assert ambiguous.problems[0].detail == ".twin matches 2"
    not_here = run(runtime, skill(locators={"selector": "#old"}, preconditions={"exists": ["#old"]}))
    assert not_here.outcome == "mismatch"
    broken = run(runtime, skill(locators={"selector": "#old"}))
    assert broken.outcome == "damage"


def test_a_place_alone_is_not_enough(runtime: ProgramRuntime) -> None:
    place = HtmlWorld(PAGES)._dom().select("#go")[0]
    known = {"selector": "#old", "by_dom_index": place}
    named = {**known, "by_role": {"role": "button", "name": "Go on", "exact": True}}
    moved = HtmlWorld({**PAGES, "start": PAGES["start"].replace('id="go"', 'id="new"').replace("Go on</b", "Off</b")})
    assert run(runtime, skill(locators=known)).outcome == "damage"
    assert run(runtime, skill(locators=known, evidence={"tag": "button", "from": "dom"})).winner == "by_dom_index"
    assert run(runtime, skill(locators=known, evidence={"tag": "a", "from": "dom"})).outcome == "damage"
    assert run(runtime, skill(locators=named, preconditions={"exists": ["h1"]}), moved).outcome == "damage"
    for effect in ("write", "purchase"):
        sure = run(runtime, skill(locators=known, evidence={"tag": "button", "from": "dom"}, effect=effect))
        assert sure.outcome == "damage"


def test_places_are_not_given_to_what_changes_something(runtime: ProgramRuntime) -> None:
    given = {effect: run(runtime, skill(locators={"by_dom_index": 3}, effect=effect)) for effect in ("read", "write")}
    assert given["read"].evidence["given"]["by_dom_index"] == 3
    assert "by_dom_index" not in given["write"].evidence["given"]
    assert not any("index=" in selector for selector in given["write"].evidence["given"]["chain"])


ITEM = {
    "locators": {
        "selector": 'a.item[title="{item}"]',
        "item_param": "asin",
        "by_text": ["{item}"],
        "proxy": "#x-{item}",
    },
    "args_schema": {"type": "object", "properties": {"asin": {"type": "string"}}},
    "preconditions": {"exists": ["a.item"]},
    "postconditions": {"text_contains": ["Here you are: {asin}"]},
}


def test_an_argument_picks_one_of_a_list(runtime: ProgramRuntime) -> None:
    world = HtmlWorld(PAGES)
    done = run(runtime, skill(**ITEM), world, {"asin": "B02"})
    assert done.outcome == "ok"
    assert world.pressed == ['a.item[title="B02"]']
    assert done.evidence["given"]["by_text"] == ["B02"]
    assert done.evidence["given"]["proxy"] == "#x-B02"


def test_an_argument_that_picks_nothing_is_a_bad_one(runtime: ProgramRuntime) -> None:
    assert run(runtime, skill(**ITEM), args={"asin": "B99"}).outcome == "bad_args"
    assert run(runtime, skill(**ITEM), args={"asin": '"], a.item, [x="'}).outcome == "bad_args"
    missing = run(runtime, skill(**ITEM), args={})
    assert (missing.outcome, missing.problems[0].what) == ("bad_args", "asin")
    wrong = run(runtime, skill(**ITEM), args={"asin": "B01"})
    assert (wrong.outcome, wrong.problems[0].stage) == ("damage", "postconditions")


def test_a_group_of_values(runtime: ProgramRuntime) -> None:
    choose = skill(
        """
    try:
        env.select(locators["selector"], args["value"])
    except Exception as error:
        return {"ok": False, "message": str(error)}
    return {"ok": True, "message": "chosen"}
""",
        action="select",
        locators={"selector": 'input[name="c"]'},
        args_schema={"type": "object", "properties": {"value": {"type": "string"}}},
        preconditions={"exists": ['input[name="c"]']},
    )
    assert run(runtime, choose, args={"value": "blue"}).ok
    done = run(runtime, choose, args={"value": "green"})
    assert (done.outcome, done.message) == ("bad_args", "program: missing: There is no value 'green'.")


def test_a_program_that_fails_is_damage(runtime: ProgramRuntime) -> None:
    failing = skill('\n    env.click("#nothing")\n    return {"ok": True}\n')
    done = run(runtime, failing)
    assert (done.outcome, done.problems[0].what) == ("damage", "error")
    assert "missing: #nothing matches 0" in done.message
    assert (done.calls[0].method, done.calls[0].reason) == ("click", "missing")
    assert run(runtime, skill("\n    return 3\n")).problems[0].what == "result"
    assert (
        run(runtime, skill("\n    while True:\n        pass\n"), limits=Limits(time_s=0.2)).problems[0].what == "time"
    )


def test_a_program_of_a_wrong_form_is_not_run(runtime: ProgramRuntime) -> None:
    world = HtmlWorld(PAGES)
    done = run(runtime, skill('\n    import os\n    env.click("#go")\n    return {"ok": True}\n'), world)
    assert (done.outcome, done.problems[0].what, world.pressed) == ("damage", "syntax", [])


def test_a_program_may_say_whose_fault_it_is(runtime: ProgramRuntime) -> None:
    for cause, outcome in (("bad_args", "bad_args"), ("mismatch", "mismatch"), ("ok", "damage"), (3, "damage")):
        body = f'\n    return {{"ok": False, "message": "no", "evidence": {{"cause": {cause!r}}}}}\n'
        assert run(runtime, skill(body)).outcome == outcome


def test_what_was_not_allowed_is_not_damage(runtime: ProgramRuntime) -> None:
    done = run(runtime, skill(locators={"selector": "#buy"}, effect="purchase"))
    assert (done.outcome, done.calls[0].reason) == ("cancelled", "refused")
    assert "refused: Not allowed." in done.message


def test_a_run_can_be_cancelled(runtime: ProgramRuntime) -> None:
    cancel = threading.Event()
    cancel.set()
    world = HtmlWorld(PAGES)
    done = run(runtime, skill(), world, cancel=cancel)
    assert (done.outcome, world.pressed) == ("cancelled", [])
    assert run(runtime, skill(prepare=prepare()), world, cancel=cancel).outcome == "cancelled"


def test_prepare_makes_ready(runtime: ProgramRuntime) -> None:
    world = HtmlWorld(PAGES, "modal")
    conditions = {"not_exists": [".modal"]}
    assert run(runtime, skill(preconditions=conditions), HtmlWorld(PAGES, "modal")).outcome == "mismatch"
    done = run(runtime, skill(preconditions=conditions, prepare=prepare()), world)
    assert (done.outcome, world.pressed) == ("ok", ["#close", "#go"])
    assert run(runtime, skill(prepare=prepare())).ok


def test_prepare_is_told_where_it_is(runtime: ProgramRuntime) -> None:
    told = prepare(
        """
    env.type("#q", f"{ctx['url']} {ctx['page_kind']} {ctx['title']} {ctx['unmet']} {options['a']}")
    return {"ok": True}
"""
    )
    world = HtmlWorld(PAGES)
    run(runtime, skill(prepare=told, preconditions={"exists": [".gone"]}), world, options={"a": 1})
    assert world.typed == {"#q": "http://site.test/start None Start ['exists'] 1"}


def test_a_prepare_that_fails_does_not_decide(runtime: ProgramRuntime) -> None:
    useless = prepare('\n    env.click("#nothing")\n    return {"ok": True}\n')
    done = run(runtime, skill(prepare=useless))
    assert (done.outcome, done.problems[0].stage) == ("ok", "prepare")
    done = run(runtime, skill(prepare=useless, preconditions={"exists": [".gone"]}))
    assert (done.outcome, [problem.stage for problem in done.problems]) == ("mismatch", ["prepare", "preconditions"])


def test_postconditions_are_checked(runtime: ProgramRuntime) -> None:
    post = {"url_changes": False, "text_contains": ["Elsewhere"], "not_exists": ["h1"]}
    done = run(runtime, skill(postconditions=post))
    assert done.outcome == "damage"
    assert [problem.what for problem in done.problems] == ["url_changes", "not_exists", "text_contains"]
    assert done.evidence["url"] == "http://site.test/next"


def test_a_page_that_goes_on_is_waited_for(runtime: ProgramRuntime) -> None:
    class Slow(HtmlWorld):
        rounds = 0

        def settle(self) -> None:
            self.rounds += 1
            if self.rounds == 3:
                self.pages["next"] += "<p>came later</p>"

    world = Slow(PAGES)
    assert run(runtime, skill(postconditions={"text_contains": ["came later"]}), world).ok
    assert world.rounds == 3
    never = Slow(PAGES)
    assert run(runtime, skill(postconditions={"text_contains": ["never"]}), never).outcome == "damage"
    assert never.rounds == 40


def test_a_page_that_cannot_be_looked_at(runtime: ProgramRuntime) -> None:
    class Crashed(HtmlWorld):
        def signals(self) -> Signals:
            raise WorldError("failed", "The page has crashed.")

    done = run(runtime, skill(), Crashed(PAGES))
    assert (done.outcome, done.stands) == ("mismatch", None)
    assert "The page has crashed." in done.message


def test_a_mistake_of_the_worlds_code_is_raised(runtime: ProgramRuntime) -> None:
    class Broken(HtmlWorld):
        def click(self, selector: str, timeout_ms: int | None = None) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(runtime, skill(), Broken(PAGES))


def test_names_with_blanks_and_quotes(runtime: ProgramRuntime) -> None:
    page = """<h1>x</h1><button id='a "b" c' data-go="next">Say "hi" \\ now</button>"""
    locators = {"selector": "#old", "by_role": {"role": "button", "name": 'Say "hi" \\ now'}}
    world = HtmlWorld({**PAGES, "start": page})
    done = run(runtime, skill(locators=locators, preconditions={"exists": ["h1"]}), world)
    assert (done.outcome, done.winner) == ("ok", "by_role")
    by_id = {"selector": '[id="a \\"b\\" c"]'}
    world = HtmlWorld({**PAGES, "start": page})
    assert run(runtime, skill(locators=by_id, preconditions={"exists": ["h1"]}), world).winner == "selector"


def test_a_check_presses_nothing(runtime: ProgramRuntime) -> None:
    world = HtmlWorld(PAGES)
    done = check_skill(skill(prepare=prepare(), effect="purchase"), world, {})
    assert (done.outcome, done.winner, done.calls, world.pressed) == ("ok", "selector", (), [])
    assert check_skill(skill(), HtmlWorld(PAGES, "next"), {}).outcome == "mismatch"
    assert check_skill(skill(**ITEM), world, {"asin": "B99"}).outcome == "bad_args"
    assert check_skill(skill(locators={"selector": ".twin"}), world, {}).outcome == "damage"


def test_ids_that_repeat_are_not_one_element(runtime: ProgramRuntime) -> None:
    page = '<button id="go" data-go="next">A</button><button id="go" data-go="next">B</button>'
    world = HtmlWorld({**PAGES, "start": page})
    assert run(runtime, skill(), world).outcome == "damage"
    named = skill(locators={"selector": "#go", "by_role": {"role": "button", "name": "B"}})
    assert run(runtime, named, HtmlWorld({**PAGES, "start": page})).winner == "by_role"


def test_a_page_with_thousands_of_controls(runtime: ProgramRuntime) -> None:
    many = "".join(f'<button id="b{n}" class="x y" data-go="next">Button {n}</button>' for n in range(3_000))
    world = HtmlWorld({**PAGES, "start": many})
    locators = {"selector": ".x", "by_role": {"role": "button", "name": "Button 2999"}}
    started = time.monotonic()
    done = run(runtime, skill(locators=locators, preconditions={"exists": ["#b7"], "enabled": [".x.y"]}), world)
    assert (done.outcome, done.winner) == ("ok", "by_role")
    assert time.monotonic() - started < 10


def test_a_runtime_that_cannot_run_is_not_the_skills_fault(runtime: ProgramRuntime) -> None:
    class Gone:
        name = "gone"

        def run(self, *_args: Any, **_more: Any) -> Any:
            raise SkillError("The runtime is not installed any more.")

    done = run_skill(skill(), HtmlWorld(PAGES), {}, runtime=Gone())
    assert (done.outcome, done.problems[0].what) == ("cancelled", "runtime")
