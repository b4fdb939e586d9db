"""The environment at the website: what it sees, earns and leaves behind, beside the one in process."""

import asyncio
import gc
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from personalized_shopping.browsers import find_browser
from personalized_shopping.errors import GoalError, SettingError, ShoppingError
from personalized_shopping.shared_libraries.web_agent_site.app import create_site
from personalized_shopping.shared_libraries.web_agent_site.envs import (
    SimServer,
    WebAgentSiteEnv,
    WebAgentTextEnv,
    site_browser,
    web_agent_site_env,
)
from personalized_shopping.shared_libraries.web_agent_site.envs.html_reading import (
    convert_html_to_text,
    text_to_clickable,
)
from personalized_shopping.shared_libraries.web_agent_site.shop_files import ShopFiles
from personalized_shopping.shared_libraries.web_agent_site.site import addresses, shoppers
from personalized_shopping.shared_libraries.web_agent_site.site.serving import SiteServer

pytestmark = pytest.mark.browser
WORDS = ("cotton shirt", "Lamp", "tea w/ milk", "no such thing", "  ", "'quoted' \"words\"", "café ☕")
KINDS = {"search", "results", "item", "description", "features", "reviews", "attributes", "done"}


@pytest.fixture(scope="module", autouse=True)
def program() -> str:
    found = find_browser()
    if found is None:
        pytest.skip("there is no browser on this machine")
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    return found


@pytest.fixture(scope="module")
def shop(demo_files: ShopFiles) -> SimServer:
    return SimServer(files=demo_files, show_attrs=True)


@pytest.fixture(scope="module")
def env(program: str, shop: SimServer) -> Iterator[WebAgentSiteEnv]:
    made = WebAgentSiteEnv("text", server=shop)
    yield made
    made.close()


@pytest.fixture
def twin(shop: SimServer) -> WebAgentTextEnv:
    """Return the environment in process over the same shop."""
    return WebAgentTextEnv("text", server=shop)


def seen(env: Any) -> dict[str, str]:
    """Return the page in every mode that both environments share."""
    found = {}
    for env.observation_mode in ("text_rich", "url", "text"):
        found[env.observation_mode] = env.observation
    return found


def check_same(env: WebAgentSiteEnv, twin: WebAgentTextEnv) -> None:
    assert seen(env) == seen(twin)
    html = env.state["html"]
    assert convert_html_to_text(html, simple=True) == twin.observation
    assert list(text_to_clickable(html)) == list(env.text_to_clickable) == list(twin.text_to_clickable)
    assert "data-chrome" not in html and "csrf" not in html
    assert env.state["instruction_text"] == twin.state["instruction_text"]


def choose(rng: random.Random, info: dict[str, Any], pressed: Counter[str], step: int) -> str:
    """Return an action: mostly what was pressed least, and the purchase after some time."""
    if info["available_actions"]["has_search_bar"] or rng.random() < 0.1:
        return f"search[{rng.choice(WORDS)}]"
    labels = list(info["available_actions"]["clickables"])
    if "buy now" in labels:
        if step > 9:
            return "click[Buy Now]"
        labels.remove("buy now")
    rng.shuffle(labels)
    label = min(labels, key=lambda label: pressed[label] + (label == "back to search"))
    pressed[label] += 1
    return f"click[{label}]"


def test_random_walks_are_the_same(env: WebAgentSiteEnv, twin: WebAgentTextEnv) -> None:
    rng, pressed = random.Random(4), Counter[str]()
    kinds, steps = set(), 0
    for episode in range(3):
        start = env.reset(seed=episode)
        assert start == twin.reset(seed=episode)
        info = start[1]
        check_same(env, twin)
        for number in range(15):
            action = choose(rng, info, pressed, number)
            found, wanted = env.step(action), twin.step(action)
            assert found == wanted, action
            check_same(env, twin)
            info, steps = wanted[4], steps + 1
            kinds.add(info["page"])
            if wanted[2]:
                break
    assert kinds == KINDS and steps >= 30


def test_passes_the_checker(env: WebAgentSiteEnv) -> None:
    env.observation_mode = "text_rich"
    check_env(env, skip_render_check=True)  # it would open a window


def test_the_html_of_a_seed_is_always_the_same(env: WebAgentSiteEnv) -> None:
    env.observation_mode = "html"
    pages = []
    for _ in range(2):
        env.reset(seed=8, options={"session": 2})
        env.step("search[shirt]")
        asin = first_product(env)
        pages.append([env.observation, env.step(f"click[{asin}]")[0], env.step("click[buy now]")[0]])
    assert pages[0] == pages[1] and 'id="reward"' in pages[0][2]


