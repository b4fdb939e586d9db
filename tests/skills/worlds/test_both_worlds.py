"""One skill, one program: in the shop in process and in a real browser on the website, in both runtimes."""

from collections.abc import Callable
from typing import Any

import pytest

from personalized_shopping.shared_libraries.skills.model import Skill, read_skill
from personalized_shopping.shared_libraries.skills.runner import run_skill
from personalized_shopping.shared_libraries.skills.runtime import ProgramRuntime, open_runtime
from personalized_shopping.shared_libraries.skills.world import World
from personalized_shopping.shared_libraries.skills.worlds import PageWorld, ShopWorld
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

SEARCH = """def program__search(env, locators, args, options):
    try:
        env.type(locators["selector"], args["query"])
        env.press(locators["selector"], "Enter")
    except Exception as error:
        return {"ok": False, "message": str(error)}
    return {"ok": True, "message": "searched", "evidence": {"found": env.texts("a.product-link")}}
"""
OPEN = """def program__open(env, locators, args, options):
    try:
        env.click(locators["selector"])
    except Exception as error:
        return {"ok": False, "message": str(error)}
    return {"ok": True, "message": "opened"}
"""
GATHER = """def program__gather(env, locators, args, options):
    gathered = {}
    for tab in args["tabs"]:
        try:
            env.click_role("button", tab)
            gathered[tab] = env.texts(".card p")
            env.click_role("button", "< Prev")
        except Exception as error:
            return {"ok": False, "message": f"{tab}: {error}", "evidence": {"done": list(gathered)}}
    return {"ok": True, "message": "gathered", "evidence": {"gathered": gathered, "title": env.text("h2")}}
"""
BUY = OPEN.replace("program__open", "program__buy")


def skill(name: str, code: str, kind: str, selector: str, **more: Any) -> Skill:
    value = {
        "id": name,
        "domain": "webshop",
        "action": "click",
        "preconditions": {"url_matches": ["^https?://[^/]+/"], "exists": [selector], "page_kind": [kind]},
        "locators": {"selector": selector},
        "program": {"entry": f"program__{name}", "code": code},
        "meta": {"created_at": "2026-01-01T00:00:00Z"},
    }
    return read_skill(value | more)


TEXT = {"type": "string", "minLength": 1}
SKILLS = {
    "search": skill(
        "search",
        SEARCH,
        "search",
        "#search_input",
        args_schema={"type": "object", "properties": {"query": TEXT}, "required": ["query"]},
        postconditions={"page_kind": ["results"], "url_changes": True},
    ),
    "open": skill(
        "open",
        OPEN,
        "results",
        "a.product-link",
        locators={
            "selector": 'a.product-link[href*="{item}"]',
            "by_role": {"role": "link", "name": "{item}", "exact": True},
            "item_param": "asin",
        },
        args_schema={"type": "object", "properties": {"asin": TEXT}, "required": ["asin"]},
        postconditions={"page_kind": ["item"], "exists": ["button.purchase"]},
    ),
    "gather": skill(
        "gather",
        GATHER,
        "item",
        'role=button[name="Description"]',
        args_schema={"type": "object", "properties": {"tabs": {"type": "array", "items": TEXT}}, "required": ["tabs"]},
        postconditions={"page_kind": ["item"]},
        effect="read",
    ),
    "buy": skill("buy", BUY, "item", "button.purchase", effect="purchase", postconditions={"page_kind": ["done"]}),
}


@pytest.fixture(params=["shop", pytest.param("page", marks=pytest.mark.browser)])
def world(request: pytest.FixtureRequest, shop: Shop) -> World:
    if request.param == "shop":
        return ShopWorld(shop, shop.start())
    opened: Callable[[str], PageWorld] = request.getfixturevalue("opened")
    return opened(f"{request.getfixturevalue('site')}/fixed_0")


@pytest.mark.parametrize("name", ["monty", "restricted"])
def test_a_session_of_skills(world: World, name: str, shop: Shop) -> None:
    runtime: ProgramRuntime = open_runtime(name)

    def run(what: str, **args: Any) -> Any:
        return run_skill(SKILLS[what], world, args, runtime=runtime)

    assert run("open", asin="B000000000").outcome == "mismatch"
    searched = run("search", query="red shirt")
    assert searched.outcome == "ok", searched
    assert searched.stands.page_kind == "results"
    asin = searched.evidence["found"][0]
    wrong = run("open", asin="B0NOTHERE0")
    assert wrong.outcome == "bad_args"
    assert wrong.stands.page_kind == "results"
    opened = run("open", asin=asin)
    assert (opened.outcome, opened.stands.page_kind) == ("ok", "item"), opened
    gathered = run("gather", tabs=["Description", "Features"])
    assert gathered.outcome == "ok", gathered
    product = shop.catalog.product(asin)
    assert gathered.evidence["title"] == " ".join(product.title.split())
    assert gathered.evidence["gathered"]["Description"] == [" ".join(product.description.split())]
    assert len(gathered.evidence["gathered"]["Features"]) == len(product.bullets)
    stuck = run("gather", tabs=["Features", "Manual"])
    assert (stuck.outcome, stuck.evidence) == ("bad_args", {"done": ["Features"]})
    assert stuck.stands.page_kind == "item"
    refused = run("buy")
    assert (refused.outcome, refused.stands.page_kind) == ("cancelled", "item")
    assert "nothing was bought" in refused.message
