"""A composite is admitted only if replays end where its steps end, with the same texts."""

import random
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from personalized_shopping.shared_libraries.skills.compose import admission
from personalized_shopping.shared_libraries.skills.compose.actions import moves_of
from personalized_shopping.shared_libraries.skills.compose.admission import NotAdmitted, Replays, check, page_kinds
from personalized_shopping.shared_libraries.skills.compose.composites import composite
from personalized_shopping.shared_libraries.skills.compose.mining import Pattern, mine
from personalized_shopping.shared_libraries.skills.compose.templates import generalise
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.skills.compose.sessions import NOW, Recorder

Checked = Callable[..., Replays]
TURN = 'env.click_role("button", "Next >")\n'
LAST = '        content["results"] = results\n'


@pytest.fixture
def pattern(record: Recorder, shop: Shop) -> Pattern:
    sessions = [record(f"search[{query}]", "click[Next >]", "click[< Prev]") for query in ("jacket", "red", "denim")]
    sequences = [(number, moves_of(session, shop)[0]) for number, session in enumerate(sessions)]
    [found] = mine(sequences, min_support=3)
    return found


@pytest.fixture
def checked(pattern: Pattern, shop: Shop, library: SkillLibrary, runtime: ProgramRuntime) -> Checked:
    """Return what checks the pattern's composite once a piece of its code was replaced."""
    template = generalise(pattern)
    skill = composite(template, pattern, page_kinds(template, shop), library, NOW)

    def check_changed(old: str = "", new: str = "") -> Replays:
        assert old in skill.program.code
        code = skill.program.code.replace(old, new)
        changed = replace(skill, program=replace(skill.program, code=code))
        return check(changed, template, pattern, shop, runtime, random.Random(1))

    return check_changed


def test_one_that_does_what_its_steps_do_is_replayed_on_every_page(checked: Checked) -> None:
    assert checked() == Replays(3, 6, ["search", "results", "item", "description", "features", "reviews"])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'env.type("#search_input", args["query"])',
            'env.type("#search_input", "shirt")',
            "ends at another place.*keywords",
        ),
        (LAST, f"{LAST}        {TURN}", "ends at another place.*page_number"),
        (LAST, '        content["results"] = results[:1]\n', "returns something else"),
        ("done.append(stage)", 'done.append("x")', "returns something else"),
        (LAST, f'{LAST}        env.click_role("link", asins[0])\n', "postconditions: page_kind results"),
        (LAST, f'{LAST}        return {{"ok": False, "message": "no"}}\n', "came to nothing .damage.: program: no"),
        (LAST, f'{LAST}        env.click("#nothing")\n', "missing: Nothing on the results page"),
        ("def program__", "import os\ndef program__", "does not pass the gates: "),
        ('env.press("#search_input", "Enter")', "env.press(3)", "does not pass the gates: "),
    ],
)
def test_one_that_does_something_else_is_not_admitted(checked: Checked, old: str, new: str, says: str) -> None:
    with pytest.raises(NotAdmitted, match=says):
        checked(old, new)


def test_one_that_buys_is_not_admitted(checked: Checked) -> None:
    buying = f'{LAST}        env.click_role("link", asins[0])\n        env.click_role("button", "Buy Now")\n'
    with pytest.raises(NotAdmitted, match=r"came to nothing .cancelled.: .*Buying was not allowed"):
        checked(LAST, buying)


@pytest.mark.parametrize("limit", ["MAX_NAVIGATIONS", "MAX_HOST_CALLS"])
def test_limits_hold(checked: Checked, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    monkeypatch.setattr(admission, limit, 3)
    with pytest.raises(NotAdmitted, match=r"at most 3|too much"):
        checked()


def test_too_few_other_arguments_prove_nothing(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "MAX_DRAWS", 0)
    with pytest.raises(NotAdmitted, match="0 other sets of arguments; 3 are needed"):
        checked()