def first_product(env: WebAgentSiteEnv) -> str:
    return next(label for label in env.get_available_actions()["clickables"] if label.startswith("b0"))


def test_goals_that_are_named(env: WebAgentSiteEnv, shop: SimServer) -> None:
    env.observation_mode = "text"
    goal = shop.goals[3]
    observation, info = env.reset(options={"session": np.int64(3)})
    assert goal["instruction_text"] in observation and info["goal_index"] == 3 and info["session"] == "3"
    env.step(f"search[{shop.product_item_dict[goal['asin']]['Title']}]")
    env.step(f"click[{goal['asin']}]")
    for value in goal["goal_options"].values():
        assert env.step(f"click[{value}]")[4]["is_effective"]
        again = env.step(f"click[{value}]")[4]
        assert again["is_valid"] and not again["is_effective"]
    _, reward, terminated, truncated, info = env.step("click[Buy Now]")
    assert (reward, terminated, truncated, info["success"]) == (1.0, True, False, True)
    assert info["options"] == goal["goal_options"]
    with pytest.raises(ResetNeeded):
        env.step("search[x]")
    with pytest.raises(GoalError, match="There is no goal"):
        env.reset(options={"session": len(shop.goals)})
    with pytest.raises(ValueError, match="session and instruction_text"):
        env.reset(options={"sesion": 1})
    assert env.reset(options={"session": "my own!", "instruction_text": "x"})[1]["session"] == "my own!"
    assert env.instruction_text == "x"


def test_giving_up(env: WebAgentSiteEnv) -> None:
    for action in ("end", "end[now]"):
        env.reset(seed=1)
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, True, False)
        assert info["is_valid"] and "success" not in info
        with pytest.raises(ResetNeeded):
            env.step("search[x]")


@pytest.mark.parametrize(
    "action", ["", "end ", "endless", "click[search]", "click[no such button]", "search[]", "x" * 20_000]
)
def test_invalid_actions_say_so_and_change_nothing(env: WebAgentSiteEnv, twin: WebAgentTextEnv, action: str) -> None:
    env.observation_mode = "text"
    env.reset(options={"session": 0})
    twin.reset(options={"session": 0})
    found, wanted = env.step(action), twin.step(action)
    assert found[:4] == wanted[:4] and not found[4]["is_valid"] and not found[4]["is_effective"]
    assert found[4]["error"] and len(found[4]["error"]) < 2_000


