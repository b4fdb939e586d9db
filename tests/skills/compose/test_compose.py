"""From recorded sessions to verified skills."""

from pathlib import Path
from typing import Any

import pytest

from personalized_shopping.errors import SkillError
from personalized_shopping.shared_libraries.skills.compose import ComposeReport, compose
from personalized_shopping.shared_libraries.skills.library import SkillLibrary
from personalized_shopping.shared_libraries.skills.library_files import skill_path
from personalized_shopping.shared_libraries.skills.model import Skill, skill_bytes
from personalized_shopping.shared_libraries.skills.runner import run_skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.trajectory import read_session
from personalized_shopping.shared_libraries.trajectory.layout import session_dirs
from personalized_shopping.shared_libraries.trajectory.recording_env import RecordTrajectory
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.engine.session import ShopSession
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import DENIM, ODD, RED, TWIN, products
from tests.skills.compose.sessions import NOW, READ_REVIEWS, Recorder, reviewing

Sessions = list[SessionTrajectory]


@pytest.fixture
def learn(shop: Shop, library: SkillLibrary, runtime: ProgramRuntime) -> Any:
    def learning(sessions: Sessions, **more: Any) -> ComposeReport:
        return compose(sessions, shop, library, runtime, now=NOW, **more)

    return learning


@pytest.fixture
def reviewed(record: Recorder) -> Sessions:
    """Return three sessions that read reviews and then do different things."""
    after = (["click[buy now]"], ["click[features]"], ["click[< prev]", "click[Next >]"])
    return [record(*reviewing(*of), *then) for of, then in zip(READ_REVIEWS, after, strict=True)]


def test_a_repeated_pattern_becomes_one_skill_that_works_elsewhere(
    learn: Any, reviewed: Sessions, shop: Shop, library: SkillLibrary, runtime: ProgramRuntime
) -> None:
    report = learn(reviewed)
    [skill] = report.admitted
    assert library.get("webshop", skill.id) == skill and skill.status == "verified" and report.rejected == ()
    assert skill.id.startswith("learned_search_open_reviews_prev_") and skill.effect == "navigate"
    assert skill.args_schema["required"] == ["query", "asin"] and skill.meta.generator == "template"
    assert skill.preconditions.page_kind[:3] == ["search", "results", "item"]
    assert skill.postconditions.page_kind == ["item"] and skill.meta.created_at == NOW
    assert "3. press Reviews" in str(skill.description) and "Buy Now" not in skill.program.code
    world = ShopWorld(shop, shop.start(instruction="something else"))
    run = run_skill(skill, world, {"query": "plain jacket number 11", "asin": "B000000111"}, runtime=runtime)
    assert run.ok and world.session.asin == "B000000111" and world.page.kind == "item"
    assert run.evidence["done"] == ["1. search", "2. open", "3. press Reviews", "4. press < Prev"]
    assert run.evidence["content"]["2. open"][0] == "plain jacket number 11"
    again = run_skill(skill, world, {"query": "denim jacket", "asin": DENIM}, runtime=runtime)
    assert again.ok and "Fits well" in again.evidence["content"]["3. press Reviews"][0]
    wrong = run_skill(skill, world, {"query": "denim jacket", "asin": "B999"}, runtime=runtime)
    assert wrong.outcome == "bad_args" and wrong.evidence["done"] == ["1. search"] and world.page.kind == "results"


def test_it_is_learned_from_episodes_of_the_environment(
    tmp_path: Path, library: SkillLibrary, runtime: ProgramRuntime
) -> None:
    server = SimServer(files=build_shop(products(), tmp_path / "shop"))
    env = RecordTrajectory(WebAgentTextEnv("text", server=server), tmp_path / "t", policy="a script")
    for query, asin in READ_REVIEWS:
        env.reset(seed=1, options={"session": 0})
        for action in [*reviewing(query, asin), "nonsense", "click[buy now]"]:
            env.step(action)
    env.close()
    records_writer.drain()
    files_writer.drain()
    sessions = [read_session(directory) for directory in session_dirs(tmp_path / "t")]
    report = compose(sessions, server.shop, library, runtime, now=NOW)
    assert [skill.args_schema["required"] for skill in report.admitted] == [["query", "asin"]]


