"""Verifying skills: in process and at the website in a real browser, and what is said of those that do not work."""

from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any

import msgspec
import pytest

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills import verify_places
from personalized_shopping.shared_libraries.skills.admission import admission_problems
from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.capture import Capture, capture_html, capture_page
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runner import check_skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.shared import BUILTIN
from personalized_shopping.shared_libraries.skills.shipped.primitives import demo_shop
from personalized_shopping.shared_libraries.skills.verify import Verification, verify, verify_in_shop
from personalized_shopping.shared_libraries.skills.verify_args import make_args
from personalized_shopping.shared_libraries.skills.verify_places import ShopPlaces, SitePlaces, site_places
from personalized_shopping.shared_libraries.skills.world import World
from personalized_shopping.shared_libraries.skills.worlds import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from tests.skills.capture.pages import KINDS
from tests.skills.html_world import HtmlWorld
from tests.skills.test_runner import PAGES, skill

NOW = "2026-01-01T00:00:00Z"


@pytest.fixture(scope="module")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with demo_shop() as opened:
        yield opened


@pytest.fixture(scope="module")
def places(shop: Shop) -> ShopPlaces:
    return ShopPlaces(shop)


@pytest.fixture(scope="module")
def site(shop: Shop) -> Iterator[SitePlaces]:
    if find_browser() is None:
        pytest.skip("there is no browser on this machine")
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    with site_places(shop) as opened:
        yield opened


def shipped() -> list[Skill]:
    from personalized_shopping.shared_libraries.skills.library_reader import SkillReader

    return SkillReader(BUILTIN, BUILTIN).list("webshop")


def tell(found: Verification) -> str:
    return f"{found.skill_id}: {found.why}"


def captured(world: World) -> Capture:
    assert isinstance(world, ShopWorld)
    return capture_html(world.html(), url=world.current_url(), page_kind=world.page.kind)


@pytest.mark.parametrize("per_control", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_captured_built_verified_in_process(
    kind: str, per_control: bool, places: ShopPlaces, runtime: ProgramRuntime
) -> None:
    for world in places.open(kind):
        skills = build_skills(captured(world), per_control=per_control, now=NOW)
        assert bool(skills) is (kind != "done")
        for made in skills:
            found = verify(made, places, runtime, check_types=False)
            assert found.is_green, tell(found)
            assert [tried.outcome for tried in found.tried] == ["ok"]


ALIKE = ("features", "reviews", "attributes")
"""Sub-pages whose surroundings are those of the description: what only repeats there is looked for, but not pressed."""
PRESSED = {"Click_Prev", "Click_Back_To_Search"}


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_captured_built_verified_in_a_browser(kind: str, site: SitePlaces, runtime: ProgramRuntime) -> None:
    with closing(site.open(kind)) as worlds:
        world = next(worlds)
        skills = build_skills(capture_page(world._page), now=NOW)  # type: ignore[attr-defined]
        repeated = [made for made in skills if kind in ALIKE and made.label not in PRESSED]
        for made in repeated:
            assert admission_problems(made, runtime, check_types=False) == []
            checked = check_skill(made, world, make_args(made, world, site.hints()))
            assert checked.ok, f"{made.label}: {checked.message}"
    assert len(skills) >= 5
    for made in skills:
        assert made.preconditions.viewport.min_width == 1024  # type: ignore[union-attr]
        if made not in repeated:
            found = verify(made, site, runtime, check_types=False)
            assert found.is_green, tell(found)


@pytest.mark.browser
@pytest.mark.parametrize("made", shipped(), ids=lambda made: made.id)
def test_shipped_skills_work_in_a_browser(made: Skill, site: SitePlaces, runtime: ProgramRuntime) -> None:
    found = verify(made, site, runtime, check_types=False)
    assert found.is_green, tell(found)
    assert [tried.outcome for tried in found.tried] == ["ok"] * len(found.tried)


def test_shipped_skills_work_in_a_shop_without_attribute_pages(shop: Shop, runtime: ProgramRuntime) -> None:
    plain = Shop(shop.catalog, shop.engine)
    found = list(verify_in_shop(shipped(), plain, runtime))
    assert [tell(one) for one in found if not one.is_green] == []
    assert {tried.outcome for one in found for tried in one.tried} == {"ok"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"code": "import os"}, "may not be admitted"),
        ({"code": "def {entry}(env, locators, args, options):\n    return {{'ok': True}}\n"}, "never calls env"),
        (
            {"postconditions": {"page_kind": ["done"]}},
            "item: damage. postconditions: page_kind done: it is description",
        ),
        ({"postconditions": {"text_contains": ["No such words"]}}, "the page does not say it"),
        ({"selector": "button.none"}, "item: damage. locators"),
        ({"page_kind": ["results"]}, "results: mismatch"),
        ({"page_kind": ["checkout"]}, "There is no such page here."),
        ({"args_schema": {"oneOf": []}}, "no 'oneOf'"),
    ],
)
def test_what_does_not_work_is_told(
    change: dict[str, Any], says: str, places: ShopPlaces, runtime: ProgramRuntime
) -> None:
    (made,) = [one for one in shipped() if one.id == "description"]
    replace = msgspec.structs.replace
    if "code" in change:
        made = replace(made, program=replace(made.program, code=change["code"].format(entry=made.program.entry)))
    if "postconditions" in change:
        made = replace(made, postconditions=msgspec.convert(change["postconditions"], type(made.postconditions)))
    if "selector" in change:
        located = replace(made.locators, selector="button.none", selector_alt=[], by_role=msgspec.UNSET, by_text=[])
        made = replace(made, locators=replace(located, by_dom_index=msgspec.UNSET))
    if "page_kind" in change:
        made = replace(made, preconditions=replace(made.preconditions, page_kind=change["page_kind"]))
    if "args_schema" in change:
        made = replace(made, args_schema=change["args_schema"])
    found = verify(made, places, runtime)
    assert (found.status, says in found.why) == ("failed", True), found.why