def test_what_the_website_refuses_changes_nothing(env: WebAgentSiteEnv, monkeypatch: pytest.MonkeyPatch) -> None:
    env.observation_mode = "text"
    first, _ = env.reset(seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(addresses, "SITE_MAX_PATH_CHARS", 1)
        observation, *_, info = env.step("search[shirt]")
        assert observation == first and info["error"].startswith("The website answered 414: This address is too long")
    before = env.step("search[shirt]")[0]
    monkeypatch.setattr(addresses, "SITE_MAX_PAGE_NUMBER", 1)
    observation, reward, terminated, _, info = env.step("click[next >]")
    assert (observation, reward, terminated) == (before, 0.0, False)
    assert info["is_valid"] and not info["is_effective"]
    assert info["error"] == (
        "The website answered 404: There is no such page - Pages of results are counted from 1 to 1."
    )
    assert env.step(f"click[{first_product(env)}]")[4]["page"] == "item"


@pytest.fixture
def serve(shop: SimServer) -> Iterator[Callable[..., str]]:
    """Return a function that serves a website and returns its address."""
    running: list[tuple[SiteServer, threading.Thread]] = []

    def begin(**options: Any) -> str:
        server = SiteServer(create_site(server=shop, **options), "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        running.append((server, thread))
        return server.address

    yield begin
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_website_that_runs(serve: Callable[..., str], shop: SimServer) -> None:
    async def play() -> None:  # notebooks run an event loop too
        env = WebAgentSiteEnv("url", base_url=f"{serve(allow_chosen_ids=True)}/", session="ABC", session_prefix="a-")
        try:
            assert env.observation == f"{env.site_address}/a-ABC"
            assert env.reset(options={"session": "fixed_4"})[1]["goal_index"] is None
            assert shop.goals[4]["instruction_text"] in env.instruction_text
            env.reset(options={"session": 5})
            assert shop.goals[5]["instruction_text"] in env.instruction_text
            env.step("search[shirt]")
            asin = first_product(env)
            assert env.step(f"click[{asin}]")[0] == f"{env.site_address}/item_page/a-5/{asin.upper()}/shirt/1/{{}}"
            info = env.step("click[buy now]")[4]
            assert info["price"] is None and 0 <= info["reward_info"]["r_type"] <= 1
            with pytest.raises(GoalError, match="--allow-chosen-ids"):
                env.reset(options={"session": 999_999})
            assert len(env.reset()[1]["session"]) == len("a-") + 10
        finally:
            env.close()

    asyncio.run(play())


def test_a_website_that_names_its_sessions(serve: Callable[..., str]) -> None:
    env = WebAgentSiteEnv("text", base_url=serve())
    first = env.instruction_text
    assert env.step("search[cotton]")[4]["page"] == "results"
    assert env.step("search[lamp]")[4]["is_effective"]
    assert env.step("click[back to search]")[4]["page"] == "search" and env.instruction_text == first
    with pytest.raises(GoalError, match="--allow-chosen-ids"):
        env.reset(options={"session": "ABC"})
    env.close()


def test_what_is_no_shop(serve: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    address = serve(allow_chosen_ids=True)
    with pytest.raises(SettingError, match="no website of WebShop"):
        WebAgentSiteEnv("text", base_url=f"{address}/static", session="site.css")
    monkeypatch.setattr(shoppers.Shoppers, "enter", lambda *_: (_ for _ in ()).throw(shoppers.SiteFull(7)))
    with pytest.raises(ShoppingError, match=r"answered 503: The shop is full - All places are taken"):
        WebAgentSiteEnv("text", base_url=address)


def children() -> set[int]:
    """Return the processes that this one has started, and those that they have."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text(encoding="utf-8", errors="replace").rpartition(")")
        except OSError:
            continue
        parents[int(name.split()[0])] = int(rest.split()[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


@pytest.mark.parametrize("forgotten", [False, True])
def test_nothing_is_left_behind(shop: SimServer, forgotten: bool) -> None:
    threads, processes = set(threading.enumerate()), children()
    env = WebAgentSiteEnv("text", server=shop)
    assert {thread.name for thread in set(threading.enumerate()) - threads} >= {"site-browser", "own-site"}
    address = env.site_address
    if forgotten:
        del env
        gc.collect()
    else:
        env.close()
        env.close()
        with pytest.raises(ShoppingError, match="closed"):
            env.reset()
    deadline = time.monotonic() + 60
    while (children() - processes or set(threading.enumerate()) - threads) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not children() - processes and not set(threading.enumerate()) - threads
    with pytest.raises(SettingError, match="No website answers"):
        WebAgentSiteEnv("text", base_url=address)


def test_what_is_missing_is_named(shop: SimServer, monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(threading.enumerate())
    for variable in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(SettingError, match="needs a display"):
        WebAgentSiteEnv("text", server=shop, render=True)
    monkeypatch.setattr(site_browser, "find_browser", lambda: "/no/such/browser")
    with pytest.raises(SettingError, match="Install Chromium"):
        WebAgentSiteEnv("text", server=shop)
    monkeypatch.setitem(sys.modules, "playwright.sync_api", None)
    with pytest.raises(SettingError, match=r"personalized-shopping\[browser\]"):
        WebAgentSiteEnv("text", server=shop)
    assert set(threading.enumerate()) == before


def test_arguments_that_make_no_sense(shop: SimServer) -> None:
    with pytest.raises(ValueError, match="text_rich"):
        WebAgentSiteEnv("audio", server=shop)
    with pytest.raises(ValueError, match="not both"):
        WebAgentSiteEnv("text", server=shop, base_url="http://127.0.0.1:1")
    with pytest.raises(ValueError, match="render_mode"):
        WebAgentSiteEnv("text", server=shop, render_mode="rgb_array")


def test_made_by_gymnasium_and_watched(shop: SimServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(web_agent_site_env.time, "sleep", waited.append)
    env = gymnasium.make("WebAgentSiteEnv-v0", server=shop, pause=0.5, render_mode="ansi", observation_mode="text_rich")
    assert isinstance(env.unwrapped, WebAgentSiteEnv)
    env.reset(seed=1)
    observation = env.step("search[shirt]")[0]
    assert waited == [0.5] * 3 and env.render() == observation
    env.close()
    env.close()
