"""A conversation as an episode: who is to blame for what, and the same again from the same seed."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from personalized_shopping.evaluation.agent_session import Question
from personalized_shopping.evaluation.conversations import ConversationTask, Reply, SimulatorError, play_case
from personalized_shopping.models import choose_model
from personalized_shopping.shared_libraries.metrics.episode import Episode
from personalized_shopping.shared_libraries.trajectory.session import read_session
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop


class Always(BaseLlm):
    """Says or does the same each time."""

    model: str = "always"
    part: types.Part | None = None
    error_code: str = ""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        if self.error_code:
            yield LlmResponse(error_code=self.error_code, error_message="no luck")
        elif self.part is None:
            raise ConnectionError("the line is dead")
        else:
            yield LlmResponse(content=types.Content(role="model", parts=[self.part]))


class Broken(BasePlugin):
    """A part of the system that fails."""

    async def before_run_callback(self, **_: object) -> None:
        raise RuntimeError("the system is broken")


class Speechless:
    async def hear(self, text: str, question: Question | None) -> Reply:
        raise SimulatorError("nothing comes to mind")


def played(task: ConversationTask, model: BaseLlm, **how: object) -> Episode:
    return asyncio.run(play_case(task, model=model, **how))  # type: ignore[arg-type]


def offline() -> BaseLlm:
    return choose_model("offline/shopper")


def test_the_offline_shopper_serves_somebody(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    episode = played(by_id["not_available/purple-chinos"], offline())
    assert episode.status == "finished" and episode.suite == "conversations" and episode.kind == "not_available"
    assert episode.cluster == episode.task_id == "not_available/purple-chinos"
    assert episode.success and episode.score == 1.0
    assert episode.actions[0].startswith("search[") and episode.steps == len(episode.actions)
    assert episode.model_calls > 1 and episode.input_tokens > 0 and episode.output_tokens > 0 and episode.answer


def test_the_same_seed_gives_the_same_episode(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id["find/coffee-table"]
    first = played(task, offline(), seed=3)
    assert played(task, offline(), seed=3) == first
    assert played(task, offline(), seed=3, trial=1).trial == 1


def test_the_agent_is_to_blame_for_what_it_says(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    episode = played(by_id["find/chinos"], Always(part=types.Part(text="Nice weather today.")))
    assert episode.status == "finished" and not episode.success and episode.score == 0.0
    assert episode.failure == "search_missed" and "No page showed" in episode.why


def test_going_in_circles_is_a_loop(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    call = types.Part(function_call=types.FunctionCall(name="search", args={"keywords": "chinos"}))
    episode = played(by_id["find/chinos"], Always(part=call), plugins=lambda _: [])
    assert episode.status == "finished" and episode.failure == "loop" and episode.ended == "loop"


@pytest.mark.parametrize(
    ("model", "how", "status", "failure"),
    [
        (Always(), {}, "system_error", "system_error"),
        (Always(error_code="503"), {}, "system_error", "system_error"),
        (Always(error_code="MALFORMED_FUNCTION_CALL"), {}, "finished", "model_error"),
        (Always(part=types.Part(text="Hi")), {"plugins": lambda _: [Broken("broken")]}, "system_error", "system_error"),
        (
            Always(part=types.Part(text="Hi")),
            {"person": lambda *_: Speechless()},
            "simulator_error",
            "simulator_error",
        ),
    ],
)
def test_who_failed_is_told_apart(
    model: BaseLlm,
    how: dict[str, object],
    status: str,
    failure: str,
    shop: Shop,
    by_id: dict[str, ConversationTask],
) -> None:
    episode = played(by_id["find/chinos"], model, **how)
    assert (episode.status, episode.failure) == (status, failure)
    assert not episode.success and episode.why
    if status != "finished":
        assert not episode.checks and episode.error


def test_a_conversation_is_recorded_once(tmp_path: Path, shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task, root = by_id["not_available/kayak"], tmp_path / "trajectories"
    first = played(task, offline(), trajectories=root)
    again = played(task, offline(), trajectories=root)  # as after a kill in the middle
    assert first == again and first.trajectory is not None
    assert first.trajectory.startswith("trajectories/") and "\\" not in first.trajectory
    session = read_session(tmp_path / first.trajectory)
    assert len(session.runs) == len(first.instruction.splitlines())
