"""The environment as users of Gymnasium and of WebShop call it."""

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from personalized_shopping.config import MAX_ACTION_CHARS
from personalized_shopping.errors import GoalError
from personalized_shopping.shared_libraries.web_agent_site.envs import SimBrowser, SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.envs.wrappers import OldGymInterface
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles


def first_product(env: WebAgentTextEnv) -> str:
    env.step("search[shirt]")
    return next(c for c in env.get_available_actions()["clickables"] if c.startswith("b0"))


def test_passes_the_checker(demo_server: SimServer) -> None:
    env = gymnasium.make("WebAgentTextEnv-v0", server=demo_server, render_mode="ansi")
    check_env(env.unwrapped)
    assert "WebShop" in env.reset(seed=1)[0]
    env.close()
    env.close()


def test_same_seed_same_episode(demo_server: SimServer) -> None:
    one, other = (WebAgentTextEnv("text", server=demo_server) for _ in range(2))
    assert [one.reset(seed=5)[0], one.reset()[0]] == [other.reset(seed=5)[0], other.reset()[0]]
    assert one.reset(seed=6)[0] != one.reset(seed=7)[0]


def test_purchase_ends_the_episode(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server)
    goal = demo_server.goals[3]
    env.reset(options={"session": 3})
    assert goal["instruction_text"] in env.observation
    env.step(f"search[{demo_server.product_item_dict[goal['asin']]['Title']}]")
    _, _, _, _, info = env.step(f"click[{goal['asin']}]")
    assert info["page"] == "item"
    for value in goal["goal_options"].values():
        assert env.step(f"click[{value}]")[4]["is_effective"]
    _, reward, terminated, truncated, info = env.step("click[Buy Now]")
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    assert info["asin"] == goal["asin"]
    assert info["options"] == goal["goal_options"]
    assert info["price"] == demo_server.product_prices[goal["asin"]]
    assert {"r_type", "r_att", "r_price", "title_score"} <= set(info["reward_info"])
    assert demo_server.user_sessions["3"]["reward"] == 1.0
    with pytest.raises(ResetNeeded, match="reset"):
        env.step("search[x]")
    assert env.reset(options={"session": 3})[1]["page"] == "search"


@pytest.mark.parametrize(
    "action",
    [
        "",
        "   ",
        "think",
        "search[]",
        "click[]",
        "buy[now]",
        "search[a\nb]",
        "search[" + "x" * MAX_ACTION_CHARS + "]",
        "x" * 1_000_000,
        "click[no such button]",
        "click[search]",
        "click[buy now]",
        "click[\u202ered]",
    ],
)
def test_invalid_actions_say_so_and_change_nothing(demo_server: SimServer, action: str) -> None:
    env = WebAgentTextEnv("text", server=demo_server)
    env.reset(options={"session": 0})
    before = env.observation
    observation, reward, terminated, _, info = env.step(action)
    assert (observation, reward, terminated) == (before, 0.0, False)
    assert not info["is_valid"] and not info["is_effective"]
    assert info["error"] and len(info["error"]) < 2_000


@pytest.mark.parametrize(
    "words", ["\ud800", "\x00\x1b]2J", "مرحبا red", "]]a]]", "<r>", "<a>", "<c>", "<q>", "<c> \ud800", "  ", "the"]
)
def test_odd_searches_find_something_or_nothing(demo_server: SimServer, words: str) -> None:
    env = WebAgentTextEnv("text_rich", server=demo_server)
    env.reset(options={"session": 0})
    _, _, _, _, info = env.step(f"search[{words}]")
    assert info["is_valid"]
    assert info["page"] == "results"
    assert env.step("click[next >]")[4]["is_valid"]
    assert env.state["html"]


def test_random_query_stays_the_same_over_its_pages(demo_server: SimServer) -> None:
    browser = SimBrowser(demo_server)
    browser.open("s", 0, seed=4)
    browser.search("<r>")
    first = [card.asin for card in browser.page.products]
    browser.click("next >")
    browser.click("< prev")
    assert [card.asin for card in browser.page.products] == first
    assert browser.page.total_results == 50


def test_goals_that_do_not_exist(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server)
    count = len(demo_server.goals)
    with pytest.raises(GoalError, match=f"from 0 to {count - 1}"):
        env.reset(options={"session": count})
    with pytest.raises(ValueError, match="session and instruction_text"):
        env.reset(options={"sesion": 1})
    with pytest.raises(ValueError, match="index or a text"):
        env.reset(options={"session": 1.5})
    last, named = env.reset(options={"session": -1}), env.reset(options={"session": np.int64(count - 1)})
    assert last[0] == named[0]


