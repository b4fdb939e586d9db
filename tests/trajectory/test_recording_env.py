"""Episodes of environments that are played directly leave the same log."""

import gc
import json
from pathlib import Path

import gymnasium
import jsonschema
import pytest

from personalized_shopping.shared_libraries.trajectory import execution_trajectory, read_session
from personalized_shopping.shared_libraries.trajectory.execution import SCHEMA_FILE
from personalized_shopping.shared_libraries.trajectory.layout import EXECUTION, session_dirs
from personalized_shopping.shared_libraries.trajectory.recording_env import RecordTrajectory
from personalized_shopping.shared_libraries.trajectory.replay import replay, rescore
from personalized_shopping.shared_libraries.trajectory.replay_source import from_session
from personalized_shopping.shared_libraries.trajectory.session import SessionTrajectory
from personalized_shopping.shared_libraries.trajectory.writer import files_writer, records_writer
from personalized_shopping.shared_libraries.web_agent_site.envs import SimServer, WebAgentTextEnv
from personalized_shopping.shared_libraries.web_agent_site.shop_files import build_shop
from tests.agent.helpers import DENIM, products


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> SimServer:
    return SimServer(files=build_shop(products(), tmp_path_factory.mktemp("shop") / "catalog"))


@pytest.fixture
def env(server: SimServer, tmp_path: Path) -> RecordTrajectory:
    return RecordTrajectory(WebAgentTextEnv("text", server=server), tmp_path / "t", policy="a script")


def sessions(root: Path) -> list[SessionTrajectory]:
    records_writer.drain()
    files_writer.drain()
    found = [read_session(directory) for directory in session_dirs(root)]
    return sorted(found, key=lambda session: session.runs[0].time)


def buy(env: RecordTrajectory, goal: int = 0) -> float:
    env.reset(seed=1, options={"session": goal})
    reward = 0.0
    for action in ("search[denim jacket]", f"click[{DENIM}]", "click[small]", "nonsense", "click[buy now]"):
        _, reward, _, _, _ = env.step(action)
    return reward


def test_an_episode_is_a_session_with_a_step_an_action(
    env: RecordTrajectory, tmp_path: Path, server: SimServer
) -> None:
    reward = buy(env)
    [session] = sessions(tmp_path / "t")
    assert session.start.source == "gymnasium" and session.model == "a script" and session.status == "completed"
    assert len(session.steps) == 5 and [len(step.actions) for step in session.steps] == [1] * 5
    assert [action.reward for action in session.actions] == [0.0, 0.0, 0.0, 0.0, reward] and session.reward == reward
    assert [action.outcome for action in session.actions] == ["done", "done", "done", "failed", "done"]
    assert session.instruction == session.goal["instruction_text"] == server.goal_table[0].instruction_text
    assert session.purchases[0].purchase["asin"] == DENIM
    document = execution_trajectory(session)
    jsonschema.validate(document, json.loads(SCHEMA_FILE.read_bytes()))
    assert (session.directory / EXECUTION).exists() and document["final_score"] == reward


def test_an_episode_replays_and_scores_the_same(env: RecordTrajectory, tmp_path: Path, server: SimServer) -> None:
    reward = buy(env)
    source = from_session(sessions(tmp_path / "t")[0])
    played = replay(source, server.shop)
    assert played.difference is None and played.compared == 6 and played.same_catalog
    [again] = rescore(source)
    assert again.computed.total == reward == again.recorded


def test_episodes_of_one_goal_stay_apart_and_unfinished_ones_are_cancelled(
    env: RecordTrajectory, tmp_path: Path
) -> None:
    buy(env)
    env.reset(options={"session": 0})
    env.step("search[red]")
    buy(env)
    env.reset(options={"session": 0})
    env.close()
    found = sessions(tmp_path / "t")
    assert [session.status for session in found] == ["completed", "cancelled", "completed", "cancelled"]
    assert len({session.start.session for session in found}) == 4


def test_an_environment_that_is_forgotten_ends_its_log(server: SimServer, tmp_path: Path) -> None:
    env = RecordTrajectory(WebAgentTextEnv("text", server=server), tmp_path / "t")
    env.reset(options={"session": 0})
    del env
    gc.collect()
    assert [session.status for session in sessions(tmp_path / "t")] == ["cancelled"]


def test_recording_changes_nothing(server: SimServer, env: RecordTrajectory) -> None:
    bare = WebAgentTextEnv("text", server=server)
    assert bare.reset(seed=3, options={"session": 1}) == env.reset(seed=3, options={"session": 1})
    for action in ("search[jacket]", f"click[{DENIM}]", "click[reviews]", "click[< prev]", "bad", "click[buy now]"):
        assert bare.step(action) == env.step(action)


def test_it_wraps_what_gymnasium_made(server: SimServer, tmp_path: Path) -> None:
    made = gymnasium.make("WebAgentTextEnv-v0", observation_mode="text", server=server)
    env = RecordTrajectory(made, tmp_path / "t")
    env.reset(options={"session": 0})
    env.step("search[jacket]")
    env.close()
    assert [len(session.steps) for session in sessions(tmp_path / "t")] == [1]


def test_other_environments_are_refused() -> None:
    with pytest.raises(TypeError, match="WebAgentTextEnv"):
        RecordTrajectory(gymnasium.make("CartPole-v1"))  # type: ignore[arg-type]


def test_off_records_nothing(server: SimServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAJECTORY_DIR", "off")
    env = RecordTrajectory(WebAgentTextEnv("text", server=server))
    env.reset(options={"session": 0})
    env.step("search[jacket]")
    assert env.run is None
