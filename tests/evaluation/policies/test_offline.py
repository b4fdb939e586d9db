"""The offline shopper as a policy, on the demo shop."""

from collections.abc import Iterator

import pytest

from personalized_shopping.evaluation.agent_session import AgentSession
from personalized_shopping.evaluation.policies.offline import OfflinePolicy, errand
from personalized_shopping.models.choose import choose_model
from personalized_shopping.shared_libraries.init_env import close_shared, get_shop_files
from personalized_shopping.shared_libraries.web_agent_site.engine.actions import read_action
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles, demo_shop


@pytest.fixture(scope="module")
def files() -> ShopFiles:
    return demo_shop()


@pytest.fixture
def own_shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("CATALOG_PATH", "SEARCH_ENGINE", "ALLOW_UNCONFIRMED_PURCHASES"):
        monkeypatch.delenv(name, raising=False)
    close_shared()
    yield
    close_shared()


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


ERRANDS = (
    "i need a slim ergonomic mouse in gray, under 35 dollars",
    "find me a brown rice cracker in cheddar flavor, below $28",
    "quick dry non toxic nail polish with color: mint, and price lower than 12.00 dollars",
)


async def play_by_agent(instruction: str) -> AgentSession:
    """Let the agent play with the offline shopper as its model, and agree to what it wants to buy."""
    session = AgentSession(choose_model("offline/shopper"), [], session_id="errand", max_model_calls=100)
    turn = await session.say(errand(instruction))
    while turn.question is not None:
        turn = await session.answer(turn.question, yes=True)
    return session


@pytest.mark.parametrize("instruction", ERRANDS)
async def test_the_agent_takes_the_same_steps(instruction: str, own_shop: None) -> None:
    actions, page = play(get_shop_files(), instruction)
    session = await play_by_agent(instruction)
    assert session.actions == actions
    assert page.product is not None
    assert [(one.asin, one.options) for one in session.purchases] == [(page.product.asin, page.options)]