def test_a_page_that_it_does_not_fit_is_no_failure_where_another_one_fits(
    places: ShopPlaces, runtime: ProgramRuntime
) -> None:
    (made,) = [one for one in shipped() if one.id == "description"]
    conditions = msgspec.structs.replace(made.preconditions, page_kind=["item", "results"])
    found = verify(msgspec.structs.replace(made, preconditions=conditions), places, runtime)
    assert found.is_green
    assert [(tried.page_kind, tried.outcome) for tried in found.tried] == [("item", "ok"), ("results", "mismatch")]


class OtherPlaces:
    """Another site."""

    def __init__(self) -> None:
        self.opened: list[HtmlWorld] = []
        self.closed = 0

    def open(self, page_kind: str | None) -> Generator[World, None, None]:
        for _ in range(2):
            self.opened.append(HtmlWorld(PAGES))
            try:
                yield self.opened[-1]
            finally:
                self.closed += 1

    def hints(self) -> dict[str, Any]:
        return {}


def test_any_site_will_do_and_every_page_is_closed(runtime: ProgramRuntime) -> None:
    places = OtherPlaces()
    found = verify(skill(postconditions={"url_matches": ["/next$"]}), places, runtime)
    assert found.is_green
    assert (len(places.opened), places.closed, places.opened[0].pressed) == (1, 1, ["#go"])


def test_what_buys_is_never_pressed(runtime: ProgramRuntime) -> None:
    places = OtherPlaces()
    buys = skill(effect="purchase", locators={"selector": "#buy"}, preconditions={"exists": ["#buy"]})
    assert verify(buys, places, runtime).is_green
    twins = skill(effect="purchase", locators={"selector": ".twin"}, preconditions={"exists": [".twin"]})
    found = verify(twins, places, runtime)
    assert "damage" in found.why and "matches 2" in found.why
    assert [world.pressed for world in places.opened] == [[], []]


@pytest.mark.parametrize(
    ("properties", "kind", "expected"),
    [
        ({"asin": {"type": "string"}}, "results", {"asin": "B0"}),
        ({"asins": {"type": "array", "items": {"type": "string"}}}, "results", {"asins": ["B0", "B0"]}),
        ({"query": {"type": "string"}}, "search", {"query": ""}),
        ({"query_2": {"type": "string"}}, "search", {"query_2": ""}),
        ({"tabs": {"type": "string", "enum": ["a", "b"]}}, "search", {"tabs": "b"}),
        ({"other": {"type": "integer", "minimum": 3}}, "search", {"other": 3}),
    ],
)
def test_arguments_come_from_the_page(
    properties: dict[str, Any], kind: str, expected: dict[str, Any], places: ShopPlaces
) -> None:
    world = next(iter(places.open(kind)))
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    made = make_args(skill(args_schema=schema), world, places.hints())
    assert list(made) == list(expected)
    for name, value in expected.items():
        if isinstance(value, list):
            assert [part[:2] for part in made[name]] == value
        elif isinstance(value, str) and name != "tabs":
            assert made[name].startswith(value) and made[name]
        else:
            assert made[name] == value


def test_optional_arguments_are_left_out_unless_something_is_known(places: ShopPlaces) -> None:
    world = next(iter(places.open("search")))
    properties = {"pages": {"type": "integer"}, "asin": {"type": "string"}, "other": {"type": "string"}}
    assert make_args(skill(args_schema={"type": "object", "properties": properties}), world, {"pages": 2}) == {
        "pages": 2
    }


def test_a_shop_with_one_product(runtime: ProgramRuntime, tmp_path: Any) -> None:
    from personalized_shopping.shared_libraries.catalog import demo
    from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop

    files = build_shop(demo.demo_source(1, 7), tmp_path / "one")
    tiny = Shop(files.catalog, files.engine("bm25"))
    found = {one.skill_id: one for one in verify_in_shop(shipped(), tiny, runtime)}
    assert found["next"].is_green and found["prev"].is_green and found["buy_now"].is_green
    assert not found["compare_items"].is_green


def test_without_a_browser_the_error_says_so(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright.sync_api")
    monkeypatch.setattr(verify_places, "find_browser", lambda: None)
    with pytest.raises(SkillError, match="no Chromium"), site_places(shop):
        pass
