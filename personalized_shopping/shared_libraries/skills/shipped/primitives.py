"""The skills of the shop's single controls: built from captures of every kind of its pages, and named as people would.

A control that stands on several kinds of pages is one skill. What only repeats another skill, or buys, has none here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from personalized_shopping.shared_libraries.catalog import demo
from personalized_shopping.shared_libraries.skills.build.groups import Group
from personalized_shopping.shared_libraries.skills.build.programs import main_program
from personalized_shopping.shared_libraries.skills.build.skills import Names, build_skills
from personalized_shopping.shared_libraries.skills.capture.selectors import matching_text, role_selector
from personalized_shopping.shared_libraries.skills.capture.static import capture_html
from personalized_shopping.shared_libraries.skills.model import (
    About,
    Evidence,
    Locators,
    Postconditions,
    Preconditions,
    RoleLocator,
    Skill,
)
from personalized_shopping.shared_libraries.skills.shipped.composites import CREATED_AT
from personalized_shopping.shared_libraries.skills.verify_places import sessions_by_kind
from personalized_shopping.shared_libraries.skills.worlds.shop_world import ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine import actions
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import EMBEDDED_ENGINE, build_shop

PRODUCTS, SEED = 120, 7
"""The demo shop from which the skills are made: small, and the same everywhere."""
_ANY_SHOP = r"^https?://[^/]+/"
_TEXT = {"type": "string", "minLength": 1, "maxLength": 500}


class _Named(NamedTuple):
    id: str
    label: str
    description: str
    argument: str | None = None


_BUTTONS = {
    actions.BACK_TO_SEARCH: _Named(
        "back_to_search", "Back_To_Search", "Press Back to Search; it opens the search page."
    ),
    actions.NEXT_PAGE: _Named("next", "Next_Page", "Press Next; it opens the next page of results."),
    actions.PREV_PAGE: _Named(
        "prev",
        "Previous_Page",
        "Press Prev: from a sub-page to the product, from a product to the results, from results to those before.",
    ),
    actions.DESCRIPTION: _Named("description", "Description", "Open the product's Description."),
    actions.FEATURES: _Named("features", "Features", "Open the product's Features."),
    actions.REVIEWS: _Named("reviews", "Reviews", "Open the product's Reviews."),
    actions.ATTRIBUTES: _Named("attributes", "Attributes", "Open the product's Attributes, where the shop shows them."),
}
_SEARCH = _Named("search", "Search", "Type words into the search field of the search page and press Enter.", "query")
_OPEN = _Named("open_product", "Open_Product", "Open one product of the results page by its asin.", "asin")
_SELECT = "select_option"


@contextmanager
def demo_shop() -> Iterator[Shop]:
    """Open the small demo shop, with attribute pages; it lies in a temporary directory while it is open."""
    with TemporaryDirectory(prefix="webshop-") as directory:
        files = build_shop(demo.demo_source(PRODUCTS, SEED), Path(directory) / "shop")
        engine = files.engine(EMBEDDED_ENGINE)
        try:
            yield Shop(files.catalog, engine, show_attributes=True)
        finally:
            engine.close()
            files.catalog.close()


def shipped_primitives(shop: Shop) -> list[Skill]:
    """Return the skills of the shop's single controls, as drafts.

    Args:
        shop: the shop whose pages are captured.
    """
    found: dict[str, list[Skill]] = {}
    for session in (session for sessions in sessions_by_kind(shop).values() for session in sessions):
        world = ShopWorld(shop, session)
        kind, url = world.page.kind, world.current_url()
        capture = capture_html(world.html(), url=url, page_kind=kind, now=datetime.fromisoformat(CREATED_AT))
        for skill in build_skills(capture, now=CREATED_AT, name_of=_name):
            found.setdefault(skill.id, []).append(skill)
    return [_merged(skills) for skills in found.values()]


def _name(group: Group, names: Names) -> Names | None:
    """Return what a control of the shop is called; ``None`` for what is left out."""
    named = None
    if group.kind == "options":
        return Names(_SELECT, _SELECT, "Select_Option", "Choose a value of one of the product's options.", "value")
    if group.kind == "list" and group.node.role == "link":
        named = _OPEN
    elif group.node.action == "type":
        named = _SEARCH
    elif group.node.role == "button":
        named = _BUTTONS.get(matching_text(group.node.name))
    return None if named is None else Names(named.id, named.id, named.label, named.description, named.argument)


def _merged(skills: list[Skill]) -> Skill:
    """Return one skill for all kinds of pages on which a control stands."""
    first = skills[0]
    if first.id == _SELECT:
        return _select_option(first)
    kinds = list(dict.fromkeys(kind for skill in skills for kind in skill.preconditions.page_kind))
    after = list(dict.fromkeys(kind for skill in skills for kind in skill.postconditions.page_kind))
    shared = [
        each for each in first.preconditions.exists if all(each in other.preconditions.exists for other in skills)
    ]
    is_many = len(skills) > 1
    return msgspec.structs.replace(
        first,
        preconditions=Preconditions(url_matches=[_ANY_SHOP], exists=shared, page_kind=kinds),
        locators=_lasting(first.locators, skills),
        args_schema=_args_schema(first),
        postconditions=Postconditions(page_kind=after, url_changes=True if is_many else UNSET),
        meta=_meta(first),
    )


def _lasting(locators: Locators, skills: list[Skill]) -> Locators:
    """Return the locators that the control has on every page; places in the document are no part of the program."""
    others = [each for each in locators.selector_alt if all(each in one.locators.selector_alt for one in skills)]
    kept = [each for each in others if ":nth-of-type" not in each]
    return msgspec.structs.replace(locators, selector_alt=kept, by_dom_index=UNSET, bbox=UNSET, page_bbox=UNSET)


def _args_schema(skill: Skill) -> dict[str, object]:
    names = list(skill.args_schema["properties"])
    return {
        "type": "object",
        "properties": dict.fromkeys(names, _TEXT),
        "required": names,
        "additionalProperties": False,
    }


def _meta(skill: Skill) -> About:
    """Return where a shipped skill comes from: no capture that lies anywhere."""
    return msgspec.structs.replace(skill.meta, source_dir=UNSET, source_files=[])


def _select_option(skill: Skill) -> Skill:
    """Return the skill that chooses a value of any option, by the option's name."""
    group = role_selector("radiogroup", "{name}")
    return msgspec.structs.replace(
        skill,
        preconditions=Preconditions(url_matches=[_ANY_SHOP], exists=["role=radiogroup"], page_kind=["item"]),
        locators=Locators(
            selector=group,
            selector_alt=['input[type="radio"][name="{name}"]'],
            by_role=RoleLocator(role="radiogroup", name="{name}", exact=True),
        ),
        args_schema={
            "type": "object",
            "properties": {"name": _TEXT, "value": _TEXT},
            "required": ["name", "value"],
            "additionalProperties": False,
        },
        program=main_program(skill.program.entry, "select", argument="value"),
        postconditions=Postconditions(page_kind=["item"], exists=['input[type="radio"][name="{name}"]:checked']),
        effect="write",
        evidence=Evidence(tag="input", role="radio", text_snippets=["option", "choose"], source=skill.evidence.source),
        meta=_meta(skill),
    )