def test_running_it_twice_learns_nothing_new(learn: Any, reviewed: Sessions, library: SkillLibrary) -> None:
    [skill] = learn(reviewed).admitted
    files = {key: file.stamp for key, file in library.files().items()}
    again = learn(reviewed)
    assert again.admitted == () and [entry.why for entry in again.rejected] == [f"{skill.id} does this in one call."]
    assert {key: file.stamp for key, file in library.files().items()} == files


def test_equal_sessions_give_equal_files(
    tmp_path: Path, reviewed: Sessions, shop: Shop, runtime: ProgramRuntime
) -> None:
    written = []
    for name in ("one", "other"):
        library = SkillLibrary(tmp_path / name)
        report = compose(reviewed, shop, library, runtime, now=NOW)
        written.append([skill_bytes(skill) for skill in report.admitted])
        assert skill_path(tmp_path / name, *library.keys()).read_bytes() == written[-1][0]
    assert written[0] == written[1] and len(written[0]) == 1


def test_too_few_sessions_give_nothing(learn: Any, reviewed: Sessions) -> None:
    assert learn(reviewed[:2]) == ComposeReport((), (), 0)
    assert learn([*reviewed[:2], reviewed[0]]).mined == 0, "the same session twice is one"
    assert learn([]).mined == 0
    with pytest.raises(SkillError, match="min_support"):
        learn(reviewed, min_support=1)
    assert len(learn(reviewed[:2], min_support=2).admitted) == 1


def test_purchases_are_never_inside(learn: Any, record: Recorder) -> None:
    sessions = [record(*reviewing(*of), "click[buy now]", "search[jacket]", "click[Next >]") for of in READ_REVIEWS]
    report = learn(sessions)
    assert [entry.why for entry in report.rejected] == ["search_and_filter_by_price does this in one call."]
    [skill] = report.admitted
    assert skill.id.startswith("learned_search_open_reviews_prev_") and skill.effect == "navigate"
    assert "uy" not in skill.program.code


def test_what_shipped_composites_do_is_not_learned(learn: Any, record: Recorder) -> None:
    read = ["click[Reviews]", "click[< Prev]", "click[Features]", "click[< Prev]"]
    starts = [(f"search[{query}]", [f"click[{asin}]"]) for query, asin in READ_REVIEWS]
    report = learn([record(first, skill, *read) for first, skill in starts])
    assert report.admitted == () and [entry.why for entry in report.rejected] == [
        "gather_product_info does this in one call."
    ]
    chosen = [
        record("search[denim]", [f"click[{DENIM}]"], f"click[{size}]", "click[dark blue]")
        for size in ("small", "medium", "7.5")
    ]
    assert [entry.why for entry in learn(chosen).rejected] == ["select_options_and_check_price does this in one call."]


def test_without_the_shipped_ones_it_is_learned(
    tmp_path: Path, record: Recorder, shop: Shop, runtime: ProgramRuntime
) -> None:
    read = ["click[Reviews]", "click[< Prev]", "click[Features]", "click[< Prev]"]
    sessions = [record(f"search[{query}]", [f"click[{asin}]"], *read) for query, asin in READ_REVIEWS]
    [skill] = compose(sessions, shop, SkillLibrary(tmp_path / "empty"), runtime, now=NOW).admitted
    assert skill.effect == "read" and skill.args_schema["properties"] == {} and skill.steps == []
    world = ShopWorld(shop, ShopSession(kind="item", keywords=("red",), asin=RED))
    run = run_skill(skill, world, {}, runtime=runtime)
    assert run.ok and run.evidence["content"]["3. press Features"] == ["First point", "Second point"]


def test_options_become_arguments_by_name(learn: Any, record: Recorder, shop: Shop, runtime: ProgramRuntime) -> None:
    chosen = (("small", "dark blue"), ("medium", "dark blue"), ("small", "dark blue"))
    opened = ["search[denim jacket]", f"click[{DENIM}]"]
    sessions = [record(*opened, f"click[{size}]", f"click[{color}]", "click[Description]") for size, color in chosen]
    [skill] = learn(sessions).admitted
    assert skill.args_schema["required"] == ["size"] and skill.effect == "write"
    assert 'input[name="color"]' not in str(skill.args_schema) and '"dark blue"' in skill.program.code
    world = ShopWorld(shop, shop.start())
    run = run_skill(skill, world, {"size": "7.5"}, runtime=runtime)
    assert run.ok and world.session.options == {"size": "7.5", "color": "dark blue"}
    assert run_skill(skill, world, {"size": "vast"}, runtime=runtime).outcome == "bad_args"


