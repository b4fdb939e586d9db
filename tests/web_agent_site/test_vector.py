"""Vector environments: sync and async play the same, share one catalogue, and take goals one by one."""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector.utils import create_shared_memory, read_from_shared_memory, write_to_shared_memory

from personalized_shopping.shared_libraries.trajectory import read_session
from personalized_shopping.shared_libraries.trajectory.layout import session_dirs
from personalized_shopping.shared_libraries.trajectory.recording_env import RecordTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.envs import WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.envs.shared_server import shared_server
from personalized_shopping.shared_libraries.web_agent_site.envs.shared_texts import SHARED_TEXT_BYTES
from personalized_shopping.shared_libraries.web_agent_site.envs.spaces import UnicodeText
from personalized_shopping.shared_libraries.web_agent_site.envs.vector import reset_to_goals

# Python warns of forks where threads run, as those of other tests' recorders; the environment is made for it.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
MODES = ("sync", "async")
AUTORESET = ("NextStep", "SameStep", "Disabled")
TEXTS = ("", "plain", "naïve ☃ 😀", "half \ud800 a pair", "\x00 and\nlines")


@contextmanager
def opened(mode: str, count: int = 2, **kwargs: Any) -> Iterator[Any]:
    kwargs = {"observation_mode": "text", "num_products": 60, **kwargs}
    envs = gymnasium.make_vec("WebAgentTextEnv-v0", num_envs=count, vectorization_mode=mode, **kwargs)
    try:
        yield envs
    finally:
        envs.close()


def first_products(infos: dict[str, Any]) -> tuple[str, ...]:
    """Return the action that opens the first product of each page."""
    shown = infos["available_actions"]["clickables"]
    return tuple(f"click[{next(label for label in labels if label.startswith('b0'))}]" for labels in shown)


def buy(envs: Any) -> tuple[Any, ...]:
    """Buy the first product in every sub-environment and return what the purchase gave."""
    *_, infos = envs.step(("search[shirt]",) * envs.num_envs)
    envs.step(first_products(infos))
    return envs.step(("click[buy now]",) * envs.num_envs)


@pytest.mark.parametrize("mode", MODES)
def test_a_vector_environment_works_as_it_is(mode: str) -> None:
    with opened(mode, 3) as envs:
        observations, _ = envs.reset(seed=3)
        assert observations in envs.observation_space and len(set(observations)) == 3
        assert envs.action_space.sample() in envs.action_space
        kept = observations
        searched, rewards, terminated, truncated, infos = envs.step(("search[shirt]", "search[lamp]", "click[no]"))
        assert searched[:2] != observations[:2] and searched[2] == observations[2] == kept[2]
        assert infos["page"].tolist() == ["results", "results", "search"]
        assert infos["is_valid"].tolist() == [True, True, False] and infos["error"][2]
        assert rewards.tolist() == [0.0] * 3 and not terminated.any() and not truncated.any()


def test_sync_and_async_play_the_same_episodes() -> None:
    def played(mode: str) -> list[Any]:
        with opened(mode) as envs:
            observations, infos = envs.reset(seed=11)
            seen: list[Any] = [observations, infos["goal_index"].tolist(), infos["session"].tolist()]
            for _ in range(2):
                observations, rewards, terminated, _, infos = buy(envs)
                assert terminated.all()
                seen += [observations, rewards.tolist(), infos["asin"].tolist(), infos["price"].tolist()]
                seen.append({name: values.tolist() for name, values in infos["reward_info"].items()})
                observations, _, _, _, infos = envs.step(("think",) * 2)  # a reset that ignores the action
                seen += [observations, infos["goal_index"].tolist()]
            return seen

    assert played("sync") == played("async")


def test_one_seed_gives_one_sequence_of_goals() -> None:
    with opened("sync", 3) as envs:
        first = envs.reset(seed=5)[1]["goal_index"].tolist()
        assert envs.reset(seed=6)[1]["goal_index"].tolist()[:2] == envs.reset(seed=5)[1]["goal_index"].tolist()[1:]
        env = gymnasium.make("WebAgentTextEnv-v0", observation_mode="text", num_products=60)
        assert [env.reset(seed=5 + number)[1]["goal_index"] for number in range(3)] == first
        env.close()


def test_a_seed_and_a_goal_make_an_episode() -> None:
    def played(seed: int) -> list[Any]:
        with opened("sync") as envs:
            shown = envs.reset(seed=seed, options={"session": 3})
            return [shown[0], shown[1]["session"].tolist(), envs.step(("search[<r>]",) * 2)[0]]

    first, again, other = played(4), played(4), played(40)
    assert first == again and first[:2] == other[:2] and first[2] != other[2]
    assert first[2][0] != first[2][1], "the sub-environments draw each for itself"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("autoreset", AUTORESET)
