"""A page of the shop with its skills, a page with a dialog over it, and models that say what a test tells them to."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from personalized_shopping.shared_libraries.skills.build import build_skills
from personalized_shopping.shared_libraries.skills.capture import Capture, capture_html
from personalized_shopping.shared_libraries.skills.model import Skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.shipped.primitives import demo_shop
from personalized_shopping.shared_libraries.skills.tasks.programs import Trial, trial_at
from personalized_shopping.shared_libraries.skills.tasks.signals import Page
from personalized_shopping.shared_libraries.skills.verify_places import ShopPlaces
from personalized_shopping.shared_libraries.skills.worlds import ShopWorld

NOW = "2026-01-01T00:00:00Z"
COVERED = """<!doctype html><title>P</title><h1>A page</h1>
<div class="modal">Subscribe?<button>Close</button></div>
<div class="toast" hidden>Saved</div>
<form id="f"><input name="mail" aria-label="Mail"><button class="go" id="go">Go on</button></form>
<a href="/out">Sign out</a>"""


class Model:
    """Says one thing after the other, and remembers what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = [reply if isinstance(reply, str) else json.dumps(reply) for reply in replies]
        self.asked: list[tuple[str, str]] = []

    def __call__(self, system: str, question: str) -> str:
        self.asked.append((system, question))
        return self.replies.pop(0)

    def question(self, number: int = 0) -> Any:
        """Return what it was asked, as JSON."""
        return json.loads(self.asked[number][1])


@pytest.fixture(scope="session")
def runtime() -> ProgramRuntime:
    return open_runtime("monty")


@pytest.fixture(scope="module")
def places() -> Iterator[ShopPlaces]:
    with demo_shop() as shop:
        yield ShopPlaces(shop)


@pytest.fixture(scope="module")
def trial(places: ShopPlaces, runtime: ProgramRuntime) -> Trial:
    return trial_at(places, runtime)


PageOf = Callable[..., Page]


@pytest.fixture(scope="module")
def item(places: ShopPlaces) -> PageOf:
    """Return what gives the item page with the skill of a label."""
    world = next(iter(places.open("item")))
    assert isinstance(world, ShopWorld)
    capture = capture_html(world.html(), url=world.current_url(), page_kind="item")
    skills = {str(skill.label): skill for skill in build_skills(capture, now=NOW)}
    return lambda label="Click_Description": Page(capture, skills[label])


def covered_capture() -> Capture:
    """Return a page as a browser saw it: a dialog lay over its button."""
    capture = capture_html(COVERED, url="https://www.example.com/a/page?x=1", viewport=(1200, 900))
    modal = next(each.index for each in capture.elements if each.class_ == "modal")
    elements = [
        msgspec.structs.replace(
            each,
            visible=each.visible is not False,
            covered_by=modal if each.id == "go" else None,
            occlusion_ratio=1.0 if each.id == "go" else None,
        )
        for each in capture.elements
    ]
    return msgspec.structs.replace(
        capture, elements=elements, meta=capture.meta | {"capture_mode": "browser", "viewport_known": True}
    )


@pytest.fixture(scope="module")
def covered() -> Page:
    """Return the page with a dialog over it, and the skill of the button below."""
    capture = covered_capture()
    (skill,) = [each for each in build_skills(capture, now=NOW) if each.locators.selector == "#go"]
    return Page(capture, skill)


def same(first: Skill, second: Skill) -> bool:
    """Return whether two skills are the same file."""
    return msgspec.json.encode(first) == msgspec.json.encode(second)