def test_a_pattern_whose_outcome_differs_is_rejected(learn: Any, record: Recorder, library: SkillLibrary) -> None:
    # The page shows this option's name with another character, so that the program does not find it.
    ends = ("click[Reviews]", "click[Features]", "click[small]")
    steps = ["click[plain]", "click[Description]", "click[< Prev]"]
    report = learn([record("search[odd]", [f"click[{ODD}]"], *steps, end) for end in ends])
    assert report.admitted == () and not [key for key in library.files() if key.id.startswith("learned")]
    rejected = report.rejected[0]
    assert rejected.steps == ("choose plain for the option a fixed text", "press Description", "press < Prev")
    assert rejected.why.startswith("With recorded arguments it came to nothing (mismatch)")
    assert rejected.support == 3 and rejected.gain == 6


def test_the_sound_part_of_a_rejected_pattern_is_learned(learn: Any, record: Recorder) -> None:
    tail = ["click[Description]", "click[< Prev]", "click[< Prev]"]
    sessions = [record("search[odd]", [f"click[{ODD}]"], "click[plain]", *tail) for _ in range(3)]
    report = learn(sessions)
    assert [skill.slug for skill in report.admitted] == ["description_prev_prev"]
    assert "recorded arguments" in report.rejected[0].why and len(report.rejected[0].steps) == 4


def test_what_never_varies_is_not_learned(learn: Any, record: Recorder) -> None:
    report = learn([record(*reviewing("denim jacket", DENIM)) for _ in range(3)])
    assert "0 other sets of arguments" in report.rejected[0].why
    assert all("search" not in str(skill.slug) for skill in report.admitted)


def test_what_only_works_with_recorded_arguments_is_not_learned(learn: Any, record: Recorder) -> None:
    queries = ("lonely", "kind", "kind lonely")
    steps = [f"click[{TWIN}]", "click[Description]", "click[< Prev]", "click[< Prev]"]
    report = learn([record(f"search[{query}]", *steps) for query in queries])
    assert report.rejected[0].steps[:2] == ("search for `query`", f"open the product {TWIN}")
    assert "0 other sets of arguments" in report.rejected[0].why
    assert [skill.slug for skill in report.admitted] == ["description_prev_prev"]


def test_a_composite_serves_its_parts(learn: Any, record: Recorder, reviewed: Sessions) -> None:
    more = record("search[red]", f"click[{RED}]", "click[Features]")
    report = learn([*reviewed, more])
    assert [skill.slug for skill in report.admitted] == ["search_open_reviews_prev"]
    [part] = report.rejected
    assert part.steps == ("search for `query`", "open the product `asin`") and part.why.startswith("Other composites")


def test_what_saves_too_little_is_not_kept(learn: Any, record: Recorder) -> None:
    report = learn([record(f"search[{query}]", f"click[{asin}]") for query, asin in READ_REVIEWS])
    assert report.admitted == () and report.rejected[0].gain == 3 and "3 model calls" in report.rejected[0].why


def test_a_more_general_skill_does_for_the_special_one(learn: Any, record: Recorder, reviewed: Sessions) -> None:
    [general] = learn(reviewed).admitted
    special = learn([record(*reviewing(query, DENIM)) for query in ("denim", "denim jacket", "jacket for women")])
    assert [entry.why for entry in special.rejected] == [f"{general.id} does this in one call."]


def test_progress_is_told(learn: Any, reviewed: Sessions) -> None:
    told: list[str] = []
    [skill] = learn(reviewed, progress=told.append).admitted
    learn(reviewed, progress=told.append)
    assert told[0] == f"{skill.id} is learned from 3 sessions." and "is not kept" in told[1]


def test_the_steps_name_the_skills_of_the_library(
    tmp_path: Path, reviewed: Sessions, shop: Shop, runtime: ProgramRuntime, library: SkillLibrary
) -> None:
    from msgspec.structs import replace

    shipped: Skill = library.get("webshop", "open_result")
    own = SkillLibrary(tmp_path / "own")  # without the shipped ones, which have these ids too
    for name in ("search", "open_product", "reviews"):
        own.put(replace(shipped, id=name, slug=name))
    own.put(replace(shipped, id="d7_12ab", slug="prev"))
    [skill] = compose(reviewed, shop, own, runtime, now=NOW).admitted
    assert skill.steps == ["search", "open_product", "reviews", "d7_12ab"]
