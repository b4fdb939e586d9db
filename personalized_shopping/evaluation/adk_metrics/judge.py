"""The judge model of ADK's rubrics: a config names `judge/configured`, and the setting says which model that is."""

from collections.abc import AsyncGenerator

from google.adk.models import LLMRegistry
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from personalized_shopping.config import setting
from personalized_shopping.errors import ModelError
from personalized_shopping.models import choose_model

JUDGE = "judge/configured"


class ConfiguredJudge(BaseLlm):
    """The model that ``EVAL_JUDGE_MODEL`` names, chosen as the agent's is.

    A config is JSON and knows no settings, and ADK's own default judge is a retired model.
    """

    @classmethod
    def supported_models(cls) -> list[str]:
        """Return what this model answers to."""
        return [JUDGE]

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer as the configured model does; see ``BaseLlm``.

        Raises:
            ModelError: when no judge is configured, or its name cannot be right.
        """
        name = judge_name()
        llm_request.model = name
        async for response in choose_model(name).generate_content_async(llm_request, stream):
            yield response


def judge_name() -> str:
    """Return the name of the judge model.

    Raises:
        ModelError: when none is configured.
    """
    name = setting("EVAL_JUDGE_MODEL")
    if not name:
        raise ModelError(
            "Rubrics need a judge: set EVAL_JUDGE_MODEL to a model, such as gemini-3.5-flash or xai/grok-4. "
            "Without one, use a config without rubrics."
        )
    return name


def register_judge() -> None:
    """Make the judge known to ADK by its name; doing so twice changes nothing."""
    LLMRegistry.register(ConfiguredJudge)
