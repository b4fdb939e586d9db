"""The simulated persons within ADK's own evaluation."""

import asyncio

import pytest
from google.adk.apps import App
from google.adk.evaluation.base_eval_service import (
    EvaluateConfig,
    EvaluateRequest,
    InferenceConfig,
    InferenceRequest,
    InferenceResult,
)
from google.adk.evaluation.conversation_scenarios import ConversationScenario
from google.adk.evaluation.eval_case import Invocation, get_all_tool_calls
from google.adk.evaluation.eval_metrics import EvalMetric
from google.adk.evaluation.eval_result import EvalCaseResult
from google.adk.evaluation.in_memory_eval_sets_manager import InMemoryEvalSetsManager
from google.adk.evaluation.local_eval_service import LocalEvalService
from google.adk.evaluation.simulation.user_simulator import BaseUserSimulatorConfig
from google.adk.evaluation.simulation.user_simulator_provider import UserSimulatorProvider

from personalized_shopping.agent import root_agent
from personalized_shopping.evaluation.agent_session import APP_NAME
from personalized_shopping.evaluation.conversations import ConversationTask
from personalized_shopping.evaluation.conversations.oracle import oracle
from personalized_shopping.evaluation.conversations.simulators import (
    ModelPersonConfig,
    ModelPersonSimulator,
    ScriptedPersonConfig,
    ScriptedPersonSimulator,
    eval_case,
    task_of,
)
from personalized_shopping.shared_libraries.web_agent_site.engine.shop import Shop

SET = "conversations"


@pytest.fixture(autouse=True)
def experimental(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADK_SUPPRESS_EXPERIMENTAL_FEATURE_WARNINGS", "true")


def service(task: ConversationTask, shop: Shop, config: BaseUserSimulatorConfig) -> LocalEvalService:
    sets = InMemoryEvalSetsManager()
    sets.create_eval_set(APP_NAME, SET)
    sets.add_eval_case(APP_NAME, SET, eval_case(task))
    model = oracle(task, {asin: shop.catalog.product(asin) for asin in {*task.asins, *task.final_asins}})
    agent = root_agent.clone(update={"model": model})
    return LocalEvalService(
        root_agent=agent,
        eval_sets_manager=sets,
        user_simulator_provider=UserSimulatorProvider(config),
        app=App(name=APP_NAME, root_agent=agent),
    )


async def talk(running: LocalEvalService) -> list[InferenceResult]:
    request = InferenceRequest(app_name=APP_NAME, eval_set_id=SET, inference_config=InferenceConfig())
    return [result async for result in running.perform_inference(request)]


def said(invocation: Invocation) -> str:
    return "".join(part.text or "" for part in invocation.user_content.parts or [])


@pytest.mark.parametrize("name", ["find/power-bank", "change_of_mind/polish-color"])
def test_adk_plays_a_case_to_its_end(name: str, shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    task = by_id[name]
    [result] = asyncio.run(talk(service(task, shop, ScriptedPersonConfig())))
    invocations = result.inferences or []
    assert result.error_message is None and said(invocations[0]) == task.opening
    answers = [
        (part.function_response.response or {}).get("confirmed")
        for invocation in invocations
        for part in invocation.user_content.parts or []
        if part.function_response is not None
    ]
    assert answers == ([True] if task.change is None else [False, True])
    pressed = [
        str((call.args or {}).get("button_name"))
        for invocation in invocations
        for call in get_all_tool_calls(invocation.intermediate_data)
    ]
    wanted = [*task.wish.options.values(), "Buy Now"]
    then = [] if task.change is None else [*task.change.wish.options.values(), "Buy Now"]
    assert [label for label in pressed if label in {*wanted, *then}] == wanted + then


def test_adk_measures_what_was_played(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    running = service(by_id["not_available/piano"], shop, ScriptedPersonConfig())
    metrics = [EvalMetric(metric_name="tool_call_count_v1")]

    async def evaluate() -> list[EvalCaseResult]:
        results = await talk(running)
        request = EvaluateRequest(inference_results=results, evaluate_config=EvaluateConfig(eval_metrics=metrics))
        return [result async for result in running.evaluate(request)]

    [found] = asyncio.run(evaluate())
    assert found.eval_id == "not_available_piano"
    counted = {result.metric_name: result.score for result in found.overall_eval_metric_results}
    assert counted["tool_call_count_v1"] == 0.5, "one search in two messages"


def test_a_conversation_has_an_end(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    [result] = asyncio.run(talk(service(by_id["find/power-bank"], shop, ScriptedPersonConfig(max_turns=2))))
    assert len(result.inferences or []) == 2


def test_the_provider_knows_both_persons(shop: Shop, by_id: dict[str, ConversationTask]) -> None:
    case = eval_case(by_id["find/chinos"])
    assert isinstance(UserSimulatorProvider(ScriptedPersonConfig(seed=3)).provide(case), ScriptedPersonSimulator)
    assert isinstance(UserSimulatorProvider(ModelPersonConfig()).provide(case), ModelPersonSimulator)


@pytest.mark.parametrize(
    ("plan", "prompt", "problem"),
    [("find/nothing", "Hi", "names no case"), ("find/chinos", "Hi", "opening")],
)
def test_a_scenario_that_fits_no_case_is_refused(plan: str, prompt: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        task_of(ConversationScenario(starting_prompt=prompt, conversation_plan=plan))
