"""Rubrics are judged by the model that the setting names, and fail with it."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from click.testing import CliRunner
from google.adk.models import LLMRegistry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from personalized_shopping.errors import ModelError
from personalized_shopping.evaluation.adk_metrics import judge
from personalized_shopping.evaluation.adk_metrics.__main__ import main

EVAL = Path(__file__).resolve().parents[3] / "eval"
RUBRICS = {
    rubric["rubric_content"]["text_property"]
    for name, criterion in json.loads((EVAL / "judged.config.json").read_text(encoding="utf-8"))["criteria"].items()
    if name.startswith("rubric")
    for rubric in criterion["rubrics"]
}


class Judge(BaseLlm):
    """Gives one verdict on every rubric that it is asked about."""

    verdict: str

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        asked = str(llm_request.model_dump(mode="json"))
        text = "\n\n".join(
            f"Property: {rubric}\nEvidence: none\nRationale: so it is\nVerdict: {self.verdict}"
            for rubric in sorted(RUBRICS)
            if rubric in asked
        )
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]))


@pytest.mark.parametrize(
    ("verdict", "code", "words"),
    [("yes", 0, "1 passed, 0 failed"), ("no", 1, "rubric_based_final_response_quality_v1: 0 instead of 0.7")],
)
def test_the_configured_model_judges(verdict: str, code: int, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    def choose(name: str) -> Judge:
        named.append(name)
        return Judge(model=name, verdict=verdict)

    monkeypatch.setattr(judge, "choose_model", choose)
    monkeypatch.setenv("EVAL_JUDGE_MODEL", "gemini-of-the-day")
    arguments = [f"{EVAL / 'finding.evalset.json'}:not_available", "--config", str(EVAL / "judged.config.json")]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.exit_code == code, outcome.output
    assert words in outcome.output
    assert set(named) == {"gemini-of-the-day"}


def test_a_judge_that_cannot_answer_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def choose(name: str) -> Judge:
        raise ModelError("no such model")

    monkeypatch.setattr(judge, "choose_model", choose)
    monkeypatch.setenv("EVAL_JUDGE_MODEL", "gemini-of-the-day")
    arguments = [f"{EVAL / 'finding.evalset.json'}:not_available", "--config", str(EVAL / "judged.config.json")]
    outcome = CliRunner().invoke(main, arguments)
    assert outcome.exit_code == 1
    assert "could not be evaluated" in outcome.output


def test_adk_finds_the_judge_by_its_name() -> None:
    assert LLMRegistry.resolve(judge.JUDGE) is judge.ConfiguredJudge


def test_without_a_setting_the_error_says_what_to_set() -> None:
    with pytest.raises(ModelError, match="EVAL_JUDGE_MODEL"):
        judge.judge_name()
