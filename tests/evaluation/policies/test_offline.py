"""The offline shopper as a policy, on the demo shop."""

import pytest

from personalized_shopping.evaluation.policies.offline import OfflinePolicy, errand
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, demo_shop


@pytest.fixture(scope="module")
def files() -> ShopFiles:
    return demo_shop()


def play(files: ShopFiles, instruction: str) -> tuple[list[str], Page]:
    """Let the shopper play and return its actions and the last page."""
    shop = Shop(files.catalog, files.engine())
    policy = OfflinePolicy(instruction)
    session = shop.start(instruction=instruction)
    page, actions = shop.page(session), []
    while page.kind != "done" and (text := policy.act(page)) is not None:
        actions.append(text)
        action, _ = read_action(text)
        assert action is not None
        step = shop.step(session, action, page)
        assert step.error is None
        session, page = step.session, step.page
    return actions, page


def test_it_buys_what_the_instruction_asks_for(files: ShopFiles) -> None:
    actions, page = play(files, "i need a slim ergonomic mouse in gray, under 35 dollars")
    assert page.kind == "done" and page.product is not None
    assert "mouse" in (page.product.title or "").lower()
    assert page.options.get("color") == "gray"
    assert actions[0].startswith("search[") and actions[-1] == "click[Buy Now]"


def test_the_same_instruction_gives_the_same_actions(files: ShopFiles) -> None:
    instruction = "a water resistant laptop backpack, color: olive, and price lower than 45.00 dollars"
    assert play(files, instruction) == play(files, instruction)


def test_an_instruction_without_a_thing_ends_the_episode(files: ShopFiles) -> None:
    assert OfflinePolicy("thank you").act(Page(kind="search", instruction="thank you")) is None


def test_the_errand_keeps_the_instruction() -> None:
    assert errand("Find me a lamp.").startswith("Find me a lamp. ")