def test_unknown_modes() -> None:
    with pytest.raises(ValueError, match="text_rich"):
        WebAgentTextEnv("audio")


def test_session_keyword_and_instruction(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server, session=2, session_prefix="p_")
    assert env.session == "p_2"
    assert demo_server.goals[2]["instruction_text"] in env.instruction_text
    env.reset(options={"session": "abc", "instruction_text": "my own"})
    assert (env.session, env.instruction_text) == ("p_abc", "my own")


def test_a_reset_with_another_goal_plays_that_goal(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server)
    env.reset(options={"session": 1})
    observation, _ = env.reset(options={"session": 4})
    assert demo_server.goals[4]["instruction_text"] in observation


def test_environments_share_a_server_and_nothing_else(demo_server: SimServer) -> None:
    one, other = WebAgentTextEnv("text", server=demo_server), WebAgentTextEnv("text", server=demo_server)
    one.reset(options={"session": 1})
    other.reset(options={"session": 1})
    before = other.observation
    one.step(f"click[{first_product(one)}]")
    assert other.observation == before


def test_filter_and_limit_goals(demo_files: ShopFiles) -> None:
    all_goals = list(SimServer(files=demo_files).goals)
    department = all_goals[0]["category"]
    kept = SimServer(files=demo_files, filter_goals=lambda _, goal: goal["category"] == department)
    assert list(kept.goals) == [goal for goal in all_goals if goal["category"] == department]
    limited = SimServer(files=demo_files, limit_goals=5)
    assert len(limited.goals) == 5 == len(limited.weights)
    assert list(limited.goals) == list(SimServer(files=demo_files, limit_goals=5).goals)


def test_own_tagger_beside_a_shared_server(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server, nouns=lambda text: ["thing"])
    env.reset(options={"session": 0})
    env.step(f"click[{first_product(env)}]")
    info = env.step("click[buy now]")[4]
    assert info["noun_tagger"] == "custom"
    assert info["reward_info"]["title_score"] == 1.0


def test_other_seeds_draw_other_prices(demo_files: ShopFiles, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    own, other = SimServer(files=demo_files), SimServer(files=demo_files, seed=5)
    assert dict(own.product_prices) != dict(other.product_prices)
    again = SimServer(files=demo_files, seed=5)
    assert list(again.goals) == list(other.goals)


def test_old_interface(demo_server: SimServer) -> None:
    env = OldGymInterface(WebAgentTextEnv("text", server=demo_server))
    observation, nothing = env.reset(session=1)
    assert nothing is None and demo_server.goals[1]["instruction_text"] in observation
    observation, reward, done, info = env.step("search[shirt]")
    assert (reward, done, info["page"]) == (0.0, False, "results")
    assert env.get_available_actions()["clickables"]
    env.close()
    env.close()


def test_reading_the_page_with_beautiful_soup(demo_server: SimServer) -> None:
    env = WebAgentTextEnv("text", server=demo_server, render_mode="html")
    env.reset(options={"session": 0})
    env.step(f"click[{first_product(env)}]")
    page = env._parse_html()
    assert page.find(id="product-image") is not None
    assert list(env.text_to_clickable) == env.get_available_actions()["clickables"]
    assert env.convert_html_to_text(env.state["html"], simple=True) == env.observation
    assert env.render() == env.state["html"]
    assert env.get_image().shape == (512,)
    assert env.get_instruction_text().startswith("Instruction:")


def test_server_answers_requests(demo_server: SimServer) -> None:
    html, url, status = demo_server.receive("x1", None, session_int=2)
    assert (url, status) == ("http://127.0.0.1:3000/x1", {"reward": 0.0, "done": False})
    assert 'id="search_input"' in html
    html, url, status = demo_server.receive("x1", url, keywords=["cotton", "shirt"])
    assert demo_server.get_page_name(url) == "search_results"
    asin = demo_server.shop.page(demo_server.visit("x1").session).products[0].asin
    _, url, _ = demo_server.receive("x1", url, clickable_name=asin.lower())
    assert demo_server.get_page_name(url) == "item_page"
    _, url, status = demo_server.receive("x1", url, clickable_name="Buy Now")
    assert demo_server.get_page_name(url) == "done" and status["done"]
    assert demo_server.search_time > 0 and demo_server.render_time > 0
    with pytest.raises(TypeError, match="keywords"):
        demo_server.receive("x1", url, wrong=1)


def test_the_server_forgets_old_sessions(demo_server: SimServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("personalized_shopping.shared_libraries.web_agent_site.envs.server.MAX_USER_SESSIONS", 3)
    for number in range(6):
        demo_server.start(f"s{number}", 0)
    assert list(demo_server.user_sessions) == ["s3", "s4", "s5"]
