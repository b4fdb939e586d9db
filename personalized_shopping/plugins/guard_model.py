"""The guard that the settings name, and its language model."""

import json
from pathlib import Path
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from personalized_shopping.config import limit, setting
from personalized_shopping.errors import SettingError, shorten
from personalized_shopping.models import choose_model
from personalized_shopping.plugins.adk_records import usage_of
from personalized_shopping.prompts import load_prompt
from personalized_shopping.shared_libraries.safety.guard import SYSTEMS, Guard, make_guard
from personalized_shopping.shared_libraries.safety.judge import Ask, Reply
from personalized_shopping.shared_libraries.safety.policies import load_policies
from personalized_shopping.shared_libraries.trajectory import Usage

PROMPTS = {"safepred": "guard", "harmonyguard": "guard_harmony", "reactive": "guard_reactive", "rules": "guard"}
_NO_BUDGET = 2**62


def configured_guard() -> Guard | None:
    """Return the guard that ``SAFETY_SYSTEM`` names; ``None`` for ``off``.

    Raises:
        ShoppingError: where a setting cannot be used: an unknown system, a broken policy file, a baseline without a
            model, a model that is not there.
    """
    name = setting("SAFETY_SYSTEM").lower()
    system = next((known for known in SYSTEMS if known == name), None)
    if system is None:
        raise SettingError(f"SAFETY_SYSTEM is {shorten(name)}. Use one of: {', '.join(SYSTEMS)}.")
    if system == "off":
        return None
    path, model = setting("SAFETY_POLICIES"), setting("SAFETY_MODEL")
    policies = load_policies(Path(path).expanduser() if path else None)
    ask = asker(choose_model(model)) if model and system != "rules" else None
    return make_guard(system, policies, ask, load_prompt(PROMPTS[system]), limit("SAFETY_TOKEN_BUDGET") or _NO_BUDGET)


def asker(model: BaseLlm) -> Ask:
    """Return a function that asks a model, with the schema of the reply where the model takes one."""

    async def ask(system: str, question: str, schema: dict[str, Any]) -> Reply:
        request = LlmRequest(
            model=model.model,
            contents=[types.Content(role="user", parts=[types.Part(text=question)])],
            config=types.GenerateContentConfig(
                system_instruction=system,
                temperature=0.0,
                response_mime_type="application/json",
                response_json_schema=json.loads(json.dumps(schema)),
            ),
        )
        text, usage, version = "", Usage(), None
        async for response in model.generate_content_async(request):
            if response.partial:
                continue
            if response.error_code is not None:
                raise RuntimeError(f"{response.error_code}: {response.error_message}")
            parts = (response.content.parts if response.content else None) or []
            text += "".join(part.text for part in parts if part.text and not part.thought)
            usage = usage_of(response.usage_metadata) or usage
            version = response.model_version or version
        return Reply(text, usage, version or model.model)

    return ask
