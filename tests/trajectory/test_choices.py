"""The export of decisions: from recordings of environments and of conversations."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from personalized_shopping.errors import TrajectoryError
from personalized_shopping.shared_libraries.trajectory import SessionTrajectory, read_session
from personalized_shopping.shared_libraries.trajectory.exports import (
    choice_lines,
    choices,
    export_sessions,
    read_choices,
)
from personalized_shopping.shared_libraries.trajectory.exports.choices import Choice, make_choice, with_returns
from personalized_shopping.shared_libraries.trajectory.exports.offers import (
    Offer,
    offers_of_page,
    offers_of_record,
    position_of,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.page import Page
from personalized_shopping.shared_libraries.web_agent_site.engine.render import render_a11y, render_html
from personalized_shopping.shared_libraries.web_agent_site.engine.render.html import QueryStringLinks
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import DENIM, products
from tests.trajectory.samples import SAMPLES

Read = Callable[[str], SessionTrajectory]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return lambda name: read_session(SAMPLES[name](tmp_path / "trajectories"))


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> WebAgentTextEnv:
    return WebAgentTextEnv("text", server=SimServer(files=build_shop(products(), tmp_path_factory.mktemp("s") / "c")))


def recorded(page: Page) -> list[Offer]:
    return offers_of_record(page.kind, render_html(page, QueryStringLinks("s")), render_a11y(page))


def test_a_page_and_its_record_offer_the_same(env: WebAgentTextEnv) -> None:
    env.reset(options={"session": 0})
    kinds = set()
    for action in ("search[denim jacket]", f"click[{DENIM}]", "click[small]", "click[features]", "click[< prev]"):
        assert recorded(env.browser.page) == offers_of_page(env.browser.page)
        env.step(action)
        kinds.add(env.browser.page.kind)
    assert kinds == {"results", "item", "features"}
    offers = offers_of_page(env.browser.page)
    assert Offer("click[buy now]", "Buy Now") in offers and Offer("click[small]", "size: small") in offers
    env.step("click[back to search]")
    assert offers_of_page(env.browser.page) == recorded(env.browser.page) == []


def test_what_a_page_says_about_its_products(env: WebAgentTextEnv) -> None:
    env.reset(options={"session": 0})
    env.step("search[denim jacket]")
    offers = {offer.action: offer.text for offer in recorded(env.browser.page)}
    card = next(card for card in env.browser.page.products if card.asin == DENIM)
    assert offers[f"click[{DENIM.lower()}]"] == f"{card.title} {card.price}"
    assert list(offers)[:2] == ["click[back to search]", "click[next >]"]


def test_where_an_action_stands() -> None:
    candidates = ("click[buy now]", "click[red]")
    assert position_of("click[Buy Now]", candidates) == 0
    assert position_of("click[red] please", candidates) == 1
    assert [position_of(action, candidates) for action in ("search[red]", "click[blue]", "red")] == [None] * 3


def test_decisions_of_a_conversation(read: Read) -> None:
    session = read("purchase")
    found = choices(session, split_of=lambda asin: "train")
    assert [choice.action for choice in found] == [action.text for action in session.actions if action.executed]
    assert [choice.step for choice in found] == list(range(len(found)))
    assert found[-1].history == tuple(choice.action for choice in found[:-1])
    assert found[-1].reward == found[-1].return_ == found[0].return_ == session.reward == 1.0
    assert {choice.instruction for choice in found} == {session.instruction}


def test_what_was_kept_from_running_is_no_decision(read: Read) -> None:
    session = read("guarded")
    assert len(choices(session)) < len(session.actions)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_decisions_can_be_read_again(name: str, read: Read, tmp_path: Path) -> None:
    session = read(name)
    path = export_sessions([session, session], "choices", tmp_path / "all.jsonl", split_of=lambda asin: "dev")
    found = list(read_choices(path))
    assert [choice.action for choice in found] == [choice.action for choice in choices(session)] * 2
    assert path.read_bytes().isascii() and path.read_bytes().count(b"\n") == len(found)
    assert all(choice.split == ("dev" if choice.asin else None) for choice in found)


def test_a_line_names_its_return(tmp_path: Path) -> None:
    choice = make_choice(
        [Offer("click[x]", "X")], "click[X]", episode="e", step=0, instruction="", page="item", state=""
    )
    line = json.loads(choice_lines([choice]))
    assert (
        line["return"] is None and line["chosen"] == 0 and line["candidates"] == ["click[x]"] and line["texts"] == ["X"]
    )
    (tmp_path / "bad.jsonl").write_bytes(choice_lines([choice]) + b'{"episode": 3}\n')
    with pytest.raises(TrajectoryError, match="line 2"):
        list(read_choices(tmp_path / "bad.jsonl"))


def test_returns_add_up_what_is_ahead() -> None:
    def rewarded(*rewards: float | None) -> list[Choice]:
        fields = {"episode": "e", "instruction": "", "page": "item", "state": ""}
        return [make_choice([], "search[x]", step=n, reward=reward, **fields) for n, reward in enumerate(rewards)]

    assert [choice.return_ for choice in with_returns(rewarded(0.0, 0.25, 0.5))] == [0.75, 0.75, 0.5]
    assert [choice.return_ for choice in with_returns(rewarded(None, 1.0))] == [1.0, 1.0]
    assert [choice.return_ for choice in with_returns(rewarded(None, None))] == [None, None]