def test_goals_are_dealt_out_and_each_is_played_once(mode: str, autoreset: str) -> None:
    goals = np.array([4, 9, 2, 7])
    with opened(mode, vector_kwargs={"autoreset_mode": autoreset}) as envs:
        _, infos = reset_to_goals(envs, goals, seed=0)
        assert infos["goal_index"].tolist() == [4, 9]
        _, rewards, terminated, _, infos = buy(envs)
        assert terminated.all()
        if autoreset == "SameStep":
            assert infos["final_info"]["success"].tolist() == (rewards == 1.0).tolist()
            assert all("bought" in text or "score" in text for text in infos["final_obs"])
        elif autoreset == "NextStep":
            *_, infos = envs.step(("search[ignored]",) * 2)
        else:
            _, infos = envs.reset(options={"reset_mask": np.array([True, True])})
        assert infos["goal_index"].tolist() == [2, 7] and infos["page"].tolist() == ["search"] * 2
        # A named goal is played by all, and one environment alone can be sent to another.
        assert envs.reset(options={"session": 5})[1]["goal_index"].tolist() == [5, 5]
        _, infos = envs.reset(options={"session": 6, "reset_mask": np.array([False, True])})
        assert infos["goal_index"].tolist() == [0, 6] and infos["_goal_index"].tolist() == [False, True]


@pytest.mark.parametrize("mode", MODES)
def test_a_reset_by_hand_after_a_purchase_is_the_only_one(mode: str) -> None:
    with opened(mode) as envs:
        envs.reset(seed=1)
        assert buy(envs)[2].all()
        envs.reset(seed=2)
        assert envs.step(("search[lamp]",) * 2)[-1]["page"].tolist() == ["results", "results"]


def test_goals_and_environments_must_fit() -> None:
    with opened("sync") as envs:
        with pytest.raises(ValueError, match="1 goals for 2"):
            reset_to_goals(envs, [3])
        with pytest.raises(ValueError, match="reset_to_goals"):
            envs.reset(options={"session": [1, 2]})


@pytest.mark.parametrize("start", ("spawn", "forkserver"))
def test_processes_that_begin_from_nothing(start: str) -> None:
    with opened("async", 1, vector_kwargs={"context": start}) as envs, opened("sync", 1) as others:
        assert envs.reset(seed=8)[0] == others.reset(seed=8)[0]
        assert envs.step(("search[lamp]",))[0] == others.step(("search[lamp]",))[0]


def test_one_process_opens_one_shop() -> None:
    with opened("sync", 8) as envs:
        servers = set(envs.get_attr("server"))
        assert len(servers) == 1 and shared_server(num_products=60) in servers
        assert shared_server(num_products=60, human_goals=True) not in servers
        assert shared_server(num_products=60, filter_goals=lambda number, _: number < 3) not in servers
        assert WebAgentTextEnv("text", num_products=60).server not in servers
        chosen = shared_server(num_products=60, limit_goals=4)
        with opened("sync", server=chosen) as given:
            assert set(given.get_attr("server")) == {chosen}


def test_another_configured_catalogue_is_another_shop(monkeypatch: pytest.MonkeyPatch) -> None:
    first = shared_server(num_products=60)
    monkeypatch.setenv("NOUN_TAGGER", "builtin")
    assert shared_server(num_products=60) is shared_server(num_products=60)
    monkeypatch.setenv("CATALOG_PATH", str(first.files.directory))
    assert shared_server(num_products=60) is not first


def test_a_filter_travels_to_other_processes() -> None:
    with opened("async", filter_goals=lambda number, _: number in (10, 20)) as envs:
        assert set(envs.reset(seed=1)[1]["goal_index"].tolist()) <= {0, 1}
        assert [len(server) for server in envs.call("get_wrapper_attr", "next_sessions")] == [0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_episodes_are_recorded(mode: str, tmp_path: Path) -> None:
    with opened(mode, wrappers=[partial(RecordTrajectory, root=tmp_path, policy="first item")]) as envs:
        reset_to_goals(envs, [3, 8])
        _, rewards, _, _, _ = buy(envs)
    records_writer.drain()
    files_writer.drain()
    found = [read_session(directory) for directory in session_dirs(tmp_path)]
    assert sorted(session.reward or 0.0 for session in found if session.purchases) == sorted(rewards.tolist())


def test_shared_texts_are_what_was_written_last() -> None:
    space, memory = UnicodeText(), create_shared_memory(UnicodeText(), n=2, ctx=get_context())
    texts = read_from_shared_memory(space, memory, n=2)
    assert list(texts) == ["", ""] and len(texts) == 2
    for text in TEXTS:
        write_to_shared_memory(space, 1, text, memory)
        assert texts[1] == texts[-1] == text and texts[0] == "" and texts[:] == ("", text)
    copied = deepcopy(texts)
    write_to_shared_memory(space, 0, "é" * (SHARED_TEXT_BYTES // 2), memory)
    assert copied == ("", TEXTS[-1]) and len(texts[0]) == SHARED_TEXT_BYTES // 2 and texts[1] == TEXTS[-1]
    with pytest.raises(ValueError, match="shared_memory"):
        write_to_shared_memory(space, 0, "x" * (SHARED_TEXT_BYTES + 1), memory)
    with pytest.raises(IndexError):
        texts[2]
